//! A user of an application; requests carry the application's key and the user's token.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::{Answer, Server, eventually, http};

/// A user with a token.
#[derive(Debug, Clone)]
pub struct User {
    /// The server.
    pub server: SocketAddr,
    /// The application's key.
    pub key: String,
    /// The user's token.
    pub token: String,
}

const BASE: &str = "/imageRecognition/v1";

impl User {
    /// Gets a token for a user.
    #[must_use]
    pub fn named(server: &Server, key: &str, name: &str) -> Self {
        let target = format!("{BASE}/userCategory/getToken?APIKEY={key}");
        let answer =
            http::post(server.address, &target, "application/json", json!({"userId": name}).to_string().as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let token = answer.json()["token"].as_str().expect("a token").to_owned();
        Self { server: server.address, key: key.to_owned(), token }
    }

    /// The same user on another server.
    #[must_use]
    pub fn on(&self, server: &Server) -> Self {
        Self { server: server.address, ..self.clone() }
    }

    /// The target of an operation, with key and token.
    #[must_use]
    pub fn target(&self, operation: &str) -> String {
        format!("{BASE}/{operation}?APIKEY={}&token={}", self.key, self.token)
    }

    /// Calls an operation that takes JSON.
    #[must_use]
    pub fn call(&self, operation: &str, body: &Value) -> Answer {
        let body = body.to_string();
        http::post(self.server, &self.target(operation), "application/json;charset=UTF-8", body.as_bytes())
    }

    /// Calls an operation that takes a form.
    #[must_use]
    pub fn send(&self, operation: &str, fields: &[(&str, &[u8])]) -> Answer {
        http::post(self.server, &self.target(operation), http::FORM, &http::form(fields))
    }

    /// Uploads an image; returns its id.
    #[must_use]
    pub fn upload(&self, image: &[u8], tag: &str) -> String {
        let answer = self.send("userCategory/uploadImage", &[("image", image), ("tag", tag.as_bytes())]);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["imageId"].as_str().expect("an id").to_owned()
    }

    /// Creates a dataset; returns its id.
    #[must_use]
    pub fn create(&self, images: &[Value]) -> String {
        let answer = self.call("userCategory/createDataSet", &json!({"name": "a dataset", "images": images}));
        assert_eq!(answer.status, 202, "{}", answer.text());
        assert_eq!(answer.json()["state"], "queued");
        answer.json()["dataSetId"].as_str().expect("an id").to_owned()
    }

    /// The dataset as the API describes it.
    #[must_use]
    pub fn dataset(&self, id: &str) -> Value {
        let answer = self.call("userCategory/getDataSet", &json!({"dataSetId": id, "limit": 1000}));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// Waits until a dataset is ready or has failed.
    #[must_use]
    pub fn built(&self, id: &str) -> Value {
        eventually("the dataset is built", || {
            let state =
                self.call("userCategory/getDataSet", &json!({"dataSetId": id, "limit": 0})).json()["state"].clone();
            (state == "ready" || state == "failed").then_some(())
        });
        self.dataset(id)
    }

    /// Deletes a dataset; returns the status.
    #[must_use]
    pub fn delete(&self, id: &str) -> u16 {
        self.call("userCategory/deleteDataSet", &json!({"dataSetId": id})).status
    }

    /// Recognises a picture with a dataset.
    #[must_use]
    pub fn ask(&self, operation: &str, id: &str, image: &[u8]) -> Answer {
        self.send(operation, &[("image", image), ("dataSetId", id.as_bytes())])
    }
}

//! A client of the console's operations, with the cookie and the CSRF token of a browser.

use serde_json::{Value, json};

use crate::{Answer, Server, http};

/// A person, signed in or not.
#[derive(Debug)]
pub struct ConsoleClient {
    /// The server.
    pub address: std::net::SocketAddr,
    /// The session cookie; empty when not signed in.
    pub cookie: String,
    /// The CSRF token that the pages send.
    pub csrf: String,
}

impl ConsoleClient {
    /// A person who is not signed in.
    #[must_use]
    pub fn stranger(server: &Server) -> Self {
        Self { address: server.address, cookie: String::new(), csrf: String::new() }
    }

    /// Registers with an address and a password, and signs in. Whoever becomes the operator lets anybody register, so
    /// that those who come next can sign in too.
    #[must_use]
    pub fn registered(server: &Server, email: &str, password: &str) -> Self {
        let mut person = Self::stranger(server);
        let answer = person.call("POST", "accounts", &json!({"email": email, "password": password}));
        assert_eq!(answer.status, 202, "{}", answer.text());
        let session = person.sign_in(email, password);
        assert_eq!(session.status, 200, "{}", session.text());
        if session.json()["account"]["role"] == "operator" {
            let opened = person.call("PUT", "operator/registration", &json!({"mode": "open"}));
            assert_eq!(opened.status, 200, "{}", opened.text());
        }
        person
    }

    /// Signs in, and keeps the cookie and the CSRF token.
    pub fn sign_in(&mut self, email: &str, password: &str) -> Answer {
        let answer = self.call("POST", "session", &json!({"email": email, "password": password}));
        if answer.status == 200 {
            let set = answer.header("set-cookie").expect("a cookie");
            set.split(';').next().expect("a pair").clone_into(&mut self.cookie);
            answer.json()["csrf"].as_str().expect("a token").clone_into(&mut self.csrf);
        }
        answer
    }

    /// Calls an operation of the console as its pages do.
    #[must_use]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        let proof = if self.csrf.is_empty() { String::new() } else { format!("X-CSRF-Token: {}\r\n", self.csrf) };
        self.send(method, path, &format!("Content-Type: application/json\r\n{proof}"), body.to_string().as_bytes())
    }

    /// One GET of an operation.
    #[must_use]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    /// Sends a request with the cookie.
    #[must_use]
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let cookie = if self.cookie.is_empty() { String::new() } else { format!("Cookie: {}\r\n", self.cookie) };
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let mut connection = http::Connection::open(self.address);
        connection.request(method, &format!("/console/api/{path}"), &format!("{headers}{cookie}{length}"));
        connection.send(body);
        connection.answer(method == "HEAD").expect("an answer")
    }

    /// Creates an application; returns its id and the secret of its first key.
    #[must_use]
    pub fn application(&self, name: &str) -> (String, String) {
        let answer = self.call("POST", "applications", &json!({"name": name}));
        assert_eq!(answer.status, 201, "{}", answer.text());
        let answer = answer.json();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (text(&answer["application"]["id"]), text(&answer["key"]["secret"]))
    }
}

/// The status of a response, and the code if it is an error.
#[must_use]
pub fn code(answer: &Answer) -> (u16, String) {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    (answer.status, body["error"]["code"].as_str().unwrap_or_default().to_owned())
}

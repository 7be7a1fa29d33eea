//! A server and a key for tests of the route map function.

use serde_json::Value;

use crate::{Answer, Backend, Database, Server, make_key};

/// A running server with an empty database and a key for it.
#[derive(Debug)]
pub struct RouteMaps {
    /// The server.
    pub server: Server,
    /// A key of an application.
    pub key: String,
    /// Its database.
    pub database: Database,
}

impl RouteMaps {
    /// Starts a server on a new `SQLite` database.
    #[must_use]
    pub fn start() -> Self {
        Self::start_on(Backend::Sqlite)
    }

    /// Starts a server on a new database.
    #[must_use]
    pub fn start_on(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        let key = make_key(&database, "tests");
        Self { server: Server::start(&database, &[]), key, database }
    }

    /// The target of a request with the key.
    #[must_use]
    pub fn target(&self, operation: &str, query: &str) -> String {
        format!("/route_service/v1/{operation}?APIKEY={}&{query}", self.key)
    }

    /// Calls an operation.
    #[must_use]
    pub fn call(&self, operation: &str, query: &str) -> Answer {
        self.server.get(&self.target(operation, query))
    }

    /// Calls an operation that succeeds; returns its `ResultSet`.
    #[must_use]
    pub fn found(&self, operation: &str, query: &str) -> Value {
        let answer = self.call(operation, query);
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
        answer.json()["ResultSet"].clone()
    }

    /// Calls an operation that is refused; returns the status, the code and the message.
    #[must_use]
    pub fn refused(&self, operation: &str, query: &str) -> (u16, String, String) {
        let answer = self.call(operation, query);
        let error = answer.json()["ResultSet"]["Error"].clone();
        let text = |key: &str| error[key].as_str().expect("text").to_owned();
        (answer.status, text("code"), text("Message"))
    }
}

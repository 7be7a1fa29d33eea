//! The protocol on standard input and output, for a server elsewhere.

use std::time::Duration;

use axum::http::{HeaderValue, Request, Response, Uri, header, request::Parts};
use bytes::Bytes;
use kaisatsu_fetch::{Fetcher, TrustedClient};
use rmcp::{ServiceExt as _, transport::stdio};
use serde_json::Value;

use crate::{assistant::Assistant, backend::Backend};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_mins(2);

/// Why the tools cannot be offered.
pub type RemoteError = String;

/// A server, and the key to call it with.
pub struct Remote {
    /// The address of the server, such as `https://maps.example`.
    pub server: String,
    /// The API key; without one the server says with each call that it is missing.
    pub key: Option<String>,
    /// Sends requests to the server.
    pub client: TrustedClient,
    /// Fetches pictures from addresses.
    pub fetcher: Fetcher,
}

/// Offers the tools of a server until standard input ends.
///
/// # Errors
/// When the server cannot be asked for its operations.
pub async fn serve_stdio(remote: Remote) -> Result<(), RemoteError> {
    let document = remote.document().await?;
    let running = Assistant::new(&document, remote).serve(stdio()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

impl Remote {
    /// The operations of the server.
    async fn document(&self) -> Result<Value, RemoteError> {
        let request = Request::get("/openapi.json").body(Bytes::new()).map_err(|error| error.to_string())?;
        let answer = self.send(request, None).await?;
        let unread = || format!("{} is no Kaisatsu server: it has no /openapi.json", self.server);
        serde_json::from_slice(answer.body()).ok().filter(|_| answer.status().is_success()).ok_or_else(unread)
    }
}

impl Backend for Remote {
    const READS_FILES: bool = true;

    async fn send(&self, request: Request<Bytes>, _: Option<&Parts>) -> Result<Response<Bytes>, String> {
        let (mut head, body) = request.into_parts();
        let address = format!("{}{}", self.server.trim_end_matches('/'), head.uri);
        head.uri = address.parse::<Uri>().map_err(|error| format!("{address} is no address: {error}"))?;
        if let Some(key) = &self.key {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| "the key is no API key")?;
            value.set_sensitive(true);
            head.headers.insert(header::AUTHORIZATION, value);
        }
        let sent = self.client.send(Request::from_parts(head, body), PATIENCE).await;
        sent.map_err(|error| format!("the server at {} does not answer: {error}", self.server))
    }

    async fn fetch(&self, address: &str, _: Option<&Parts>) -> Result<Bytes, String> {
        self.fetcher.get(address).await.map_err(|error| error.to_string())
    }
}

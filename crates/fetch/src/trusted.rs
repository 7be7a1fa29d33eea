//! Requests to servers that the operator names, not a user: no address is refused.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use reqwest::{Client, redirect};

use crate::{FetchError, tls};

/// The time limit for establishing a connection, including TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes of a response.
const MAX_RESPONSE: usize = 256 * 1024 * 1024;

/// Sends requests to servers that the operator chose. Clones share their connections.
#[derive(Debug, Clone)]
pub struct TrustedClient(Client);

impl TrustedClient {
    /// A client that trusts the certificate authorities of the operating system.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new() -> Result<Self, FetchError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls::system()?)
            .connect_timeout(CONNECT_TIMEOUT)
            // A request with a key goes to the server that was named, and to no other.
            .redirect(redirect::Policy::none())
            .referer(false)
            .user_agent("Kaisatsu")
            .build();
        client.map(Self).map_err(|error| FetchError::Unreachable(error.to_string()))
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// If there is no complete response in time: why, without the address.
    pub async fn send(&self, request: Request<Bytes>, patience: Duration) -> Result<Response<Bytes>, String> {
        let sending = async {
            let request = reqwest::Request::try_from(request).map_err(|error| failure(&error))?;
            let mut response = self.0.execute(request).await.map_err(|error| failure(&error))?;
            let mut body = BytesMut::new();
            while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
                if body.len() + chunk.len() > MAX_RESPONSE {
                    return Err(format!("the answer has more than {MAX_RESPONSE} bytes"));
                }
                body.extend_from_slice(&chunk);
            }
            let mut answer = Response::new(body.freeze());
            *answer.status_mut() = response.status();
            *answer.headers_mut() = std::mem::take(response.headers_mut());
            Ok(answer)
        };
        tokio::time::timeout(patience, sending)
            .await
            .unwrap_or_else(|_| Err(format!("there was no answer within {patience:?}")))
    }
}

fn failure(error: &reqwest::Error) -> String {
    if error.is_connect() {
        "no connection is possible; check its address, and whether it runs".to_owned()
    } else {
        "the connection broke".to_owned()
    }
}

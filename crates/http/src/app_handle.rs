//! Requests of the server to itself, which pass through everything that requests from outside pass through.

use std::sync::{Arc, OnceLock, Weak};

use axum::{extract::Request, response::Response};

use crate::{
    App,
    client_address::{Peer, from_peer, peer},
};

/// The server, for parts of it that send requests to other parts. It is connected once the server is assembled.
#[derive(Clone, Default)]
pub struct AppHandle(Arc<OnceLock<Weak<App>>>);

impl AppHandle {
    /// Lets requests reach this server from now on.
    pub fn connect(&self, app: &Arc<App>) {
        // The second of two servers would change nothing.
        let _ = self.0.set(Arc::downgrade(app));
    }

    /// The response to a request; `None` when the server is not there yet, or not any more.
    pub async fn send(&self, request: Request) -> Option<Response> {
        let app = self.0.get()?.upgrade()?;
        let peer = request.extensions().get::<Peer>().map_or_else(peer, |peer| peer.0);
        Some(from_peer(peer, app.handle(request)).await)
    }
}

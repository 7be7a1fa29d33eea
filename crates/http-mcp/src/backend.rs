//! Where the requests of the tools go.

use axum::http::{Request, Response, request::Parts};
use bytes::Bytes;

/// What answers the requests of the tools.
pub(crate) trait Backend: Send + Sync + 'static {
    /// Whether a picture may be a file of this machine.
    const READS_FILES: bool;

    /// Sends the request of a tool. `asked` is the head of the assistant's own request, if it came over HTTP.
    fn send(
        &self,
        request: Request<Bytes>,
        asked: Option<&Parts>,
    ) -> impl Future<Output = Result<Response<Bytes>, String>> + Send;

    /// The picture at an address, for the assistant that sent a request.
    fn fetch(&self, address: &str, asked: Option<&Parts>) -> impl Future<Output = Result<Bytes, String>> + Send;
}

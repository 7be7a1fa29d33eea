//! The operations of the API as tools for assistants, over the Model Context Protocol: at `/mcp` of the server, and on
//! standard input and output of a program that asks a server.
//!
//! There is no second list of operations. Names, descriptions and arguments of the tools are those of the OpenAPI
//! document, and a call becomes the request that the document describes. At `/mcp` the request passes through the whole
//! server like any other, so keys, scopes, quotas, limits, usage and the log are the same.

mod answer;
mod assistant;
mod backend;
mod endpoint;
mod picture;
mod remote;
mod request;
mod schema;
mod tool;

pub use endpoint::{Access, section};
pub use remote::{Remote, RemoteError, serve_stdio};

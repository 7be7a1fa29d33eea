//! What the operations below `userCategory/` have in common: a user, and a body in JSON.

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    response::Response,
};
use kaisatsu_recognition::User;
use utoipa::IntoParams;

use super::super::{
    json::Object,
    response::{Reply, respond_with},
};
use crate::{
    Failure, Gateway, Query,
    gateway::{API_KEY, TOKEN},
};

/// The query of a user's operation.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "it describes the query for the OpenAPI document")]
pub(crate) struct UserQuery {
    /// The user's token
    token: String,
}

/// A request of a user's, before any of it is read.
pub(crate) struct UserRequest(Request);

impl<S: Sync> FromRequest<S> for UserRequest {
    type Rejection = Infallible;

    async fn from_request(request: Request<Body>, _: &S) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

impl UserRequest {
    /// Checks the key, the token and the body, of at most `most` bytes, in this order; then runs `work` and makes the
    /// response of its result.
    pub(super) async fn respond<R: Reply>(
        self,
        gateway: &Gateway,
        function: &str,
        most: usize,
        work: impl AsyncFnOnce(User, Object) -> Result<R, Failure>,
    ) -> Response {
        let (parts, body) = self.0.into_parts();
        let query = Query::read(parts.uri.query(), &[API_KEY, TOKEN]);
        respond_with(function, gateway.admit(&query, &parts.headers).await, async |caller| {
            let user = gateway.user(&query, caller).await?;
            work(user, Object::read(&gateway.body_memory, &parts.headers, body, most).await?).await
        })
        .await
    }
}

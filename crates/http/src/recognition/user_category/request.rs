//! What the operations below `userCategory/` have in common: a user, and a body in JSON.

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::{FromRequest, Request},
    response::Response,
};
use kaisatsu_model::DatasetId;
use kaisatsu_recognition::User;
use utoipa::IntoParams;

use super::super::{
    idempotency::Repeatable,
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

    /// The same for an operation that creates a dataset, once for an `Idempotency-Key`. The work gets an id for it if
    /// the request has a key.
    pub(super) async fn respond_once<R: Reply>(
        self,
        gateway: &Gateway,
        function: &str,
        most: usize,
        work: impl AsyncFnOnce(User, Object, Option<DatasetId>) -> Result<R, Failure>,
    ) -> Response {
        let (parts, body) = self.0.into_parts();
        let query = Query::read(parts.uri.query(), &[API_KEY, TOKEN]);
        respond_with(function, gateway.admit(&query, &parts.headers).await, async |caller| {
            let user = gateway.user(&query, caller).await?;
            let owner = user.clone();
            let repeatable = Repeatable::of(gateway, function, &parts.headers, &owner.application, Some(&owner.id))?;
            let body = Object::read(&gateway.body_memory, &parts.headers, body, most).await?;
            // A list of ten thousand images is written out again only where it is compared.
            let said = if parts.headers.contains_key("idempotency-key") { body.parts() } else { Vec::new() };
            repeatable.run(|| said, async |id| work(user, body, id).await).await
        })
        .await
    }
}

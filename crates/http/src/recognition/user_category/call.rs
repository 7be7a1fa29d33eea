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
    answer::{Outcome, answer_to},
    json::Object,
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

/// A request of a user's, before anything of it is read.
pub(crate) struct UserCall(Request);

impl<S: Sync> FromRequest<S> for UserCall {
    type Rejection = Infallible;

    async fn from_request(request: Request<Body>, _: &S) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

impl UserCall {
    /// Checks key, token and body, of at most `most` bytes, in this order, and answers with what comes of the work.
    pub(super) async fn answer<O: Outcome>(
        self,
        gateway: &Gateway,
        function: &str,
        most: usize,
        work: impl AsyncFnOnce(User, Object) -> Result<O, Failure>,
    ) -> Response {
        let (parts, body) = self.0.into_parts();
        let query = Query::read(parts.uri.query(), &[API_KEY, TOKEN]);
        answer_to(function, gateway.admit(&query).await, async |caller| {
            let user = gateway.user(&query, caller).await?;
            work(user, Object::read(&gateway.room, &parts.headers, body, most).await?).await
        })
        .await
    }
}

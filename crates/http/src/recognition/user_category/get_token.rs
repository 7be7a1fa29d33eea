//! `userCategory/getToken`: a token for one of the application's users.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::UserId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::{
    json::{Object, field},
    response::{BodyRefusals, RecognitionError, Refusals, Secret, respond_with},
};
use crate::{Gateway, Query, gateway::API_KEY};

/// The most bytes of a body: a name of 200 characters, escaped as JSON may be, fits several times.
const MOST: usize = 16 * 1024;

/// Whom the token is for.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "it describes the body; the fields are read one by one")]
pub(crate) struct TokenAsk {
    /// The application's own name for its user, 1 to 200 characters.
    #[schema(example = "user-42", min_length = 1, max_length = 200)]
    user_id: String,
}

/// A token.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenAnswer {
    /// The secret: whoever has it, and the application's key, is this user. It is shown only now.
    #[schema(example = "kut_7h2m0x9qk4v5t8w3c6n1r0d2p5s8y1z4")]
    token: String,
    /// Until when it is good, in UTC.
    #[schema(example = "2026-12-15T09:30:00Z")]
    expires_at: String,
}

impl crate::response::JsonBody for TokenAnswer {}

/// A token for one of the application's users
#[utoipa::path(
    post, path = "/userCategory/getToken", operation_id = "getToken", tag = "User categories",
    description = "Tokens made before go on working until they expire: an application asks for a new one and changes \
                   over when it likes. Of one user the last\ntwenty are good.",
    security(("APIKEY" = [])),
    request_body(content = TokenAsk, content_type = "application/json"),
    responses(
        (status = 200, description = "The token", body = TokenAnswer, content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "105: the body is not JSON; 106: userId is missing or invalid",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        Refusals,
        (status = 403, description = "201: the API key is disabled or restricted, or may not be used from there",
            body = RecognitionError, content_type = "application/json;charset=UTF-8"),
        BodyRefusals,
    )
)]
pub(crate) async fn get_token(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY]);
    let admitted = gateway.admit_unrestricted(&query, &headers, "issue tokens of users").await;
    respond_with("userCategory/getToken", admitted, async |caller| {
        let body = Object::read(&gateway.body_memory, &headers, body, MOST).await?;
        let user = UserId::new(body.required("userId")?).map_err(|rule| field("userId", rule.0))?;
        let issued = gateway.tokens.issue(&caller.application, user).await?;
        let token = issued.secret.reveal().to_owned();
        Ok(Secret(TokenAnswer { token, expires_at: issued.expires_at.to_utc() }))
    })
    .await
}

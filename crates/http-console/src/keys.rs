//! `applications/{id}/keys` and `pass`: the keys of an application.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use kaisatsu_access::IssuedKey;
use kaisatsu_model::{AppId, KeyId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    applications::{KeyEntry, key_entry},
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json},
    session_guard::{CurrentAccount, JsonBody},
};
use kaisatsu_http::Gateway;

/// The longest time that a key goes on working beside its successor.
const LONGEST_OVERLAP: u64 = 90 * 24 * 3600;

/// A key at the one moment its secret is known.
#[derive(Serialize, ToSchema)]
#[schema(as = IssuedKey)]
pub(crate) struct IssuedKeyAnswer {
    id: String,
    secret: String,
}

impl From<IssuedKey> for IssuedKeyAnswer {
    fn from(key: IssuedKey) -> Self {
        Self { id: key.id.to_string(), secret: key.secret.reveal().to_owned() }
    }
}

/// Nothing.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Nothing {}

/// How a key is replaced.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rotation {
    /// How long the old one goes on working, 0 to 90 days.
    overlap_seconds: u64,
}

/// What is to be changed of a key.
#[derive(Deserialize, ToSchema)]
pub(crate) struct KeyChange {
    disabled: bool,
}

/// A key for the console itself.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pass {
    key: String,
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Make a key
#[utoipa::path(
    post, path = "/console/api/applications/{id}/keys", operation_id = "createKey", tag = "Applications",
    params(("id" = String, Path, description = "The application")), request_body = Nothing,
    responses(
        (status = 201, description = "Made; the secret is shown only now", body = IssuedKeyAnswer),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn create(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> ConsoleResult {
    let key = gateway.console.create_key(current.account(), &AppId::from_text(id)).await?;
    Ok(json(StatusCode::CREATED, IssuedKeyAnswer::from(key)))
}

/// Replace a key; the old one goes on working for a while
#[utoipa::path(
    post, path = "/console/api/applications/{id}/keys/{key}/rotate", operation_id = "rotateKey", tag = "Applications",
    params(("id" = String, Path, description = "The application"), ("key" = String, Path, description = "The key")),
    request_body = Rotation,
    responses(
        (status = 201, description = "The successor; its secret is shown only now", body = IssuedKeyAnswer),
        (status = 404, description = "notFound", body = ConsoleError),
        (status = 409, description = "keyEnded", body = ConsoleError),
    )
)]
pub(crate) async fn rotate(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path((id, key)): Path<(String, String)>,
    JsonBody(sent): JsonBody<Rotation>,
) -> ConsoleResult {
    if sent.overlap_seconds > LONGEST_OVERLAP {
        return Err(ConsoleFailure::Invalid(format!("overlapSeconds must be from 0 to {LONGEST_OVERLAP}")));
    }
    let (id, key) = (AppId::from_text(id), KeyId::from_text(key));
    let overlap = Duration::from_secs(sent.overlap_seconds);
    let issued = gateway.console.rotate_key(current.account(), &id, &key, overlap).await?;
    Ok(json(StatusCode::CREATED, IssuedKeyAnswer::from(issued)))
}

/// Switch a key on or off
#[utoipa::path(
    patch, path = "/console/api/applications/{id}/keys/{key}", operation_id = "switchKey", tag = "Applications",
    params(("id" = String, Path, description = "The application"), ("key" = String, Path, description = "The key")),
    request_body = KeyChange,
    responses(
        (status = 200, description = "The key as it is now", body = KeyEntry),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn switch(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path((id, key)): Path<(String, String)>,
    JsonBody(sent): JsonBody<KeyChange>,
) -> ConsoleResult {
    let (id, key) = (AppId::from_text(id), KeyId::from_text(key));
    let record = gateway.console.set_key_disabled(current.account(), &id, &key, sent.disabled).await?;
    Ok(json(StatusCode::OK, key_entry(&record, gateway.console.now())))
}

/// A short-lived key for the console to call the public API with
#[utoipa::path(
    post, path = "/console/api/applications/{id}/pass", operation_id = "pass", tag = "Applications",
    params(("id" = String, Path, description = "The application")), request_body = Nothing,
    responses(
        (status = 201, description = "Good for an hour, and as long as the person is signed in", body = Pass),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn pass(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    JsonBody(Nothing {}): JsonBody<Nothing>,
) -> ConsoleResult {
    let (issued, end) = gateway.console.create_console_key(current.account(), &AppId::from_text(id)).await?;
    Ok(json(StatusCode::CREATED, Pass { key: issued.secret.reveal().to_owned(), expires_at: end.to_utc() }))
}

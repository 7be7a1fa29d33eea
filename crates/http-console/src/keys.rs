//! `applications/{id}/keys` and `pass`: the keys of an application.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use kaisatsu_access::{AllowedPlaces, IssuedKey, KeyTerms};
use kaisatsu_model::{AppId, KeyId, KeyScope};
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

/// How long a key may work that expires: a minute to ten years.
const LIFETIMES: std::ops::RangeInclusive<u64> = 60..=3_650 * 24 * 3600;

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

/// What a new key may do, from where, and for how long.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewKey {
    /// `restricted`, `standard` or, for operators, `operator`; `standard` when nothing is said.
    #[schema(example = "restricted")]
    scope: Option<String>,
    /// Origins of web pages, addresses and networks; the key may be used from everywhere when there are none.
    #[serde(default)]
    #[schema(example = json!(["https://maps.example.org", "10.0.0.0/8"]), max_items = 50)]
    allowed: Vec<String>,
    /// After how long it expires; never when nothing is said.
    #[schema(minimum = 60, maximum = 315_360_000, example = 7_776_000)]
    lifetime_seconds: Option<u64>,
}

impl TryFrom<NewKey> for KeyTerms {
    type Error = ConsoleFailure;

    fn try_from(sent: NewKey) -> Result<Self, ConsoleFailure> {
        let scope = sent.scope.as_deref().map_or(Ok(KeyScope::default()), KeyScope::new)?;
        let allowed = AllowedPlaces::of(sent.allowed.iter().map(String::as_str)).map_err(ConsoleFailure::Invalid)?;
        if let Some(seconds) = sent.lifetime_seconds.filter(|seconds| !LIFETIMES.contains(seconds)) {
            let (least, most) = (LIFETIMES.start(), LIFETIMES.end());
            let rule = format!("lifetimeSeconds must be from {least} to {most}, and not {seconds}");
            return Err(ConsoleFailure::Invalid(rule));
        }
        Ok(Self { scope, allowed, lifetime: sent.lifetime_seconds.map(Duration::from_secs) })
    }
}

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
    params(("id" = String, Path, description = "The application")), request_body = NewKey,
    responses(
        (status = 201, description = "Made; the secret is shown only now", body = IssuedKeyAnswer),
        (status = 400, description = "invalid", body = ConsoleError),
        (status = 403, description = "notAllowed: keys of the scope operator are for operators", body = ConsoleError),
        (status = 404, description = "notFound", body = ConsoleError),
        (status = 409, description = "tooMany", body = ConsoleError),
    )
)]
pub(crate) async fn create(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    JsonBody(sent): JsonBody<NewKey>,
) -> ConsoleResult {
    let terms = sent.try_into()?;
    let key = gateway.console.create_key(current.account(), &AppId::from_text(id), terms).await?;
    Ok(json(StatusCode::CREATED, IssuedKeyAnswer::from(key)))
}

/// Replace a key; the old one goes on working for a while
#[utoipa::path(
    post, path = "/console/api/applications/{id}/keys/{key}/rotate", operation_id = "rotateKey", tag = "Applications",
    params(("id" = String, Path, description = "The application"), ("key" = String, Path, description = "The key")),
    request_body = Rotation,
    responses(
        (status = 201, description = "The successor; its secret is shown only now", body = IssuedKeyAnswer),
        (status = 403, description = "notAllowed: keys of the scope operator are for operators", body = ConsoleError),
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

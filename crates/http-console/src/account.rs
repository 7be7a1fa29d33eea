//! `account/…`: the account that is signed in.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{StatusCode, header},
};
use kaisatsu_access::ApplicationContents;
use kaisatsu_recognition::hex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleResult, json, no_content},
    session_guard::{CurrentAccount, JsonBody, cookie},
};
use kaisatsu_http::Gateway;

/// The present password and the one to come.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasswordChange {
    current: String,
    new: String,
}

/// The browsers that are signed in.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionList {
    sessions: Vec<SessionEntry>,
}

/// A browser that is signed in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SessionEntry {
    id: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    seen_at: String,
    /// What the browser says it is.
    agent: String,
    /// Whether it is this one.
    current: bool,
}

/// What a deletion takes along.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccountBelongings {
    applications: Vec<BelongingsEntry>,
}

/// What goes with an application.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Belongings)]
pub(crate) struct BelongingsEntry {
    name: String,
    keys: i64,
    users: i64,
    images: i64,
    data_sets: i64,
    recognitions: i64,
    verdicts: i64,
}

impl From<ApplicationContents> for BelongingsEntry {
    fn from(all: ApplicationContents) -> Self {
        let ApplicationContents { name, keys, users, images, datasets: data_sets, recognitions, verdicts } = all;
        Self { name, keys, users, images, data_sets, recognitions, verdicts }
    }
}

/// Proof that the person is the one who signed in.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasswordProof {
    password: String,
}

/// Change the password
#[utoipa::path(
    put, path = "/console/api/account/password", operation_id = "changePassword", tag = "Account",
    request_body = PasswordChange,
    responses(
        (status = 204, description = "Changed; all other sessions ended"),
        (status = 400, description = "invalidPassword", body = ConsoleError),
        (status = 401, description = "notSignedIn, wrongCredentials", body = ConsoleError),
    )
)]
pub(crate) async fn change_password(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    JsonBody(sent): JsonBody<PasswordChange>,
) -> ConsoleResult {
    gateway.accounts.change_password(&current.signed_in, &sent.current, &sent.new).await?;
    Ok(no_content())
}

/// The browsers that are signed in
#[utoipa::path(
    get, path = "/console/api/account/sessions", operation_id = "sessions", tag = "Account",
    responses((status = 200, description = "The sessions, the last seen first", body = SessionList))
)]
pub(crate) async fn sessions(State(gateway): State<Arc<Gateway>>, current: CurrentAccount) -> ConsoleResult {
    let rows = gateway.accounts.sessions(&current.signed_in).await?;
    let entry = |row: kaisatsu_access::SessionRow| SessionEntry {
        id: hex(row.digest.get(..8).unwrap_or_default()),
        created_at: row.created_at.to_utc(),
        seen_at: row.seen_at.to_utc(),
        agent: row.agent,
        current: row.digest == current.signed_in.session.0,
    };
    Ok(json(StatusCode::OK, SessionList { sessions: rows.into_iter().map(entry).collect() }))
}

/// End all other sessions
#[utoipa::path(
    delete, path = "/console/api/account/sessions", operation_id = "signOutElsewhere", tag = "Account",
    responses((status = 204, description = "Ended"))
)]
pub(crate) async fn sign_out_elsewhere(State(gateway): State<Arc<Gateway>>, current: CurrentAccount) -> ConsoleResult {
    gateway.accounts.sign_out_elsewhere(&current.signed_in).await?;
    Ok(no_content())
}

/// What a deletion of the account takes along
#[utoipa::path(
    get, path = "/console/api/account/belongings", operation_id = "accountBelongings", tag = "Account",
    responses((status = 200, description = "What goes with each application", body = AccountBelongings))
)]
pub(crate) async fn belongings(State(gateway): State<Arc<Gateway>>, current: CurrentAccount) -> ConsoleResult {
    let all = gateway.accounts.contents(&current.account().id).await?;
    Ok(json(StatusCode::OK, AccountBelongings { applications: all.into_iter().map(Into::into).collect() }))
}

/// Delete the account with everything it owns
#[utoipa::path(
    delete, path = "/console/api/account", operation_id = "deleteAccount", tag = "Account",
        request_body = PasswordProof,
    responses(
        (status = 204, description = "Gone; the cookie is taken away"),
        (status = 401, description = "notSignedIn, wrongCredentials", body = ConsoleError),
        (status = 409, description = "lastOperator", body = ConsoleError),
    )
)]
pub(crate) async fn delete(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    JsonBody(sent): JsonBody<PasswordProof>,
) -> ConsoleResult {
    gateway.accounts.delete(&current.signed_in, &sent.password).await?;
    gateway.recognition.janitor.wake();
    let mut response = no_content();
    response.headers_mut().insert(header::SET_COOKIE, cookie("", gateway.accounts.is_secure()));
    Ok(response)
}

//! `applications`: the applications of a person.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use kaisatsu_access::{AccessError, AllowedPlaces, ApplicationChange, OwnedApplication, Usage};
use kaisatsu_model::{AppId, ApplicationName, KeyRecord, KeyState, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    account::BelongingsEntry,
    keys::IssuedKeyAnswer,
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json, no_content},
    session_guard::{CurrentAccount, JsonBody, Operator, QueryParams},
};
use kaisatsu_http::Gateway;

/// Applications by name.
#[derive(Serialize, ToSchema)]
pub(crate) struct ApplicationList {
    applications: Vec<ApplicationEntry>,
}

/// An application.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Application)]
pub(crate) struct ApplicationEntry {
    id: String,
    name: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime, required = true)]
    disabled_at: Option<String>,
    /// Nobody's when it was made on the command line.
    #[schema(required = true)]
    owner: Option<OwnerEntry>,
    keys: Vec<KeyEntry>,
    quota: QuotaEntry,
}

/// Whose an application is.
#[derive(Serialize, ToSchema)]
#[schema(as = Owner)]
struct OwnerEntry {
    id: String,
    email: String,
}

/// A key; its secret was shown when it was made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Key)]
pub(crate) struct KeyEntry {
    id: String,
    /// The last four characters.
    hint: String,
    /// `restricted`, `standard` or `operator`.
    #[schema(value_type = String)]
    scope: &'static str,
    /// The origins, addresses and networks that it may be used from; from everywhere when there are none.
    allowed: Vec<String>,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime, required = true)]
    expires_at: Option<String>,
    #[schema(format = DateTime, required = true)]
    disabled_at: Option<String>,
    #[schema(format = DateTime, required = true)]
    last_used_at: Option<String>,
    state: KeyStateWord,
}

/// What a key is worth.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyState)]
enum KeyStateWord {
    Active,
    Disabled,
    Expired,
}

/// How many requests an application may make, and has made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Quota)]
struct QuotaEntry {
    /// A day, in UTC; no limit when nothing is said.
    #[schema(required = true)]
    per_day: Option<u64>,
    /// Whether it was set for this application, and is not the server's default.
    own: bool,
    /// Requests that count: calls of the console do not.
    used_today: i64,
    #[schema(format = DateTime)]
    resets_at: String,
}

/// Which applications are meant.
#[derive(Deserialize)]
pub(crate) struct Which {
    /// Everybody's, for operators.
    #[serde(default)]
    all: bool,
}

/// A new application.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewApplication {
    name: String,
}

/// The application that was made, and its first key.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedApplication {
    application: ApplicationEntry,
    key: IssuedKeyAnswer,
}

/// What is to be changed of an application.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedApplication {
    name: Option<String>,
    disabled: Option<bool>,
    /// Operators only: requests a day; null for the server's default.
    #[serde(default)]
    #[schema(value_type = Option<u64>)]
    per_day: PerDay,
}

/// The name of the application, as a proof that it is this one that is meant.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NameProof {
    name: String,
}

/// What is said of a quota: `null` is not the same as nothing.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(from = "Option<u64>")]
enum PerDay {
    #[default]
    Nothing,
    ServersDefault,
    Own(u64),
}

impl From<Option<u64>> for PerDay {
    fn from(said: Option<u64>) -> Self {
        said.map_or(Self::ServersDefault, Self::Own)
    }
}

/// The person's applications
#[utoipa::path(
    get, path = "/console/api/applications", operation_id = "applications", tag = "Applications",
    params(("all" = Option<bool>, Query, description = "Everybody's, for operators")),
    responses((status = 200, description = "The applications by name", body = ApplicationList))
)]
pub(crate) async fn list(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    QueryParams(which): QueryParams<Which>,
) -> ConsoleResult {
    let mut applications = Vec::new();
    for owned in gateway.console.applications(current.account(), which.all).await? {
        applications.push(entry(&gateway, owned).await?);
    }
    Ok(json(StatusCode::OK, ApplicationList { applications }))
}

/// Make an application with its first key
#[utoipa::path(
    post, path = "/console/api/applications", operation_id = "createApplication", tag = "Applications",
    request_body = NewApplication,
    responses(
        (status = 201, description = "Made; the secret of the key is shown only now", body = CreatedApplication),
        (status = 400, description = "invalid", body = ConsoleError),
        (status = 409, description = "nameTaken", body = ConsoleError),
    )
)]
pub(crate) async fn create(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    JsonBody(sent): JsonBody<NewApplication>,
) -> ConsoleResult {
    let name = ApplicationName::new(&sent.name)?;
    let (owned, key) = gateway.console.create(current.account(), &name).await?;
    let application = entry(&gateway, owned).await?;
    Ok(json(StatusCode::CREATED, CreatedApplication { application, key: key.into() }))
}

/// An application
#[utoipa::path(
    get, path = "/console/api/applications/{id}", operation_id = "application", tag = "Applications",
    params(("id" = String, Path, description = "The application")),
    responses(
        (status = 200, description = "The application", body = ApplicationEntry),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn get(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
) -> ConsoleResult {
    let owned = gateway.console.application(current.account(), &AppId::from_text(id)).await?;
    Ok(json(StatusCode::OK, entry(&gateway, owned).await?))
}

/// Take over an application that was made on the command line
#[utoipa::path(
    post, path = "/console/api/applications/{id}/owner", operation_id = "takeOverApplication", tag = "Operator",
    params(("id" = String, Path, description = "The application")),
    responses(
        (status = 200, description = "The application, which is the operator's now", body = ApplicationEntry),
        (status = 403, description = "notAllowed", body = ConsoleError),
        (status = 404, description = "notFound: there is none, or it has an owner", body = ConsoleError),
        (status = 409, description = "nameTaken: the operator has one of that name", body = ConsoleError),
    )
)]
pub(crate) async fn take_over(
    State(gateway): State<Arc<Gateway>>,
    Operator(current): Operator,
    Path(id): Path<String>,
) -> ConsoleResult {
    let owned = gateway.console.take_over(current.account(), &AppId::from_text(id)).await?;
    Ok(json(StatusCode::OK, entry(&gateway, owned).await?))
}

/// Change an application
#[utoipa::path(
    patch, path = "/console/api/applications/{id}", operation_id = "changeApplication", tag = "Applications",
    params(("id" = String, Path, description = "The application")), request_body = ChangedApplication,
    responses(
        (status = 200, description = "The application as it is now", body = ApplicationEntry),
        (status = 403, description = "notAllowed: quotas are set by operators", body = ConsoleError),
        (status = 404, description = "notFound", body = ConsoleError),
        (status = 409, description = "nameTaken", body = ConsoleError),
    )
)]
pub(crate) async fn change(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    JsonBody(sent): JsonBody<ChangedApplication>,
) -> ConsoleResult {
    if sent.per_day != PerDay::Nothing && !current.is_operator() {
        return Err(ConsoleFailure::NotAllowed);
    }
    let id = AppId::from_text(id);
    let now = gateway.console.now();
    let change = ApplicationChange {
        name: sent.name.as_deref().map(ApplicationName::new).transpose()?,
        disabled_at: sent.disabled.map(|disabled| disabled.then_some(now)),
        by_operator: false,
        requests_per_day: match sent.per_day {
            PerDay::Nothing => None,
            PerDay::ServersDefault => Some(None),
            PerDay::Own(most) => Some(Some(i64::try_from(most).unwrap_or(i64::MAX))),
        },
    };
    gateway.console.change(current.account(), &id, &change).await?;
    let owned = gateway.console.application(current.account(), &id).await?;
    Ok(json(StatusCode::OK, entry(&gateway, owned).await?))
}

/// Delete an application with everything it owns
#[utoipa::path(
    delete, path = "/console/api/applications/{id}", operation_id = "deleteApplication", tag = "Applications",
    params(("id" = String, Path, description = "The application")), request_body = NameProof,
    responses(
        (status = 204, description = "Gone for everybody who asks; its bytes are removed within minutes"),
        (status = 400, description = "invalid: the name is not the application's", body = ConsoleError),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn delete(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    JsonBody(sent): JsonBody<NameProof>,
) -> ConsoleResult {
    let id = AppId::from_text(id);
    let owned = gateway.console.application(current.account(), &id).await?;
    if owned.application.name != sent.name {
        return Err(ConsoleFailure::Invalid("the name is not the application's".to_owned()));
    }
    gateway.console.delete(current.account(), &id).await?;
    gateway.recognition.janitor.wake();
    Ok(no_content())
}

/// What a deletion of the application takes along
#[utoipa::path(
    get, path = "/console/api/applications/{id}/belongings", operation_id = "belongings", tag = "Applications",
    params(("id" = String, Path, description = "The application")),
    responses(
        (status = 200, description = "What goes", body = BelongingsEntry),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn belongings(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
) -> ConsoleResult {
    let all = gateway.console.contents(current.account(), &AppId::from_text(id)).await?;
    Ok(json(StatusCode::OK, BelongingsEntry::from(all)))
}

async fn entry(gateway: &Gateway, owned: OwnedApplication) -> Result<ApplicationEntry, AccessError> {
    let (console, application) = (&gateway.console, owned.application);
    let now = console.now();
    let keys = console.keys(&application.id).await?;
    let quota = QuotaEntry {
        per_day: console.quota(owned.requests_per_day),
        own: owned.requests_per_day.is_some(),
        used_today: console.used_today(&application.id).await?,
        resets_at: Usage::day_ends(now).to_utc(),
    };
    Ok(ApplicationEntry {
        id: application.id.to_string(),
        name: application.name,
        created_at: application.created_at.to_utc(),
        disabled_at: application.disabled_at.map(Timestamp::to_utc),
        owner: owned.owner.map(|(id, email)| OwnerEntry { id: id.to_string(), email }),
        keys: keys.iter().map(|key| key_entry(key, now)).collect(),
        quota,
    })
}

/// A key as it is listed.
pub(super) fn key_entry(key: &KeyRecord, now: Timestamp) -> KeyEntry {
    KeyEntry {
        id: key.id.to_string(),
        hint: key.hint.clone(),
        scope: key.scope.as_str(),
        allowed: AllowedPlaces::read(key.allowed_places.as_deref()).names(),
        created_at: key.created_at.to_utc(),
        expires_at: key.expires_at.map(Timestamp::to_utc),
        disabled_at: key.disabled_at.map(Timestamp::to_utc),
        last_used_at: key.last_used_at.map(Timestamp::to_utc),
        state: match key.state(now) {
            KeyState::Active => KeyStateWord::Active,
            KeyState::Disabled => KeyStateWord::Disabled,
            KeyState::Expired => KeyStateWord::Expired,
        },
    }
}

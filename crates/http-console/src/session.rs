//! `session`: the current session, sign-in and sign-out.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use kaisatsu_access::{Account, AccountSession, SignedIn, Visitor, csrf_token};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json, no_content},
    session_guard::{CurrentAccount, JsonBody, browser_cookie, browser_secret, cookie},
};
use kaisatsu_http::{ClientAddress, Gateway};

/// A person's account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Account)]
pub(crate) struct AccountEntry {
    id: String,
    email: String,
    role: RoleWord,
    state: StateWord,
    #[schema(format = DateTime)]
    created_at: String,
}

/// What a person may do.
#[derive(Serialize, Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "camelCase")]
#[schema(as = Role)]
pub(crate) enum RoleWord {
    Operator,
    Member,
}

impl From<kaisatsu_model::Role> for RoleWord {
    fn from(role: kaisatsu_model::Role) -> Self {
        match role {
            kaisatsu_model::Role::Operator => Self::Operator,
            kaisatsu_model::Role::Member => Self::Member,
        }
    }
}

/// Where an account stands.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AccountState)]
enum StateWord {
    Unconfirmed,
    Waiting,
    Active,
    Disabled,
}

/// Who may register.
#[derive(Serialize, Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "camelCase")]
#[schema(as = Registration)]
pub(crate) enum RegistrationWord {
    Open,
    Approval,
    Closed,
}

impl From<&Account> for AccountEntry {
    fn from(account: &Account) -> Self {
        use kaisatsu_model::AccountState as S;
        let state = match account.state {
            S::Unconfirmed => StateWord::Unconfirmed,
            S::Waiting => StateWord::Waiting,
            S::Active => StateWord::Active,
            S::Disabled => StateWord::Disabled,
        };
        Self {
            id: account.id.to_string(),
            email: account.email.clone(),
            role: account.role.into(),
            state,
            created_at: account.created_at.to_utc(),
        }
    }
}

/// What the pages need to know before anything else.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    /// Who is signed in.
    #[schema(required = true)]
    account: Option<AccountEntry>,
    /// What to send as X-CSRF-Token.
    #[schema(required = true)]
    csrf: Option<String>,
    registration: RegistrationWord,
    /// There is no account yet: whoever registers now runs the server.
    empty: bool,
    /// A mail server is set; otherwise links go to the server's log.
    mail: bool,
    server: ServerFacts,
}

/// What there is to know of the server.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ServerFacts {
    version: &'static str,
    /// The first path segment of the route map function.
    route_service: String,
    /// Whether the pages of maps can be looked at.
    maps: bool,
    max_image_bytes: u64,
    user_bytes: u64,
    user_images: u32,
    user_data_sets: u32,
    data_set_images: u32,
    /// Whether pictures are kept with recognitions.
    keep_pictures: bool,
}

/// What a person signs in with.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Credentials {
    email: String,
    password: String,
}

/// Who is signed in
#[utoipa::path(
    get, path = "/console/api/session", operation_id = "session", tag = "Session",
    responses((status = 200, description = "Who is signed in, if anybody, and what the server is like", body = Session))
)]
pub(crate) async fn get(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> ConsoleResult {
    let current = CurrentAccount::of(&headers, &gateway).await?;
    let signed_in = current.as_ref().map(|current| (&current.signed_in, current.csrf.clone()));
    Ok(json(StatusCode::OK, session(&gateway, signed_in).await?))
}

/// Sign in
#[utoipa::path(
    post, path = "/console/api/session", operation_id = "signIn", tag = "Session", request_body = Credentials,
    responses(
        (status = 200, description = "Signed in; the cookie is set", body = Session),
        (status = 401, description = "wrongCredentials", body = ConsoleError),
        (status = 403, description = "accountWaiting, accountDisabled, badCsrf", body = ConsoleError),
        (status = 429, description = "tooOften", body = ConsoleError),
    )
)]
pub(crate) async fn sign_in(
    State(gateway): State<Arc<Gateway>>,
    ClientAddress(place): ClientAddress,
    headers: HeaderMap,
    JsonBody(sent): JsonBody<Credentials>,
) -> ConsoleResult {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let visitor = Visitor { agent, place, browser: browser_secret(&headers) };
    let SignedIn { session: secret, browser } = gateway.accounts.sign_in(&sent.email, &sent.password, &visitor).await?;
    let signed_in = gateway.accounts.session(secret.reveal()).await?;
    let signed_in = signed_in.as_ref().map(|signed_in| (signed_in, csrf_token(secret.reveal())));
    let mut response = json(StatusCode::OK, session(&gateway, signed_in).await?);
    let is_secure = gateway.accounts.is_secure();
    response.headers_mut().append(header::SET_COOKIE, cookie(secret.reveal(), is_secure));
    response.headers_mut().append(header::SET_COOKIE, browser_cookie(&browser, is_secure));
    Ok(response)
}

/// Sign out
#[utoipa::path(
    delete, path = "/console/api/session", operation_id = "signOut", tag = "Session",
    responses(
        (status = 204, description = "Signed out; the cookie is taken away"),
        (status = 401, description = "notSignedIn", body = ConsoleError),
    )
)]
pub(crate) async fn sign_out(State(gateway): State<Arc<Gateway>>, current: CurrentAccount) -> ConsoleResult {
    gateway.accounts.sign_out(&current.signed_in).await?;
    let mut response = no_content();
    response.headers_mut().insert(header::SET_COOKIE, cookie("", gateway.accounts.is_secure()));
    Ok(response)
}

/// The session of an account with its CSRF token, or of nobody.
pub(super) async fn session(
    gateway: &Gateway,
    signed_in: Option<(&AccountSession, String)>,
) -> Result<Session, ConsoleFailure> {
    use kaisatsu_model::Registration as R;
    let registration = match gateway.accounts.registration().await? {
        R::Open => RegistrationWord::Open,
        R::Approval => RegistrationWord::Approval,
        R::Closed => RegistrationWord::Closed,
    };
    let limits = &gateway.limits;
    let server = ServerFacts {
        version: env!("CARGO_PKG_VERSION"),
        route_service: gateway.segment.as_str().to_owned(),
        maps: gateway.map_pages,
        max_image_bytes: u64::try_from(gateway.max_image_bytes).unwrap_or(u64::MAX),
        user_bytes: limits.user_bytes,
        user_images: limits.user_images,
        user_data_sets: limits.user_data_sets,
        data_set_images: limits.data_set_images,
        keep_pictures: limits.keep_pictures,
    };
    let empty = gateway.accounts.is_unclaimed().await?;
    let mail = gateway.accounts.has_mailer();
    let (account, csrf) = signed_in.map(|(signed_in, csrf)| ((&signed_in.account).into(), csrf)).unzip();
    Ok(Session { account, csrf, registration, empty, mail, server })
}

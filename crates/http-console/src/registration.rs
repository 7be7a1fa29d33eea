//! Registration, confirmation of an e-mail address, and password reset.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode};
use kaisatsu_access::RegistrationStep;
use kaisatsu_model::Language;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleResult, json, no_content},
    session_guard::JsonBody,
};
use kaisatsu_http::{ClientAddress, Gateway};

/// The language of letters.
#[derive(Deserialize, ToSchema, Default, Clone, Copy)]
#[schema(as = Language)]
pub(crate) enum LanguageWord {
    #[default]
    #[serde(rename = "en")]
    En,
    #[serde(rename = "ja")]
    Ja,
}

impl From<LanguageWord> for Language {
    fn from(word: LanguageWord) -> Self {
        match word {
            LanguageWord::En => Self::English,
            LanguageWord::Ja => Self::Japanese,
        }
    }
}

/// What a person registers with.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Registering {
    email: String,
    /// 10 to 200 characters, and not the address.
    password: String,
    #[serde(default)]
    language: LanguageWord,
}

/// What there is to do next; the same whether or not the address was registered before.
#[derive(Serialize, ToSchema)]
pub(crate) struct RegisteredAnswer {
    next: NextStep,
}

/// What there is to do next.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum NextStep {
    SignIn,
    Confirm,
    Approval,
}

/// A link of a letter.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LinkSent {
    token: String,
}

/// Whose password is to be chosen anew.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Forgot {
    email: String,
    #[serde(default)]
    language: LanguageWord,
}

/// Where a link went.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ForgotAnswer {
    sent_to: SentTo,
}

/// Where a link went, if the address has an account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum SentTo {
    Mail,
    Log,
}

/// A link of a letter, and the password that was chosen.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Chosen {
    token: String,
    password: String,
}

/// Register
#[utoipa::path(
    post, path = "/console/api/accounts", operation_id = "register", tag = "Session", request_body = Registering,
    responses(
        (status = 202, description = "Taken; the same whether or not the address was registered",
            body = RegisteredAnswer),
        (status = 400, description = "invalidEmail, invalidPassword", body = ConsoleError),
        (status = 403, description = "registrationClosed", body = ConsoleError),
        (status = 429, description = "tooOften", body = ConsoleError),
    )
)]
pub(crate) async fn register(
    State(gateway): State<Arc<Gateway>>,
    ClientAddress(place): ClientAddress,
    JsonBody(sent): JsonBody<Registering>,
) -> ConsoleResult {
    let next = match gateway.accounts.register(&sent.email, &sent.password, sent.language.into(), place).await? {
        RegistrationStep::SignIn => NextStep::SignIn,
        RegistrationStep::Confirm => NextStep::Confirm,
        RegistrationStep::Approval => NextStep::Approval,
    };
    Ok(json(StatusCode::ACCEPTED, RegisteredAnswer { next }))
}

/// Confirm an address
#[utoipa::path(
    post, path = "/console/api/account/confirm", operation_id = "confirm", tag = "Session", request_body = LinkSent,
    responses(
        (status = 204, description = "The address is confirmed"),
        (status = 400, description = "linkInvalid", body = ConsoleError),
    )
)]
pub(crate) async fn confirm(State(gateway): State<Arc<Gateway>>, JsonBody(sent): JsonBody<LinkSent>) -> ConsoleResult {
    gateway.accounts.confirm_email(&sent.token).await?;
    Ok(no_content())
}

/// Ask for a link to choose another password
#[utoipa::path(
    post, path = "/console/api/password-reset", operation_id = "forgot", tag = "Session", request_body = Forgot,
    responses(
        (status = 202, description = "Taken; the same whether or not the address is registered", body = ForgotAnswer),
        (status = 400, description = "invalidEmail", body = ConsoleError),
    )
)]
pub(crate) async fn forgot(State(gateway): State<Arc<Gateway>>, JsonBody(sent): JsonBody<Forgot>) -> ConsoleResult {
    gateway.accounts.request_password_reset(&sent.email, sent.language.into())?;
    let sent_to = if gateway.accounts.has_mailer() { SentTo::Mail } else { SentTo::Log };
    Ok(json(StatusCode::ACCEPTED, ForgotAnswer { sent_to }))
}

/// Choose another password with a link
#[utoipa::path(
    post, path = "/console/api/password-reset/finish", operation_id = "reset", tag = "Session", request_body = Chosen,
    responses(
        (status = 204, description = "The password is changed, and every session ended"),
        (status = 400, description = "linkInvalid, invalidPassword", body = ConsoleError),
    )
)]
pub(crate) async fn reset(
    State(gateway): State<Arc<Gateway>>,
    ClientAddress(place): ClientAddress,
    JsonBody(sent): JsonBody<Chosen>,
) -> ConsoleResult {
    gateway.accounts.reset_password(&sent.token, &sent.password, place).await?;
    Ok(no_content())
}

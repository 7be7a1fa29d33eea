//! `operator/…`: the accounts of all people, and who may register.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use kaisatsu_model::{AccountId, AccountState, Registration, Role, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json, no_content},
    session::{AccountEntry, RegistrationWord, RoleWord, Session, session},
    session_guard::{JsonBody, Operator},
};
use kaisatsu_http::Gateway;

/// All accounts.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccountList {
    accounts: Vec<ListedAccount>,
}

/// An account as operators see it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ListedAccount {
    #[serde(flatten)]
    account: AccountEntry,
    #[schema(format = DateTime, required = true)]
    last_signed_in_at: Option<String>,
    applications: i64,
}

/// What is to be changed of an account.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangedAccount {
    state: Option<SettableState>,
    role: Option<RoleWord>,
}

/// Where an operator may put an account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum SettableState {
    Active,
    Disabled,
}

/// The address of the account, as a proof that it is this one that is meant.
#[derive(Deserialize, ToSchema)]
pub(crate) struct EmailProof {
    email: String,
}

/// Who may register.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RegistrationChange {
    mode: RegistrationWord,
}

/// All accounts
#[utoipa::path(
    get, path = "/console/api/operator/accounts", operation_id = "accounts", tag = "Operator",
    responses(
        (status = 200, description = "The accounts, oldest first", body = AccountList),
        (status = 403, description = "notAllowed", body = ConsoleError),
    )
)]
pub(crate) async fn list(State(gateway): State<Arc<Gateway>>, _: Operator) -> ConsoleResult {
    let accounts = gateway.accounts.list().await?.into_iter().map(|(account, applications)| ListedAccount {
        account: (&account).into(),
        last_signed_in_at: account.signed_in_at.map(Timestamp::to_utc),
        applications,
    });
    Ok(json(StatusCode::OK, AccountList { accounts: accounts.collect() }))
}

/// Approve, switch on or off, or change what a person may do
#[utoipa::path(
    patch, path = "/console/api/operator/accounts/{id}", operation_id = "changeAccount", tag = "Operator",
    params(("id" = String, Path, description = "The account")), request_body = ChangedAccount,
    responses(
        (status = 200, description = "The account as it is now", body = AccountEntry),
        (status = 404, description = "notFound", body = ConsoleError),
        (status = 409, description = "lastOperator", body = ConsoleError),
    )
)]
pub(crate) async fn change(
    State(gateway): State<Arc<Gateway>>,
    _: Operator,
    Path(id): Path<String>,
    JsonBody(sent): JsonBody<ChangedAccount>,
) -> ConsoleResult {
    let state = sent.state.map(|state| match state {
        SettableState::Active => AccountState::Active,
        SettableState::Disabled => AccountState::Disabled,
    });
    let role = sent.role.map(|role| match role {
        RoleWord::Operator => Role::Operator,
        RoleWord::Member => Role::Member,
    });
    let account = gateway.accounts.change(&AccountId::from_text(id), state, role).await?;
    Ok(json(StatusCode::OK, AccountEntry::from(&account)))
}

/// Delete an account with everything it owns
#[utoipa::path(
    delete, path = "/console/api/operator/accounts/{id}", operation_id = "removeAccount", tag = "Operator",
    params(("id" = String, Path, description = "The account")), request_body = EmailProof,
    responses(
        (status = 204, description = "Gone"),
        (status = 400, description = "invalid: the address is not the account's", body = ConsoleError),
        (status = 404, description = "notFound", body = ConsoleError),
        (status = 409, description = "lastOperator", body = ConsoleError),
    )
)]
pub(crate) async fn delete(
    State(gateway): State<Arc<Gateway>>,
    _: Operator,
    Path(id): Path<String>,
    JsonBody(sent): JsonBody<EmailProof>,
) -> ConsoleResult {
    let id = AccountId::from_text(id);
    let account = gateway.accounts.account(&id).await?.ok_or(ConsoleFailure::NotFound("account"))?;
    if account.email != sent.email.trim().to_lowercase() {
        return Err(ConsoleFailure::Invalid("the address is not the account's".to_owned()));
    }
    gateway.accounts.delete_as_operator(&id).await?;
    gateway.recognition.janitor.wake();
    Ok(no_content())
}

/// Say who may register
#[utoipa::path(
    put, path = "/console/api/operator/registration", operation_id = "setRegistration", tag = "Operator",
    request_body = RegistrationChange,
    responses((status = 200, description = "The session as it is now", body = Session))
)]
pub(crate) async fn registration(
    State(gateway): State<Arc<Gateway>>,
    Operator(current): Operator,
    JsonBody(sent): JsonBody<RegistrationChange>,
) -> ConsoleResult {
    let mode = match sent.mode {
        RegistrationWord::Open => Registration::Open,
        RegistrationWord::Approval => Registration::Approval,
        RegistrationWord::Closed => Registration::Closed,
    };
    gateway.accounts.set_registration(mode).await?;
    Ok(json(StatusCode::OK, session(&gateway, Some((&current.signed_in, current.csrf.clone()))).await?))
}

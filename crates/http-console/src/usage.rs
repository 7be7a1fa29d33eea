//! `applications/{id}/usage` and `users`: the requests of an application, and its users.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::{Path, State},
    http::StatusCode,
};
use kaisatsu_access::{TIME_BOUNDS, UsageOutcome, UsageReport};
use kaisatsu_model::{AppId, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json},
    session_guard::{CurrentAccount, QueryParams},
};
use kaisatsu_http::Gateway;

/// For how many days.
#[derive(Deserialize)]
pub(crate) struct Days {
    /// 1 to 90; 7 if left out.
    days: Option<u32>,
}

/// What an application called.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Usage)]
pub(crate) struct UsageAnswer {
    #[schema(format = DateTime)]
    from: String,
    #[schema(format = DateTime)]
    to: String,
    /// How long each step is.
    step_seconds: u64,
    /// Upper bounds of the classes of times, in milliseconds; one more class is above the last.
    bounds: [u64; TIME_BOUNDS.len()],
    rows: Vec<UsageEntry>,
}

/// What was called of one operation with one key in one step.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UsageEntry {
    #[schema(format = DateTime)]
    at: String,
    /// Nothing for what consoles called.
    #[schema(required = true)]
    key: Option<String>,
    operation: String,
    requests: i64,
    /// The caller's fault, or too many.
    refused: i64,
    /// Ours.
    failed: i64,
    /// How long all of them took.
    micros: i64,
    /// How many were in each class of times.
    classes: [i64; TIME_BOUNDS.len() + 1],
}

/// Users of an application.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserList {
    users: Vec<UserEntry>,
}

/// A user of an application who has something here.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UserEntry {
    user_id: String,
    images: i64,
    data_sets: i64,
}

/// What an application called
#[utoipa::path(
    get, path = "/console/api/applications/{id}/usage", operation_id = "usage", tag = "Applications",
    params(("id" = String, Path, description = "The application"), ("days" = Option<u32>, Query,
        description = "1 to 90; 7 if left out")),
    responses(
        (status = 200, description = "By the hour up to a week, by the day beyond", body = UsageAnswer),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn usage(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
    QueryParams(asked): QueryParams<Days>,
) -> ConsoleResult {
    let days = asked.days.unwrap_or(7);
    if !(1..=90).contains(&days) {
        return Err(ConsoleFailure::Invalid("days must be from 1 to 90".to_owned()));
    }
    let usage = gateway.console.usage(current.account(), &AppId::from_text(id), days).await?;
    let (from, to, step_seconds) = (usage.from.to_utc(), usage.to.to_utc(), usage.step.as_secs());
    Ok(json(StatusCode::OK, UsageAnswer { from, to, step_seconds, bounds: TIME_BOUNDS, rows: rows(usage) }))
}

/// The users of an application who have something here
#[utoipa::path(
    get, path = "/console/api/applications/{id}/users", operation_id = "users", tag = "Applications",
    params(("id" = String, Path, description = "The application")),
    responses(
        (status = 200, description = "The users by name", body = UserList),
        (status = 404, description = "notFound", body = ConsoleError),
    )
)]
pub(crate) async fn users(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path(id): Path<String>,
) -> ConsoleResult {
    let users = gateway.console.users(current.account(), &AppId::from_text(id)).await?;
    let entry = |user: kaisatsu_access::ApplicationUser| UserEntry {
        user_id: user.user_id,
        images: user.images,
        data_sets: user.datasets,
    };
    Ok(json(StatusCode::OK, UserList { users: users.into_iter().map(entry).collect() }))
}

fn rows(usage: UsageReport) -> Vec<UsageEntry> {
    let mut rows: BTreeMap<(i64, String, String), UsageEntry> = BTreeMap::new();
    for sum in usage.totals {
        let place = (sum.begins, sum.key_id.clone(), sum.operation.clone());
        let row = rows.entry(place).or_insert_with(|| UsageEntry {
            at: Timestamp(sum.begins).to_utc(),
            key: Some(sum.key_id).filter(|key| !key.is_empty()),
            operation: sum.operation,
            requests: 0,
            refused: 0,
            failed: 0,
            micros: 0,
            classes: [0; TIME_BOUNDS.len() + 1],
        });
        row.requests += sum.requests;
        row.micros += sum.micros;
        if sum.outcome == UsageOutcome::Failed.as_str() {
            row.failed += sum.requests;
        } else if sum.outcome != UsageOutcome::Answered.as_str() {
            row.refused += sum.requests;
        }
        if let Some(class) = usize::try_from(sum.class).ok().and_then(|class| row.classes.get_mut(class)) {
            *class += sum.requests;
        }
    }
    rows.into_values().collect()
}

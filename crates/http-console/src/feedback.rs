//! `feedback`: the verdicts that applications have sent, their totals over time, and their revocation.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use axum::{extract::State, http::StatusCode};
use kaisatsu_model::{AppId, RecognitionId, Timestamp, Verdict};
use kaisatsu_recognition::{FeedbackFilter, FeedbackRow, Standing};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleFailure, ConsoleResult, json},
    session_guard::{CurrentAccount, JsonBody, QueryParams},
};
use kaisatsu_http::Gateway;

/// Verdicts per page.
const PAGE: i64 = 50;

/// The most verdicts that are revoked at once.
const MOST_REVOKED: usize = 200;

/// The filter of a list of verdicts.
#[derive(Deserialize)]
pub(crate) struct VerdictQuery {
    /// One application. Without it, all of the person's; for an operator, everybody's.
    application: Option<String>,
    /// One model, dataset or collection.
    model: Option<String>,
    /// active, retired, held or revoked.
    standing: Option<String>,
    /// A part of the comment.
    search: Option<String>,
    /// Only those with a comment.
    #[serde(default)]
    comments: bool,
    /// The end of the page before.
    before: Option<String>,
}

/// Verdicts, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerdictList {
    verdicts: Vec<VerdictEntry>,
    /// Where the next page begins.
    #[schema(required = true)]
    before: Option<String>,
}

/// A verdict.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VerdictRow)]
struct VerdictEntry {
    recognition_id: String,
    /// Nothing for the whole result.
    #[schema(required = true)]
    item_id: Option<String>,
    application: ApplicationWord,
    task: String,
    model: String,
    subject: String,
    #[schema(required = true)]
    name: Option<String>,
    #[schema(required = true)]
    score: Option<f32>,
    valid: bool,
    #[schema(required = true)]
    comment: Option<String>,
    #[schema(format = DateTime)]
    rated_at: String,
    standing: StandingWord,
}

/// Whether a verdict acts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Standing)]
enum StandingWord {
    Active,
    Retired,
    Held,
    Revoked,
}

/// An application by its name.
#[derive(Serialize, ToSchema)]
struct ApplicationWord {
    id: String,
    name: String,
}

/// The parameters of the timeline.
#[derive(Deserialize)]
pub(crate) struct TimelineQuery {
    /// One application.
    application: Option<String>,
    /// 1 to 365; 30 if left out.
    days: Option<u32>,
}

/// How often candidates were right, over time.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Timeline {
    step_seconds: u64,
    #[schema(format = DateTime)]
    from: String,
    #[schema(format = DateTime)]
    to: String,
    series: Vec<Series>,
}

/// One model, dataset or collection.
#[derive(Serialize, ToSchema)]
struct Series {
    task: String,
    model: String,
    points: Vec<Point>,
}

/// The verdicts of one step.
#[derive(Serialize, ToSchema)]
struct Point {
    #[schema(format = DateTime)]
    at: String,
    valid: i64,
    invalid: i64,
}

/// Which verdicts are taken back.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Revoking {
    verdicts: Vec<VerdictPlace>,
}

/// A verdict by its place.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VerdictPlace {
    recognition_id: String,
    /// Nothing for the whole result.
    item_id: Option<String>,
}

/// How many were taken back.
#[derive(Serialize, ToSchema)]
pub(crate) struct Revoked {
    revoked: u64,
}

/// Verdicts, newest first
#[utoipa::path(
    get, path = "/console/api/feedback", operation_id = "feedback", tag = "Feedback",
    params(
        ("application" = Option<String>, Query,
            description = "Of one application; all of the person's if left out, and everybody's for an operator"),
        ("model" = Option<String>, Query, description = "Of one model, dataset or collection"),
        ("standing" = Option<String>, Query, description = "active, retired, held or revoked"),
        ("search" = Option<String>, Query, description = "What the comment contains"),
        ("comments" = Option<bool>, Query, description = "Only those with a comment"),
        ("before" = Option<String>, Query, description = "What the page before ended with"),
    ),
    responses(
        (status = 200, description = "Fifty verdicts, newest first", body = VerdictList),
        (status = 400, description = "invalid", body = ConsoleError),
    )
)]
pub(crate) async fn list(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    QueryParams(asked): QueryParams<VerdictQuery>,
) -> ConsoleResult {
    let standing =
        match asked.standing.as_deref() {
            None => None,
            Some(word) => Some(Standing::from_text(word).ok_or_else(|| {
                ConsoleFailure::Invalid("standing must be active, retired, held or revoked".to_owned())
            })?),
        };
    let filter = FeedbackFilter {
        model: asked.model,
        comment: asked.search,
        only_commented: asked.comments,
        standing,
        ..visible_to(&current, asked.application)
    };
    let wrong = || ConsoleFailure::Invalid("before is not what a page ended with".to_owned());
    let before = asked.before.as_deref().map(|text| cursor(text).ok_or_else(wrong)).transpose()?;
    let rows = gateway.recognition.feedback.newest(&filter, before.as_ref(), PAGE + 1).await?;
    let more = i64::try_from(rows.len()).is_ok_and(|count| count > PAGE);
    let verdicts: Vec<_> = rows.into_iter().take(usize::try_from(PAGE).unwrap_or(usize::MAX)).collect();
    let last = verdicts.last().filter(|_| more);
    let before =
        last.map(|row| format!("{}.{}.{}", row.rated_at.0, row.recognition, row.item.as_deref().unwrap_or_default()));
    Ok(json(StatusCode::OK, VerdictList { verdicts: verdicts.into_iter().map(entry).collect(), before }))
}

/// How often candidates were right, over time
#[utoipa::path(
    get, path = "/console/api/feedback/timeline", operation_id = "timeline", tag = "Feedback",
    params(
        ("application" = Option<String>, Query, description = "Of one application"),
        ("days" = Option<u32>, Query, description = "1 to 365; 30 if left out"),
    ),
    responses((status = 200, description = "By model, in steps of a day, or of a week beyond ninety days",
        body = Timeline))
)]
pub(crate) async fn timeline(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    QueryParams(asked): QueryParams<TimelineQuery>,
) -> ConsoleResult {
    let days = asked.days.unwrap_or(30);
    if !(1..=365).contains(&days) {
        return Err(ConsoleFailure::Invalid("days must be from 1 to 365".to_owned()));
    }
    let step = Duration::from_hours(if days <= 90 { 24 } else { 24 * 7 });
    let micros = i64::try_from(step.as_micros()).unwrap_or(i64::MAX);
    let now = gateway.console.now();
    let to = Timestamp(now.0 - now.0.rem_euclid(micros) + micros);
    let from = to.before(step * days.div_ceil(if days <= 90 { 1 } else { 7 }));
    let filter = FeedbackFilter { since: Some(from), ..visible_to(&current, asked.application) };
    let mut series: BTreeMap<(String, String), BTreeMap<i64, (i64, i64)>> = BTreeMap::new();
    for total in gateway.recognition.feedback.totals(&filter, step).await? {
        let point = series.entry((total.task, total.model)).or_default().entry(total.begins).or_default();
        point.0 += total.valid;
        point.1 += total.invalid;
    }
    let points = |points: BTreeMap<i64, (i64, i64)>| {
        let point = |(at, (valid, invalid))| Point { at: Timestamp(at).to_utc(), valid, invalid };
        points.into_iter().map(point).collect()
    };
    let series = series.into_iter().map(|((task, model), all)| Series { task, model, points: points(all) }).collect();
    Ok(json(StatusCode::OK, Timeline { step_seconds: step.as_secs(), from: from.to_utc(), to: to.to_utc(), series }))
}

/// Take verdicts back
#[utoipa::path(
    post, path = "/console/api/feedback/revoke", operation_id = "revokeFeedback", tag = "Feedback",
    request_body = Revoking,
    responses(
        (status = 200, description = "How many of them there were", body = Revoked),
        (status = 400, description = "invalid: too many at once", body = ConsoleError),
    )
)]
pub(crate) async fn revoke(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    JsonBody(sent): JsonBody<Revoking>,
) -> ConsoleResult {
    if sent.verdicts.len() > MOST_REVOKED {
        return Err(ConsoleFailure::Invalid(format!("at most {MOST_REVOKED} verdicts are revoked at once")));
    }
    let mut revoked = 0;
    for verdict in sent.verdicts {
        let filter = FeedbackFilter {
            recognition: Some(RecognitionId::from_text(verdict.recognition_id)),
            item: Some(verdict.item_id.unwrap_or_default()),
            ..visible_to(&current, None)
        };
        revoked += gateway.recognition.feedback.revoke(&filter).await?;
    }
    Ok(json(StatusCode::OK, Revoked { revoked }))
}

/// A filter for what the account may see: its own applications, or everything for an operator.
fn visible_to(current: &CurrentAccount, application: Option<String>) -> FeedbackFilter {
    FeedbackFilter {
        application: application.map(AppId::from_text),
        owner: (!current.is_operator()).then(|| current.account().id.clone()),
        ..FeedbackFilter::default()
    }
}

/// Parses the end of a page.
fn cursor(text: &str) -> Option<(i64, String, String)> {
    let mut parts = text.splitn(3, '.');
    Some((parts.next()?.parse().ok()?, parts.next()?.to_owned(), parts.next()?.to_owned()))
}

fn entry(row: FeedbackRow) -> VerdictEntry {
    VerdictEntry {
        recognition_id: row.recognition,
        item_id: row.item,
        application: ApplicationWord { id: row.application.to_string(), name: row.application_name },
        task: row.task,
        model: row.model,
        subject: row.subject,
        name: row.name,
        score: row.score,
        valid: row.verdict == Verdict::Valid,
        comment: row.comment,
        rated_at: row.rated_at.to_utc(),
        standing: match row.standing {
            Standing::Active => StandingWord::Active,
            Standing::Retired => StandingWord::Retired,
            Standing::Held => StandingWord::Held,
            Standing::Revoked => StandingWord::Revoked,
        },
    }
}

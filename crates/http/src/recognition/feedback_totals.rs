//! `feedbackTotals`: how often candidates were right, over time.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use kaisatsu_model::Timestamp;
use kaisatsu_recognition::{FeedbackTotal, TotalsRequest};
use serde::Serialize;
use utoipa::ToSchema;

use super::response::{RecognitionError, Refusals, respond_with};
use crate::{Failure, Gateway, Kind, Query, gateway::API_KEY, response::JsonBody};

/// How often candidates were right.
#[derive(Serialize, ToSchema)]
pub(crate) struct TotalsAnswer {
    /// One entry for each candidate and stretch of time with a verdict.
    totals: Vec<TotalEntry>,
}

impl JsonBody for TotalsAnswer {
    fn size(&self) -> usize {
        64 + self.totals.len() * 160
    }
}

/// The verdicts on one candidate in one stretch of time.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TotalEntry {
    /// classify, detect, similar or recognize.
    #[schema(example = "classify")]
    task: String,
    /// The model, dataset or collection.
    #[schema(example = "general")]
    model: String,
    /// What the candidate stands for: a class, a tag, an image, an item of the catalogue.
    #[schema(example = "n02124075")]
    subject: String,
    /// When the stretch of time begins, in UTC.
    #[schema(example = "2026-11-15T00:00:00Z")]
    from: String,
    /// How often it was right.
    valid: i64,
    /// How often it was not.
    invalid: i64,
    /// The share that was right, 0 to 1.
    #[schema(example = 0.92)]
    precision: f64,
}

/// How often candidates were right, over time
///
/// The verdicts on single candidates that this application gave, summed up by model, candidate and time. Not for
/// restricted keys: among the candidates are tags of users' datasets.
#[utoipa::path(
    get, path = "/feedbackTotals", operation_id = "feedbackTotals", tag = "Image recognition",
    security(("APIKEY" = [])),
    params(
        ("modelName" = Option<String>, Query, description = "One model, dataset or collection; all if left out",
            example = "general"),
        ("since" = Option<String>, Query, description = "From this time or day on", example = "2026-11-01"),
        ("until" = Option<String>, Query, description = "Before this time or day", example = "2026-12-01"),
        ("interval" = Option<String>, Query, description = "hour or day (default)", example = "day",
            pattern = "^(hour|day)$"),
    ),
    responses(
        (status = 200, description = "The sums, by model, candidate and time", body = TotalsAnswer,
            content_type = "application/json;charset=UTF-8"),
        (status = 400, description = "104: a query parameter is invalid", body = RecognitionError,
            content_type = "application/json;charset=UTF-8"),
        Refusals,
    )
)]
pub(crate) async fn feedback_totals(
    State(gateway): State<Arc<Gateway>>,
    RawQuery(raw): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Query::read(raw.as_deref(), &[API_KEY, "modelName", "since", "until", "interval"]);
    // It names tags of all users' datasets, which somebody who read the key in an app must not see.
    let admitted = gateway.admit_unrestricted(&query, &headers, "read how candidates were rated").await;
    respond_with("feedbackTotals", admitted, async |caller| {
        let request = TotalsRequest {
            application: caller.application.clone(),
            model: query.text("modelName")?.map(str::to_owned),
            since: moment(&query, "since")?,
            until: moment(&query, "until")?,
            span: interval(&query)?,
        };
        let totals = gateway.recognition.feedback.application_totals(&request).await?;
        Ok::<_, Failure>(TotalsAnswer { totals: totals.into_iter().map(entry).collect() })
    })
    .await
}

fn moment(query: &Query<'_>, name: &str) -> Result<Option<Timestamp>, Failure> {
    let read = |text: &str| {
        let rule =
            format!("query parameter {name} must be a day such as 2026-11-15, or a time such as 2026-11-15T09:30:00Z");
        Timestamp::from_calendar(text).ok_or_else(|| Failure::new(Kind::ParameterInvalid, rule))
    };
    query.text(name)?.map(read).transpose()
}

fn interval(query: &Query<'_>) -> Result<Duration, Failure> {
    Ok(match query.text("interval")? {
        Some("hour") => Duration::from_hours(1),
        None | Some("day") => Duration::from_hours(24),
        Some(_) => {
            let rule = "query parameter interval must be hour or day";
            return Err(Failure::new(Kind::ParameterInvalid, rule));
        }
    })
}

fn entry(total: FeedbackTotal) -> TotalEntry {
    let counted = |count: i64| u32::try_from(count).map_or(f64::from(u32::MAX), f64::from);
    let precision = counted(total.valid) / counted(total.valid + total.invalid).max(1.0);
    TotalEntry {
        task: total.task,
        model: total.model,
        subject: total.subject,
        from: Timestamp(total.begins).to_utc(),
        valid: total.valid,
        invalid: total.invalid,
        precision,
    }
}

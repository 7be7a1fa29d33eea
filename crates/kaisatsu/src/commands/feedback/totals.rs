//! `kaisatsu feedback totals` and `held`: feedback in numbers.

use std::{collections::HashMap, time::Duration};

use kaisatsu_model::Timestamp;
use kaisatsu_store::{FeedbackFilter, FeedbackReport, FeedbackTotal, Store};
use serde_json::{Value, json};

use super::table;
use crate::{commands::table::short, error::CliError};

pub(super) async fn run(store: &Store, filter: &FeedbackFilter, span: Duration, json: bool) -> Result<(), CliError> {
    let span = i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
    let totals = store.feedback_totals(filter, span).await?;
    if json {
        let object = |total: FeedbackTotal| {
            json!({
                "task": total.task, "model": total.model, "subject": total.subject,
                "from": Timestamp(total.begins).to_utc(), "valid": total.valid, "invalid": total.invalid,
                "precision": precision(total.valid, total.invalid),
            })
        };
        outln!("{}", totals.into_iter().map(object).collect::<Value>());
        return Ok(());
    }
    let row = |total: FeedbackTotal| {
        let precision = format!("{:.3}", precision(total.valid, total.invalid));
        let (from, counts) =
            (Timestamp(total.begins).to_utc(), [total.valid, total.invalid].map(|count| count.to_string()));
        let [valid, invalid] = counts;
        [total.task, total.model, short(&total.subject), from, valid, invalid, precision]
    };
    let heads = ["TASK", "MODEL", "CANDIDATE", "FROM", "TRUE", "FALSE", "PRECISION"];
    table::print(heads, &totals.into_iter().map(row).collect::<Vec<_>>());
    Ok(())
}

/// The share of verdicts that say that the candidate is right. Every total has at least one verdict.
#[allow(clippy::cast_precision_loss, reason = "nobody gives 2^52 verdicts")]
fn precision(valid: i64, invalid: i64) -> f64 {
    valid as f64 / (valid + invalid).max(1) as f64
}

pub(super) async fn held(store: &Store, most: i64, json: bool) -> Result<(), CliError> {
    let reports = store.feedback_reports(most).await?;
    let applications = store.applications().await?;
    let names: HashMap<_, _> = applications.into_iter().map(|application| (application.id, application.name)).collect();
    let name = |report: &FeedbackReport| {
        report.application.as_ref().map(|id| names.get(id).cloned().unwrap_or_else(|| id.to_string()))
    };
    if json {
        for report in &reports {
            let object = json!({
                "at": report.at.to_utc(), "application": name(report), "task": report.task, "model": report.model,
                "held": report.held, "judged": report.judged, "better": report.better, "worse": report.worse,
            });
            outln!("{object}");
        }
        return Ok(());
    }
    let row = |report: &FeedbackReport| {
        let [held, judged, better, worse] =
            [report.held, report.judged, report.better, report.worse].map(|count| count.to_string());
        let whose = name(report).unwrap_or_else(|| "(what acts for all)".to_owned());
        [report.at.to_utc(), whose, report.task.clone(), report.model.clone(), held, judged, better, worse]
    };
    let heads = ["AT", "APPLICATION", "TASK", "MODEL", "HELD", "JUDGED", "BETTER", "WORSE"];
    table::print(heads, &reports.iter().map(row).collect::<Vec<_>>());
    Ok(())
}

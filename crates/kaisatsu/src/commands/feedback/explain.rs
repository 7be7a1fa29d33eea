//! `kaisatsu feedback explain`: what feedback did to one recognition.

use kaisatsu_model::{Clock, RecognitionId, SystemClock};
use kaisatsu_store::{RecognitionRecord, ScoreAdjustment, Store, StoredCandidate};
use serde::Serialize;

use super::Candidate;
use crate::{commands::table::short, error::CliError};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explained<'a> {
    recognition_id: &'a str,
    application: &'a str,
    task: &'a str,
    model: &'a str,
    recognised_at: String,
    candidates: Vec<Weighed<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Weighed<'a> {
    #[serde(flatten)]
    candidate: Candidate<'a>,
    moved_by: Vec<Moved<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Moved<'a> {
    /// `None` for a verdict of another application.
    recognition_id: Option<&'a str>,
    item_id: Option<&'a str>,
    is_valid: bool,
    by: f32,
}

pub(super) async fn run(store: &Store, id: &RecognitionId, json: bool) -> Result<(), CliError> {
    let record = store.recognition_record(None, id, SystemClock.now()).await?;
    let applications = store.applications().await?;
    let own = applications.into_iter().find(|application| application.id == record.application);
    let application = own.map_or_else(|| record.application.to_string(), |application| application.name);
    if json {
        let text = serde_json::to_string(&explained(id, &application, &record));
        outln!("{}", text.map_err(|error| CliError::Failed(error.to_string()))?);
        return Ok(());
    }
    outln!("{} by {} for {application}, {}", record.task, short(&record.model), record.created_at.to_utc());
    for item in &record.items {
        match item.base {
            Some(base) => outln!("{:.3}  {}, {base:.3} without feedback", item.score, short(&item.name)),
            None => outln!("{:.3}  {}", item.score, short(&item.name)),
        }
        for push in &item.moved {
            outln!("       {:+.3} {} {}", push.by, if push.valid { "true " } else { "false" }, source(push));
        }
    }
    if record.items.iter().all(|item| item.moved.is_empty()) {
        outln!("no feedback moved it");
    }
    Ok(())
}

/// Names the verdict; those of other applications stay anonymous.
fn source(push: &ScoreAdjustment) -> String {
    match (&push.recognition, &push.item) {
        (None, _) => "other applications".to_owned(),
        (Some(recognition), None) => format!("recognition {recognition}"),
        (Some(recognition), Some(item)) => format!("recognition {recognition} candidate {item}"),
    }
}

fn explained<'a>(id: &'a RecognitionId, application: &'a str, record: &'a RecognitionRecord) -> Explained<'a> {
    let moved = |push: &'a ScoreAdjustment| Moved {
        recognition_id: push.recognition.as_deref(),
        item_id: push.item.as_deref(),
        is_valid: push.valid,
        by: push.by,
    };
    let weighed = |item: &'a StoredCandidate| Weighed {
        candidate: Candidate::of(item),
        moved_by: item.moved.iter().map(moved).collect(),
    };
    Explained {
        recognition_id: id.as_str(),
        application,
        task: &record.task,
        model: &record.model,
        recognised_at: record.created_at.to_utc(),
        candidates: record.items.iter().map(weighed).collect(),
    }
}

//! `kaisatsu feedback export`: verdicts as JSON lines, and the rated pictures as files.

use std::{
    fs,
    io::{self, IsTerminal},
    path::Path,
};

use kaisatsu_model::Verdict;
use kaisatsu_store::{FeedbackFilter, FeedbackRow, Store};
use serde::Serialize;

use super::{Candidate, progress};
use crate::error::CliError;

/// How many verdicts are read at once. Fewer with pictures, because one may have twenty megabytes.
const AT_ONCE: i64 = 500;
const AT_ONCE_WITH_PICTURES: i64 = 8;

/// An exported verdict.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Exported<'a> {
    recognition_id: &'a str,
    item_id: Option<&'a str>,
    application: &'a str,
    task: &'a str,
    model: &'a str,
    subject: &'a str,
    name: Option<&'a str>,
    score: Option<f32>,
    base_score: Option<f32>,
    is_valid: bool,
    comment: Option<&'a str>,
    standing: &'static str,
    rated_at: String,
    recognised_at: String,
    candidates: Vec<Candidate<'a>>,
    picture: Option<String>,
}

pub(super) async fn run(store: &Store, filter: &FeedbackFilter, folder: Option<&Path>) -> Result<(), CliError> {
    if let Some(folder) = folder {
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    }
    let count = store.count_feedback(filter).await?.all;
    let bar = progress::bar("exporting", usize::try_from(count).unwrap_or_default());
    if io::stdout().is_terminal() {
        // The printed lines show the progress.
        bar.finish_and_clear();
    }
    let most = if folder.is_some() { AT_ONCE_WITH_PICTURES } else { AT_ONCE };
    let mut after = (i64::MIN, String::new(), String::new());
    loop {
        let page = store.feedback_page(filter, &after, most, folder.is_some()).await?;
        let Some(last) = page.last() else { break };
        after = last.cursor();
        for row in &page {
            let picture = match (folder, &row.picture) {
                (Some(folder), Some(bytes)) => Some(save(folder, &row.recognition, bytes)?),
                _ => None,
            };
            let line = serde_json::to_string(&exported(row, picture));
            outln!("{}", line.map_err(|error| CliError::Failed(error.to_string()))?);
        }
        bar.inc(page.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

fn exported(row: &FeedbackRow, picture: Option<String>) -> Exported<'_> {
    Exported {
        recognition_id: &row.recognition,
        item_id: row.item.as_deref(),
        application: &row.application_name,
        task: &row.task,
        model: &row.model,
        subject: &row.subject,
        name: row.name.as_deref(),
        score: row.score,
        base_score: row.base,
        is_valid: row.verdict == Verdict::Valid,
        comment: row.comment.as_deref(),
        standing: row.standing.as_str(),
        rated_at: row.rated_at.to_utc(),
        recognised_at: row.recognised_at.to_utc(),
        candidates: row.items.iter().map(Candidate::of).collect(),
        picture,
    }
}

/// Writes a picture unless it exists, and returns its file name. It is written under another name first, so that an
/// interrupted export leaves no incomplete picture.
fn save(folder: &Path, recognition: &str, bytes: &[u8]) -> Result<String, CliError> {
    let name = format!("{recognition}.{}", ending(bytes));
    let path = folder.join(&name);
    if !path.exists() {
        let part = folder.join(format!("{name}.part"));
        let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &path));
        written.map_err(|error| failed(&path, &error))?;
    }
    Ok(name)
}

/// The file extension for the format of these bytes.
fn ending(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => "jpg",
        [0x89, b'P', b'N', b'G', ..] => "png",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        [b'B', b'M', ..] => "bmp",
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => "tiff",
        _ => "bin",
    }
}

fn failed(path: &Path, error: &io::Error) -> CliError {
    CliError::Failed(format!("{}: {error}", path.display()))
}

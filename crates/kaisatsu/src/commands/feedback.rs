//! `kaisatsu feedback`: lists, exports, counts and revokes verdicts, and explains what they did.

mod explain;
mod export;
mod totals;

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::{Args, Subcommand, builder::NonEmptyStringValueParser};
use kaisatsu_access::KeyService;
use kaisatsu_model::{ApplicationName, MOST_PER_CANDIDATE, RecognitionId, SystemClock, Timestamp, Verdict};
use kaisatsu_store::{FeedbackFilter, FeedbackRow, Store, StoredCandidate};
use serde::Serialize;

use super::{agreed, application, counted::counted, progress, table};
use crate::{duration, error::CliError, settings::Settings};

/// A candidate in JSON output.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    item_id: &'a str,
    subject: &'a str,
    name: &'a str,
    score: f32,
    base_score: f32,
}

impl<'a> Candidate<'a> {
    fn of(item: &'a StoredCandidate) -> Self {
        let (item_id, subject, name) = (&item.id, &item.subject, &item.name);
        Self { item_id, subject, name, score: item.score, base_score: item.base_score() }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List verdicts, the newest last
    List {
        #[command(flatten)]
        selection: Selection,
        /// The most to list; older ones are left out
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: u32,
        /// As JSON, one object a verdict; `export` prints more of each
        #[arg(long)]
        json: bool,
    },
    /// Print verdicts with all that is known of them, one JSON object a line, the oldest first
    Export {
        #[command(flatten)]
        selection: Selection,
        /// Write the pictures into this folder, if they were kept (see --keep-pictures)
        #[arg(long, value_name = "FOLDER")]
        pictures: Option<PathBuf>,
    },
    /// Revoke verdicts, within a second and on every replica
    ///
    /// Recognition is then as if they had never been given. They stay in the listings; a new verdict on the same
    /// candidate counts again.
    Revoke {
        #[command(flatten)]
        selection: Selection,
        /// Only count them
        #[arg(long)]
        dry_run: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Count how often candidates were right and wrong
    ///
    /// Revoked verdicts and verdicts on whole results are not counted.
    Totals {
        /// Only the verdicts of this application
        #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
        app: Option<ApplicationName>,
        /// Only verdicts on answers of this model, dataset or collection
        #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
        model: Option<String>,
        /// Only verdicts on this candidate: its id, or that of its class, item or image
        #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
        item: Option<String>,
        /// The intervals to count by
        #[arg(long, value_name = "SPAN", default_value = "1d", value_parser = duration::parse_positive)]
        span: Duration,
        /// As JSON, one array
        #[arg(long)]
        json: bool,
    },
    /// Show which verdicts changed the scores of a recognition, and by how much
    Explain {
        /// The id of the recognition, as its answer has it
        recognition: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List the verdicts that the guard held back because they made recognition worse, the newest first
    Held {
        /// The most to list
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: u32,
        /// As JSON, one object a report
        #[arg(long)]
        json: bool,
    },
}

/// Selects verdicts.
#[derive(Debug, Default, Args)]
pub(crate) struct Selection {
    /// Only verdicts of this application
    #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
    app: Option<ApplicationName>,
    /// Only verdicts on this candidate: its id, or that of its class, item or image
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    item: Option<String>,
    /// Only verdicts on answers of this model, dataset or collection
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// Only verdicts on this recognition
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    recognition: Option<String>,
    /// Only verdicts given since then: 2026-11-15T09:30:00Z, 2026-11-15, or 2h for two hours ago
    #[arg(long, value_name = "TIME", value_parser = duration::parse_time)]
    since: Option<Timestamp>,
    /// Only verdicts given before then
    #[arg(long, value_name = "TIME", value_parser = duration::parse_time)]
    until: Option<Timestamp>,
    /// Only verdicts whose comment contains this text, ignoring case
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    search: Option<String>,
    /// Only verdicts with a comment
    #[arg(long)]
    comments: bool,
}

impl Selection {
    /// Whether anything but comments selects them.
    fn named(&self) -> bool {
        let words = [self.item.is_some(), self.model.is_some(), self.recognition.is_some()];
        words.contains(&true) || self.app.is_some() || self.since.is_some() || self.until.is_some()
    }

    async fn filter(self, store: &Store) -> Result<FeedbackFilter, CliError> {
        Ok(FeedbackFilter {
            application: match self.app {
                Some(name) => Some(application(&key_service(store), &name).await?.id),
                None => None,
            },
            item: self.item,
            model: self.model,
            recognition: self.recognition.map(RecognitionId::from_text),
            since: self.since,
            until: self.until,
            comment: self.search,
            only_commented: self.comments,
            ..FeedbackFilter::default()
        })
    }
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    if let Command::Revoke { selection, .. } = &command
        && !selection.named()
    {
        let told = "say which verdicts are to be revoked, with one or more of --app, --item, --model, --recognition, \
                    --since and --until";
        return Err(CliError::Usage(told.to_owned()));
    }
    let store = Store::open(&settings.existing_database()?).await?;
    match command {
        Command::List { selection, limit, json } => {
            let rows = store.newest_feedback(&selection.filter(&store).await?, None, limit.into()).await?;
            let heads = ["RATED", "APPLICATION", "TASK", "MODEL", "CANDIDATE", "VERDICT", "STANDING", "COMMENT"];
            table::list(json, heads, &rows.into_iter().rev().map(line).collect::<Vec<_>>());
        }
        Command::Export { selection, pictures } => {
            export::run(&store, &selection.filter(&store).await?, pictures.as_deref()).await?;
        }
        Command::Revoke { selection, dry_run, yes } => {
            let filter = selection.filter(&store).await?;
            let count = store.count_feedback(&filter).await?;
            let count = count.all - count.revoked;
            if dry_run {
                outln!("{} would be revoked", counted(count, "verdict"));
            } else {
                agreed(yes, &format!("Revoke {}?", counted(count, "verdict")))?;
                let gone = store.revoke_feedback(&filter, MOST_PER_CANDIDATE).await?;
                outln!("{} revoked; replicas follow within a second", counted(gone, "verdict"));
            }
        }
        Command::Totals { app, model, item, span, json } => {
            let selection = Selection { app, item, model, ..Selection::default() };
            totals::run(&store, &selection.filter(&store).await?, span, json).await?;
        }
        Command::Explain { recognition, json } => {
            explain::run(&store, &RecognitionId::from_text(recognition), json).await?;
        }
        Command::Held { limit, json } => totals::held(&store, limit.into(), json).await?,
    }
    store.close().await;
    Ok(ExitCode::SUCCESS)
}

fn key_service(store: &Store) -> KeyService {
    KeyService::new(store.clone(), Arc::new(SystemClock))
}

fn line(row: FeedbackRow) -> [String; 8] {
    let candidate = match (row.item, row.name) {
        (None, _) => "the whole result".to_owned(),
        (Some(_), name) => name.unwrap_or(row.subject),
    };
    [
        row.rated_at.to_utc(),
        row.application_name,
        row.task,
        row.model,
        table::short(&candidate),
        (row.verdict == Verdict::Valid).to_string(),
        row.standing.as_str().to_owned(),
        table::short(&row.comment.unwrap_or_default()),
    ]
}

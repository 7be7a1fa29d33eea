//! `kaisatsu usage`: what an application called, and how it ended.

use std::{collections::BTreeMap, process::ExitCode, time::Duration};

use clap::Args;
use kaisatsu_access::UsageOutcome;
use kaisatsu_model::{ApplicationName, Clock, SystemClock, Timestamp};
use kaisatsu_store::Store;

use super::{application, key_service, table};
use crate::{duration, error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// The application's name
    #[arg(long, value_name = "NAME", value_parser = ApplicationName::new)]
    app: ApplicationName,
    /// For how long back; usage is kept for 92 days
    #[arg(long, value_name = "SPAN", default_value = "7d", value_parser = duration::parse)]
    since: Duration,
    /// As JSON, one object an operation
    #[arg(long)]
    json: bool,
}

/// The requests of one operation.
#[derive(Default)]
struct Sum {
    answered: i64,
    refused: i64,
    failed: i64,
    turned_away: i64,
    micros: i64,
}

pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = Store::open(&settings.existing_database()?).await?;
    let service = key_service(settings).await?;
    let app = application(&service, &command.app).await?;
    let now = SystemClock.now();
    let totals = store.usage(&app.id, now.before(command.since), Timestamp(i64::MAX), i64::MAX).await?;
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for total in totals {
        let sum = sums.entry(total.operation).or_default();
        sum.micros += total.micros;
        match UsageOutcome::ALL.into_iter().find(|outcome| outcome.as_str() == total.outcome) {
            Some(UsageOutcome::Answered) | None => sum.answered += total.requests,
            Some(UsageOutcome::Refused) => sum.refused += total.requests,
            Some(UsageOutcome::Failed) => sum.failed += total.requests,
            Some(UsageOutcome::TurnedAway) => sum.turned_away += total.requests,
        }
    }
    let row = |(operation, sum): (String, Sum)| {
        let all = sum.answered + sum.refused + sum.failed + sum.turned_away;
        let mean = sum.micros / all.max(1);
        let numbers = [all, sum.answered, sum.refused, sum.failed, sum.turned_away, mean].map(|n| n.to_string());
        let [all, answered, refused, failed, turned_away, mean] = numbers;
        [operation, all, answered, refused, failed, turned_away, mean]
    };
    let rows: Vec<_> = sums.into_iter().map(row).collect();
    let heads = ["OPERATION", "REQUESTS", "ANSWERED", "REFUSED", "FAILED", "TURNED AWAY", "MEAN MICROSECONDS"];
    table::list(command.json, heads, &rows);
    Ok(ExitCode::SUCCESS)
}

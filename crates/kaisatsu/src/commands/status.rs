//! `kaisatsu status`: how the servers on a database are.

use std::{net::SocketAddr, process::ExitCode, time::Duration};

use clap::Args;
use kaisatsu_model::{Clock, Part, PartState, SystemClock, Timestamp};
use kaisatsu_status::Replica;
use kaisatsu_store::Store;
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::table;
use crate::{error::CliError, settings::Settings};

/// How long a server may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What there is to say.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// `ok`, `degraded`, `unreachable`, or why the server takes no requests.
    status: String,
    /// The version of this program.
    version: &'static str,
    /// Where the server was asked.
    address: String,
    /// Its parts, as it says now.
    parts: Vec<Part>,
    /// All servers on the database.
    replicas: Vec<ReplicaReport>,
    /// Why the database cannot say which servers there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    database_error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplicaReport {
    address: String,
    version: String,
    started_at: String,
    seen_at: String,
    alive: bool,
    parts: Vec<Part>,
}

/// The body of `/readyz`.
#[derive(Deserialize)]
struct Readiness {
    status: String,
    #[serde(default)]
    parts: Vec<Part>,
}

/// Exits with 0 when a server answers and no part of it needs attention, and with 1 otherwise.
pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let address = settings.local_address();
    let said = ask(address).await;
    let replicas = match settings.existing_database() {
        Ok(database) => match Store::open(&database).await {
            Ok(store) => Replica::of(&store, SystemClock.now()).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        },
        Err(error) => Err(error.to_string()),
    };
    let (replicas, database_error) = match replicas {
        Ok(replicas) => (replicas, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let report = report(address, said, replicas, database_error);
    let good = report.status == "ok" && report.database_error.is_none() && report.replicas.iter().all(is_well);
    if command.json {
        outln!("{}", serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        print(&report);
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn report(address: SocketAddr, said: Said, replicas: Vec<Replica>, database_error: Option<String>) -> Report {
    let own = || replicas.iter().find(|replica| replica.alive && replica.address == address.to_string());
    let (status, parts) = match (said, own()) {
        (Said::Readiness(said), _) => (said.status, said.parts),
        // What a server behind TLS last wrote into the database is as good as its answer.
        (Said::NotPlain, Some(replica)) => (status_of(&replica.parts).to_owned(), replica.parts.clone()),
        (Said::NotPlain | Said::Nothing, _) => ("unreachable".to_owned(), Vec::new()),
    };
    let replica = |replica: Replica| ReplicaReport {
        address: replica.address,
        version: replica.version,
        started_at: Timestamp::to_utc(replica.started_at),
        seen_at: Timestamp::to_utc(replica.seen_at),
        alive: replica.alive,
        parts: replica.parts,
    };
    Report {
        status,
        version: env!("CARGO_PKG_VERSION"),
        address: address.to_string(),
        parts,
        replicas: replicas.into_iter().map(replica).collect(),
        database_error,
    }
}

fn status_of(parts: &[Part]) -> &'static str {
    if parts.iter().any(|part| part.state.needs_attention()) { "degraded" } else { "ok" }
}

/// A server that has gone silent is not well, until the database forgets it.
fn is_well(replica: &ReplicaReport) -> bool {
    replica.alive && status_of(&replica.parts) == "ok"
}

fn print(report: &Report) {
    let Report { status, address, .. } = report;
    match status.as_str() {
        "unreachable" => outln!("no server answers at {address}; `kaisatsu serve` starts one"),
        "ok" => outln!("the server at {address} is ok"),
        other => outln!("the server at {address}: {other}"),
    }
    if !report.parts.is_empty() {
        outln!("");
        let row =
            |part: &Part| [part.name.clone(), part.state.as_str().to_owned(), part.message.clone().unwrap_or_default()];
        table::print(["PART", "STATE", "WHY"], &report.parts.iter().map(row).collect::<Vec<_>>());
    }
    if let Some(error) = &report.database_error {
        outln!("\nthe database cannot say which servers there are: {error}");
    }
    if report.replicas.is_empty() {
        return;
    }
    outln!("");
    let row = |replica: &ReplicaReport| {
        let worst = replica.parts.iter().map(|part| part.state).max().unwrap_or(PartState::Ok);
        let state = if replica.alive { worst.as_str() } else { "silent" };
        let ReplicaReport { address, version, started_at, seen_at, .. } = replica;
        [address.clone(), state.to_owned(), version.clone(), started_at.clone(), seen_at.clone()]
    };
    let rows: Vec<_> = report.replicas.iter().map(row).collect();
    table::print(["SERVER", "STATE", "VERSION", "STARTED", "SEEN"], &rows);
}

/// What the listener at an address answered.
enum Said {
    Readiness(Readiness),
    /// Something listens that does not answer in plain HTTP, as behind TLS.
    NotPlain,
    /// Nobody listens.
    Nothing,
}

async fn ask(address: SocketAddr) -> Said {
    let Ok(Ok(mut stream)) = tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await else {
        return Said::Nothing;
    };
    let asked = async {
        let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        stream.take(1 << 20).read_to_end(&mut answer).await.ok()?;
        let answer = String::from_utf8(answer).ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    };
    tokio::time::timeout(PATIENCE, asked).await.ok().flatten().map_or(Said::NotPlain, Said::Readiness)
}

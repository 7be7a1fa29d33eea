//! `status` and `operator/server`: how the server is, for everybody who is signed in and for operators.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode};
use kaisatsu_http::{Gateway, RecentError, SettingInForce};
use kaisatsu_model::{Part, PartState, Timestamp};
use kaisatsu_recognition::{Contents, ModelReadiness, ModelState};
use kaisatsu_status::{DiskStatus, Replica};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    response::{ConsoleError, ConsoleResult, json},
    session_guard::{CurrentAccount, Operator},
};

/// The parts of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct StatusAnswer {
    parts: Vec<PartEntry>,
}

/// A part of the server.
#[derive(Serialize, ToSchema)]
#[schema(as = Part)]
struct PartEntry {
    name: String,
    state: PartStateWord,
    /// Why, when it is not ok.
    #[schema(required = true)]
    message: Option<String>,
}

/// How a part is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PartState)]
enum PartStateWord {
    Ok,
    Off,
    Starting,
    Degraded,
    Failing,
}

/// Everything that an operator wants to know of a server.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerAnswer {
    version: &'static str,
    #[schema(format = DateTime)]
    started_at: String,
    parts: Vec<PartEntry>,
    replicas: Vec<ReplicaEntry>,
    database: DatabaseEntry,
    disks: Vec<DiskEntry>,
    models: Vec<ModelEntry>,
    maps: Vec<MapEntry>,
    /// How much there is; null when the database does not answer.
    #[schema(required = true)]
    contents: Option<ContentsEntry>,
    /// The latest requests that this server failed to answer.
    errors: Vec<ErrorEntry>,
    settings: Vec<SettingEntry>,
}

/// A server on the same database.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Replica)]
struct ReplicaEntry {
    id: String,
    address: String,
    version: String,
    #[schema(format = DateTime)]
    started_at: String,
    #[schema(format = DateTime)]
    seen_at: String,
    alive: bool,
    /// Whether it is the one that answers.
    this_one: bool,
    parts: Vec<PartEntry>,
}

/// The database.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Database)]
struct DatabaseEntry {
    /// `sqlite` or `postgres`.
    #[schema(value_type = String)]
    kind: &'static str,
    /// How long the last write took, in milliseconds.
    #[schema(required = true)]
    write_millis: Option<f64>,
    #[schema(required = true)]
    error: Option<String>,
}

/// A disk that the server writes to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Disk)]
struct DiskEntry {
    /// The name of its part.
    #[schema(value_type = String)]
    part: &'static str,
    folder: String,
    #[schema(required = true)]
    free_bytes: Option<u64>,
    #[schema(required = true)]
    total_bytes: Option<u64>,
}

/// A model.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ServerModel)]
struct ModelEntry {
    name: String,
    title: String,
    #[schema(value_type = Option<String>, required = true)]
    task: Option<&'static str>,
    state: ModelStateWord,
    /// Why it cannot be used.
    #[schema(required = true)]
    reason: Option<String>,
    /// The model whose network it runs on.
    #[schema(required = true)]
    runs_on: Option<String>,
    networks: Vec<NetworkEntry>,
}

/// Whether a model can answer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ModelState)]
enum ModelStateWord {
    Ready,
    OnDemand,
    Loading,
    Broken,
}

/// What a network runs on, and why.
#[derive(Serialize, ToSchema)]
#[schema(as = Network)]
struct NetworkEntry {
    file: String,
    #[schema(value_type = String)]
    kernels: &'static str,
    reason: String,
}

/// A map in force.
#[derive(Serialize, ToSchema)]
#[schema(as = ServerMap)]
struct MapEntry {
    id: String,
    name: String,
    stations: usize,
}

/// How much there is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Contents)]
struct ContentsEntry {
    catalogue_items: i64,
    collections: i64,
    collection_images: i64,
    datasets: Vec<CountEntry>,
}

/// How many there are of something.
#[derive(Serialize, ToSchema)]
#[schema(as = Count)]
struct CountEntry {
    name: String,
    count: i64,
}

/// A request that the server failed to answer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ServerError)]
struct ErrorEntry {
    #[schema(format = DateTime)]
    at: String,
    request_id: String,
    path: String,
    status: u16,
    #[schema(required = true)]
    message: Option<String>,
    #[schema(required = true)]
    cause: Option<String>,
}

/// A setting in force.
#[derive(Serialize, ToSchema)]
#[schema(as = Setting)]
struct SettingEntry {
    name: String,
    #[schema(required = true)]
    value: Option<String>,
    /// `default`, `file`, `environment` or `flag`.
    #[schema(value_type = String)]
    origin: &'static str,
}

/// How the parts of the server are
#[utoipa::path(
    get, path = "/console/api/status", operation_id = "status", tag = "Server",
    responses((status = 200, description = "The parts", body = StatusAnswer))
)]
pub(crate) async fn status(State(gateway): State<Arc<Gateway>>, _: CurrentAccount) -> ConsoleResult {
    Ok(json(StatusCode::OK, StatusAnswer { parts: parts(gateway.parts()) }))
}

/// Everything about the server
#[utoipa::path(
    get, path = "/console/api/operator/server", operation_id = "server", tag = "Operator",
    responses(
        (status = 200, description = "As it is now", body = ServerAnswer),
        (status = 403, description = "notAllowed", body = ConsoleError),
    )
)]
pub(crate) async fn server(State(gateway): State<Arc<Gateway>>, _: Operator) -> ConsoleResult {
    let monitor = &gateway.monitor;
    let database = monitor.database();
    let replica = |replica: Replica| ReplicaEntry {
        this_one: replica.id == monitor.id(),
        id: replica.id,
        address: replica.address,
        version: replica.version,
        started_at: replica.started_at.to_utc(),
        seen_at: replica.seen_at.to_utc(),
        alive: replica.alive,
        parts: parts(replica.parts),
    };
    let answer = ServerAnswer {
        version: env!("CARGO_PKG_VERSION"),
        started_at: monitor.started_at().to_utc(),
        parts: parts(gateway.parts()),
        // The page shows the rest also when the database does not answer.
        replicas: monitor.replicas().await.unwrap_or_default().into_iter().map(replica).collect(),
        database: DatabaseEntry {
            kind: database.kind,
            write_millis: database.took.map(|took| took.as_secs_f64() * 1000.0),
            error: database.error,
        },
        disks: monitor.disks().iter().map(disk).collect(),
        models: gateway.recognition.models.states().into_iter().map(model).collect(),
        maps: maps(&gateway),
        contents: gateway.recognition.contents().await.ok().map(contents),
        errors: gateway.recent_errors().into_iter().map(error).collect(),
        settings: gateway.settings.iter().map(setting).collect(),
    };
    Ok(json(StatusCode::OK, answer))
}

fn parts(parts: Vec<Part>) -> Vec<PartEntry> {
    let state = |state| match state {
        PartState::Ok => PartStateWord::Ok,
        PartState::Off => PartStateWord::Off,
        PartState::Starting => PartStateWord::Starting,
        PartState::Degraded => PartStateWord::Degraded,
        PartState::Failing => PartStateWord::Failing,
    };
    let entry = |part: Part| PartEntry { name: part.name, state: state(part.state), message: part.message };
    parts.into_iter().map(entry).collect()
}

fn maps(gateway: &Gateway) -> Vec<MapEntry> {
    let maps = gateway.maps.all();
    let entries = maps.iter().map(|loaded| MapEntry {
        id: loaded.map.id.to_string(),
        name: loaded.map.name.clone(),
        stations: loaded.map.stations().len(),
    });
    entries.collect()
}

fn disk(disk: &DiskStatus) -> DiskEntry {
    DiskEntry {
        part: disk.role.part(),
        folder: disk.folder.display().to_string(),
        free_bytes: disk.space.map(|space| space.free),
        total_bytes: disk.space.map(|space| space.total),
    }
}

fn model(model: ModelState) -> ModelEntry {
    let (state, reason) = match model.readiness {
        ModelReadiness::Ready => (ModelStateWord::Ready, None),
        ModelReadiness::OnDemand => (ModelStateWord::OnDemand, None),
        ModelReadiness::Loading => (ModelStateWord::Loading, None),
        ModelReadiness::Broken(reason) => (ModelStateWord::Broken, Some(reason)),
    };
    let network = |network: kaisatsu_recognition::NetworkKernels| NetworkEntry {
        file: network.file,
        kernels: network.kernels,
        reason: network.reason,
    };
    ModelEntry {
        name: model.name,
        title: model.title,
        task: model.task.map(kaisatsu_recognition::Task::as_str),
        state,
        reason,
        runs_on: model.runs_on_model,
        networks: model.networks.into_iter().map(network).collect(),
    }
}

fn contents(contents: Contents) -> ContentsEntry {
    let count = |(name, count)| CountEntry { name, count };
    ContentsEntry {
        catalogue_items: contents.items,
        collections: contents.collections,
        collection_images: contents.images,
        datasets: contents.datasets.into_iter().map(count).collect(),
    }
}

fn error(error: RecentError) -> ErrorEntry {
    let RecentError { at, request_id, path, status, message, cause } = error;
    ErrorEntry { at: Timestamp::to_utc(at), request_id, path, status, message, cause }
}

fn setting(setting: &SettingInForce) -> SettingEntry {
    SettingEntry { name: setting.name.clone(), value: setting.value.clone(), origin: setting.origin }
}

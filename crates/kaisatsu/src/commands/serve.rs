//! `kaisatsu serve`: assembles the parts and starts the server.

use std::{net::SocketAddr, path::Path, process::ExitCode, sync::Arc, time::Duration};

use kaisatsu_access::{
    AccessError, Accounts, ConsoleService, FailedRequests, Idempotency, IssuedKey, KeyCache, KeyService, RateLimit,
    SharedLimits, Tokens, Usage,
};
use kaisatsu_fetch::{Fetcher, Policy};
use kaisatsu_http::{AccessLog, App, Gateway, Itself, Limits, PreparedMap, PublishedLimits, Section, Services, Tls};
use kaisatsu_model::{ApplicationName, Clock, KeyScope, SystemClock};
use kaisatsu_railmap::MapRegistry;
use kaisatsu_recognition::{Recognition, SegmentSettings, UserLimits, UserSettings, VectorSettings};
use kaisatsu_status::{DiskRole, Identity, Monitor, WatchedDisk};
use kaisatsu_store::{BlobAddress, Blobs, DatabaseAddress, Store, VectorSupport};
use kaisatsu_vision::{Engine, HeifSupport, ModelRegistry};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
};

use super::{banner, config, models::install};
use crate::{
    allocator,
    database_lock::{self, DatabaseLock},
    error::CliError,
    logs::{self, RequestLog},
    settings::{Origins, Settings, VectorsSetting},
    traces::TracedLog,
};

/// How often the map folder is checked for changes.
const MAP_INTERVAL: Duration = Duration::from_secs(2);

/// How often the files of the certificate are looked at.
const CERTIFICATE_INTERVAL: Duration = Duration::from_secs(2);

/// Connections that may ask for metrics at the same time.
const METRICS_CONNECTIONS: usize = 16;

/// Upper bounds of the histogram buckets for the engine's steps, in seconds.
const SECONDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// How often histograms are drained. They must not grow when nobody reads the metrics.
const UPKEEP: Duration = Duration::from_secs(5);

pub(crate) async fn run(settings: &Settings, origins: &Origins) -> Result<ExitCode, CliError> {
    // Before signals are caught: Ctrl-C ends the question and the installation.
    install::offer(&settings.models_folder()?)?;
    let signals = StopSignals::catch()?;
    let log = logs::start(&settings.log, settings.log_format);
    let address = settings.database()?;
    let folder = settings.maps_folder()?;
    let (store, _lock) = open_database(settings, &address).await?;
    let clock = store.clock().await?;
    let maps = Arc::new(open_maps(&folder)?);
    let mailer = settings.mailer()?;
    let operations = kaisatsu_http::operations(&settings.route_service);
    let limits = (settings.shared_limits && store.is_shared()).then(|| SharedLimits::new(store.clone(), clock.clone()));
    let (shared, per_day) = (limits.clone(), settings.daily_requests);
    let usage = Usage::sharing(shared, store.clone(), Arc::clone(&clock), operations, per_day);
    let (cached, cached_for) = (store.clone(), settings.keys_max_age);
    let key_cache = KeyCache::load(cached, Arc::clone(&clock), Arc::clone(&usage), cached_for).await?;
    let metrics = install_metrics()?;
    let fetcher = fetcher(settings)?;
    let recognition = Arc::new(open_recognition(settings, &store, &clock, fetcher.clone())?);
    let tls = open_tls(settings)?;
    // The server binds its address before it creates the first key: if it cannot start, no key is shown that is lost.
    let listener = bind(settings.listen, "--listen").await?;
    let metrics_listener = match settings.metrics_listen {
        Some(address) => Some(bind(address, "--metrics-listen").await?),
        None => None,
    };
    let local = listener.local_addr().map_err(|error| CliError::Address(error.to_string()))?;
    let first_key = if settings.first_key { first_key(&store, &address).await? } else { None };

    key_cache.refresh_in_background();
    recognition.start();
    if settings.jobs {
        recognition.start_jobs();
    }
    let tokens = Tokens::new(store.clone(), Arc::clone(&clock), settings.token_lifetime);
    tokio::spawn(tokens.clone().delete_expired_periodically());
    let accounts = Accounts::new(store.clone(), Arc::clone(&clock), mailer, &settings.public_url(local));
    tokio::spawn(accounts.clone().delete_expired_periodically());
    tokio::spawn(Arc::clone(&usage).flush_periodically());
    let failed_requests = FailedRequests::new(store.clone(), Arc::clone(&clock));
    tokio::spawn(Arc::clone(&failed_requests).flush_periodically());
    let identity = Identity { address: local.to_string(), version: env!("CARGO_PKG_VERSION") };
    let monitor = Arc::new(Monitor::new(store.clone(), Arc::clone(&clock), disks(settings, &address)?, identity));
    let gateway = Arc::new(Gateway::new(Services {
        key_places: settings.key_places(),
        trusted_proxies: settings.trusted_proxies.clone(),
        key_cache,
        limit: RateLimit::per_second(settings.rate_limit).shared(limits),
        usage: Arc::clone(&usage),
        tokens,
        idempotency: Idempotency::new(store.clone(), Arc::clone(&clock)),
        accounts,
        console: ConsoleService::new(store.clone(), Arc::clone(&clock), Arc::clone(&usage)),
        limits: published_limits(settings),
        maps: Arc::clone(&maps),
        recognition: Arc::clone(&recognition),
        max_image_bytes: small(settings.max_image_bytes),
        segment: settings.route_service.clone(),
        request_timeout: settings.request_timeout,
        map_pages: settings.map_pages,
        map_embed: settings.map_embed.clone(),
        monitor: Arc::clone(&monitor),
        failed_requests: Arc::clone(&failed_requests),
        settings: config::in_force(origins),
    }));
    let watched = Arc::clone(&gateway);
    let watching = tokio::spawn(async move { watched.monitor.run(|| watched.parts()).await });
    watch_maps(maps);
    tls.iter().cloned().for_each(watch_certificate);
    banner::print(settings, &address, &gateway, local, first_key.as_ref());

    let itself = Itself::default();
    let sections = sections(settings, &gateway, local, itself.clone(), fetcher);
    let apart = settings.metrics_listen.is_some();
    let traces = settings.otlp_endpoint.as_deref().map(|to| TracedLog::start(log.clone(), to, local.to_string()));
    let traces = traces.transpose()?.map(Arc::new);
    let lines: Arc<dyn AccessLog> = match &traces {
        Some(traces) => Arc::clone(traces) as _,
        None => Arc::clone(&log) as _,
    };
    let apps = kaisatsu_http::app(Arc::clone(&gateway), sections, settings.cors.clone(), metrics, lines, apart);
    if let (Some(listener), Some(app)) = (metrics_listener, apps.metrics) {
        serve_metrics(listener, app);
    }
    let limits = Limits { connections: small(settings.max_connections), grace: settings.shutdown_grace };
    let stop = stopped(signals, &gateway, settings.shutdown_drain);
    let main = Arc::new(apps.main);
    itself.connect(&main);
    let served = kaisatsu_http::serve(listener, main, limits, tls, stop).await;
    let stopped = tokio::task::spawn_blocking(move || recognition.stop());
    write_rest(log, traces, &usage, &failed_requests).await;
    watching.abort();
    monitor.leave().await;
    store.close().await;
    let _ = stopped.await;
    match served {
        Ok(()) => tracing::info!("closed"),
        Err(error) => tracing::warn!(%error, "closed"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for a signal to stop. Returns how long requests are still answered.
async fn stopped(mut signals: StopSignals, gateway: &Gateway, drain: Duration) -> Duration {
    let signal = signals.next().await;
    tracing::info!("shutting down: finishing what is in flight");
    gateway.drain();
    tokio::spawn(async move {
        signals.next().await;
        tracing::warn!("asked again: stopping at once");
        exit_at_once();
    });
    // Who presses Ctrl-C does not wait for a load balancer.
    if signal == Stop::Terminate { drain } else { Duration::ZERO }
}

/// Writes what is still waiting: log lines, spans, usage and failed requests.
async fn write_rest(
    log: Arc<RequestLog>,
    traces: Option<Arc<TracedLog>>,
    usage: &Arc<Usage>,
    failed_requests: &FailedRequests,
) {
    // A reader of the log or a collector that has stopped must not keep the server from ending.
    let patience = Duration::from_secs(2);
    let _ = tokio::time::timeout(patience, tokio::task::spawn_blocking(move || log.flush())).await;
    if let Some(traces) = traces {
        let _ = tokio::time::timeout(patience, tokio::task::spawn_blocking(move || traces.shut_down())).await;
    }
    if let Err(error) = usage.close().await {
        tracing::warn!(%error, "the usage of the last seconds is not stored");
    }
    let _ = failed_requests.flush().await;
}

/// What is served beside the API.
fn sections(
    settings: &Settings,
    gateway: &Arc<Gateway>,
    local: SocketAddr,
    itself: Itself,
    fetcher: Fetcher,
) -> Vec<Section> {
    let document = kaisatsu_http::openapi_document(&settings.route_service, settings.key_places());
    let mut sections = vec![kaisatsu_http_console::section()];
    if settings.mcp {
        let access = super::mcp::access(settings, local);
        sections.push(kaisatsu_http_mcp::section(&document, itself, gateway, fetcher, access));
    }
    sections.push(kaisatsu_http_pages::section(document, settings.map_pages));
    sections
}

/// Serves the metrics on an address of their own, until the process ends.
fn serve_metrics(listener: TcpListener, app: App) {
    let limits = Limits { connections: METRICS_CONNECTIONS, grace: Duration::ZERO };
    tokio::spawn(kaisatsu_http::serve(listener, Arc::new(app), limits, None, std::future::pending()));
}

async fn bind(address: SocketAddr, flag: &str) -> Result<TcpListener, CliError> {
    TcpListener::bind(address).await.map_err(|error| {
        let remedy = format!("Another server may be running there; choose another address with {flag} IP:PORT");
        CliError::Address(format!("cannot listen on {address}: {error}. {remedy}"))
    })
}

fn open_tls(settings: &Settings) -> Result<Option<Arc<Tls>>, CliError> {
    match (&settings.tls_cert, &settings.tls_key) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Tls::open(certificate, key).map(|tls| Some(Arc::new(tls))).map_err(CliError::Usage)
        }
        _ => Err(CliError::Usage("TLS needs both --tls-cert and --tls-key".to_owned())),
    }
}

/// Reads the certificate again when its files change.
fn watch_certificate(tls: Arc<Tls>) {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(CERTIFICATE_INTERVAL).await;
            let read = Arc::clone(&tls);
            match tokio::task::spawn_blocking(move || read.reload()).await {
                Ok(Ok(true)) => tracing::info!("the certificate was replaced"),
                Ok(Err(error)) => tracing::error!("the certificate in force stays: {error}"),
                _ => {}
            }
        }
    });
}

/// Opens the database, alone unless several servers may share it.
pub(super) async fn open_database(
    settings: &Settings,
    address: &DatabaseAddress,
) -> Result<(Store, Option<DatabaseLock>), CliError> {
    if !settings.share_sqlite {
        database_lock::refuse_if_taken(address)?;
    }
    let store = Store::open(address).await?;
    let lock = if settings.share_sqlite { None } else { Some(database_lock::lock(address)?) };
    if settings.vectors == VectorsSetting::Database {
        require_vectors(&store).await?;
    }
    Ok((store, lock))
}

/// Refuses to start where vectors are to be in a database that cannot search them.
async fn require_vectors(store: &Store) -> Result<(), CliError> {
    match store.enable_vectors().await? {
        VectorSupport::Ready => Ok(()),
        VectorSupport::Available => Err(CliError::Store("the extension pgvector was removed just now".to_owned())),
        VectorSupport::Missing(reason) => Err(CliError::Usage(format!(
            "vectors is 'database', but {reason}. Or set vectors to auto or memory: then they are in memory"
        ))),
    }
}

fn open_maps(folder: &Path) -> Result<MapRegistry<PreparedMap>, CliError> {
    MapRegistry::open(Some(folder.to_owned()), PreparedMap::of)
        .map_err(|error| CliError::Failed(format!("the map folder {} cannot be read: {error}", folder.display())))
}

/// Starts the engine with the models of the folder. A faulty model is logged and left out.
pub(super) fn open_recognition(
    settings: &Settings,
    store: &Store,
    clock: &Arc<dyn Clock>,
    fetcher: Fetcher,
) -> Result<Recognition, CliError> {
    let folder = settings.models_folder()?;
    let unreadable = |error| CliError::Failed(format!("the model folder {} cannot be read: {error}", folder.display()));
    let registry = ModelRegistry::open(&folder).map_err(unreadable)?;
    if registry.entries.is_empty() {
        tracing::warn!(
            "there are no models in {}: image recognition answers 503. `kaisatsu models install` installs the default \
             set",
            folder.display()
        );
    }
    for entry in &registry.entries {
        if let Err(fault) = &entry.model {
            tracing::error!(model = entry.name, "cannot be used: {fault}");
        }
    }
    if let Some(HeifSupport { version, heic, avif }) =
        kaisatsu_vision::load_heif(&settings.heif).map_err(CliError::Failed)?
    {
        tracing::info!(version, heic, avif, "libheif reads HEIC and AVIF");
    } else {
        tracing::info!("there is no libheif: HEIC and AVIF are refused. `apt-get install libheif1` adds it");
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if settings.engine_threads == 0 { cores } else { small(settings.engine_threads) };
    let engine = Engine::start(registry, threads, settings.model_idle, allocator::release_unused)
        .map_err(|error| CliError::Failed(format!("the system gives no thread for the engine: {error}")))?;
    let decided = kaisatsu_recognition::Settings {
        waiting: small(settings.engine_waiting),
        max_pixels: settings.max_image_pixels.into(),
        keep: settings.keep_recognitions,
        keep_pictures: settings.keep_pictures,
        unsaved_answers: settings.unsaved_answers,
        quorum: small(settings.feedback_quorum),
        exif_position: settings.exif_position,
        vectors: VectorSettings { place: settings.vectors.into(), threshold: small(settings.vectors_threshold) },
        segments: SegmentSettings {
            items: small(settings.catalogue_segment),
            folder: settings.segments_folder(),
            cache_bytes: settings.catalogue_cache,
        },
    };
    Ok(Recognition::new(engine, store.clone(), Arc::clone(clock), &decided, user_settings(settings, fetcher)?))
}

/// Limits, fetching and storage of users' images.
fn user_settings(settings: &Settings, fetcher: Fetcher) -> Result<UserSettings, CliError> {
    Ok(UserSettings {
        blobs: Blobs::open(&settings.blobs()?).map_err(|error| CliError::Store(error.to_string()))?,
        fetcher,
        limits: UserLimits {
            bytes: settings.user_bytes,
            images: settings.user_images,
            datasets: settings.user_data_sets,
            dataset_images: settings.data_set_images,
        },
        fetches: small(settings.fetches),
        lease: settings.job_lease,
    })
}

/// What fetches images from addresses, under the rules of the settings.
pub(super) fn fetcher(settings: &Settings) -> Result<Fetcher, CliError> {
    let policy = Policy {
        allowed: settings.fetch_allow.as_ref().map(|places| places.0.clone()).unwrap_or_default(),
        max_bytes: small(settings.max_image_bytes),
        timeout: settings.fetch_timeout,
    };
    Fetcher::new(policy).map_err(|error| CliError::Failed(error.to_string()))
}

/// The folders that the server writes to.
pub(super) fn disks(settings: &Settings, database: &DatabaseAddress) -> Result<Vec<WatchedDisk>, CliError> {
    let mut disks = Vec::new();
    if let DatabaseAddress::Sqlite(path) = database {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        disks.push(WatchedDisk { role: DiskRole::Database, folder: folder.to_owned() });
    }
    if let BlobAddress::Folder(folder) = settings.blobs()? {
        disks.push(WatchedDisk { role: DiskRole::Images, folder });
    }
    Ok(disks)
}

/// The limits that the console shows.
fn published_limits(settings: &Settings) -> PublishedLimits {
    PublishedLimits {
        user_bytes: settings.user_bytes,
        user_images: settings.user_images,
        user_data_sets: settings.user_data_sets,
        data_set_images: settings.data_set_images,
        keep_pictures: settings.keep_pictures,
    }
}

fn small(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn install_metrics() -> Result<PrometheusHandle, CliError> {
    let failed = |error| CliError::Failed(format!("metrics cannot be kept: {error}"));
    let builder = PrometheusBuilder::new().set_buckets(&SECONDS).map_err(failed)?;
    let handle = builder.install_recorder().map_err(failed)?;
    let kept = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            kept.run_upkeep();
        }
    });
    kaisatsu_http::describe_metrics();
    kaisatsu_recognition::describe_metrics();
    Ok(handle)
}

/// Creates an application with a key on a SQLite database that has none.
async fn first_key(store: &Store, address: &DatabaseAddress) -> Result<Option<IssuedKey>, CliError> {
    let service = KeyService::new(store.clone(), Arc::new(SystemClock));
    if !matches!(address, DatabaseAddress::Sqlite(_)) || !service.applications().await?.is_empty() {
        return Ok(None);
    }
    let name = ApplicationName::new("first").map_err(|rule| CliError::Failed(rule.to_string()))?;
    match service.create_application_with_key(&name, KeyScope::Standard).await {
        Ok(key) => Ok(Some(key)),
        // Another server on the same file did so first.
        Err(AccessError::NameTaken(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Reloads the map folder at intervals, and at once on SIGHUP. Files are read and checked off the async threads.
fn watch_maps(maps: Arc<MapRegistry<PreparedMap>>) {
    tokio::spawn(async move {
        let mut hangup = signal(SignalKind::hangup()).ok();
        let mut failing = false;
        loop {
            let asked = async {
                match &mut hangup {
                    Some(signal) => signal.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = tokio::time::sleep(MAP_INTERVAL) => {}
                _ = asked => tracing::info!("asked to look at the maps again"),
            }
            let registry = Arc::clone(&maps);
            let reloaded = tokio::task::spawn_blocking(move || registry.reload()).await;
            if let Ok(Err(error)) = &reloaded
                && !failing
            {
                tracing::error!(%error, "the map folder cannot be read; the maps in force stay");
            }
            failing = matches!(reloaded, Ok(Err(_)));
        }
    });
}

/// Ends the process without the handlers of its libraries: they would tear ONNX Runtime down under the threads of the
/// engine.
#[allow(unsafe_code, reason = "there is no safe form of it in the standard library")]
pub(super) fn exit_at_once() -> ! {
    // SAFETY: it has no preconditions.
    unsafe { libc::_exit(1) }
}

/// What ends a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// SIGTERM, as a service manager sends it.
    Terminate,
    /// SIGINT, by Ctrl-C.
    Interrupt,
}

/// The signals that end a server, caught from the moment this is made.
pub(super) struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    pub(super) fn catch() -> Result<Self, CliError> {
        let catch = |kind| {
            signal(kind).map_err(|error| CliError::Failed(format!("the system lets no signal be caught: {error}")))
        };
        Ok(Self { terminate: catch(SignalKind::terminate())?, interrupt: catch(SignalKind::interrupt())? })
    }

    pub(super) async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.terminate.recv() => Stop::Terminate,
            _ = self.interrupt.recv() => Stop::Interrupt,
        }
    }
}

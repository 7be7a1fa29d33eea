//! `kaisatsu serve`: assembles the parts and starts the server.

mod metrics;
mod watch;

use std::{net::SocketAddr, path::Path, process::ExitCode, sync::Arc, time::Duration};

use kaisatsu_access::{
    AccessError, Accounts, ConsoleService, FailedRequests, Idempotency, IssuedKey, KeyCache, KeyService, RateLimit,
    SharedLimits, Tokens, Usage,
};
use kaisatsu_fetch::Fetcher;
use kaisatsu_http::{AccessLog, AppHandle, Gateway, Limits, PreparedMap, PublishedLimits, Section, Services, Tls};
use kaisatsu_model::{ApplicationName, KeyScope, SystemClock};
use kaisatsu_railmap::MapRegistry;
use kaisatsu_status::{Identity, Monitor};
use kaisatsu_store::{DatabaseAddress, Store};
use tokio::net::TcpListener;

use super::{
    banner, config,
    models::install,
    parts::{disks, fetcher, open_database, open_recognition, small},
    stop::{Stop, StopSignals, exit_at_once},
};
use crate::{
    error::CliError,
    logs::{self, RequestLog},
    settings::{Origins, Settings},
    traces::TracedLog,
};

/// How long the end of the server waits for each of the programs that it talks to.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a server that stops waits for its database.
pub(super) const DATABASE: Duration = Duration::from_secs(5);

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
    let operations = kaisatsu_http::operations(&settings.api.route_service);
    let limits =
        (settings.api.shared_limits && store.is_shared()).then(|| SharedLimits::new(store.clone(), clock.clone()));
    let (shared, per_day) = (limits.clone(), settings.api.daily_requests);
    let usage = Usage::sharing(shared, store.clone(), Arc::clone(&clock), operations, per_day);
    let (cached, cached_for) = (store.clone(), settings.keys_max_age);
    let key_cache = KeyCache::load(cached, Arc::clone(&clock), Arc::clone(&usage), cached_for).await?;
    let metrics = metrics::install()?;
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
    if settings.users.jobs {
        recognition.start_jobs();
    }
    let tokens = Tokens::new(store.clone(), Arc::clone(&clock), settings.users.token_lifetime);
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
        trusted_proxies: settings.api.trusted_proxies.clone(),
        key_cache,
        limit: RateLimit::per_second(settings.api.rate_limit).shared(limits),
        usage: Arc::clone(&usage),
        tokens,
        idempotency: Idempotency::new(store.clone(), Arc::clone(&clock)),
        accounts,
        console: ConsoleService::new(store.clone(), Arc::clone(&clock), Arc::clone(&usage)),
        limits: published_limits(settings),
        maps: Arc::clone(&maps),
        recognition: Arc::clone(&recognition),
        max_image_bytes: small(settings.recognition.max_image_bytes),
        segment: settings.api.route_service.clone(),
        request_timeout: settings.request_timeout,
        map_pages: settings.api.map_pages,
        map_embed: settings.api.map_embed.clone(),
        monitor: Arc::clone(&monitor),
        failed_requests: Arc::clone(&failed_requests),
        settings: config::in_force(origins),
    }));
    let watched = Arc::clone(&gateway);
    let watching = tokio::spawn(async move { watched.monitor.run(|| watched.parts()).await });
    watch::maps(maps);
    tls.iter().cloned().for_each(watch::certificate);
    banner::print(settings, &address, &gateway, local, first_key.as_ref());

    let handle = AppHandle::default();
    let sections = sections(settings, &gateway, local, handle.clone(), fetcher);
    let apart = settings.metrics_listen.is_some();
    let traces = settings.otlp_endpoint.as_deref().map(|to| TracedLog::start(log.clone(), to, local.to_string()));
    let traces = traces.transpose()?.map(Arc::new);
    let lines: Arc<dyn AccessLog> = match &traces {
        Some(traces) => Arc::clone(traces) as _,
        None => Arc::clone(&log) as _,
    };
    let apps = kaisatsu_http::app(Arc::clone(&gateway), sections, settings.api.cors.clone(), metrics, lines, apart);
    if let (Some(listener), Some(app)) = (metrics_listener, apps.metrics) {
        metrics::serve(listener, app);
    }
    let limits = Limits { connections: small(settings.max_connections), grace: settings.shutdown_grace };
    let stop = stopped(signals, &gateway, settings.shutdown_drain);
    let main = Arc::new(apps.main);
    handle.connect(&main);
    let served = kaisatsu_http::serve(listener, main, limits, tls, stop).await;
    let stopped = tokio::spawn(async move { recognition.stop().await });
    // A mail server that does not answer must not keep the server from ending.
    let _ = tokio::time::timeout(PATIENCE, gateway.accounts.emails_sent()).await;
    write_rest(log, traces, &usage, &failed_requests).await;
    watching.abort();
    let _ = tokio::time::timeout(DATABASE, monitor.leave()).await;
    let _ = stopped.await;
    // At last: what goes on in the background would complain about a closed database.
    store.close().await;
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
    let _ = tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(move || log.flush())).await;
    if let Some(traces) = traces {
        let _ = tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(move || traces.shut_down())).await;
    }
    // Nor must a database that says nothing.
    match tokio::time::timeout(DATABASE, usage.close()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the usage of the last seconds is not stored"),
        Err(_) => tracing::warn!("the usage of the last seconds is not stored: the database does not answer"),
    }
    let _ = tokio::time::timeout(DATABASE, failed_requests.flush()).await;
}

/// What is served beside the API.
fn sections(
    settings: &Settings,
    gateway: &Arc<Gateway>,
    local: SocketAddr,
    app: AppHandle,
    fetcher: Fetcher,
) -> Vec<Section> {
    let document = kaisatsu_http::openapi_document(&settings.api.route_service, settings.key_places());
    let mut sections = vec![kaisatsu_http_console::section()];
    if settings.api.mcp {
        let access = super::mcp::access(settings, local);
        sections.push(kaisatsu_http_mcp::section(&document, app, gateway, fetcher, access));
    }
    sections.push(kaisatsu_http_pages::section(&document, settings.api.map_pages));
    sections
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

fn open_maps(folder: &Path) -> Result<MapRegistry<PreparedMap>, CliError> {
    MapRegistry::open(Some(folder.to_owned()), PreparedMap::of)
        .map_err(|error| CliError::Failed(format!("the map folder {} cannot be read: {error}", folder.display())))
}

/// The limits that the console shows.
fn published_limits(settings: &Settings) -> PublishedLimits {
    PublishedLimits {
        user_bytes: settings.users.user_bytes,
        user_images: settings.users.user_images,
        user_data_sets: settings.users.user_data_sets,
        data_set_images: settings.users.data_set_images,
        keep_pictures: settings.recognition.keep_pictures,
    }
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

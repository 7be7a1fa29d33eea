//! The settings: from a file, the environment and flags, in ascending precedence.
//!
//! Every setting is one field of [`Settings`]. Its flag, its environment variable, its key in the file, its default,
//! its help and its line in `kaisatsu config` all come from that field.

mod listen;
mod paths;
mod sources;
mod values;

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use kaisatsu_access::{LogMailer, Mailer};
use kaisatsu_http::{Cors, Embedding, KeyPlaces, Segment, TrustedProxies};
use kaisatsu_vision::HeifLibrary;
pub(crate) use sources::{EffectiveSetting, Origin, Origins, parse, settings as all_settings};
use values::{AllowedHosts, Hidden, otlp_endpoint};
pub(crate) use values::{VectorsSetting, public_url};

use crate::{
    duration,
    error::CliError,
    logs::{self, LogFormat},
    mail::MailServer,
    size,
};

/// Everything that an operator can set.
#[allow(clippy::doc_markdown, reason = "these comments are the help text, which is no Markdown")]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Settings {
    /// File with settings, in TOML [default: kaisatsu/kaisatsu.toml in the configuration folder, if it exists]
    #[arg(long, global = true, env = "KAISATSU_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Address to listen on, :PORT for all addresses of this machine; the default can be reached from this machine only
    #[arg(
        long,
        global = true,
        env = "KAISATSU_LISTEN",
        value_name = "IP:PORT",
        default_value = "127.0.0.1:8640",
        value_parser = listen::parse
    )]
    pub(crate) listen: SocketAddr,

    /// Certificate for TLS, with the chain behind it, in PEM; read again when the file changes [default: plain HTTP]
    #[arg(long, global = true, env = "KAISATSU_TLS_CERT", value_name = "FILE")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM
    #[arg(long, global = true, env = "KAISATSU_TLS_KEY", value_name = "FILE")]
    pub(crate) tls_key: Option<PathBuf>,

    /// Address of its own for /metrics, which is then not at the address of the API [default: none]
    #[arg(
        long,
        global = true,
        env = "KAISATSU_METRICS_LISTEN",
        value_name = "IP:PORT",
        value_parser = listen::parse
    )]
    pub(crate) metrics_listen: Option<SocketAddr>,

    /// Folder for the server's data [default: kaisatsu in the user's data folder]
    #[arg(long, global = true, env = "KAISATSU_DATA", value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,

    /// Database: sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE [default: kaisatsu.db in the data folder]
    #[arg(
        long,
        global = true,
        env = "KAISATSU_DATABASE",
        value_name = "ADDRESS",
        hide_env_values = true,
        hide_default_value = true
    )]
    pub(crate) database: Option<Hidden>,

    /// Storage for users' images: file:FOLDER or s3://BUCKET/PREFIX?endpoint=URL&region=NAME, with the credentials of
    /// S3 in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY [default: blobs in the data folder]
    #[arg(
        long,
        global = true,
        env = "KAISATSU_BLOBS",
        value_name = "ADDRESS",
        hide_env_values = true,
        hide_default_value = true
    )]
    pub(crate) blobs: Option<Hidden>,

    /// Folder with route map files; checked for changes every two seconds [default: maps in the data folder]
    #[arg(long, global = true, env = "KAISATSU_MAPS", value_name = "FOLDER")]
    pub(crate) maps: Option<PathBuf>,

    /// Folder with models and the library that runs them [default: models in the data folder, or else kaisatsu/models
    /// in the user's data folder]
    #[arg(long, global = true, env = "KAISATSU_MODELS", value_name = "FOLDER")]
    pub(crate) models: Option<PathBuf>,

    /// Threads that process pictures; 0 for one a core
    #[arg(
        long,
        global = true,
        env = "KAISATSU_ENGINE_THREADS",
        value_name = "NUMBER",
        default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=1024)
    )]
    pub(crate) engine_threads: u32,

    /// Pictures that may wait for a thread; when the queue is full the answer is 503 with Retry-After
    #[arg(
        long,
        global = true,
        env = "KAISATSU_ENGINE_WAITING",
        value_name = "NUMBER",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(0..=100_000)
    )]
    pub(crate) engine_waiting: u32,

    /// How long a model that is loaded when first asked for stays in memory unused
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MODEL_IDLE",
        value_name = "DURATION",
        default_value = "15m",
        value_parser = duration::parse
    )]
    pub(crate) model_idle: Duration,

    /// Largest image, in bytes or with a unit such as 20MB
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAX_IMAGE_BYTES",
        value_name = "SIZE",
        default_value = "20MiB",
        value_parser = size::parse_image
    )]
    pub(crate) max_image_bytes: u32,

    /// Largest image in pixels
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAX_IMAGE_PIXELS",
        value_name = "NUMBER",
        default_value_t = 50_000_000,
        value_parser = clap::value_parser!(u32).range(1..=1 << 30)
    )]
    pub(crate) max_image_pixels: u32,

    /// Library that reads HEIC and AVIF: auto for the system's libheif if it is installed, off, or the path of a file
    #[arg(long, global = true, env = "KAISATSU_HEIF", value_name = "LIBRARY", default_value_t)]
    pub(crate) heif: HeifLibrary,

    /// Use the position in a picture's EXIF data where a model knows the places of things: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_EXIF_POSITION",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) exif_position: bool,

    /// How long recognitions are kept, so that feedback can refer to them
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEEP_RECOGNITIONS",
        value_name = "SPAN",
        default_value = "30d",
        value_parser = duration::parse
    )]
    pub(crate) keep_recognitions: Duration,

    /// Keep the pictures themselves with the recognitions: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEEP_PICTURES",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) keep_pictures: bool,

    /// Answer recognitions that need no database while it is away, without saving them, so that feedback cannot refer
    /// to them: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_UNSAVED_ANSWERS",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) unsaved_answers: bool,

    /// Owners of applications that must agree before feedback acts for all applications; for the application that gave
    /// it, it acts at once
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FEEDBACK_QUORUM",
        value_name = "NUMBER",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(2..=1000)
    )]
    pub(crate) feedback_quorum: u32,

    /// Memory for verdicts, in bytes or with a unit; those on what is asked here are read from the database when it is
    /// first asked, and dropped when others need the memory
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FEEDBACK_MEMORY",
        value_name = "SIZE",
        default_value = "256MiB",
        value_parser = size::parse
    )]
    pub(crate) feedback_memory: u64,

    /// Where the vectors of collections are searched: memory, database (PostgreSQL with pgvector), or auto for the
    /// database where it can and a collection is large
    #[arg(long, global = true, env = "KAISATSU_VECTORS", value_name = "PLACE", default_value = "auto")]
    pub(crate) vectors: VectorsSetting,

    /// Images from which on a collection is large; it returns to memory when half of them are left
    #[arg(
        long,
        global = true,
        env = "KAISATSU_VECTORS_THRESHOLD",
        value_name = "NUMBER",
        default_value_t = 50_000,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) vectors_threshold: u32,

    /// Items that make a segment of the catalogue, a file in the storage; fewer stay in the memory of every server. 0
    /// for no segments
    #[arg(
        long,
        global = true,
        env = "KAISATSU_CATALOGUE_SEGMENT",
        value_name = "NUMBER",
        default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(0..=100_000)
    )]
    pub(crate) catalogue_segment: u32,

    /// Largest size of the catalogue's segments, which every server copies from an S3 server into its data folder, in
    /// bytes or with a unit
    #[arg(
        long,
        global = true,
        env = "KAISATSU_CATALOGUE_CACHE",
        value_name = "SIZE",
        default_value = "64GiB",
        value_parser = size::parse
    )]
    pub(crate) catalogue_cache: u64,

    /// How long a user's token is valid
    #[arg(
        long,
        global = true,
        env = "KAISATSU_TOKEN_LIFETIME",
        value_name = "SPAN",
        default_value = "30d",
        value_parser = duration::parse
    )]
    pub(crate) token_lifetime: Duration,

    /// Size of all images that one user may have, in the storage area and in datasets, in bytes or with a unit
    #[arg(
        long,
        global = true,
        env = "KAISATSU_USER_BYTES",
        value_name = "SIZE",
        default_value = "2GiB",
        value_parser = size::parse
    )]
    pub(crate) user_bytes: u64,

    /// Images that one user may have in the storage area
    #[arg(long, global = true, env = "KAISATSU_USER_IMAGES", value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) user_images: u32,

    /// Datasets that one user may have
    #[arg(long, global = true, env = "KAISATSU_USER_DATA_SETS", value_name = "NUMBER", default_value_t = 50)]
    pub(crate) user_data_sets: u32,

    /// Images that one dataset may have
    #[arg(
        long,
        global = true,
        env = "KAISATSU_DATA_SET_IMAGES",
        value_name = "NUMBER",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub(crate) data_set_images: u32,

    /// Images of datasets that are fetched at the same time
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FETCHES",
        value_name = "NUMBER",
        default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(1..=256)
    )]
    pub(crate) fetches: u32,

    /// How long fetching an image may take in total
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FETCH_TIMEOUT",
        value_name = "SPAN",
        default_value = "20s",
        value_parser = duration::parse
    )]
    pub(crate) fetch_timeout: Duration,

    /// Internal hosts that images may be fetched from, separated by commas: 10.1.2.3, 10.0.0.0/8, images.internal,
    /// each with or without :PORT [default: none, only public addresses]
    #[arg(long, global = true, env = "KAISATSU_FETCH_ALLOW", value_name = "PLACES")]
    pub(crate) fetch_allow: Option<AllowedHosts>,

    /// How long a replica that builds a dataset may be silent before another takes over
    #[arg(
        long,
        global = true,
        env = "KAISATSU_JOB_LEASE",
        value_name = "SPAN",
        default_value = "15s",
        value_parser = duration::parse
    )]
    pub(crate) job_lease: Duration,

    /// Build datasets, write segments of the catalogue and erase what was deleted in this server; with false only
    /// `kaisatsu worker` and other servers do: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_JOBS",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) jobs: bool,

    /// First path segment of the route map function
    #[arg(
        long,
        global = true,
        env = "KAISATSU_ROUTE_SERVICE",
        value_name = "SEGMENT",
        default_value = "route_service",
        value_parser = Segment::new
    )]
    pub(crate) route_service: Segment,

    /// Show the route maps at /map to everybody who can reach the server, without a key: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAP_PAGES",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) map_pages: bool,

    /// Sites whose pages may embed the map pages: off for none, * for all, or origins separated by commas
    #[arg(long, global = true, env = "KAISATSU_MAP_EMBED", value_name = "ORIGINS", default_value = "off")]
    pub(crate) map_embed: Embedding,

    /// Offer the operations as tools to assistants at /mcp (Model Context Protocol): true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MCP",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) mcp: bool,

    /// Web pages that may call the API: * for all, off for none, or origins separated by commas
    #[arg(long, global = true, env = "KAISATSU_CORS", value_name = "ORIGINS", default_value = "*")]
    pub(crate) cors: Cors,

    /// Take API keys in the headers Authorization: Bearer KEY and X-API-Key: KEY as well as in the query: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEY_HEADERS",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) key_headers: bool,

    /// Proxies in front of the server, whose X-Forwarded-For says where people sign in from: addresses and networks
    /// separated by commas, or none
    #[arg(
        long,
        global = true,
        env = "KAISATSU_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        default_value = "127.0.0.0/8,::1"
    )]
    pub(crate) trusted_proxies: TrustedProxies,

    /// Requests a second that one API key may make; 0 for no limit
    #[arg(long, global = true, env = "KAISATSU_RATE_LIMIT", value_name = "NUMBER", default_value_t = 0)]
    pub(crate) rate_limit: u32,

    /// Requests a day that one application may make, in UTC, unless an operator sets another limit in the console; 0
    /// for no limit
    #[arg(long, global = true, env = "KAISATSU_DAILY_REQUESTS", value_name = "NUMBER", default_value_t = 0)]
    pub(crate) daily_requests: u64,

    /// Let all servers on a PostgreSQL database keep the rate limit and the daily quotas together; with false, and on
    /// SQLite, each keeps the rate limit by itself: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SHARED_LIMITS",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) shared_limits: bool,

    /// Address at which people reach the server, for links in e-mails; with https the console's cookie is for https
    /// only [default: http:// and the address it listens on]
    #[arg(long, global = true, env = "KAISATSU_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,

    /// Mail server for e-mails to people: smtps://USER:PASSWORD@HOST:PORT, or smtp://HOST:PORT with ?tls=required
    /// [default: none, e-mails go to the log]
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SMTP",
        value_name = "ADDRESS",
        hide_env_values = true,
        hide_default_value = true
    )]
    pub(crate) smtp: Option<Hidden>,

    /// Sender of e-mails [default: kaisatsu at the host of public_url]
    #[arg(long, global = true, env = "KAISATSU_MAIL_FROM", value_name = "EMAIL")]
    pub(crate) mail_from: Option<String>,

    /// Connections open at the same time; further ones wait
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAX_CONNECTIONS",
        value_name = "NUMBER",
        default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) max_connections: u32,

    /// How long a request may take once its body has arrived; it is then answered 503
    #[arg(
        long,
        global = true,
        env = "KAISATSU_REQUEST_TIMEOUT",
        value_name = "SPAN",
        default_value = "30s",
        value_parser = duration::parse
    )]
    pub(crate) request_timeout: Duration,

    /// How long known keys are accepted while the database cannot be read. A key that is revoked meanwhile works as
    /// long
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEYS_MAX_AGE",
        value_name = "SPAN",
        default_value = "10m",
        value_parser = duration::parse
    )]
    pub(crate) keys_max_age: Duration,

    /// How long a server that gets SIGTERM still answers, with /readyz saying no and clients told to close connections
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SHUTDOWN_DRAIN",
        value_name = "SPAN",
        default_value = "2s",
        value_parser = duration::parse
    )]
    pub(crate) shutdown_drain: Duration,

    /// How long a shutdown waits for requests in flight
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SHUTDOWN_GRACE",
        value_name = "SPAN",
        default_value = "30s",
        value_parser = duration::parse
    )]
    pub(crate) shutdown_grace: Duration,

    /// Let several servers of one machine use the same SQLite database: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SHARE_SQLITE",
        value_name = "BOOL",
        default_value_t = false,
        action = clap::ArgAction::Set
    )]
    pub(crate) share_sqlite: bool,

    /// Create and print an API key when a SQLite database has no application yet: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_FIRST_KEY",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) first_key: bool,

    /// Collector that the span of every request is sent to, by OTLP over HTTP: http://localhost:4318; /v1/traces is
    /// added where no path is given [default: none]
    #[arg(long, global = true, env = "KAISATSU_OTLP_ENDPOINT", value_name = "URL", value_parser = otlp_endpoint)]
    pub(crate) otlp_endpoint: Option<String>,

    /// What is logged: error, warn, info, debug, trace, or module=level separated by commas
    #[arg(
        long,
        global = true,
        env = "KAISATSU_LOG",
        value_name = "FILTER",
        default_value = "info",
        value_parser = logs::parse_filter
    )]
    pub(crate) log: String,

    /// How it is logged, on standard error
    #[arg(long, global = true, env = "KAISATSU_LOG_FORMAT", value_name = "FORMAT", default_value = "auto")]
    pub(crate) log_format: LogFormat,
}

/// The address at which a program on this machine reaches a server that listens at `address`.
pub(crate) fn on_this_machine(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let loopback = if address.is_ipv4() { IpAddr::from([127, 0, 0, 1]) } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(loopback);
    }
    address
}

impl Settings {
    /// Where API keys are read from.
    pub(crate) fn key_places(&self) -> KeyPlaces {
        if self.key_headers { KeyPlaces::QueryAndHeaders } else { KeyPlaces::QueryOnly }
    }

    /// The address at which a program on this machine reaches the server.
    pub(crate) fn local_address(&self) -> SocketAddr {
        on_this_machine(self.listen)
    }

    /// The address at which people reach a server that listens at `local`.
    pub(crate) fn public_url(&self, local: SocketAddr) -> String {
        let scheme = if self.tls_cert.is_some() { "https" } else { "http" };
        self.public_url.clone().unwrap_or_else(|| format!("{scheme}://{local}"))
    }

    /// The mailer: a mail server, or the log.
    pub(crate) fn mailer(&self) -> Result<Arc<dyn Mailer>, CliError> {
        let Some(Hidden(address)) = &self.smtp else { return Ok(Arc::new(LogMailer)) };
        let url = self.public_url(self.listen);
        let host = url.split("://").nth(1).unwrap_or_default().split([':', '/']).next().unwrap_or_default();
        let sender = self.mail_from.clone().unwrap_or_else(|| format!("kaisatsu@{host}"));
        Ok(Arc::new(MailServer::new(address, &sender).map_err(CliError::Usage)?))
    }
}

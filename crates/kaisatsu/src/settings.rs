//! The settings: from a file, the environment and flags, in ascending precedence.
//!
//! Every setting is one field of [`Settings`] or of a group in it. Its flag, its environment variable, its key in the
//! file, its default, its help and its line in `kaisatsu config` all come from that field.

mod api;
mod listen;
mod paths;
mod recognition;
mod sources;
mod users;
mod values;

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use api::ApiSettings;
use kaisatsu_access::{LogMailer, Mailer};
use kaisatsu_http::KeyPlaces;
use recognition::RecognitionSettings;
pub(crate) use sources::{EffectiveSetting, Origin, Origins, parse, settings as all_settings};
use users::UserSettings;
use values::{Hidden, otlp_endpoint};
pub(crate) use values::{VectorsSetting, public_url};

use crate::{
    duration,
    error::CliError,
    logs::{self, LogFormat},
    mail::MailServer,
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

    #[command(flatten)]
    pub(crate) recognition: RecognitionSettings,

    #[command(flatten)]
    pub(crate) users: UserSettings,

    #[command(flatten)]
    pub(crate) api: ApiSettings,

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
        if self.api.key_headers { KeyPlaces::QueryAndHeaders } else { KeyPlaces::QueryOnly }
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

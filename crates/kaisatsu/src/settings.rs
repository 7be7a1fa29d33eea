//! The settings: from a file, the environment and flags, the later winning over the earlier.
//!
//! Every setting is one field of [`Settings`]. Its flag, its environment variable, its key in the file, its default,
//! its help and its line in `kaisatsu config` all come from that field.

mod layers;

use std::{fmt, net::SocketAddr, path::PathBuf, str::FromStr, sync::Arc, time::Duration};

use kaisatsu_access::{Post, ToTheLog};
use kaisatsu_fetch::AllowedHost;
use kaisatsu_http::{Cors, Segment};
use kaisatsu_store::{Address, BlobAddress};
pub(crate) use layers::{Origin, Origins, parse, settings as all_settings};

use crate::{
    exit::Trouble,
    logs::{self, LogFormat},
    mail::MailServer,
    span,
};

/// Everything an operator can set.
#[allow(clippy::doc_markdown, reason = "these comments are the help text, which is no Markdown")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Settings {
    /// File with settings, in TOML [default: kaisatsu/kaisatsu.toml in the configuration folder, if it is there]
    #[arg(long, global = true, env = "KAISATSU_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Address to listen on; the default can be reached from this machine only
    #[arg(long, global = true, env = "KAISATSU_LISTEN", value_name = "IP:PORT", default_value = "127.0.0.1:8640")]
    pub(crate) listen: SocketAddr,

    /// Folder for what the server keeps [default: kaisatsu in the user's data folder]
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

    /// Storage for users' images: file:FOLDER or s3://BUCKET/PREFIX?endpoint=URL&region=NAME, the credentials of S3 in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY [default: blobs in the data folder]
    #[arg(
        long,
        global = true,
        env = "KAISATSU_BLOBS",
        value_name = "ADDRESS",
        hide_env_values = true,
        hide_default_value = true
    )]
    pub(crate) blobs: Option<Hidden>,

    /// Folder with route map files; looked at again every two seconds [default: maps in the data folder]
    #[arg(long, global = true, env = "KAISATSU_MAPS", value_name = "FOLDER")]
    pub(crate) maps: Option<PathBuf>,

    /// Folder with models and the library that runs them [default: models in the data folder, or else kaisatsu/models in the user's data folder]
    #[arg(long, global = true, env = "KAISATSU_MODELS", value_name = "FOLDER")]
    pub(crate) models: Option<PathBuf>,

    /// Threads that look at pictures; 0 for one a core
    #[arg(long, global = true, env = "KAISATSU_ENGINE_THREADS", value_name = "NUMBER", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub(crate) engine_threads: u32,

    /// Pictures that may wait for a thread; when all places are taken the answer is 503 with Retry-After
    #[arg(long, global = true, env = "KAISATSU_ENGINE_WAITING", value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub(crate) engine_waiting: u32,

    /// The most bytes of an image
    #[arg(long, global = true, env = "KAISATSU_MAX_IMAGE_BYTES", value_name = "NUMBER", default_value_t = 20 * 1024 * 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    pub(crate) max_image_bytes: u32,

    /// The most pixels of an image
    #[arg(long, global = true, env = "KAISATSU_MAX_IMAGE_PIXELS", value_name = "NUMBER", default_value_t = 50_000_000, value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    pub(crate) max_image_pixels: u32,

    /// How long recognitions are kept, so that feedback can refer to them
    #[arg(long, global = true, env = "KAISATSU_KEEP_RECOGNITIONS", value_name = "SPAN", default_value = "30d", value_parser = span::parse)]
    pub(crate) keep_recognitions: Duration,

    /// Keep the pictures themselves with the recognitions: true or false
    #[arg(long, global = true, env = "KAISATSU_KEEP_PICTURES", value_name = "BOOL", default_value_t = false, action = clap::ArgAction::Set)]
    pub(crate) keep_pictures: bool,

    /// Owners of applications that have to agree before feedback acts for all; for the application that gave it, it acts at once
    #[arg(long, global = true, env = "KAISATSU_FEEDBACK_QUORUM", value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) feedback_quorum: u32,

    /// How long a user's token is good
    #[arg(long, global = true, env = "KAISATSU_TOKEN_LIFETIME", value_name = "SPAN", default_value = "30d", value_parser = span::parse)]
    pub(crate) token_lifetime: Duration,

    /// Bytes of images that one user may have, in the storage area and in datasets
    #[arg(long, global = true, env = "KAISATSU_USER_BYTES", value_name = "NUMBER", default_value_t = 2 << 30)]
    pub(crate) user_bytes: u64,

    /// Images that one user may have in the storage area
    #[arg(long, global = true, env = "KAISATSU_USER_IMAGES", value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) user_images: u32,

    /// Datasets that one user may have
    #[arg(long, global = true, env = "KAISATSU_USER_DATA_SETS", value_name = "NUMBER", default_value_t = 50)]
    pub(crate) user_data_sets: u32,

    /// Images that one dataset may have
    #[arg(long, global = true, env = "KAISATSU_DATA_SET_IMAGES", value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) data_set_images: u32,

    /// Images of datasets that are fetched at once
    #[arg(long, global = true, env = "KAISATSU_FETCHES", value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) fetches: u32,

    /// How long the fetching of an image may take in all
    #[arg(long, global = true, env = "KAISATSU_FETCH_TIMEOUT", value_name = "SPAN", default_value = "20s", value_parser = span::parse)]
    pub(crate) fetch_timeout: Duration,

    /// Places inside that images may be fetched from, separated by commas: 10.1.2.3, 10.0.0.0/8, images.internal, each with or without :PORT [default: none, only public addresses]
    #[arg(long, global = true, env = "KAISATSU_FETCH_ALLOW", value_name = "PLACES")]
    pub(crate) fetch_allow: Option<Places>,

    /// How long a replica that builds a dataset may be silent before another takes over
    #[arg(long, global = true, env = "KAISATSU_JOB_LEASE", value_name = "SPAN", default_value = "15s", value_parser = span::parse)]
    pub(crate) job_lease: Duration,

    /// First path segment of the route map function
    #[arg(long, global = true, env = "KAISATSU_ROUTE_SERVICE", value_name = "SEGMENT", default_value = "route_service", value_parser = Segment::new)]
    pub(crate) route_service: Segment,

    /// Show the route maps at /map to anybody who reaches the server, without a key: true or false
    #[arg(long, global = true, env = "KAISATSU_MAP_PAGES", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) map_pages: bool,

    /// Web pages that may call the API: * for all, off for none, or origins separated by commas
    #[arg(long, global = true, env = "KAISATSU_CORS", value_name = "ORIGINS", default_value = "*")]
    pub(crate) cors: Cors,

    /// Requests a second that one API key may make, on each replica; 0 for no limit
    #[arg(long, global = true, env = "KAISATSU_RATE_LIMIT", value_name = "NUMBER", default_value_t = 0)]
    pub(crate) rate_limit: u32,

    /// Requests a day that one application may make, in UTC, unless an operator says otherwise in the console; 0 for no limit
    #[arg(long, global = true, env = "KAISATSU_DAILY_REQUESTS", value_name = "NUMBER", default_value_t = 0)]
    pub(crate) daily_requests: u64,

    /// Address at which people reach the server, for links in letters; with https the console's cookie is for https only [default: http:// and the address it listens on]
    #[arg(long, global = true, env = "KAISATSU_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,

    /// Mail server for letters to people: smtps://USER:PASSWORD@HOST:PORT, or smtp://HOST:PORT with ?tls=required [default: none, letters go to the log]
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SMTP",
        value_name = "ADDRESS",
        hide_env_values = true,
        hide_default_value = true
    )]
    pub(crate) smtp: Option<Hidden>,

    /// Sender of letters [default: kaisatsu at the host of public_url]
    #[arg(long, global = true, env = "KAISATSU_MAIL_FROM", value_name = "EMAIL")]
    pub(crate) mail_from: Option<String>,

    /// Connections open at once; further ones wait
    #[arg(long, global = true, env = "KAISATSU_MAX_CONNECTIONS", value_name = "NUMBER", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_connections: u32,

    /// How long a shutdown waits for requests in flight
    #[arg(long, global = true, env = "KAISATSU_SHUTDOWN_GRACE", value_name = "SPAN", default_value = "30s", value_parser = span::parse)]
    pub(crate) shutdown_grace: Duration,

    /// Make and print an API key when a SQLite database has no application yet: true or false
    #[arg(long, global = true, env = "KAISATSU_FIRST_KEY", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) first_key: bool,

    /// What is logged: error, warn, info, debug, trace, or module=level separated by commas
    #[arg(long, global = true, env = "KAISATSU_LOG", value_name = "FILTER", default_value = "info", value_parser = logs::parse_filter)]
    pub(crate) log: String,

    /// How it is logged, on standard error
    #[arg(long, global = true, env = "KAISATSU_LOG_FORMAT", value_name = "FORMAT", default_value = "auto")]
    pub(crate) log_format: LogFormat,
}

/// A value that may hold a password. It is not checked while the command line is parsed, because the parser quotes
/// what it refuses.
#[derive(Clone)]
pub(crate) struct Hidden(String);

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(…)")
    }
}

/// The places inside that images may be fetched from.
#[derive(Debug, Clone)]
pub(crate) struct Places(pub(crate) Vec<AllowedHost>);

impl FromStr for Places {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let place = |text: &str| text.trim().parse().map_err(|error| format!("{error}"));
        text.split(',').map(place).collect::<Result<_, String>>().map(Self)
    }
}

fn public_url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.unwrap_or_default().trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(plain) {
        return Err("must be http:// or https:// and a host, without a path".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

impl Settings {
    /// The address at which people reach a server that listens at `place`.
    pub(crate) fn public_url(&self, place: SocketAddr) -> String {
        self.public_url.clone().unwrap_or_else(|| format!("http://{place}"))
    }

    /// How letters are sent.
    pub(crate) fn post(&self) -> Result<Arc<dyn Post>, Trouble> {
        let Some(Hidden(address)) = &self.smtp else { return Ok(Arc::new(ToTheLog)) };
        let url = self.public_url(self.listen);
        let host = url.split("://").nth(1).unwrap_or_default().split(':').next().unwrap_or_default();
        let sender = self.mail_from.clone().unwrap_or_else(|| format!("kaisatsu@{host}"));
        Ok(Arc::new(MailServer::new(address, &sender).map_err(Trouble::Usage)?))
    }

    /// The data folder.
    pub(crate) fn data_folder(&self) -> Result<PathBuf, Trouble> {
        match &self.data {
            Some(folder) => Ok(folder.clone()),
            None => layers::user_folder("XDG_DATA_HOME", ".local/share").ok_or_else(|| {
                Trouble::Usage("there is no home folder to keep data in; name one with --data FOLDER".to_owned())
            }),
        }
    }

    /// Where the database is. The data folder is made when the database is to lie in it.
    pub(crate) fn database(&self) -> Result<Address, Trouble> {
        match &self.database {
            Some(Hidden(text)) => text.parse().map_err(|error| Trouble::Usage(format!("--database: {error}"))),
            None => Ok(Address::Sqlite(self.made_data_folder()?.join("kaisatsu.db"))),
        }
    }

    /// Where users' images are kept. The data folder is made when they are to lie in it.
    pub(crate) fn blobs(&self) -> Result<BlobAddress, Trouble> {
        if let Some(Hidden(text)) = &self.blobs {
            return text.parse().map_err(|error| Trouble::Usage(format!("--blobs: {error}")));
        }
        let folder = self.made_data_folder()?.join("blobs");
        make_folder(&folder)?;
        Ok(BlobAddress::Folder(folder))
    }

    /// The folder with map files. The default one is made; a named one has to be there.
    pub(crate) fn maps_folder(&self) -> Result<PathBuf, Trouble> {
        match &self.maps {
            Some(folder) if folder.is_dir() => Ok(folder.clone()),
            Some(folder) => Err(Trouble::Usage(format!("--maps: there is no folder {}", folder.display()))),
            None => {
                let folder = self.made_data_folder()?.join("maps");
                make_folder(&folder)?;
                Ok(folder)
            }
        }
    }

    /// The folder with models. It need not be there: a server without models says so and does the rest.
    pub(crate) fn models_folder(&self) -> Result<PathBuf, Trouble> {
        if let Some(folder) = &self.models {
            if folder.is_dir() {
                return Ok(folder.clone());
            }
            return Err(Trouble::Usage(format!("--models: there is no folder {}", folder.display())));
        }
        let own = self.data_folder()?.join("models");
        if own.is_dir() {
            return Ok(own);
        }
        Ok(layers::user_folder("XDG_DATA_HOME", ".local/share").map_or(own, |shared| shared.join("models")))
    }

    fn made_data_folder(&self) -> Result<PathBuf, Trouble> {
        let folder = self.data_folder()?;
        make_folder(&folder)?;
        Ok(folder)
    }
}

/// Makes a folder, and those above it, that only this user can look into.
fn make_folder(folder: &std::path::Path) -> Result<(), Trouble> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        let folder = folder.display();
        Trouble::Store(format!("{folder}: {error}. Name a folder this user may write to with --data FOLDER"))
    })
}

//! Values of settings that are more than a number or a path.

use std::{fmt, str::FromStr};

use kaisatsu_fetch::AllowedHost;
use kaisatsu_recognition::VectorPlace;

/// Where the vectors of collections are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum VectorsSetting {
    /// In the memory of every server
    Memory,
    /// In the database, which must be PostgreSQL with pgvector
    Database,
    /// In the database where it can and a collection is large
    Auto,
}

impl From<VectorsSetting> for VectorPlace {
    fn from(setting: VectorsSetting) -> Self {
        match setting {
            VectorsSetting::Memory => Self::Memory,
            VectorsSetting::Database => Self::Database,
            VectorsSetting::Auto => Self::Auto,
        }
    }
}

/// A value that may contain a password. It is not checked while the command line is parsed, because the parser quotes
/// what it rejects.
#[derive(Clone)]
pub(crate) struct Hidden(pub(super) String);

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

/// Internal hosts that images may be fetched from.
#[derive(Debug, Clone)]
pub(crate) struct AllowedHosts(pub(crate) Vec<AllowedHost>);

impl FromStr for AllowedHosts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let place = |text: &str| text.trim().parse().map_err(|error| format!("{error}"));
        text.split(',').map(place).collect::<Result<_, String>>().map(Self)
    }
}

pub(crate) fn public_url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.unwrap_or_default().trim_end_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(plain) {
        return Err("must be http:// or https:// and a host, without a path".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

pub(super) fn otlp_endpoint(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    if rest.is_empty() || rest.starts_with('/') || rest.contains(['@', '?', '#']) || rest.contains(char::is_whitespace)
    {
        return Err("must be http:// or https://, a host, and optionally a port and a path".to_owned());
    }
    Ok(text.to_owned())
}

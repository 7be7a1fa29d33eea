//! `kaisatsu mcp`: the tools of a running server for an assistant that starts this program. Also who may reach `/mcp`.

use std::{fs, net::SocketAddr, path::PathBuf, process::ExitCode};

use clap::Args;
use kaisatsu_fetch::TrustedClient;
use kaisatsu_http::Cors;
use kaisatsu_http_mcp::{Access, Remote, serve_stdio};

use super::parts::fetcher;
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// Address of the server [default: the one that these settings listen on]
    #[arg(long, env = "KAISATSU_SERVER", value_name = "URL", value_parser = crate::settings::public_url)]
    server: Option<String>,
    /// API key to call with; better in the environment, where other people of the machine do not see it
    #[arg(long, env = "KAISATSU_API_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,
    /// File with the API key instead
    #[arg(long, env = "KAISATSU_API_KEY_FILE", value_name = "FILE", conflicts_with = "key")]
    key_file: Option<PathBuf>,
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let key = match &command.key_file {
        Some(file) => {
            let text = fs::read_to_string(file);
            let text = text.map_err(|error| CliError::Usage(format!("{} cannot be read: {error}", file.display())))?;
            Some(text.trim().to_owned())
        }
        None => command.key,
    };
    let server = command.server.unwrap_or_else(|| settings.public_url(settings.local_address()));
    let client = TrustedClient::new().map_err(|error| CliError::Failed(error.to_string()))?;
    serve_stdio(Remote { server, key, client, fetcher: fetcher(settings)? }).await.map_err(CliError::Failed)?;
    Ok(ExitCode::SUCCESS)
}

/// The hosts and origins of a server that listens at `local`. A page of another site could otherwise reach a server on
/// the visitor's own machine, under a name of its own that it lets point there.
pub(super) fn access(settings: &Settings, local: SocketAddr) -> Access {
    let public = settings.public_url.as_deref();
    let mut hosts = Vec::new();
    // Elsewhere the names of the machine are not known.
    if local.ip().is_loopback() {
        hosts = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        hosts.extend(public.and_then(|url| url.split("://").nth(1)).map(str::to_owned));
    }
    let mut origins: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
        .into_iter()
        .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
        .collect();
    origins.extend(public.map(with_port));
    if let Cors::Only(listed) = &settings.api.cors {
        origins.extend(listed.iter().filter_map(|origin| origin.to_str().ok()).map(with_port));
    }
    Access { hosts, origins }
}

/// An origin with its port, also where it is the usual one.
fn with_port(origin: &str) -> String {
    let (scheme, host) = origin.split_once("://").unwrap_or(("http", origin));
    let has_port = host.rsplit(']').next().unwrap_or(host).contains(':');
    let usual = if scheme == "https" { 443 } else { 80 };
    if has_port { origin.to_owned() } else { format!("{origin}:{usual}") }
}

#[cfg(test)]
mod tests {
    use super::with_port;

    #[test]
    fn an_origin_has_its_port() {
        for (origin, expected) in [
            ("https://maps.example", "https://maps.example:443"),
            ("http://maps.example", "http://maps.example:80"),
            ("http://maps.example:8640", "http://maps.example:8640"),
            ("http://[::1]", "http://[::1]:80"),
            ("http://[::1]:8640", "http://[::1]:8640"),
        ] {
            assert_eq!(with_port(origin), expected);
        }
    }
}

//! `kaisatsu doctor`: looks for what would keep a server with these settings from working.

use std::{net::TcpListener, process::ExitCode};

use clap::Args;
use kaisatsu_railmap::MapRegistry;
use kaisatsu_store::{BlobAddress, Blobs, DatabaseAddress, DiskSpace, Store, try_writing};
use kaisatsu_vision::ModelRegistry;

use super::table;
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// As JSON, one object a check
    #[arg(long)]
    json: bool,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Ok,
    Note,
    Problem,
}

/// A check: what was looked at, how it ended, and what to know or do.
type Finding = (&'static str, Outcome, String);

/// Exits with 1 when there is a problem.
pub(crate) async fn run(command: &Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let findings = [
        data_folder(settings),
        database(settings).await,
        images(settings),
        maps(settings),
        models(settings),
        pictures(settings),
        address(settings),
        certificate(settings),
        mail(settings),
    ];
    let word = |outcome| match outcome {
        Outcome::Ok => "ok",
        Outcome::Note => "note",
        Outcome::Problem => "PROBLEM",
    };
    let row = |(what, outcome, detail): &Finding| [(*what).to_owned(), word(*outcome).to_owned(), detail.clone()];
    table::list(command.json, ["CHECK", "RESULT", "DETAIL"], &findings.each_ref().map(row));
    let bad = findings.iter().any(|(_, outcome, _)| *outcome == Outcome::Problem);
    Ok(if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn data_folder(settings: &Settings) -> Finding {
    const WHAT: &str = "data folder";
    let folder = match settings.data_folder() {
        Ok(folder) => folder,
        Err(error) => return (WHAT, Outcome::Problem, error.to_string()),
    };
    let name = folder.display();
    if !folder.exists() {
        return (WHAT, Outcome::Note, format!("{name} does not exist yet; the first start makes it"));
    }
    if let Err(error) = try_writing(&folder) {
        return (WHAT, Outcome::Problem, format!("{name} cannot be written to: {error}"));
    }
    match DiskSpace::of(&folder) {
        Ok(space) => (WHAT, Outcome::Ok, format!("{name}, {} MB free", space.free / 1_000_000)),
        Err(error) => (WHAT, Outcome::Note, format!("{name}; how much room there is cannot be told: {error}")),
    }
}

async fn database(settings: &Settings) -> Finding {
    const WHAT: &str = "database";
    let address = match settings.database() {
        Ok(address) => address,
        Err(error) => return (WHAT, Outcome::Problem, error.to_string()),
    };
    if let DatabaseAddress::Sqlite(path) = &address
        && !path.exists()
    {
        return (WHAT, Outcome::Note, format!("{address} does not exist yet; the first start makes it"));
    }
    match Store::open(&address).await {
        Ok(store) => {
            store.close().await;
            (WHAT, Outcome::Ok, address.to_string())
        }
        Err(error) => (WHAT, Outcome::Problem, error.to_string()),
    }
}

fn images(settings: &Settings) -> Finding {
    const WHAT: &str = "images";
    let address = match settings.blobs() {
        Ok(address) => address,
        Err(error) => return (WHAT, Outcome::Problem, error.to_string()),
    };
    match (Blobs::open(&address), &address) {
        (Err(error), _) => (WHAT, Outcome::Problem, error.to_string()),
        (Ok(_), BlobAddress::Folder(folder)) => match try_writing(folder) {
            Ok(()) => (WHAT, Outcome::Ok, address.to_string()),
            Err(error) => (WHAT, Outcome::Problem, format!("{address} cannot be written to: {error}")),
        },
        (Ok(_), BlobAddress::S3 { .. }) => (WHAT, Outcome::Note, format!("{address}; it is not asked here")),
    }
}

fn maps(settings: &Settings) -> Finding {
    const WHAT: &str = "maps";
    let folder = match settings.maps_folder() {
        Ok(folder) => folder,
        Err(error) => return (WHAT, Outcome::Problem, error.to_string()),
    };
    match MapRegistry::open(Some(folder.clone()), |_| ()) {
        Err(error) => (WHAT, Outcome::Problem, format!("{}: {error}", folder.display())),
        Ok(maps) => match maps.broken_files().first() {
            Some(broken) => {
                let broken = broken.display();
                (WHAT, Outcome::Problem, format!("{broken} is not usable; `kaisatsu map check {broken}` says why"))
            }
            None => (WHAT, Outcome::Ok, folder.display().to_string()),
        },
    }
}

fn models(settings: &Settings) -> Finding {
    const WHAT: &str = "models";
    let folder = match settings.models_folder() {
        Ok(folder) => folder,
        Err(error) => return (WHAT, Outcome::Problem, error.to_string()),
    };
    let registry = match ModelRegistry::open(&folder) {
        Ok(registry) => registry,
        Err(error) => return (WHAT, Outcome::Problem, format!("{}: {error}", folder.display())),
    };
    if registry.entries.is_empty() {
        let detail = format!("none in {}; `kaisatsu models install` installs the default set", folder.display());
        return (WHAT, Outcome::Note, detail);
    }
    let mut faults: Vec<String> = Vec::new();
    if let Err(fault) = &registry.runtime {
        faults.push(fault.to_string());
    }
    let broken = registry.entries.iter().filter_map(|entry| entry.model.as_ref().err().map(|fault| (entry, fault)));
    faults.extend(broken.map(|(entry, fault)| format!("{}: {fault}", entry.name)));
    if faults.is_empty() {
        (WHAT, Outcome::Ok, format!("{} in {}", registry.entries.len(), folder.display()))
    } else {
        (WHAT, Outcome::Problem, faults.join("; "))
    }
}

fn pictures(settings: &Settings) -> Finding {
    match kaisatsu_vision::load_heif(&settings.recognition.heif) {
        Ok(Some(heif)) => ("HEIC and AVIF", Outcome::Ok, format!("libheif {}", heif.version)),
        Ok(None) => ("HEIC and AVIF", Outcome::Note, "refused: there is no libheif".to_owned()),
        Err(error) => ("HEIC and AVIF", Outcome::Problem, error),
    }
}

fn address(settings: &Settings) -> Finding {
    let listen = settings.listen;
    match TcpListener::bind(listen) {
        Ok(_) => ("address", Outcome::Ok, format!("{listen} is free")),
        Err(error) => {
            let detail = format!("{listen}: {error}; `kaisatsu status` says whether a server of yours runs there");
            ("address", Outcome::Note, detail)
        }
    }
}

fn certificate(settings: &Settings) -> Finding {
    const WHAT: &str = "TLS";
    match (&settings.tls_cert, &settings.tls_key) {
        (Some(certificate), Some(key)) => match kaisatsu_http::Tls::open(certificate, key) {
            Ok(_) => (WHAT, Outcome::Ok, certificate.display().to_string()),
            Err(error) => (WHAT, Outcome::Problem, error),
        },
        (None, None) => (WHAT, Outcome::Note, "none: the server speaks plain HTTP".to_owned()),
        _ => (WHAT, Outcome::Problem, "TLS needs both --tls-cert and --tls-key".to_owned()),
    }
}

fn mail(settings: &Settings) -> Finding {
    match (&settings.smtp, settings.mailer()) {
        (None, _) => ("e-mail", Outcome::Note, "no mail server: e-mails go to the log".to_owned()),
        (Some(_), Ok(_)) => ("e-mail", Outcome::Ok, "a mail server is set; it is not asked here".to_owned()),
        (Some(_), Err(error)) => ("e-mail", Outcome::Problem, error.to_string()),
    }
}

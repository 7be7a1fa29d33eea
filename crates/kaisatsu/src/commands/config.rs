//! `kaisatsu config`: the settings in force, in a form that can be saved as a configuration file.

use std::{fmt::Write as _, process::ExitCode};

use clap::{Arg, Args};
use kaisatsu_http::SettingInForce;
use kaisatsu_store::{BlobAddress, DatabaseAddress};

use crate::settings::{EffectiveSetting, Origin, Origins, all_settings};

#[derive(Debug, Args)]
pub(crate) struct Command {
    /// Print the reference of all settings in Markdown instead
    #[arg(long)]
    reference: bool,
    /// As JSON, one object a setting
    #[arg(long, conflicts_with = "reference")]
    json: bool,
}

pub(crate) fn run(command: &Command, origins: &Origins) -> ExitCode {
    if command.reference {
        outln!("{}", reference().trim_end());
    } else if command.json {
        for SettingInForce { name, value, origin } in in_force(origins) {
            outln!("{}", serde_json::json!({"name": name, "value": value, "origin": origin}));
        }
    } else {
        for arg in all_settings() {
            print_setting(&arg, origins);
        }
    }
    ExitCode::SUCCESS
}

fn print_setting(arg: &Arg, origins: &Origins) {
    let name = arg.get_id().as_str();
    let Some(effective) = origins.get(name) else { return };
    let origin = match effective.origin {
        Origin::Default => "default".to_owned(),
        Origin::File => "from the file".to_owned(),
        Origin::Environment => format!("from {}", variable(arg)),
        Origin::Flag => format!("from --{}", arg.get_long().unwrap_or_default()),
    };
    outln!("# {}", help(arg));
    match &effective.value {
        // `config` names the file, so the file cannot contain it.
        Some(value) if name == "config" => outln!("# {name} = {}   # {origin}", quoted(value)),
        Some(value) => outln!("{name} = {}   # {origin}", quoted(&without_secrets(name, value))),
        None => outln!("# {name} = …   # {origin}"),
    }
    outln!("");
}

/// The settings in force, without their secrets, for the operator's page.
pub(crate) fn in_force(origins: &Origins) -> Vec<SettingInForce> {
    let setting = |(name, effective): (&String, &EffectiveSetting)| SettingInForce {
        name: name.clone(),
        value: effective.value.as_deref().map(|value| without_secrets(name, value)),
        origin: match effective.origin {
            Origin::Default => "default",
            Origin::File => "file",
            Origin::Environment => "environment",
            Origin::Flag => "flag",
        },
    };
    origins.iter().map(setting).collect()
}

/// Hides the secrets in settings that may contain some.
fn without_secrets(name: &str, value: &str) -> String {
    match (name, value.parse::<DatabaseAddress>()) {
        ("database", Ok(address)) => address.to_string(),
        ("database", Err(_)) | ("smtp", _) => "…".to_owned(),
        ("blobs", _) => value.parse::<BlobAddress>().map_or_else(|_| "…".to_owned(), |address| address.to_string()),
        _ => value.to_owned(),
    }
}

fn quoted(value: &str) -> String {
    toml::Value::String(value.to_owned()).to_string()
}

fn help(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

fn variable(arg: &Arg) -> String {
    arg.get_env().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The table of docs/configuration.md.
fn reference() -> String {
    let mut text =
        String::from("| key in the file | flag | environment | default | meaning |\n|---|---|---|---|---|\n");
    for arg in all_settings() {
        let name = arg.get_id().as_str();
        let key = if name == "config" { String::new() } else { format!("`{name}`") };
        let default = arg.get_default_values().first().map(|value| format!("`{}`", value.to_string_lossy()));
        let _ = writeln!(
            text,
            "| {key} | `--{}` | `{}` | {} | {} |",
            arg.get_long().unwrap_or_default(),
            variable(&arg),
            default.unwrap_or_default(),
            help(&arg).replace('|', "\\|"),
        );
    }
    text
}

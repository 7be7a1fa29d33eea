//! Layers the configuration file under the environment and the flags: its values become the defaults of the flags.

use std::{collections::BTreeMap, env, ffi::OsString, fs, path::PathBuf};

use clap::{Arg, ArgMatches, Args, Command, parser::ValueSource};

use super::Settings;
use crate::error::CliError;

/// Where the value of a setting comes from, from weakest to strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File,
    Environment,
    Flag,
}

/// A setting in force.
#[derive(Debug, Clone)]
pub(crate) struct EffectiveSetting {
    pub(crate) value: Option<String>,
    pub(crate) origin: Origin,
}

/// All settings in force, by name.
pub(crate) type Origins = BTreeMap<String, EffectiveSetting>;

/// The values of the file, by setting.
type FileValues = BTreeMap<String, String>;

/// Parses the command line, the environment and the file, in this order of precedence.
pub(crate) fn parse(command: Command, args: &[OsString]) -> Result<(ArgMatches, Origins), CliError> {
    let file = file_values(&command, args)?;
    let mut layered = without_settings_in_help(command, args);
    for (name, value) in &file {
        let value = value.clone();
        layered = layered.mut_arg(name, move |arg| arg.default_value(value));
    }
    let matches = layered.try_get_matches_from(args).unwrap_or_else(|error| error.exit());
    let mut deepest = &matches;
    while let Some((_, inner)) = deepest.subcommand() {
        deepest = inner;
    }
    let origins = settings().map(|arg| (arg.get_id().to_string(), effective(&arg, deepest, &file))).collect();
    Ok((matches, origins))
}

/// Settings are options of every command, but only the help of the commands that they are about lists them.
fn without_settings_in_help(command: Command, args: &[OsString]) -> Command {
    const ABOUT_SETTINGS: [&str; 3] = ["serve", "worker", "config"];
    let is_command = |arg: &&OsString| command.find_subcommand(arg).is_some();
    let asked = args.iter().skip(1).find(is_command).cloned();
    if asked.is_some_and(|name| ABOUT_SETTINGS.iter().any(|about| name == *about)) {
        return command;
    }
    let told = "The settings of the server, such as --data and --database, are options of every command: see \
                `kaisatsu serve --help`.";
    let hidden = settings().fold(command, |command, arg| command.mut_arg(arg.get_id(), |arg| arg.hide(true)));
    with_note(hidden, told)
}

/// Ends the help of a command and of its subcommands with a note.
fn with_note(command: Command, note: &'static str) -> Command {
    command.after_help(note).mut_subcommands(move |inner| with_note(inner, note))
}

/// The settings as arguments, without those of the subcommands.
pub(crate) fn settings() -> impl Iterator<Item = Arg> {
    Settings::augment_args(Command::new("settings")).get_arguments().cloned().collect::<Vec<_>>().into_iter()
}

fn effective(arg: &Arg, matches: &ArgMatches, file: &FileValues) -> EffectiveSetting {
    let name = arg.get_id().as_str();
    let origin = match matches.value_source(name) {
        Some(ValueSource::CommandLine) => Origin::Flag,
        Some(ValueSource::EnvVariable) => Origin::Environment,
        _ if file.contains_key(name) => Origin::File,
        _ => Origin::Default,
    };
    let raw = matches.get_raw(name).and_then(|mut values| values.next());
    EffectiveSetting { value: raw.map(|value| value.to_string_lossy().into_owned()), origin }
}

/// Reads the configuration file: the named one, or the one at the default path if it exists.
fn file_values(command: &Command, args: &[OsString]) -> Result<FileValues, CliError> {
    // A first pass ignores all errors: it only finds the name of the file.
    let named = command.clone().ignore_errors(true).try_get_matches_from(args).ok().and_then(|matches| {
        let mut deepest = &matches;
        while let Some((_, inner)) = deepest.subcommand() {
            deepest = inner;
        }
        deepest.try_get_one::<PathBuf>("config").ok().flatten().cloned()
    });
    let usual = || user_folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("kaisatsu.toml"));
    let Some(path) = named.clone().or_else(|| usual().filter(|path| path.is_file())) else {
        return Ok(FileValues::new());
    };
    let wrong = |message: &str| CliError::Usage(format!("{}: {message}", path.display()));
    let text = fs::read_to_string(&path).map_err(|error| wrong(&error.to_string()))?;
    // The message leaves out the line itself, which may contain a password.
    let unreadable = |error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        wrong(&format!("line {}: {}", before.lines().count().max(1), error.message()))
    };
    let table: toml::Table = text.parse().map_err(unreadable)?;
    table.into_iter().map(|(name, value)| check(&name, &value).map_err(|m| wrong(&format!("{name}: {m}")))).collect()
}

/// Checks one value of the file as its flag would.
fn check(name: &str, value: &toml::Value) -> Result<(String, String), String> {
    let known = settings().any(|arg| arg.get_id() == name);
    if !known || name == "config" {
        return Err("there is no such setting; `kaisatsu config` lists them".to_owned());
    }
    let text = match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        _ => return Err("a setting is a string, a whole number, true or false".to_owned()),
    };
    if name == "database" {
        return match text.parse::<kaisatsu_store::DatabaseAddress>() {
            Ok(_) => Ok((name.to_owned(), text)),
            Err(error) => Err(error.to_string()),
        };
    }
    let flag = format!("--{}={text}", name.replace('_', "-"));
    let alone = Settings::augment_args(Command::new("settings").no_binary_name(true));
    match alone.try_get_matches_from([flag]) {
        Ok(_) => Ok((name.to_owned(), text)),
        Err(error) => Err(reason(&error).unwrap_or_else(|| error.to_string())),
    }
}

/// The message of the value parser alone: the whole error would mention a flag that nobody typed.
fn reason(error: &clap::Error) -> Option<String> {
    std::error::Error::source(error).map(ToString::to_string)
}

/// This program's folder below one of the user's standard folders.
pub(super) fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(below_home)))?;
    Some(base.join("kaisatsu"))
}

//! `kaisatsu models teach --instances`: a model of single things, from photographs of each.

use std::path::{Path, PathBuf};

use kaisatsu_recognition::import::things::{fetch_pictures, from_folder, from_table};
use kaisatsu_vision::{
    ModelRegistry,
    instances::{self, Instance},
    manifest::Fault,
};

use crate::{
    commands::{counted::counted, parts, progress},
    error::CliError,
    settings::Settings,
};

/// The model whose local features verify.
const FEATURES: &str = "local-features";

pub(super) async fn teach(
    registry: &ModelRegistry,
    models: &Path,
    name: &str,
    source: &Path,
    base: &str,
    settings: &Settings,
) -> Result<(), CliError> {
    let told = |error: std::io::Error| CliError::Failed(format!("{}: {error}", source.display()));
    let things = if source.is_dir() {
        from_folder(source, super::tell_empty).map_err(told)?
    } else {
        fetched(source, settings).await?
    };
    let photos: usize = things.iter().map(|thing| thing.photos.len()).sum();
    if photos == 0 {
        let rule = "expected a folder for each thing with photographs in it, or a table with addresses of pictures";
        return Err(CliError::Failed(format!("{}: {rule}", source.display())));
    }
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let bar = progress::bar("looking", 2 * photos);
    let teach = || instances::teach(registry, models, name, (base, FEATURES), &things, threads, || bar.inc(1));
    let taught = tokio::task::block_in_place(teach);
    bar.finish_and_clear();
    let taught = taught.map_err(|fault: Fault| CliError::Failed(fault.to_string()))?;
    for (path, reason) in &taught.refused {
        eprintln!("left out: {}: {reason}", path.display());
    }
    let (things, photos) = (counted(taught.instances, "thing"), counted(taught.photos, "photograph"));
    outln!("model '{name}': {things} from {photos}");
    Ok(())
}

/// The things of a table, with their pictures in a folder beside it.
async fn fetched(table: &Path, settings: &Settings) -> Result<Vec<Instance>, CliError> {
    let told = |error: std::io::Error| CliError::Failed(format!("{}: {error}", table.display()));
    let things = from_table(table, |line, reason| eprintln!("{}:{line}: {reason}", table.display())).map_err(told)?;
    let beside = table.parent().map(Path::to_owned).unwrap_or_default();
    let folder: PathBuf = table.with_extension("pictures");
    let bar = progress::bar("fetching", things.iter().map(|thing| thing.pictures.len()).sum());
    let left_out = |address: &str, reason: &str| bar.suspend(|| eprintln!("left out: {address}: {reason}"));
    let fetcher = parts::fetcher(settings)?;
    let fetched = fetch_pictures(&fetcher, things, &beside, &folder, || bar.inc(1), left_out).await;
    bar.finish_and_clear();
    fetched.map_err(|error| CliError::Failed(format!("{}: {error}", folder.display())))
}

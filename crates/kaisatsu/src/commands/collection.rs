//! `kaisatsu collection`: the collections of similar image search.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;
use kaisatsu_model::{Clock, CollectionName, SystemClock};
use kaisatsu_recognition::Thumbnails;
use kaisatsu_store::{Blobs, Collection, ImageRecord, NewImage, PartState, Store, VectorPart};
use kaisatsu_vision::{ModelRegistry, training};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{agreed, counted::counted, paging::cut, progress, table};
use crate::{error::CliError, settings::Settings};

/// What the path of an address contains as it is: the unreserved characters, and `/`.
const IN_PATH: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Images are embedded and stored in batches: an interrupted import keeps the finished ones.
const BATCH: usize = 64;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add the images of a folder, and of the folders in it, to a collection
    ///
    /// An image's id is its path in the folder; the path of the folder that contains it is its tag. An import that was
    /// interrupted can be run again: it continues where it stopped.
    Import {
        /// The collection; it is created if it does not exist
        #[arg(value_parser = CollectionName::new)]
        name: CollectionName,
        /// The folder
        folder: PathBuf,
        /// The prefix of an image's address, before its path, such as `https://example.org/images/`
        #[arg(long, value_name = "ADDRESS", default_value = "")]
        url_prefix: String,
        /// The model whose vectors are compared [default: the collection's own, or `general-joined` where it is
        /// installed, or `general`]
        #[arg(long, value_name = "MODEL")]
        base: Option<String>,
        /// Import images again that are there already
        #[arg(long)]
        again: bool,
    },
    /// Remove images from a collection
    Remove {
        /// The collection
        name: String,
        /// The ids of the images
        #[arg(required_unless_present = "all")]
        images: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "images")]
        all: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List the collections, or the images of one
    List {
        /// The collection whose images are listed
        name: Option<String>,
        /// The most images to list
        #[arg(
            long,
            value_name = "NUMBER",
            default_value_t = 100,
            requires = "name",
            value_parser = clap::value_parser!(u32).range(1..)
        )]
        limit: u32,
        /// List the images after this number, which the page before ended with
        #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "name")]
        after: i64,
        /// As JSON, one object a row
        #[arg(long)]
        json: bool,
    },
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = Store::open(&settings.database()?).await?;
    match command {
        Command::Import { name, folder, url_prefix, base, again } => {
            let name = name.as_str().to_owned();
            import(&store, settings, &Import { name, folder, url_prefix, base, again }).await
        }
        Command::Remove { name, images, all, yes } => {
            let what = match &images[..] {
                _ if all => "all images".to_owned(),
                [image] => format!("image '{image}'"),
                several => counted(several.len(), "image"),
            };
            agreed(yes, &format!("Remove {what} from collection '{name}'?"))?;
            let mut gone = 0;
            if all {
                gone = store.remove_images(&name, None).await?;
            }
            for image in &images {
                let one = store.remove_images(&name, Some(image)).await?;
                if one == 0 {
                    eprintln!("collection '{name}' has no image '{image}'");
                }
                gone += one;
            }
            outln!("{} removed", counted(gone, "image"));
            Ok(if gone > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::List { name: None, json, .. } => list(&store, json).await,
        Command::List { name: Some(name), limit, after, json } => {
            list_images(&store, &name, (after, limit), json).await
        }
    }
}

struct Import {
    name: String,
    folder: PathBuf,
    url_prefix: String,
    base: Option<String>,
    again: bool,
}

async fn list(store: &Store, json: bool) -> Result<ExitCode, CliError> {
    let rows: Vec<_> = store.collections().await?;
    let parts = store.vector_parts().await?;
    let place = |facts: &Collection| {
        let of = parts.iter().filter(|part| part.is_of(facts));
        let states: Vec<PartState> = of.map(VectorPart::state).collect();
        if states.contains(&PartState::Answering) {
            "database"
        } else if states.is_empty() {
            "memory"
        } else {
            "moving"
        }
    };
    let row = |(facts, images): (Collection, i64)| {
        let place = place(&facts).to_owned();
        [facts.name, images.to_string(), facts.model, place]
    };
    let rows: Vec<[String; 4]> = rows.into_iter().map(row).collect();
    table::list(json, ["NAME", "IMAGES", "MODEL", "VECTORS"], &rows);
    Ok(ExitCode::SUCCESS)
}

async fn list_images(store: &Store, name: &str, (after, limit): (i64, u32), json: bool) -> Result<ExitCode, CliError> {
    if store.collection(name).await?.is_none() {
        let remedy = "`kaisatsu collection list` lists them";
        return Err(CliError::Failed(format!("there is no collection '{name}'; {remedy}")));
    }
    let mut images = store.collection_images(name, after, i64::from(limit) + 1).await?;
    cut(&mut images, limit, |image| image.number);
    if json {
        for image in images {
            let row = serde_json::json!({"imageId": image.image_id, "tag": image.tag, "imageUrl": image.image_url});
            outln!("{row}");
        }
    } else {
        let row = |image: ImageRecord| [image.image_id, table::short(&image.tag), image.image_url];
        table::print(["IMAGE", "TAG", "ADDRESS"], &images.into_iter().map(row).collect::<Vec<_>>());
    }
    Ok(ExitCode::SUCCESS)
}

async fn import(store: &Store, settings: &Settings, asked: &Import) -> Result<ExitCode, CliError> {
    let failed = |error: String| CliError::Failed(error);
    let models = settings.models_folder()?;
    let registry = ModelRegistry::open(&models).map_err(|error| failed(format!("{}: {error}", models.display())))?;
    let base = match &asked.base {
        Some(base) => base.clone(),
        None => base_of(store, &registry, &asked.name).await?,
    };
    let model_sha256 = training::embedding_sha256(&registry, &base).map_err(|fault| failed(fault.to_string()))?;
    let wanted = Collection { name: asked.name.clone(), model: base.clone(), model_sha256 };
    let mut paths = Vec::new();
    walk(&asked.folder, &mut paths).map_err(|error| failed(format!("{}: {error}", asked.folder.display())))?;
    let facts = store.ensure_collection(&wanted, SystemClock.now()).await?;
    if facts != wanted {
        let name = &asked.name;
        return Err(failed(format!(
            "collection '{name}' holds vectors of other weights; `kaisatsu collection remove {name} --all` empties it \
             for new \
             ones, or name its model with --base"
        )));
    }
    let known: HashSet<String> = store.image_ids(&asked.name).await?.into_iter().collect();
    let before = paths.len();
    paths.retain(|path| asked.again || !known.contains(&image_id(&asked.folder, path)));
    let there = before - paths.len();

    let blobs = Blobs::open(&settings.blobs()?).map_err(|error| CliError::Store(error.to_string()))?;
    let thumbnails = Thumbnails::new(store.clone(), blobs);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let bar = progress::bar("importing", paths.len());
    let (mut kept, mut refused) = (0, 0);
    for batch in paths.chunks(BATCH * threads) {
        let embed = || training::embed_with_thumbnails(&registry, &base, batch, threads, || bar.inc(1));
        let (looked, left_out) = tokio::task::block_in_place(embed).map_err(|fault| failed(fault.to_string()))?;
        let image = |(at, (vector, thumbnail)): (usize, training::Seen)| {
            let id = image_id(&asked.folder, batch.get(at)?);
            let tag = id.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let image_url = match asked.url_prefix.as_str() {
                "" => String::new(),
                prefix => format!("{prefix}{}", utf8_percent_encode(&id, &IN_PATH)),
            };
            Some((NewImage { image_id: id, image_url, tag, vector, thumbnail: None }, thumbnail))
        };
        let images: Vec<_> = looked.into_iter().filter_map(image).collect();
        kept += images.len();
        thumbnails.put_images(&asked.name, images).await.map_err(|error| CliError::Store(error.to_string()))?;
        refused += left_out.len();
        for (path, reason) in left_out {
            bar.suspend(|| eprintln!("left out: {}: {reason}", path.display()));
        }
    }
    bar.finish_and_clear();
    let added = counted(kept, "image");
    outln!("collection '{}': {added} added, {there} were there, {refused} left out", asked.name);
    Ok(if kept + there > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The model of a collection that has images; vectors of different models cannot be compared. Otherwise the default.
async fn base_of(store: &Store, registry: &ModelRegistry, name: &str) -> Result<String, CliError> {
    let known = store.collections().await?;
    let known = known.into_iter().find(|(known, images)| known.name == name && *images > 0);
    Ok(known.map_or_else(|| kaisatsu_recognition::default_embedder(registry).to_owned(), |(known, _)| known.model))
}

/// The path of an image in its folder, with `/` on every system.
fn image_id(folder: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = inner.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.retain(|path| !path.file_name().unwrap_or_default().to_string_lossy().starts_with('.'));
    entries.sort();
    for path in entries {
        if path.is_dir() {
            // It may lead to what contains it.
            if path.is_symlink() {
                eprintln!("left out: {}: a link to a folder", path.display());
                continue;
            }
            walk(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

//! `kaisatsu catalogue`: the catalogue of object recognition.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Subcommand, ValueEnum, builder::PossibleValuesParser};
use kaisatsu_recognition::{
    Thumbnails,
    import::{self, ImportError},
};
use kaisatsu_store::{Blobs, ItemFilter, ListedItem, Store};
use kaisatsu_vision::ModelRegistry;
use serde_json::Value;

use super::{agreed, counted::counted, paging::cut, progress, table};
use crate::{error::CliError, settings::Settings};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add the items of a file to the catalogue
    ///
    /// An item of the same id is replaced. An import that was interrupted can be run again: it skips the items that
    /// are there. Rows that cannot be used are reported with their line and left out. docs/formats/catalogue.md
    /// describes the formats.
    Import {
        /// The file
        file: PathBuf,
        /// The format of the file
        #[arg(long, value_enum, default_value = "auto")]
        format: FileFormat,
        /// Folder with the pictures that the rows name [default: the file's own folder]
        #[arg(long, value_name = "FOLDER")]
        pictures: Option<PathBuf>,
    },
    /// Remove items from the catalogue
    Remove {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List the items, in the order in which they were first added
    List {
        /// Only those of this category, such as book
        #[arg(long, value_name = "CATEGORY", value_parser = PossibleValuesParser::new(import::CATEGORIES))]
        category: Option<String>,
        /// List instead the items that lack something apps of hosted gateways read, all of them: maker, brand,
        /// `releaseDate`, `imageUrl`, or a page
        #[arg(long, conflicts_with_all = ["category", "limit", "after"])]
        missing: bool,
        /// The most items to list
        #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// List the items after this number, which the page before ended with
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: i64,
        /// As JSON, one object an item
        #[arg(long)]
        json: bool,
    },
    /// Count the items by category
    Count {
        /// As JSON, one object a category
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// By the file's name: .csv or .jsonl
    Auto,
    /// Comma-separated values under a header
    Csv,
    /// A JSON object a line
    Jsonl,
    /// The dump of editions of Open Library
    OpenLibrary,
    /// The dump of products of Open Food Facts
    OpenFoodFacts,
}

pub(crate) async fn run(command: Command, settings: &Settings) -> Result<ExitCode, CliError> {
    let store = Store::open(&settings.database()?).await?;
    match command {
        Command::Import { file, format, pictures } => {
            let own = file.parent().map(Path::to_owned).unwrap_or_default();
            import_file(&store, settings, &file, chosen(&file, format)?, &pictures.unwrap_or(own)).await
        }
        Command::Remove { ids, yes } => {
            let what = if let [id] = &ids[..] { format!("item '{id}'") } else { counted(ids.len(), "item") };
            agreed(yes, &format!("Remove {what} from the catalogue?"))?;
            let mut gone = 0;
            for id in &ids {
                if store.remove_item(id).await? {
                    gone += 1;
                } else {
                    eprintln!("the catalogue has no item '{id}'");
                }
            }
            outln!("{} removed", counted(gone, "item"));
            Ok(if gone > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::List { missing: true, json, .. } => list_missing(&store, json).await,
        Command::List { missing: false, category, limit, after, json } => {
            list(&store, category.as_deref(), (after, limit), json).await
        }
        Command::Count { json } => {
            let rows: Vec<[String; 2]> = store
                .catalogue_counts()
                .await?
                .into_iter()
                .map(|(category, count)| [category, count.to_string()])
                .collect();
            table::list(json, ["CATEGORY", "ITEMS"], &rows);
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn list(
    store: &Store,
    category: Option<&str>,
    (after, limit): (i64, u32),
    json: bool,
) -> Result<ExitCode, CliError> {
    let filter = ItemFilter { category, ..ItemFilter::default() };
    let mut items = store.catalogue_items(&filter, after, i64::from(limit) + 1).await?;
    cut(&mut items, limit, |listed| listed.item.number);
    if json {
        for listed in items {
            outln!("{}", object(&listed));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let row = |ListedItem { item, pictures, codes }: ListedItem| {
        [item.id, item.category, codes.join(" "), pictures.to_string(), table::short(&item.name)]
    };
    table::print(["ID", "CATEGORY", "BARCODES", "PICTURES", "NAME"], &items.into_iter().map(row).collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

/// An item as `catalogue/items` answers it.
fn object(ListedItem { item, pictures, codes }: &ListedItem) -> Value {
    let parsed = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    serde_json::json!({
        "id": item.id, "category": item.category, "name": item.name, "barcodes": codes, "pictures": pictures,
        "imageUrl": item.image_url, "detail": parsed(&item.detail), "sites": parsed(&item.sites),
    })
}

async fn list_missing(store: &Store, json: bool) -> Result<ExitCode, CliError> {
    let mut rows = Vec::new();
    let mut after = 0;
    loop {
        let page = store.catalogue_items(&ItemFilter::default(), after, 500).await?;
        let Some(last) = page.last() else { break };
        after = last.item.number;
        let row = |listed: &ListedItem| (listed.item.id.clone(), import::missing_fields(&listed.item));
        rows.extend(page.iter().map(row).filter(|(_, missing)| !missing.is_empty()));
    }
    let rows: Vec<[String; 2]> = rows.into_iter().map(|(id, missing)| [id, missing.join(", ")]).collect();
    table::list(json, ["ITEM", "MISSING"], &rows);
    Ok(ExitCode::SUCCESS)
}

fn chosen(file: &Path, format: FileFormat) -> Result<import::Format, CliError> {
    Ok(match format {
        FileFormat::Csv => import::Format::Csv,
        FileFormat::Jsonl => import::Format::Jsonl,
        FileFormat::OpenLibrary => import::Format::OpenLibrary,
        FileFormat::OpenFoodFacts => import::Format::OpenFoodFacts,
        FileFormat::Auto => match file.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => import::Format::Csv,
            Some("jsonl" | "ndjson") => import::Format::Jsonl,
            _ => {
                let told = "its name ends neither in .csv nor in .jsonl; say what it is with --format";
                return Err(CliError::Usage(format!("{}: {told}", file.display())));
            }
        },
    })
}

async fn import_file(
    store: &Store,
    settings: &Settings,
    file: &Path,
    format: import::Format,
    pictures: &Path,
) -> Result<ExitCode, CliError> {
    let name = file.display();
    // Else every picture would be missing, and items lose the ones they have.
    if !pictures.as_os_str().is_empty() && !pictures.is_dir() {
        return Err(CliError::Usage(format!("--pictures: there is no folder {}", pictures.display())));
    }
    let models = settings.models_folder()?;
    let registry =
        ModelRegistry::open(&models).map_err(|error| CliError::Failed(format!("{}: {error}", models.display())))?;
    let open = || import::rows(file, format).map_err(|error| CliError::Failed(format!("{name}: {error}")));
    let bar = progress::bar("importing", open()?.count());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let refused = |line: usize, reason: &str| bar.suspend(|| eprintln!("{name}:{line}: {reason}"));
    let blobs = Blobs::open(&settings.blobs()?).map_err(|error| CliError::Store(error.to_string()))?;
    let (thumbnails, progress) = (Thumbnails::new(store.clone(), blobs), || bar.inc(1));
    let done = import::import(&thumbnails, &registry, pictures, open()?, threads, progress, refused).await;
    bar.finish_and_clear();
    let done = done.map_err(|error| match error {
        ImportError::Store(error) => error.into(),
        ImportError::Put(error) => CliError::Store(error.to_string()),
        ImportError::Model(fault) => {
            CliError::Failed(format!("{fault}; `kaisatsu models install` installs the models that this needs"))
        }
    })?;
    let (added, skipped) = (counted(done.added, "item"), counted(done.skipped, "row"));
    outln!("{added} added, {} were there, {skipped} left out", done.unchanged);
    Ok(if done.added + done.unchanged > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

//! The parts that both `serve` and `worker` are assembled from.

use std::{path::Path, sync::Arc};

use kaisatsu_fetch::{Fetcher, Policy};
use kaisatsu_model::Clock;
use kaisatsu_recognition::{Recognition, SegmentSettings, UserLimits, UserSettings, VectorSettings};
use kaisatsu_status::{DiskRole, WatchedDisk};
use kaisatsu_store::{BlobAddress, Blobs, DatabaseAddress, Store, VectorSupport};
use kaisatsu_vision::{Engine, HeifSupport, ModelRegistry};

use crate::{
    allocator,
    database_lock::{self, DatabaseLock},
    error::CliError,
    settings::{Settings, VectorsSetting},
};

/// Opens the database, alone unless several servers may share it.
pub(super) async fn open_database(
    settings: &Settings,
    address: &DatabaseAddress,
) -> Result<(Store, Option<DatabaseLock>), CliError> {
    if !settings.share_sqlite {
        database_lock::refuse_if_taken(address)?;
    }
    let store = Store::open(address).await?;
    let lock = if settings.share_sqlite { None } else { Some(database_lock::lock(address)?) };
    if settings.recognition.vectors == VectorsSetting::Database {
        require_vectors(&store).await?;
    }
    Ok((store, lock))
}

/// Refuses to start where vectors are to be in a database that cannot search them.
async fn require_vectors(store: &Store) -> Result<(), CliError> {
    match store.enable_vectors().await? {
        VectorSupport::Ready => Ok(()),
        VectorSupport::Available => Err(CliError::Store("the extension pgvector was removed just now".to_owned())),
        VectorSupport::Missing(reason) => Err(CliError::Usage(format!(
            "vectors is 'database', but {reason}. Or set vectors to auto or memory: then they are in memory"
        ))),
    }
}

/// Starts the engine with the models of the folder. A faulty model is logged and left out.
pub(super) fn open_recognition(
    settings: &Settings,
    store: &Store,
    clock: &Arc<dyn Clock>,
    fetcher: Fetcher,
) -> Result<Recognition, CliError> {
    let folder = settings.models_folder()?;
    let unreadable = |error| CliError::Failed(format!("the model folder {} cannot be read: {error}", folder.display()));
    let registry = ModelRegistry::open(&folder).map_err(unreadable)?;
    if registry.entries.is_empty() {
        tracing::warn!(
            "there are no models in {}: image recognition answers 503. `kaisatsu models install` installs the default \
             set",
            folder.display()
        );
    }
    for entry in &registry.entries {
        if let Err(fault) = &entry.model {
            tracing::error!(model = entry.name, "cannot be used: {fault}");
        }
    }
    let own = &settings.recognition;
    if let Some(HeifSupport { version, heic, avif }) =
        kaisatsu_vision::load_heif(&own.heif).map_err(CliError::Failed)?
    {
        tracing::info!(version, heic, avif, "libheif reads HEIC and AVIF");
    } else {
        tracing::info!("there is no libheif: HEIC and AVIF are refused. `apt-get install libheif1` adds it");
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if own.engine_threads == 0 { cores } else { small(own.engine_threads) };
    let engine = Engine::start(registry, threads, own.model_idle, allocator::release_unused)
        .map_err(|error| CliError::Failed(format!("the system gives no thread for the engine: {error}")))?;
    let decided = kaisatsu_recognition::Settings {
        waiting: small(own.engine_waiting),
        max_pixels: own.max_image_pixels.into(),
        keep: own.keep_recognitions,
        keep_pictures: own.keep_pictures,
        unsaved_answers: own.unsaved_answers,
        quorum: small(own.feedback_quorum),
        feedback_memory: usize::try_from(own.feedback_memory).unwrap_or(usize::MAX),
        exif_position: own.exif_position,
        vectors: VectorSettings {
            place: own.vectors.into(),
            threshold: small(own.vectors_threshold),
            memory: usize::try_from(own.collection_memory).unwrap_or(usize::MAX),
        },
        segments: SegmentSettings {
            items: small(own.catalogue_segment),
            folder: settings.segments_folder(),
            cache_bytes: own.catalogue_cache,
        },
    };
    Ok(Recognition::new(engine, store.clone(), Arc::clone(clock), &decided, user_settings(settings, fetcher)?))
}

/// Limits, fetching and storage of users' images.
fn user_settings(settings: &Settings, fetcher: Fetcher) -> Result<UserSettings, CliError> {
    Ok(UserSettings {
        blobs: Blobs::open(&settings.blobs()?).map_err(|error| CliError::Store(error.to_string()))?,
        fetcher,
        limits: UserLimits {
            bytes: settings.users.user_bytes,
            images: settings.users.user_images,
            datasets: settings.users.user_data_sets,
            dataset_images: settings.users.data_set_images,
        },
        fetches: small(settings.users.fetches),
        lease: settings.users.job_lease,
    })
}

/// What fetches images from addresses, under the rules of the settings.
pub(super) fn fetcher(settings: &Settings) -> Result<Fetcher, CliError> {
    let policy = Policy {
        allowed: settings.users.fetch_allow.as_ref().map(|places| places.0.clone()).unwrap_or_default(),
        max_bytes: small(settings.recognition.max_image_bytes),
        timeout: settings.users.fetch_timeout,
    };
    Fetcher::new(policy).map_err(|error| CliError::Failed(error.to_string()))
}

/// The folders that the server writes to.
pub(super) fn disks(settings: &Settings, database: &DatabaseAddress) -> Result<Vec<WatchedDisk>, CliError> {
    let mut disks = Vec::new();
    if let DatabaseAddress::Sqlite(path) = database {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        disks.push(WatchedDisk { role: DiskRole::Database, folder: folder.to_owned() });
    }
    if let BlobAddress::Folder(folder) = settings.blobs()? {
        disks.push(WatchedDisk { role: DiskRole::Images, folder });
    }
    Ok(disks)
}

pub(super) fn small(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

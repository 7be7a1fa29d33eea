//! Bytes outside of the database: in a folder, or in a bucket of an S3 server.
//!
//! A blob is named after its owner and the hash of its contents. The database knows which blobs are still referenced:
//! see [`crate::BlobClaim`].

mod address;
mod files;

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

pub use address::{BlobAddress, InvalidBlobAddress};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use kaisatsu_model::{AppId, UserId};
use object_store::{
    ObjectStore, ObjectStoreExt, PutPayload, RetryConfig, aws::AmazonS3Builder, local::LocalFileSystem, path::Path,
    prefix::PrefixStore,
};
use sha2::{Digest, Sha256};

use crate::disk::Unwritable;

/// The application that owns thumbnails and segments of the catalogue. It has no keys and no users, and no list shows
/// it.
pub(crate) const PUBLIC: &str = "public";

/// The key of a blob: its owner and the SHA-256 of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobKey {
    /// The application of the user.
    pub application: AppId,
    /// The user who owns it.
    pub user: UserId,
    /// The hash of its bytes.
    pub sha256: [u8; 32],
}

impl BlobKey {
    /// The key for bytes of a user.
    #[must_use]
    pub fn of(application: &AppId, user: &UserId, bytes: &[u8]) -> Self {
        Self { application: application.clone(), user: user.clone(), sha256: sha256(bytes) }
    }

    /// The key of what belongs to no user, by its hash: thumbnails of public images and items, segments of the
    /// catalogue. Its owner is no application: see the migration `0018_thumbnails.sql`.
    #[must_use]
    pub fn public(sha256: [u8; 32]) -> Self {
        Self { application: AppId::from_text(PUBLIC), user: UserId::nobody(), sha256 }
    }

    /// Its name in the folder or bucket. User ids may hold any characters, so the name contains a hash of the id.
    #[must_use]
    pub fn name(&self) -> String {
        let user = Sha256::digest(self.user.as_str().as_bytes());
        format!("{}/{}/{}", self.application.as_str(), hex(&user[..16]), hex(&self.sha256))
    }
}

/// The SHA-256 of bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A blob in the folder or bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBlob {
    /// Its name, as from [`BlobKey::name`].
    pub name: String,
    /// Whether the name has our form; otherwise something else put it there.
    pub ours: bool,
    /// Its size in bytes.
    pub size: u64,
}

/// Why a blob could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The folder cannot be used.
    #[error("{}: {reason}. Check that the folder exists and that this user may write to it", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// The disk of the folder is full.
    #[error("the disk of the storage for images is full: {0}")]
    Full(#[source] object_store::Error),
    /// The folder can only be read.
    #[error("the storage for images can only be read: {0}")]
    ReadOnly(#[source] object_store::Error),
    /// The folder or the server failed.
    #[error("the storage for images failed: {0}")]
    Unavailable(#[source] object_store::Error),
}

impl From<object_store::Error> for BlobError {
    fn from(error: object_store::Error) -> Self {
        match Unwritable::among_causes(&error) {
            Some(Unwritable::Full) => Self::Full(error),
            Some(Unwritable::ReadOnly) => Self::ReadOnly(error),
            None => Self::Unavailable(error),
        }
    }
}

/// The folder or the bucket. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    folder: Option<PathBuf>,
}

impl Blobs {
    /// Opens a folder, which is created if it does not exist, or a bucket, which is not contacted yet.
    ///
    /// # Errors
    /// When the folder cannot be created, or the environment's settings for S3 are invalid.
    pub fn open(address: &BlobAddress) -> Result<Self, BlobError> {
        let store: Arc<dyn ObjectStore> = match address {
            BlobAddress::Folder(folder) => {
                let told = |reason: String| BlobError::Folder { folder: folder.clone(), reason };
                std::fs::create_dir_all(folder).map_err(|error| told(error.to_string()))?;
                let files = LocalFileSystem::new_with_prefix(folder).map_err(|error| told(error.to_string()))?;
                // Acknowledged writes are on the disk, and empty folders are removed.
                Arc::new(files.with_fsync(true).with_automatic_cleanup(true))
            }
            BlobAddress::S3 { bucket, prefix, endpoint, region } => {
                // Fails when another part of the process has installed a provider; it can only be the same one.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(patience());
                if let Some(endpoint) = endpoint {
                    builder = builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"));
                }
                if let Some(region) = region {
                    builder = builder.with_region(region);
                }
                Arc::new(PrefixStore::new(builder.build()?, prefix.as_str()))
            }
        };
        let folder = match address {
            BlobAddress::Folder(folder) => Some(folder.clone()),
            BlobAddress::S3 { .. } => None,
        };
        Ok(Self { store, folder })
    }

    /// Stores bytes. They are on the disk, or acknowledged by the server, when this returns.
    ///
    /// # Errors
    /// When the folder or the server fails.
    pub async fn put(&self, key: &BlobKey, bytes: Bytes) -> Result<(), BlobError> {
        self.store.put(&Path::from(key.name()), PutPayload::from_bytes(bytes)).await?;
        Ok(())
    }

    /// The bytes of a blob, if it exists.
    ///
    /// # Errors
    /// When the folder or the server fails.
    pub async fn get(&self, key: &BlobKey) -> Result<Option<Bytes>, BlobError> {
        match self.store.get(&Path::from(key.name())).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The size of a blob in bytes, if it exists.
    ///
    /// # Errors
    /// When the folder or the server fails.
    pub async fn size(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        match self.store.head(&Path::from(key.name())).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a blob by name. A missing one counts as deleted.
    ///
    /// # Errors
    /// When the folder or the server fails.
    pub async fn remove(&self, name: &str) -> Result<(), BlobError> {
        match self.store.delete(&Path::from(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Syncs the deletion of these names to the disk, so that it survives a power cut. An S3 server does that itself.
    ///
    /// # Errors
    /// When the disk fails.
    pub async fn sync_removed(&self, names: &[String]) -> Result<(), BlobError> {
        let Some(folder) = self.folder.clone() else { return Ok(()) };
        let parent = |name: &String| name.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned());
        let parents: BTreeSet<String> = names.iter().map(parent).collect();
        let sync = move || {
            for parent in parents {
                let told =
                    |error: std::io::Error| BlobError::Folder { folder: folder.clone(), reason: error.to_string() };
                sync_folder(&folder, &folder.join(parent)).map_err(told)?;
            }
            Ok(())
        };
        tokio::task::spawn_blocking(sync).await.unwrap_or(Ok(()))
    }

    /// Temporary files of unfinished writes that are older than `older`. S3 has none: see `Upload`.
    pub async fn unfinished_writes(&self, older: Duration) -> Vec<PathBuf> {
        let Some(folder) = self.folder.clone() else { return Vec::new() };
        let look = move || {
            let mut found = Vec::new();
            unfinished_writes(&folder, older, &mut found);
            found
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// All blobs, in any order.
    pub fn list(&self) -> impl Stream<Item = Result<StoredBlob, BlobError>> + '_ {
        self.store.list(None).map(|entry| {
            let entry = entry?;
            Ok(listed(entry.location.as_ref(), entry.size))
        })
    }
}

/// Callers wait for an answer, so a server that is down must be reported within seconds.
fn patience() -> RetryConfig {
    RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(10), ..RetryConfig::default() }
}

/// Syncs a folder to the disk. If it was removed with its last file, the folder above it is synced instead.
fn sync_folder(root: &std::path::Path, folder: &std::path::Path) -> std::io::Result<()> {
    match std::fs::File::open(folder) {
        Ok(open) => open.sync_all(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder != root => {
            folder.parent().map_or(Ok(()), |above| sync_folder(root, above))
        }
        Err(error) => Err(error),
    }
}

/// Temporary files of interrupted writes: `object_store` writes `NAME#NUMBER` and renames it.
fn unfinished_writes(folder: &std::path::Path, older: Duration, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let staged = name.rsplit_once('#').is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        let age = entry.metadata().ok().and_then(|facts| facts.modified().ok()?.elapsed().ok());
        if path.is_dir() {
            unfinished_writes(&path, older, found);
        } else if staged && age.is_some_and(|age| age > older) {
            found.push(path);
        }
    }
}

fn listed(path: &str, size: u64) -> StoredBlob {
    let digits = |text: &str, long| text.len() == long && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let ours = match path.split('/').collect::<Vec<_>>()[..] {
        [_, user, sha256] => digits(user, 32) && digits(sha256, 64),
        _ => false,
    };
    StoredBlob { name: path.to_owned(), ours, size }
}

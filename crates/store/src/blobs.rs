//! Bytes that are kept outside of the database: in a folder, or in a bucket of an S3 server.
//!
//! What is kept is known by its contents, below the name of its owner. Which of it is still somebody's is the
//! database's to say: see [`crate::Claim`].

mod address;

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

pub use address::{BadBlobAddress, BlobAddress};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use kaisatsu_model::{AppId, UserId};
use object_store::{
    ObjectStore, ObjectStoreExt, PutPayload, RetryConfig, aws::AmazonS3Builder, local::LocalFileSystem, path::Path,
    prefix::PrefixStore,
};
use sha2::{Digest, Sha256};

/// What bytes are known by: their owner and their SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BlobKey {
    /// Whose user.
    pub application: AppId,
    /// Whose they are.
    pub user: UserId,
    /// What they are.
    pub sha256: [u8; 32],
}

impl BlobKey {
    /// The key of some bytes of a user's.
    #[must_use]
    pub fn of(application: &AppId, user: &UserId, bytes: &[u8]) -> Self {
        Self { application: application.clone(), user: user.clone(), sha256: sha256(bytes) }
    }

    /// Where they are kept. A user is called what the application likes, which is no file name; its hash is.
    #[must_use]
    pub fn name(&self) -> String {
        let user = Sha256::digest(self.user.as_str().as_bytes());
        format!("{}/{}/{}", self.application.as_str(), hex(&user[..16]), hex(&self.sha256))
    }
}

/// What bytes are known by.
#[must_use]
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Bytes as digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Something that is kept, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// As [`BlobKey::name`] says.
    pub name: String,
    /// Whether the name is one of ours; anything else somebody else has put there.
    pub ours: bool,
    /// Its bytes.
    pub size: u64,
}

/// Why bytes could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The folder cannot be used.
    #[error("{}: {reason}. Check that the folder exists and that this user may write to it", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The folder or the server failed.
    #[error("the storage for images failed: {0}")]
    Unavailable(#[from] object_store::Error),
}

/// The folder or the bucket. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    folder: Option<PathBuf>,
}

impl Blobs {
    /// Opens a folder, which is made when it is not there, or a bucket, which is not asked anything yet.
    ///
    /// # Errors
    /// When the folder cannot be made, or the environment's settings for S3 make no sense.
    pub fn open(address: &BlobAddress) -> Result<Self, BlobError> {
        let store: Arc<dyn ObjectStore> = match address {
            BlobAddress::Folder(folder) => {
                let told = |reason: String| BlobError::Folder { folder: folder.clone(), reason };
                std::fs::create_dir_all(folder).map_err(|error| told(error.to_string()))?;
                let files = LocalFileSystem::new_with_prefix(folder).map_err(|error| told(error.to_string()))?;
                // What is acknowledged is on the disk; and a folder whose last file went goes too.
                Arc::new(files.with_fsync(true).with_automatic_cleanup(true))
            }
            BlobAddress::S3 { bucket, prefix, endpoint, region } => {
                // Whichever part of the process was first to speak TLS has decided; there is only one to choose from.
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

    /// Keeps bytes. They are on the disk, or with the server, when this returns.
    ///
    /// # Errors
    /// When they are not.
    pub async fn put(&self, key: &BlobKey, bytes: Bytes) -> Result<(), BlobError> {
        self.store.put(&Path::from(key.name()), PutPayload::from_bytes(bytes)).await?;
        Ok(())
    }

    /// The bytes under a key, if there are any.
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

    /// How many bytes there are under a key, if there are any.
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

    /// Removes what is under a name. What is not there is removed already.
    ///
    /// # Errors
    /// When the folder or the server fails.
    pub async fn remove(&self, name: &str) -> Result<(), BlobError> {
        match self.store.delete(&Path::from(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes sure that what was removed under these names stays so after a power cut. An S3 server sees to that by itself.
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

    /// Files that somebody began to write and never finished, older than a while. On S3 there are none.
    pub async fn half_written(&self, older: Duration) -> Vec<PathBuf> {
        let Some(folder) = self.folder.clone() else { return Vec::new() };
        let look = move || {
            let mut found = Vec::new();
            half_written(&folder, older, &mut found);
            found
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// Everything that is kept, in any order.
    pub fn list(&self) -> impl Stream<Item = Result<Listed, BlobError>> + '_ {
        self.store.list(None).map(|entry| {
            let entry = entry?;
            Ok(listed(entry.location.as_ref(), entry.size))
        })
    }
}

/// Callers wait for an answer: a server that is down is told of in seconds.
fn patience() -> RetryConfig {
    RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(10), ..RetryConfig::default() }
}

/// Brings a folder's list of files to the disk. One that went with its last file is gone from the list of the one above.
fn sync_folder(root: &std::path::Path, folder: &std::path::Path) -> std::io::Result<()> {
    match std::fs::File::open(folder) {
        Ok(open) => open.sync_all(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && folder != root => {
            folder.parent().map_or(Ok(()), |above| sync_folder(root, above))
        }
        Err(error) => Err(error),
    }
}

/// Files that were being written when the process ended: `object_store` writes `NAME#NUMBER` and renames it.
fn half_written(folder: &std::path::Path, older: Duration, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let staged = name.rsplit_once('#').is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        let age = entry.metadata().ok().and_then(|facts| facts.modified().ok()?.elapsed().ok());
        if path.is_dir() {
            half_written(&path, older, found);
        } else if staged && age.is_some_and(|age| age > older) {
            found.push(path);
        }
    }
}

fn listed(path: &str, size: u64) -> Listed {
    let digits = |text: &str, long| text.len() == long && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let ours = match path.split('/').collect::<Vec<_>>()[..] {
        [_, user, sha256] => digits(user, 32) && digits(sha256, 64),
        _ => false,
    };
    Listed { name: path.to_owned(), ours, size }
}

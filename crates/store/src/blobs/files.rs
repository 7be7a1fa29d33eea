//! Blobs that are too large for memory: from files, into files, and from one storage to another, part by part.

use std::{fs::File, io::Write as _, os::unix::fs::FileExt as _, path::Path as FilePath, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{ObjectStoreExt as _, PutPayload, path::Path};
use sha2::{Digest as _, Sha256};

use super::{BlobError, BlobKey, Blobs};

/// The bytes of a part. An S3 server takes 10,000 parts, and none but the last below five megabytes.
const PART: usize = 16 << 20;

impl Blobs {
    /// The file of a blob, where blobs are files. It need not exist.
    #[must_use]
    pub fn file(&self, key: &BlobKey) -> Option<std::path::PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(key.name()))
    }

    /// Stores the bytes of a file. They are on the disk, or acknowledged by the server, when this returns.
    ///
    /// # Errors
    /// When the file cannot be read, or the folder or the server fails.
    pub async fn put_file(&self, key: &BlobKey, path: &FilePath) -> Result<(), BlobError> {
        let told = |error: std::io::Error| BlobError::Folder { folder: path.to_owned(), reason: error.to_string() };
        let file = Arc::new(File::open(path).map_err(told)?);
        let size = file.metadata().map_err(told)?.len();
        let mut at = 0;
        let mut upload = Upload::new(self, Path::from(key.name()), size);
        while at < size {
            let length = usize::try_from(size - at).unwrap_or(usize::MAX).min(PART);
            let from = Arc::clone(&file);
            let read = tokio::task::spawn_blocking(move || {
                let mut part = vec![0; length];
                from.read_exact_at(&mut part, at).map(|()| part)
            });
            let part = read.await.map_err(std::io::Error::other).and_then(|part| part).map_err(told)?;
            upload.add(Bytes::from(part)).await?;
            at += length as u64;
        }
        upload.finish().await
    }

    /// Writes a blob to a new file. Returns the hash of its bytes, or nothing if it does not exist. The file is on the
    /// disk when this returns.
    ///
    /// # Errors
    /// When the file cannot be written, or the folder or the server fails.
    pub async fn get_file(&self, key: &BlobKey, path: &FilePath) -> Result<Option<[u8; 32]>, BlobError> {
        let Some((_, mut parts)) = self.parts(&Path::from(key.name())).await? else { return Ok(None) };
        let told = |error: std::io::Error| BlobError::Folder { folder: path.to_owned(), reason: error.to_string() };
        let file = Arc::new(File::create(path).map_err(told)?);
        let mut digest = Sha256::new();
        while let Some(part) = parts.next().await {
            let (part, to) = (part?, Arc::clone(&file));
            digest.update(&part);
            let written = tokio::task::spawn_blocking(move || (&*to).write_all(&part)).await;
            written.map_err(std::io::Error::other).and_then(|written| written).map_err(told)?;
        }
        let synced = tokio::task::spawn_blocking(move || file.sync_all()).await;
        synced.map_err(std::io::Error::other).and_then(|synced| synced).map_err(told)?;
        Ok(Some(digest.finalize().into()))
    }

    /// The hash of the bytes of a blob, if it exists.
    ///
    /// # Errors
    /// When the folder or the server fails.
    pub async fn digest(&self, key: &BlobKey) -> Result<Option<[u8; 32]>, BlobError> {
        let Some((_, mut parts)) = self.parts(&Path::from(key.name())).await? else { return Ok(None) };
        let mut digest = Sha256::new();
        while let Some(part) = parts.next().await {
            digest.update(&part?);
        }
        Ok(Some(digest.finalize().into()))
    }

    /// Copies a blob to another folder or bucket. Returns whether it exists.
    ///
    /// # Errors
    /// When one of the two fails.
    pub async fn copy_to(&self, other: &Self, name: &str) -> Result<bool, BlobError> {
        let path = Path::from(name);
        let Some((size, mut parts)) = self.parts(&path).await? else { return Ok(false) };
        let mut upload = Upload::new(other, path, size);
        while let Some(part) = parts.next().await {
            upload.add(part?).await?;
        }
        upload.finish().await?;
        Ok(true)
    }

    /// The size of a blob and its bytes, part by part.
    async fn parts(&self, path: &Path) -> Result<Option<(u64, Parts)>, BlobError> {
        match self.store.get(path).await {
            Ok(found) => Ok(Some((found.meta.size, found.into_stream()))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

type Parts = BoxStream<'static, object_store::Result<Bytes>>;

/// A blob that is being written: at once if it is small, in parts otherwise. Nobody sees it before it is whole.
struct Upload<'a> {
    blobs: &'a Blobs,
    path: Path,
    is_small: bool,
    waiting: Vec<Bytes>,
    bytes: usize,
    parts: Option<Box<dyn object_store::MultipartUpload>>,
}

impl<'a> Upload<'a> {
    fn new(blobs: &'a Blobs, path: Path, size: u64) -> Self {
        Self { blobs, path, is_small: size <= PART as u64, waiting: Vec::new(), bytes: 0, parts: None }
    }

    async fn add(&mut self, bytes: Bytes) -> Result<(), BlobError> {
        self.bytes += bytes.len();
        self.waiting.push(bytes);
        if self.is_small || self.bytes < PART { Ok(()) } else { self.send().await }
    }

    async fn send(&mut self) -> Result<(), BlobError> {
        let parts = match &mut self.parts {
            Some(parts) => parts,
            None => self.parts.insert(self.blobs.store.put_multipart(&self.path).await?),
        };
        self.bytes = 0;
        let sent = parts.put_part(self.waiting.drain(..).collect::<PutPayload>()).await;
        self.or_abort(sent).await
    }

    async fn finish(mut self) -> Result<(), BlobError> {
        if self.is_small {
            self.blobs.store.put(&self.path, self.waiting.drain(..).collect()).await?;
            return Ok(());
        }
        if !self.waiting.is_empty() {
            self.send().await?;
        }
        let completed = match &mut self.parts {
            Some(parts) => parts.complete().await.map(drop),
            None => Ok(()),
        };
        self.or_abort(completed).await?;
        self.parts = None;
        Ok(())
    }

    /// After a failure, parts that were sent are given back.
    async fn or_abort(&mut self, outcome: object_store::Result<()>) -> Result<(), BlobError> {
        if outcome.is_err()
            && let Some(mut parts) = self.parts.take()
        {
            let _ = parts.abort().await;
        }
        Ok(outcome?)
    }
}

impl Drop for Upload<'_> {
    /// Parts of an upload that was dropped are given back: on S3 they would be kept, and paid for, unseen.
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                let _ = parts.abort().await;
            });
        }
    }
}

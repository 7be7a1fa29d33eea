//! The image storage area: users' own images, to make datasets of.

use std::time::Duration;

use bytes::Bytes;
use kaisatsu_model::{DataSetName, ImageId, Tag, Timestamp};
use kaisatsu_store::{BlobKey, Claim, NewUserImage, PutImage, UserImage};
use kaisatsu_vision::{Worker, decode, thumbnail};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    Recogniser, RecognitionError, User,
    keep::random,
    slots::{DECODE, timed},
};

const TASK: &str = "upload";
const SMALL: &str = "thumbnail";

/// The shorter side that is enough for a small picture.
const ENOUGH: u32 = 256;

/// How many may wait for a small picture, and how many images are read for that at once.
const LINE: usize = 256;
const TURNS: usize = 4;

/// How often bytes are claimed that are just being removed, and how long is waited between.
const TRIES: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(100);

/// What comes with an image.
#[derive(Debug, Clone, Default)]
pub struct UploadAsk {
    /// What it shows.
    pub tag: Option<Tag>,
    /// What the user calls it.
    pub name: Option<DataSetName>,
}

/// An image that is in the storage area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uploaded {
    /// Its id.
    pub id: ImageId,
    /// Its SHA-256, in digits.
    pub sha256: String,
    /// Pixels from left to right, as the file says.
    pub width: u32,
    /// Pixels from top to bottom, as the file says.
    pub height: u32,
}

/// Some images, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it, oldest first.
    pub items: Vec<T>,
    /// What comes after, if anything does.
    pub next: Option<Cursor>,
}

/// A place in a list that is ordered by age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    at: Timestamp,
    id: String,
}

impl Cursor {
    /// Before everything.
    #[must_use]
    pub fn start() -> Self {
        Self { at: Timestamp(i64::MIN), id: String::new() }
    }

    /// A place as it was written; `None` when it was not.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (at, id) = text.split_once('-')?;
        let at = u64::from_str_radix(at, 16).ok().and_then(|at| i64::try_from(at).ok())?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (id.len() < 100 && id.bytes().all(plain)).then(|| Self { at: Timestamp(at), id: id.to_owned() })
    }

    /// A place as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{:x}-{}", self.at.0.max(0), self.id)
    }

    pub(crate) fn as_pair(&self) -> (Timestamp, &str) {
        (self.at, &self.id)
    }
}

impl<T> Page<T> {
    /// A page out of a list that has one more than the page may have when there is another page.
    pub(crate) fn cut(mut items: Vec<T>, most: usize, place: impl Fn(&T) -> (Timestamp, String)) -> Self {
        let more = items.len() > most;
        items.truncate(most);
        let cursor = |item: &T| {
            let (at, id) = place(item);
            Cursor { at, id }
        };
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}

/// The line of those who wait for small pictures: only so many wait, and only whose turn it is has the image in memory.
pub(crate) struct Small {
    line: Semaphore,
    turns: Semaphore,
}

/// A place in the line and the turn it led to.
pub(crate) struct Turn<'a>(#[allow(dead_code, reason = "given back when dropped")] [SemaphorePermit<'a>; 2]);

impl Default for Small {
    fn default() -> Self {
        Self { line: Semaphore::new(LINE), turns: Semaphore::new(TURNS) }
    }
}

impl Small {
    async fn turn(&self) -> Result<Turn<'_>, RecognitionError> {
        let full = || RecognitionError::Overloaded { wait: Duration::from_secs(1) };
        let place = self.line.try_acquire().map_err(|_| full())?;
        let turn = self.turns.acquire().await.map_err(|_| full())?;
        Ok(Turn([place, turn]))
    }
}

impl Recogniser {
    /// Puts an image into a user's storage area. The same bytes are kept once, under one id.
    ///
    /// # Errors
    /// Why it is not there.
    pub async fn upload(&self, user: &User, image: Bytes, ask: UploadAsk) -> Result<Uploaded, RecognitionError> {
        let (bounds, looked_at) = (self.bounds, image.clone());
        let look = move |_: &mut Worker| {
            let decoded = timed(DECODE, TASK, || decode(&looked_at, bounds, Some(ENOUGH)))?;
            Ok((decoded.file.width, decoded.file.height, kaisatsu_store::sha256(&looked_at)))
        };
        let (width, height, sha256) = self.slots.run(TASK, look).await?;
        let key = BlobKey { application: user.application.clone(), user: user.id.clone(), sha256 };
        loop {
            self.keep_bytes(&key, &image).await?;
            let new = NewUserImage {
                id: ImageId::from_random(random()),
                key: key.clone(),
                width,
                height,
                tag: ask.tag.as_ref().map(|tag| tag.as_str().to_owned()),
                name: ask.name.as_ref().map(|name| name.as_str().to_owned()),
                created_at: self.keeping.now(),
            };
            match self.keeping.store.put_user_image(&new, self.users.settings.limits.images.into()).await? {
                PutImage::Kept(id) => {
                    return Ok(Uploaded { id, sha256: kaisatsu_store::hex(&key.sha256), width, height });
                }
                PutImage::Gone => {}
                PutImage::Full => {
                    self.let_go(&key).await;
                    return Err(RecognitionError::ImagesFull(self.users.settings.limits.images));
                }
            }
        }
    }

    /// Makes sure that bytes are kept. They are nobody's until something refers to them.
    pub(crate) async fn keep_bytes(&self, key: &BlobKey, bytes: &Bytes) -> Result<(), RecognitionError> {
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        let most = i64::try_from(self.users.settings.limits.bytes).unwrap_or(i64::MAX);
        for _ in 0..TRIES {
            match self.keeping.store.claim_blob(key, size, most, self.keeping.now()).await? {
                // Bytes that the storage has lost are brought back by whoever has them.
                Claim::There if self.users.settings.blobs.size(key).await? == Some(bytes.len() as u64) => return Ok(()),
                Claim::There | Claim::Write => {
                    self.users.settings.blobs.put(key, bytes.clone()).await?;
                    return Ok(());
                }
                Claim::Full => return Err(RecognitionError::BytesFull(self.users.settings.limits.bytes)),
                Claim::Busy => tokio::time::sleep(BETWEEN).await,
            }
        }
        Err(RecognitionError::Busy)
    }

    /// Lets go of bytes that nothing came to refer to. When that fails they are found later, by their age.
    pub(crate) async fn let_go(&self, key: &BlobKey) {
        if let Err(error) = self.keeping.store.release_blob(key, self.keeping.now()).await {
            tracing::debug!(%error, "bytes that nobody needs stay for a while");
        }
        self.users.to_sweep.notify_one();
    }

    /// The images of a user's storage area after a place, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn images(&self, user: &User, after: &Cursor, most: usize) -> Result<Page<UserImage>, RecognitionError> {
        let wanted = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
        let images = self.keeping.store.user_images(&user.application, &user.id, after.as_pair(), wanted).await?;
        Ok(Page::cut(images, most, |image| (image.created_at, image.id.as_str().to_owned())))
    }

    /// Takes an image out of a user's storage area.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when it is not there.
    pub async fn delete_image(&self, user: &User, id: &ImageId) -> Result<(), RecognitionError> {
        let now = self.keeping.now();
        if !self.keeping.store.delete_user_image(&user.application, &user.id, id, now).await? {
            return Err(RecognitionError::NoSuchImage);
        }
        self.users.to_sweep.notify_one();
        Ok(())
    }

    /// The bytes of an image of a user's storage area or datasets, by what they are known by.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when it is not there.
    pub async fn find_image(&self, user: &User, id: &ImageId) -> Result<BlobKey, RecognitionError> {
        let found = self.keeping.store.image_blob(&user.application, &user.id, id).await?;
        found.ok_or(RecognitionError::NoSuchImage)
    }

    /// An image.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when it is not there any more.
    pub async fn image(&self, key: &BlobKey) -> Result<Bytes, RecognitionError> {
        self.users.settings.blobs.get(key).await?.ok_or(RecognitionError::NoSuchImage)
    }

    /// A small picture of an image. It is made each time: whoever looks at it keeps it, and nothing else has to be removed
    /// with the image.
    ///
    /// # Errors
    /// [`RecognitionError::NoSuchImage`] when the image is not there any more.
    pub async fn thumbnail(&self, key: &BlobKey) -> Result<Bytes, RecognitionError> {
        let _turn = self.users.small.turn().await?;
        let (image, bounds) = (self.image(key).await?, self.bounds);
        let make = move |worker: &mut Worker| {
            let decoded = timed(DECODE, SMALL, || decode(&image, bounds, Some(ENOUGH)))?;
            let small = thumbnail(&mut worker.resizer, &decoded.picture);
            small.ok_or_else(|| RecognitionError::Failed("no small picture can be made".to_owned()))
        };
        Ok(self.slots.run_behind(SMALL, make).await?.into())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::UploadAsk;
    use crate::sweep::stage::{PIXEL, Stage};

    #[tokio::test]
    async fn bytes_that_the_storage_lost_come_back_with_an_upload() {
        let stage = Stage::set().await;
        let upload = || stage.recogniser.upload(&stage.user, Bytes::from_static(PIXEL), UploadAsk::default());
        let first = upload().await.unwrap();
        let key = stage.recogniser.find_image(&stage.user, &first.id).await.unwrap();
        let damages = [None, Some(&b"half"[..])];
        for damage in damages {
            stage.blobs().remove(&key.name()).await.unwrap();
            if let Some(left) = damage {
                stage.blobs().put(&key, Bytes::from_static(left)).await.unwrap();
            }
            assert_eq!(upload().await.unwrap(), first, "it is the same image");
            assert_eq!(stage.recogniser.image(&key).await.unwrap(), PIXEL);
        }
    }
}

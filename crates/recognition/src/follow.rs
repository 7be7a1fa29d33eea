//! Following the database: collections and the catalogue are in memory as they are there, a moment later.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use kaisatsu_store::StoreError;
use tokio::sync::Mutex;

use crate::Recogniser;

/// How often the revision is asked for.
const EVERY: Duration = Duration::from_millis(500);

/// How many changes are read at once.
const PAGE: i64 = 1_000;

/// How far the database has been followed.
#[derive(Default)]
pub(crate) struct Followed {
    loaded: AtomicBool,
    /// Revision and number of the last change that was taken up, of images and of items; and the revision up to which
    /// all is known.
    at: Mutex<Place>,
}

#[derive(Default, Clone, Copy)]
pub(crate) struct Place {
    revision: i64,
    images: (i64, i64),
    items: (i64, i64),
}

impl Followed {
    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded.load(Ordering::Acquire)
    }
}

impl Recogniser {
    /// Reads what changed since the last time. To be called on a runtime of several threads.
    ///
    /// # Errors
    /// When the database fails; the next call goes on from there.
    pub async fn catch_up(&self) -> Result<(), StoreError> {
        let mut place = self.followed.at.lock().await;
        let store = &self.keeping.store;
        let revision = store.content_revision().await?;
        if revision > place.revision || !self.followed.is_loaded() {
            // A writer holds the revision until it commits, so every change up to it is visible now.
            let (mut images, mut read) = (Vec::new(), place.images);
            loop {
                let page = store.changed_images(read, PAGE).await?;
                let Some(last) = page.last() else { break };
                read = (last.revision, last.number);
                images.extend(page);
            }
            // Asked for after the images: each of them finds its collection, however new that is.
            let facts: Vec<_> = store.collections().await?.into_iter().map(|(facts, _)| facts).collect();
            // Building an index of many images takes its time, and other tasks should not wait for it.
            tokio::task::block_in_place(|| self.collections.apply(&facts, images));
            // Only now: a failure before this must not leave out what was read and not yet taken up.
            place.images = read;
            loop {
                let page = store.changed_items(place.items, PAGE).await?;
                let Some(last) = page.last() else { break };
                place.items = (last.revision, last.number);
                tokio::task::block_in_place(|| self.catalogue.apply(&page));
            }
            place.revision = revision;
            self.followed.loaded.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Goes on catching up as long as the server runs.
    pub fn follow(self: &Arc<Self>) {
        let told = "collections and catalogue cannot be followed; what is known stays in force";
        self.go_on(told, |alive| async move { alive.catch_up().await });
    }

    /// Does something twice a second as long as the server runs, and says `told` when it begins to fail.
    pub(crate) fn go_on<F: Future<Output = Result<(), StoreError>> + Send>(
        self: &Arc<Self>,
        told: &'static str,
        work: impl Fn(Arc<Self>) -> F + Send + 'static,
    ) {
        let recogniser = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut failing = false;
            while let Some(alive) = recogniser.upgrade() {
                let done = work(alive).await;
                if let Err(error) = &done
                    && !failing
                {
                    tracing::warn!(%error, "{told}");
                }
                failing = done.is_err();
                tokio::time::sleep(EVERY).await;
            }
        });
    }
}

//! Following the database: collections and the catalogue are in memory as they are there, a moment later.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use cosine_index::{Settings, VectorIndex};
use kaisatsu_store::{ChangedItem, StoreError};
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

#[derive(Default)]
pub(crate) struct Place {
    revision: i64,
    images: (i64, i64),
    items: (i64, i64),
    /// What is in memory: the names of collections, and the greatest number of an item.
    collections: BTreeSet<String>,
    last_item: i64,
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
        if revision < place.revision.max(place.images.0).max(place.items.0) {
            tracing::info!("the database is older than it was; collections and catalogue are read anew");
            self.followed.loaded.store(false, Ordering::Release);
            let former = std::mem::take(&mut *place);
            tokio::task::block_in_place(|| self.empty(&former));
        }
        if revision > place.revision || !self.followed.is_loaded() {
            // A writer holds the revision until it commits, so every change up to it is visible now.
            let (mut images, mut read) = (Vec::new(), place.images);
            loop {
                let page = store.changed_images(read, PAGE).await?;
                let Some(last) = page.last() else { break };
                read = (last.revision, last.number);
                images.extend(page);
            }
            // QueryFeature for after the images: each of them finds its collection, however new that is.
            let facts: Vec<_> = store.collections().await?.into_iter().map(|(facts, _)| facts).collect();
            // Building an index of many images takes its time, and other tasks should not wait for it.
            place.collections.extend(facts.iter().map(|facts| facts.name.clone()));
            tokio::task::block_in_place(|| self.collections.apply(&facts, images));
            // Only now: a failure before this must not leave out what was read and not yet taken up.
            place.images = read;
            loop {
                let page = store.changed_items(place.items, PAGE).await?;
                let Some(last) = page.last() else { break };
                place.items = (last.revision, last.number);
                place.last_item = page.iter().map(|item| item.number).fold(place.last_item, i64::max);
                tokio::task::block_in_place(|| self.catalogue.apply(&page));
            }
            place.revision = revision;
            self.followed.loaded.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Takes everything out of memory. A backup that was restored does not say what it has not.
    fn empty(&self, former: &Place) {
        for name in &former.collections {
            if let Some(shelved) = self.collections.get(name) {
                shelved.index.replace(VectorIndex::new(1, Settings::default()));
            }
        }
        let removed =
            |number| ChangedItem { number, category: String::new(), sketches: Vec::new(), revision: former.revision };
        for number in 1..=former.last_item {
            self.catalogue.apply(&[removed(number)]);
        }
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

#[cfg(test)]
mod tests {
    use kaisatsu_model::Timestamp;
    use kaisatsu_store::{Collection, NewImage, NewItem};
    use kaisatsu_vision::object::EncodedReference;

    use crate::sweep::stage::Stage;

    #[tokio::test(flavor = "multi_thread")]
    async fn an_older_database_is_read_anew() {
        let stage = Stage::set().await;
        let text = |text: &str| text.to_owned();
        let image =
            |id: &str| NewImage { image_id: text(id), image_url: text(""), tag: text(""), vector: vec![0.6, 0.8] };
        let item = |id: &str| NewItem {
            id: text(id),
            category: text("book"),
            name: text(id),
            detail: text("{}"),
            image_url: text(""),
            sites: text("[]"),
            codes: Vec::new(),
            pictures: vec![(EncodedReference::default().to_bytes(), Vec::new())],
            digest: Vec::new(),
        };
        let facts = Collection { name: text("c"), model: text("general"), model_sha256: text("aa") };
        stage.store.ensure_collection(&facts, Timestamp(0)).await.unwrap();
        stage.store.put_images("c", &[image("a"), image("b")]).await.unwrap();
        stage.store.put_items(&[item("x"), item("y")]).await.unwrap();
        let recogniser = &stage.recogniser;
        let known = || (recogniser.collections.get("c").unwrap().index.len(), recogniser.catalogue.items());
        recogniser.catch_up().await.unwrap();
        assert_eq!(known(), (2, 2));
        stage.database.run(
            "DELETE FROM collection_image WHERE image_id = 'b'; \
             DELETE FROM catalogue_picture WHERE item = (SELECT number FROM catalogue_item WHERE id = 'x'); \
             DELETE FROM catalogue_item WHERE id = 'x'; UPDATE content_revision SET value = value - 1",
        );
        recogniser.catch_up().await.unwrap();
        assert!(recogniser.followed.is_loaded());
        assert_eq!(known(), (1, 1));
    }
}

//! Following the database: the indexes of collections and catalogue are as the database is, a moment later.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use kaisatsu_store::{PartState, Store, StoreError, VectorPart};
use tokio::sync::Mutex;

use crate::{
    RecognitionError,
    background::{Signals, follow},
    context::Context,
    engine::COLLECTION_IMAGES,
    indexes::{CatalogueIndex, CollectionIndexes},
    placement::Placement,
    segments::SegmentKeeper,
};

/// How many changes are read at once.
const PAGE: i64 = 1_000;

/// How long a change waits for the indexes. It is in the database then, and the indexes follow.
const APPLIED_WITHIN: Duration = Duration::from_secs(5);

/// Keeps the indexes up to date.
pub(crate) struct ContentFollower {
    store: Store,
    collections: Arc<CollectionIndexes>,
    catalogue: Arc<CatalogueIndex>,
    segments: Arc<SegmentKeeper>,
    placement: Arc<Placement>,
    signals: Arc<Signals>,
    loaded: AtomicBool,
    position: Mutex<Position>,
}

/// How far the database has been followed.
#[derive(Default)]
struct Position {
    /// All changes up to this revision are in the indexes.
    revision: i64,
    /// Revision and number of the last change that was applied: of the images of each collection that is in memory, and
    /// of items.
    images: HashMap<String, (i64, i64)>,
    items: (i64, i64),
}

impl ContentFollower {
    pub(crate) fn new(context: &Context, segments: &Arc<SegmentKeeper>, placement: &Arc<Placement>) -> Self {
        Self {
            store: context.store.clone(),
            segments: Arc::clone(segments),
            placement: Arc::clone(placement),
            collections: Arc::clone(&context.collections),
            catalogue: Arc::clone(&context.catalogue),
            signals: Arc::clone(&context.signals),
            loaded: AtomicBool::new(false),
            position: Mutex::default(),
        }
    }

    /// Whether everything that there was at the start is in the indexes.
    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded.load(Ordering::Acquire)
    }

    /// Follows the database as long as this lives.
    pub(crate) fn start(self: &Arc<Self>) {
        let failure = "collections and catalogue cannot be followed; what is known stays in force";
        let changed = Arc::clone(&self.signals.content_changed);
        follow(self, failure, changed, |alive| async move { alive.catch_up().await });
    }

    /// Applies what changed since the last time. To be called on a runtime of several threads.
    ///
    /// # Errors
    /// When the database fails, or a segment cannot be read. The next call goes on from there.
    pub(crate) async fn catch_up(&self) -> Result<(), RecognitionError> {
        let mut position = self.position.lock().await;
        let store = &self.store;
        let revision = store.content_revision().await?;
        let latest = position.images.values().map(|(revision, _)| *revision).max().unwrap_or(0);
        if revision < position.revision.max(latest).max(position.items.0) {
            tracing::info!("the database is older than before; collections and catalogue are read anew");
            self.loaded.store(false, Ordering::Release);
            *position = Position::default();
            // A restored backup does not say what it lacks. Collections answer as they are until they have been read
            // anew.
            self.segments.clear().await;
        }
        if revision > position.revision || !self.is_loaded() {
            // A writer holds the revision until it commits, so every change up to it is visible now.
            if !self.is_loaded()
                && let Err(error) = self.placement.begin_large().await
            {
                tracing::warn!(%error, "large collections cannot be moved into the database; they are read into memory");
            }
            let complete = self.follow_collections(&mut position).await?;
            if !self.is_loaded() {
                self.segments.keep_up().await?;
            }
            loop {
                position.items = self.catalogue.covered_from(position.items);
                let page = store.changed_items(position.items, PAGE).await?;
                let Some(last) = page.last() else { break };
                let applied = tokio::task::block_in_place(|| self.catalogue.apply(&page));
                applied.map_err(|error| RecognitionError::Failed(format!("a segment of the catalogue: {error}")))?;
                position.items = (last.revision, last.number);
            }
            position.revision = revision;
            self.loaded.store(complete, Ordering::Release);
        }
        if self.is_loaded() {
            self.signals.content_applied.send_replace(Some(revision));
        }
        Ok(())
    }

    /// Follows the collections: those in the database by where they are, the others by their vectors. Returns false
    /// when one has to be awaited: it was being moved into the database when this replica started. Its vectors are not
    /// read then, since this memory would be free again when the move is done.
    async fn follow_collections(&self, position: &mut Position) -> Result<bool, StoreError> {
        let mut complete = true;
        let collections = self.store.collection_list().await?;
        let parts = self.store.vector_parts().await?;
        let changed = self.store.changed_collections(position.revision).await?;
        self.collections.retain(&collections);
        position.images.retain(|name, _| collections.iter().any(|collection| collection.name == *name));
        for collection in &collections {
            let answers = |part: &&VectorPart| part.state() == PartState::Answering && part.is_of(collection);
            if let Some(part) = parts.iter().find(answers) {
                position.images.remove(&collection.name);
                tokio::task::block_in_place(|| self.collections.search_in(collection, part));
                continue;
            }
            let on_the_way = |part: &VectorPart| part.state() == PartState::Filling && part.is_of(collection);
            let returns = |part: &VectorPart| part.state() == PartState::Leaving && part.is_of(collection);
            if !self.is_loaded()
                && !self.collections.is_in_memory(collection)
                && parts.iter().any(on_the_way)
                && !parts.iter().any(returns)
            {
                complete = false;
                continue;
            }
            // A collection that was emptied may have other weights now: then its index is built anew.
            let known = position.images.get(&collection.name).copied();
            let known = known.filter(|_| self.collections.is_in_memory(collection));
            if known.is_some() && !changed.contains(&collection.name) {
                continue;
            }
            let (mut images, mut read) = (Vec::new(), known.unwrap_or_default());
            loop {
                let page = self.store.changed_images(&collection.name, read, PAGE).await?;
                let Some(last) = page.last() else { break };
                read = (last.revision, last.number);
                images.extend(page);
            }
            // Building an index of many images takes time, and other tasks should not wait for it.
            tokio::task::block_in_place(|| match known {
                Some(_) => self.collections.update(collection, &images),
                None => self.collections.build(collection, &images),
            });
            // Only now: after a failure before this, what was read and not applied is read again.
            position.images.insert(collection.name.clone(), read);
        }
        for (place, in_database) in [("memory", false), ("database", true)] {
            let all = self.collections.all();
            let there = all.iter().filter(|collection| collection.part().is_some() == in_database);
            let images: usize = there.map(|collection| collection.images()).sum();
            #[allow(clippy::cast_precision_loss, reason = "a gauge is a float")]
            metrics::gauge!(COLLECTION_IMAGES, "place" => place).set(images as f64);
        }
        Ok(complete)
    }
}

/// Changes of collections and catalogue that are made here.
pub(crate) struct ContentChanges {
    store: Store,
    signals: Arc<Signals>,
}

impl ContentChanges {
    pub(crate) fn new(context: &Context) -> Self {
        Self { store: context.store.clone(), signals: Arc::clone(&context.signals) }
    }

    /// Waits until the indexes of this server have what is in the database, for a while: whoever changes something and
    /// then searches sees it. While the indexes are being loaded nothing is searched, and there is nothing to wait for.
    pub(crate) async fn applied(&self) {
        self.signals.sweep.notify_one();
        let mut applied = self.signals.content_applied.subscribe();
        if applied.borrow().is_none() {
            return;
        }
        // The change is made. A database that fails now fails the follower too, which says so.
        let Ok(revision) = self.store.content_revision().await else { return };
        self.signals.content_changed.notify_one();
        let wait = applied.wait_for(|applied| applied.is_none_or(|applied| applied >= revision));
        let _ = tokio::time::timeout(APPLIED_WITHIN, wait).await;
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Timestamp;
    use kaisatsu_store::{Collection, NewImage, NewItem};
    use kaisatsu_vision::object::EncodedReference;

    use std::sync::Arc;

    use super::ContentFollower;
    use crate::{fixture::Fixture, placement::Placement, segments::SegmentKeeper};

    fn follower_of(fixture: &Fixture) -> ContentFollower {
        let context = &fixture.context;
        ContentFollower::new(context, &Arc::new(SegmentKeeper::new(context)), &Arc::new(Placement::new(context)))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_older_database_is_read_anew() {
        let fixture = Fixture::new().await;
        let text = |text: &str| text.to_owned();
        let image = |id: &str| {
            let (image_id, image_url, tag, vector) = (text(id), text(""), text(""), vec![0.6, 0.8]);
            NewImage { image_id, image_url, tag, vector, thumbnail: None }
        };
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
            thumbnail: None,
        };
        let collection = Collection { name: text("c"), model: text("general"), model_sha256: text("aa") };
        fixture.store.ensure_collection(&collection, Timestamp(0)).await.unwrap();
        fixture.store.put_images("c", &[image("a"), image("b")]).await.unwrap();
        fixture.store.put_items(&[item("x"), item("y")]).await.unwrap();
        let follower = follower_of(&fixture);
        let known = || (follower.collections.get("c").unwrap().images(), follower.catalogue.items());
        follower.catch_up().await.unwrap();
        assert_eq!(known(), (2, 2));
        fixture.database.run(
            "DELETE FROM collection_image WHERE image_id = 'b'; \
             DELETE FROM catalogue_picture WHERE item = (SELECT number FROM catalogue_item WHERE id = 'x'); \
             DELETE FROM catalogue_item WHERE id = 'x'; UPDATE content_revision SET value = value - 1",
        );
        follower.catch_up().await.unwrap();
        assert!(follower.is_loaded());
        assert_eq!(known(), (1, 1));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_emptied_collection_is_indexed_anew_with_other_weights() {
        let fixture = Fixture::new().await;
        let text = |text: &str| text.to_owned();
        let collection = |weights| Collection { name: text("c"), model: text("general"), model_sha256: text(weights) };
        let image = |id: &str, vector| NewImage {
            image_id: text(id),
            image_url: text(""),
            tag: text(""),
            vector,
            thumbnail: None,
        };
        let follower = follower_of(&fixture);
        fixture.store.ensure_collection(&collection("old"), Timestamp(0)).await.unwrap();
        fixture.store.put_images("c", &[image("a", vec![1.0, 0.0])]).await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(follower.collections.get("c").unwrap().search(&[1.0, 0.0], 5).unwrap().len(), 1);
        // The new weights make vectors of another length.
        fixture.store.remove_images("c", None).await.unwrap();
        fixture.store.ensure_collection(&collection("new"), Timestamp(0)).await.unwrap();
        fixture.store.put_images("c", &[image("b", vec![0.0, 1.0, 0.0])]).await.unwrap();
        follower.catch_up().await.unwrap();
        let known = follower.collections.get("c").unwrap();
        assert_eq!((&known.collection, known.dims()), (&collection("new"), 3));
        let found = known.search(&[0.0, 1.0, 0.0], 5).unwrap();
        assert_eq!(found.iter().map(|found| found.id).collect::<Vec<_>>(), [2]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_failing_database_is_an_error_and_nothing_counts_as_loaded() {
        let fixture = Fixture::new().await;
        fixture.database.run("DROP TABLE catalogue_code; DROP TABLE catalogue_picture");
        let follower = follower_of(&fixture);
        assert!(follower.catch_up().await.is_err());
        assert!(!follower.is_loaded());
    }
}

//! Where the vectors of each collection are: large ones in the database, if it can search them, others in the memory of
//! every replica. Those in the database lie on its shards, if it has any. A collection moves while it answers, by one
//! replica at a time.

#[cfg(test)]
mod tests;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use kaisatsu_model::Clock;
use kaisatsu_store::{Collection, Followed, PartState, Store, StoreError, VectorPart, VectorSupport};

use crate::{
    VectorPlace, VectorSettings,
    background::follow,
    context::Context,
    indexes::{CollectionIndexes, unlike_below},
};

/// Changes of a collection that are applied at once. Each takes about ten milliseconds in a part with an index.
const BATCH: i64 = 200;

/// How long a part stays after replicas were told to return to their memory: they search it until they have loaded the
/// vectors.
const LEAVING: Duration = Duration::from_mins(5);

/// Moves collections, and keeps those in the database as they are.
pub(crate) struct Placement {
    store: Store,
    clock: Arc<dyn Clock>,
    collections: Arc<CollectionIndexes>,
    settings: VectorSettings,
    unsupported: AtomicBool,
}

impl Placement {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            collections: Arc::clone(&context.collections),
            settings: context.vectors,
            unsupported: AtomicBool::new(false),
        }
    }

    /// Works as long as this lives. A move may take hours, and parts that answer are kept up to date meanwhile.
    pub(crate) fn start(self: &Arc<Self>) {
        let failure = "vectors in the database cannot be kept up to date; what they are stays in force";
        follow(self, failure, Arc::default(), |alive| async move { alive.keep_up().await });
        let failure = "collections cannot be moved between memory and database; they answer from where they are";
        follow(self, failure, Arc::default(), |alive| async move { alive.arrange().await });
    }

    /// Brings the parts that answer up to date.
    pub(crate) async fn keep_up(&self) -> Result<(), StoreError> {
        let parts = self.store.vector_parts().await?;
        let revision = if parts.is_empty() { 0 } else { self.store.content_revision().await? };
        let mut done = Ok(());
        for part in &parts {
            if part.state() == PartState::Answering && part.revision < revision {
                // A shard that is away concerns the parts on it, not the others.
                done = done.and(self.follow(part).await.map(drop));
            }
        }
        done
    }

    /// Begins to move large collections that are not in the database yet. For a replica that starts: it need not read
    /// into its memory what is moved out of it a moment later.
    pub(crate) async fn begin_large(&self) -> Result<(), StoreError> {
        if self.settings.place == VectorPlace::Memory {
            return Ok(());
        }
        let least = i64::try_from(self.settings.threshold.max(1)).unwrap_or(i64::MAX);
        for (collection, dims) in self.store.collections_without_part(least).await? {
            if self.can_search().await? {
                self.begin(&collection, dims).await?;
            }
        }
        Ok(())
    }

    /// Moves the collections that belong elsewhere, one after another.
    pub(crate) async fn arrange(&self) -> Result<(), StoreError> {
        let parts = self.store.vector_parts().await?;
        let collections = if parts.is_empty() { Vec::new() } else { self.store.collection_list().await? };
        let layout = self.store.shard_layout().await?;
        let mut done = Ok(());
        for part in &parts {
            let collection = collections.iter().find(|collection| part.is_of(collection));
            let moving =
                |other: &VectorPart| other.collection == part.collection && other.state() == PartState::Filling;
            let misplaced = part.state() == PartState::Answering && part.shards != layout;
            done = done.and(match collection.filter(|_| misplaced && !parts.iter().any(moving)) {
                Some(collection) if self.belongs_in_database(images(part), true) => self.spread(collection, part).await,
                _ => self.advance(part, collection.is_some(), &layout).await,
            });
        }
        done = done.and(self.store.finish_shards().await);
        for known in self.collections.all() {
            let has_part = parts.iter().any(|part| part.collection == known.collection.name);
            if !has_part && self.belongs_in_database(known.images(), false) && self.can_search().await? {
                let dims = i64::try_from(known.dims()).unwrap_or(i64::MAX);
                done = done.and(self.begin(&known.collection, dims).await);
            }
        }
        done
    }

    /// Begins a part on other servers than those that the collection lies on. The one that there is answers until the
    /// new one has everything.
    async fn spread(&self, collection: &Collection, part: &VectorPart) -> Result<(), StoreError> {
        if self.store.begin_part(collection, part.dims, self.clock.now()).await? {
            tracing::info!(collection = collection.name, "vectors move to other servers of the database");
        }
        Ok(())
    }

    async fn advance(&self, part: &VectorPart, exists: bool, layout: &[String]) -> Result<(), StoreError> {
        let images = images(part);
        let belongs = exists && self.belongs_in_database(images, true);
        let now = self.clock.now();
        match part.state() {
            PartState::Filling if !exists || self.settings.place == VectorPlace::Memory || part.shards != layout => {
                self.store.drop_part(part).await
            }
            PartState::Filling => self.fill(part).await,
            PartState::Answering if !belongs => {
                tracing::info!(collection = part.collection, images, "vectors return to memory");
                self.store.leave_part(part, now).await
            }
            PartState::Answering if images.abs_diff(learned_from(part)) * 10 > learned_from(part) => {
                self.store.set_unlike_below(part, unlike_below(&self.store, part).await?).await
            }
            PartState::Leaving if now >= part.changed_at().after(LEAVING) => self.store.drop_part(part).await,
            PartState::Answering | PartState::Leaving => Ok(()),
        }
    }

    async fn begin(&self, collection: &Collection, dims: i64) -> Result<(), StoreError> {
        if self.store.begin_part(collection, dims, self.clock.now()).await? {
            tracing::info!(collection = collection.name, "vectors move into the database");
        }
        Ok(())
    }

    /// Fills a part and lets it answer. Goes on where another replica stopped, and stops where another one is at it.
    async fn fill(&self, part: &VectorPart) -> Result<(), StoreError> {
        if !self.follow(part).await? {
            return Ok(());
        }
        // The size of the index depends on how much there is now.
        let Some(filled) = self.again(part).await? else { return Ok(()) };
        if !self.store.index_part(&filled).await? || !self.follow(&filled).await? {
            return Ok(());
        }
        self.store.set_unlike_below(&filled, unlike_below(&self.store, &filled).await?).await?;
        while self.follow(&filled).await? {
            if self.store.answer_from_part(&filled, self.clock.now()).await? {
                let bytes = self.store.part_bytes(&filled).await?;
                tracing::info!(
                    collection = part.collection,
                    images = filled.images,
                    bytes,
                    shards = filled.shards.join(","),
                    "vectors are in the database"
                );
                return Ok(());
            }
        }
        Ok(())
    }

    /// Applies all changes to a part. Returns false when another replica is at it.
    async fn follow(&self, part: &VectorPart) -> Result<bool, StoreError> {
        loop {
            match self.store.follow_part(part, BATCH).await? {
                Followed::More => {}
                Followed::All => return Ok(true),
                Followed::Busy => return Ok(false),
            }
        }
    }

    /// The part as it is now.
    async fn again(&self, part: &VectorPart) -> Result<Option<VectorPart>, StoreError> {
        let parts = self.store.vector_parts().await?;
        Ok(parts.into_iter().find(|other| other.number == part.number))
    }

    /// Whether a collection of so many images belongs in the database. One that is there stays until it has shrunk to
    /// half of the threshold.
    fn belongs_in_database(&self, images: usize, is_there: bool) -> bool {
        let threshold = if is_there { self.settings.threshold / 2 } else { self.settings.threshold };
        match self.settings.place {
            VectorPlace::Memory => false,
            VectorPlace::Database => images > 0 || is_there,
            VectorPlace::Auto => images >= threshold.max(1),
        }
    }

    /// Whether the database can search vectors. Asked once: what is missing is added by an operator, who starts the
    /// servers again.
    async fn can_search(&self) -> Result<bool, StoreError> {
        if self.unsupported.load(Ordering::Relaxed) {
            return Ok(false);
        }
        match self.store.enable_vectors().await? {
            VectorSupport::Ready => Ok(true),
            VectorSupport::Available => Ok(false),
            VectorSupport::Missing(reason) => {
                tracing::info!("vectors of large collections stay in memory: {reason}");
                self.unsupported.store(true, Ordering::Relaxed);
                Ok(false)
            }
        }
    }
}

fn images(part: &VectorPart) -> usize {
    usize::try_from(part.images).unwrap_or(0)
}

fn learned_from(part: &VectorPart) -> usize {
    usize::try_from(part.learned_from).unwrap_or(0)
}

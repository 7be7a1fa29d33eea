//! Where the vectors of each collection are: large ones in the database, if it can search them, others in the memory of
//! every replica. Those in the database lie on its shards, if it has any. A collection moves while it answers, by one
//! replica at a time.

mod room;
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
use kaisatsu_store::{Collection, Followed, PartState, ShardState, Store, StoreError, VectorPart, VectorSupport};

use crate::{
    VectorPlace, VectorSettings,
    background::follow,
    context::Context,
    indexes::{CollectionIndexes, unlike_below},
    placement::room::Measured,
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
    /// Whether collections take more memory than they may, and cannot move.
    cramped: AtomicBool,
}

impl Placement {
    pub(crate) fn new(context: &Context) -> Self {
        Self {
            store: context.store.clone(),
            clock: Arc::clone(&context.clock),
            collections: Arc::clone(&context.collections),
            settings: context.vectors,
            unsupported: AtomicBool::new(false),
            cramped: AtomicBool::new(false),
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
        let lost = self.lost_shards(&parts).await?;
        let mut done = Ok(());
        for part in &parts {
            let is_lost = part.shards.iter().any(|shard| lost.contains(shard));
            if part.state() == PartState::Answering && part.revision < revision && !is_lost {
                // A shard that is away concerns the parts on it, not the others.
                done = done.and(self.follow(part).await.map(drop));
            }
        }
        done
    }

    /// The shards that are lost, which are not asked any more.
    async fn lost_shards(&self, parts: &[VectorPart]) -> Result<Vec<String>, StoreError> {
        if parts.iter().all(|part| part.shards.is_empty()) {
            return Ok(Vec::new());
        }
        let mut shards = self.store.shards().await?;
        shards.retain(|shard| shard.state() == ShardState::Lost);
        Ok(shards.into_iter().map(|shard| shard.name).collect())
    }

    /// Moves the collections that belong elsewhere, one after another.
    pub(crate) async fn arrange(&self) -> Result<(), StoreError> {
        let parts = self.store.vector_parts().await?;
        let collections = self.store.collection_list().await?;
        // What is not loaded yet takes memory too, of which nothing is known: others must not return into it.
        let is_known = |collection: &Collection| self.collections.get(&collection.name).is_some();
        if self.settings.place == VectorPlace::Auto && !collections.iter().all(is_known) {
            return Ok(());
        }
        let layout = self.store.shard_layout().await?;
        let chosen = room::in_database(self.sized(&parts), &self.settings);
        let mut done = Ok(());
        for part in &parts {
            let collection = collections.iter().find(|collection| part.is_of(collection));
            let moving =
                |other: &VectorPart| other.collection == part.collection && other.state() == PartState::Filling;
            let misplaced = part.state() == PartState::Answering && part.shards != layout;
            done = done.and(match collection.filter(|_| misplaced && !parts.iter().any(moving)) {
                Some(collection) if chosen.contains(&part.collection) => self.spread(collection, part).await,
                _ => {
                    let belongs = collection.is_some() && chosen.contains(&part.collection);
                    self.advance(part, collection.is_some(), belongs, &layout).await
                }
            });
        }
        done = done.and(self.store.finish_shards().await);
        // Moves take hours, and other replicas begin some meanwhile.
        let parts = self.store.vector_parts().await?;
        let sized = self.sized(&parts);
        let wanted = room::in_memory(&sized);
        let chosen = room::in_database(sized, &self.settings);
        for known in self.collections.all() {
            let has_part = parts.iter().any(|part| part.collection == known.collection.name);
            if !has_part && chosen.contains(&known.collection.name) && self.can_search().await? {
                done = done.and(self.begin(&known.collection, known.dims()).await);
            }
        }
        self.warn(wanted);
        done
    }

    /// The collections, with how large they are and where.
    fn sized(&self, parts: &[VectorPart]) -> Vec<Measured> {
        let mut sized = Vec::new();
        for known in self.collections.all() {
            let name = known.collection.name.clone();
            let is_there = parts.iter().any(|part| part.collection == name && part.state() != PartState::Leaving);
            sized.push(Measured { name, images: known.images(), dims: known.dims(), is_there });
        }
        // A part that no search knows of yet.
        for part in parts.iter().filter(|part| part.state() != PartState::Leaving) {
            if !sized.iter().any(|known| known.name == part.collection) {
                let dims = usize::try_from(part.dims).unwrap_or(0);
                sized.push(Measured { name: part.collection.clone(), images: images(part), dims, is_there: true });
            }
        }
        sized
    }

    /// Says once when collections take more memory than they may and cannot move to the database.
    fn warn(&self, bytes: usize) {
        let VectorSettings { place, memory, .. } = self.settings;
        let cramped = place == VectorPlace::Auto && bytes > memory && self.unsupported.load(Ordering::Relaxed);
        if cramped && !self.cramped.swap(cramped, Ordering::Relaxed) {
            tracing::warn!(bytes, limit = memory, "the vectors of collections take more memory than collection_memory");
        }
        self.cramped.store(cramped, Ordering::Relaxed);
    }

    /// Whether collections take more memory than they may, and cannot move to the database.
    pub(crate) fn is_cramped(&self) -> bool {
        self.cramped.load(Ordering::Relaxed)
    }

    /// Begins a part on other servers than those that the collection lies on. The one that there is answers until the
    /// new one has everything.
    async fn spread(&self, collection: &Collection, part: &VectorPart) -> Result<(), StoreError> {
        if self.store.begin_part(collection, part.dims, self.clock.now()).await? {
            tracing::info!(collection = collection.name, "vectors move to other servers of the database");
        }
        Ok(())
    }

    async fn advance(
        &self,
        part: &VectorPart,
        exists: bool,
        belongs: bool,
        layout: &[String],
    ) -> Result<(), StoreError> {
        let images = images(part);
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

    async fn begin(&self, collection: &Collection, dims: usize) -> Result<(), StoreError> {
        let dims = i64::try_from(dims).unwrap_or(i64::MAX);
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

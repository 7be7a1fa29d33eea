//! Writes segments: of items that no segment has yet, of small segments, and anew those of which much was removed.
//!
//! The bytes of a segment are in the storage before it is recorded. What an interrupted writer leaves there, nothing
//! refers to, and the janitor removes it.

use std::{collections::HashMap, path::Path, sync::Arc, time::Duration};

use kaisatsu_model::{Clock, Timestamp};
use kaisatsu_store::{BlobKey, Blobs, CatalogueSegment, ChangedItem, NewSegment, SegmentRange, Store};
use kaisatsu_vision::object::{
    EncodedReference, ItemId, PictureId, Segment, SegmentItem, WrittenSegment, merge_segments, write_segment,
};
use tokio::sync::Mutex;

use super::plan::{gaps, to_merge, whole_range};
use crate::{RecognitionError, background::follow, context::Context, indexes::SegmentCache, storage::BlobWriter};

/// How many items are read at once.
const PAGE: i64 = 1_000;

/// How long the lease of the writer lasts, and how often it is renewed.
const LEASE: Duration = Duration::from_mins(1);
const RENEWAL: Duration = Duration::from_secs(15);

/// How often segments are looked at although no item has changed: whether they are there, and how much of them is still
/// live.
const INSPECTION: Duration = Duration::from_mins(10);

/// A segment is written anew when more than one in so many of its items have changed or gone.
const STALE_SHARE: i64 = 4;

/// Writes segments.
pub(crate) struct SegmentWriter {
    store: Store,
    clock: Arc<dyn Clock>,
    blobs: Blobs,
    cache: Arc<SegmentCache>,
    pub(super) bytes: BlobWriter,
    /// How many items make a segment; none with 0.
    smallest: i64,
    holder: String,
    progress: Mutex<Progress>,
}

/// What was looked at, so that it is not looked at again while nothing changes.
#[derive(Default)]
struct Progress {
    revision: Option<i64>,
    inspected: Option<Timestamp>,
}

impl SegmentWriter {
    pub(crate) fn new(context: &Context) -> Self {
        let (store, clock) = (context.store.clone(), Arc::clone(&context.clock));
        let (blobs, signals) = (context.blobs.clone(), Arc::clone(&context.signals));
        let mut holder = [0; 8];
        // Without random numbers two writers may do the same work; only one of them records it.
        let _ = getrandom::fill(&mut holder);
        Self {
            bytes: BlobWriter::unlimited(store.clone(), Arc::clone(&clock), blobs.clone(), signals),
            cache: Arc::clone(&context.segments),
            smallest: i64::try_from(context.segment_items).unwrap_or(i64::MAX),
            holder: kaisatsu_store::hex(&holder),
            progress: Mutex::default(),
            store,
            clock,
            blobs,
        }
    }

    /// Writes as long as this lives.
    pub(crate) fn start(self: &Arc<Self>) {
        let failure = "segments of the catalogue cannot be written; the catalogue answers from what it has";
        follow(self, failure, Arc::default(), |alive| async move { alive.work().await });
    }

    /// Does all that there is to do, unless another process is at it.
    ///
    /// # Errors
    /// When the database, the storage or the disk fails. The next call begins again.
    pub(crate) async fn work(&self) -> Result<(), RecognitionError> {
        let mut progress = self.progress.lock().await;
        if self.smallest == 0 {
            return Ok(());
        }
        let (revision, now) = (self.store.content_revision().await?, self.clock.now());
        let inspects = progress.inspected.is_none_or(|last| now >= last.after(INSPECTION));
        if progress.revision == Some(revision) && !inspects {
            return Ok(());
        }
        let all = async {
            while inspects && self.inspect().await? {}
            while self.write_gap().await? || self.merge_run().await? {}
            Ok::<(), RecognitionError>(())
        };
        if self.leased(all).await? {
            progress.revision = Some(revision);
            progress.inspected = progress.inspected.filter(|_| !inspects).or(Some(now));
            // In a process that does jobs alone, nobody else removes the copies of segments that were merged.
            self.cache.tidy(&self.store.catalogue_segments().await?);
        }
        Ok(())
    }

    /// Writes a segment of items that no segment has, where there are enough of them. Returns whether it did.
    async fn write_gap(&self) -> Result<bool, RecognitionError> {
        for gap in gaps(&self.store.catalogue_segments().await?) {
            if self.store.count_changed_items(gap, self.smallest).await? >= self.smallest {
                return self.write_range(gap).await;
            }
        }
        Ok(false)
    }

    async fn write_range(&self, gap: SegmentRange) -> Result<bool, RecognitionError> {
        let (mut items, mut to) = (Vec::new(), gap.from);
        let wanted = usize::try_from(self.smallest).unwrap_or(usize::MAX);
        'reading: loop {
            let page = self.store.changed_items(to, PAGE).await?;
            if page.is_empty() {
                break;
            }
            for change in page {
                let next = (change.revision, change.number);
                if next > gap.to || items.len() == wanted {
                    break 'reading;
                }
                to = next;
                // One that changes while pages are read comes again with its later revision, which counts.
                items.push(segment_item(change));
            }
        }
        // All of them may have changed since they were counted.
        if items.is_empty() {
            return Ok(false);
        }
        let path = self.cache.new_file()?;
        let file = path.clone();
        let written = blocking(move || write_segment(&file, items)).await;
        let written = written.map_err(failed)?;
        self.record(&path, &written, SegmentRange { from: gap.from, to }, &[]).await
    }

    /// Makes one segment of several small ones. Returns whether it did.
    async fn merge_run(&self) -> Result<bool, RecognitionError> {
        let recorded = self.store.catalogue_segments().await?;
        match to_merge(&recorded, self.smallest) {
            Some(run) => self.merge(&recorded, run).await,
            None => Ok(false),
        }
    }

    /// Looks for a segment that is lost or damaged, or of which much has changed, and sees to it. Returns whether there
    /// was one.
    async fn inspect(&self) -> Result<bool, RecognitionError> {
        let recorded = self.store.catalogue_segments().await?;
        for one in &recorded {
            let size = self.blobs.size(&one.key()).await?;
            if size != u64::try_from(one.segment.size).ok() {
                return self.forget(std::slice::from_ref(one), "is lost and will be written anew").await;
            }
            if self.is_damaged(one) {
                // Only who still has the lease forgets it. Another process may have written it anew by now.
                let forgotten = self.forget(std::slice::from_ref(one), "is damaged and will be written anew").await?;
                if forgotten {
                    self.remove_file(one).await;
                }
                return Ok(forgotten);
            }
            let entries = one.segment.entries;
            let live = self.store.count_changed_items(one.segment.range, entries).await?;
            if (entries - live) * STALE_SHARE > entries {
                return self.merge(&recorded, std::slice::from_ref(one)).await;
            }
        }
        Ok(false)
    }

    /// A file that cannot be read, because its disk or its permissions are broken, is as bad as a damaged one.
    fn is_damaged(&self, segment: &CatalogueSegment) -> bool {
        self.cache.is_damaged(segment).unwrap_or_else(|error| {
            tracing::error!(%error, segment = segment.number, "a segment of the catalogue cannot be read");
            true
        })
    }

    /// The same items make the same bytes, which are not written where a file of their size is.
    async fn remove_file(&self, segment: &CatalogueSegment) {
        if let Err(error) = self.blobs.remove(&segment.key().name()).await {
            tracing::error!(%error, segment = segment.number, "the file of a damaged segment cannot be removed");
        }
    }

    /// Writes one segment in place of neighbours, of what is live of them.
    async fn merge(&self, recorded: &[CatalogueSegment], run: &[CatalogueSegment]) -> Result<bool, RecognitionError> {
        let Some(range) = whole_range(run) else { return Ok(false) };
        // A removal says that an earlier segment's item is gone; before the first segment there is none.
        let is_first = recorded.first() == run.first();
        let wanted = self.live(range, !is_first).await?;
        if wanted.is_empty() {
            return self.forget(run, "has no item any more").await;
        }
        let mut segments: Vec<Segment> = Vec::new();
        for one in run {
            match self.cache.open(one).await? {
                Some(segment) => segments.push(segment),
                None => return self.forget(std::slice::from_ref(one), "is lost and will be written anew").await,
            }
        }
        let path = self.cache.new_file()?;
        let file = path.clone();
        let merged = blocking(move || merge_segments(&file, segments, &wanted)).await;
        match merged.map_err(failed)? {
            Some(written) => self.record(&path, &written, range, run).await,
            None => self.forget(run, "misses items and will be written anew").await,
        }
    }

    /// The items of a range with their revisions, with those that are removed if these are wanted too.
    async fn live(&self, mut range: SegmentRange, removed: bool) -> Result<HashMap<ItemId, u64>, RecognitionError> {
        let mut live = HashMap::new();
        loop {
            let page = self.store.item_revisions(range, PAGE).await?;
            let Some(last) = page.last() else { return Ok(live) };
            range.from = (last.revision, last.number);
            let wanted = page.iter().filter(|item| removed || item.removed == 0);
            live.extend(wanted.map(|item| (ItemId(item.number.unsigned_abs()), item.revision.unsigned_abs())));
        }
    }

    /// Stores a segment that was written, and records it in place of others.
    async fn record(
        &self,
        path: &Path,
        written: &WrittenSegment,
        range: SegmentRange,
        former: &[CatalogueSegment],
    ) -> Result<bool, RecognitionError> {
        let WrittenSegment { sha256, bytes, entries, items } = *written;
        let key = BlobKey::public(sha256);
        self.bytes.write_file(&key, path, bytes).await?;
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (entries, items) = (signed(entries), signed(items));
        let new = NewSegment { sha256, size: signed(bytes), range, entries, items };
        let recorded = self.store.replace_segments(&self.holder, former, Some(&new), self.clock.now()).await?;
        if recorded {
            self.cache.keep(path, sha256);
            tracing::info!(items, bytes, replaced = former.len(), "a segment of the catalogue is written");
        } else {
            let _ = std::fs::remove_file(path);
            self.bytes.release(&key).await;
        }
        Ok(recorded)
    }

    /// Removes segments: their items are read from the database until they are written anew.
    async fn forget(&self, run: &[CatalogueSegment], why: &str) -> Result<bool, RecognitionError> {
        let forgotten = self.store.replace_segments(&self.holder, run, None, self.clock.now()).await?;
        for one in run.iter().filter(|_| forgotten) {
            tracing::warn!(segment = one.number, items = one.segment.items, "a segment of the catalogue {why}");
        }
        Ok(forgotten)
    }

    /// Does something under the lease, which is renewed meanwhile. Returns false when another process has it.
    async fn leased(&self, work: impl Future<Output = Result<(), RecognitionError>>) -> Result<bool, RecognitionError> {
        let mut work = std::pin::pin!(work);
        loop {
            let now = self.clock.now();
            if !self.store.lease_segments(&self.holder, now, now.after(LEASE)).await? {
                return Ok(false);
            }
            if let Ok(done) = tokio::time::timeout(RENEWAL, &mut work).await {
                // Another process need not wait until it runs out.
                let now = self.clock.now();
                self.store.lease_segments(&self.holder, now, now).await?;
                return done.map(|()| true);
            }
        }
    }
}

fn segment_item(change: ChangedItem) -> SegmentItem {
    let picture = |(number, bytes): &(i64, Vec<u8>)| {
        // One that cannot be read is in no index either; whoever reads it into memory says so.
        Some((PictureId(number.unsigned_abs()), EncodedReference::from_bytes(bytes).ok()?))
    };
    SegmentItem {
        item: ItemId(change.number.unsigned_abs()),
        revision: change.revision.unsigned_abs(),
        pictures: change.sketches.iter().filter_map(picture).collect(),
        category: change.category,
    }
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn failed(error: std::io::Error) -> RecognitionError {
    RecognitionError::Failed(format!("a segment of the catalogue: {error}"))
}

/// Runs what takes long and waits for the disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

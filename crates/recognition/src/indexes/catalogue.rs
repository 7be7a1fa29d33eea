//! The catalogue by local features: most of a large one in segments, the rest in memory. An item is live in one place.

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard},
};

use kaisatsu_store::{CatalogueSegment, ChangedItem, SegmentRange};
use kaisatsu_vision::object::{EncodedReference, Index, ItemId, PictureId, QueryFeature, Segment, Vote, vote_over};

use crate::engine::CATALOGUE_ITEMS;

/// The items by local features.
#[derive(Default)]
pub(crate) struct CatalogueIndex {
    items: RwLock<Items>,
    /// One change at a time: what a change looks at stays as it is until it is made, while votes go on.
    changing: Mutex<()>,
}

#[derive(Default)]
struct Items {
    memory: Index,
    /// The revisions of the items in memory, and of those that were removed since the segments were written.
    revisions: HashMap<ItemId, u64>,
    segments: Vec<OpenSegment>,
}

/// A segment of the catalogue that is open here.
pub(crate) struct OpenSegment {
    pub(crate) recorded: CatalogueSegment,
    pub(crate) segment: Segment,
}

impl OpenSegment {
    fn range(&self) -> SegmentRange {
        self.recorded.segment.range
    }
}

impl CatalogueIndex {
    fn read(&self) -> RwLockReadGuard<'_, Items> {
        self.items.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many items have a reference picture.
    pub(crate) fn items(&self) -> usize {
        let items = self.read();
        items.memory.items() + items.in_segments()
    }

    /// Whether all reference pictures were read in four turns.
    pub(crate) fn is_turned(&self) -> bool {
        let items = self.read();
        items.memory.is_turned() && items.segments.iter().all(|open| open.segment.is_turned())
    }

    /// How many of them are in memory.
    #[cfg(test)]
    pub(crate) fn in_memory(&self) -> usize {
        self.read().memory.items()
    }

    /// Applies changes of items.
    ///
    /// # Errors
    /// When a segment cannot be read. The same changes can be applied again.
    pub(crate) fn apply(&self, changes: &[ChangedItem]) -> io::Result<()> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut items = self.items.write().unwrap_or_else(PoisonError::into_inner);
        changes.iter().try_for_each(|change| items.apply(change))?;
        items.report();
        Ok(())
    }

    /// The last change that the segments have after this one without a gap; or this one.
    pub(crate) fn covered_from(&self, change: (i64, i64)) -> (i64, i64) {
        let items = self.read();
        let ranges: Vec<SegmentRange> = items.segments.iter().map(OpenSegment::range).collect();
        follow_ranges(&ranges, change)
    }

    /// Which of the recorded segments are not open here.
    pub(crate) fn missing<'a>(&self, recorded: &'a [CatalogueSegment]) -> Vec<&'a CatalogueSegment> {
        let items = self.read();
        let is_open = |one: &CatalogueSegment| items.segments.iter().any(|open| open.recorded == *one);
        recorded.iter().filter(|one| !is_open(one)).collect()
    }

    /// Answers from the recorded segments: takes new ones in, and lets those go that are no longer recorded. One of
    /// them stays as long as the others do not have all of its range.
    ///
    /// # Errors
    /// When a segment cannot be read. The same call can be made again.
    pub(crate) fn take_in(&self, mut new: Vec<OpenSegment>, recorded: &[CatalogueSegment]) -> io::Result<()> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        // What takes long is done while votes go on.
        let (leaving, superseded, gone) = {
            let items = self.read();
            let is_recorded = |open: &OpenSegment| recorded.contains(&open.recorded);
            let there = items.segments.iter().filter(|open| is_recorded(open)).chain(&new);
            let ranges: Vec<SegmentRange> = there.map(OpenSegment::range).collect();
            let leaves = |open: &OpenSegment| {
                let SegmentRange { from, to } = open.range();
                !is_recorded(open) && follow_ranges(&ranges, from) >= to
            };
            let leaving: Vec<i64> =
                items.segments.iter().filter(|open| leaves(open)).map(|open| open.recorded.number).collect();
            let superseded = items.supersede(&mut new, &leaving, recorded)?;
            (leaving, superseded, items.gone_into(&new))
        };
        let mut items = self.items.write().unwrap_or_else(PoisonError::into_inner);
        for (number, item) in superseded {
            if let Some(open) = items.segments.iter_mut().find(|open| open.recorded.number == number) {
                open.segment.remove(item)?;
            }
        }
        items.segments.retain(|open| !leaving.contains(&open.recorded.number));
        items.segments.extend(new);
        items.memory.remove_items(&gone);
        items.revisions.retain(|item, _| !gone.contains(item));
        items.report();
        Ok(())
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        *self.items.write().unwrap_or_else(PoisonError::into_inner) = Items::default();
    }

    /// Lets the features of a picture vote for reference pictures, of one category or of all.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub(crate) fn vote(&self, query: &[QueryFeature], most: usize, category: Option<&str>) -> io::Result<Vec<Vote>> {
        let items = self.read();
        vote_over(&items.memory, items.segments.iter().map(|open| &open.segment), query, most, category)
    }
}

impl Items {
    fn in_segments(&self) -> usize {
        self.segments.iter().map(|open| open.segment.live_items()).sum()
    }

    fn apply(&mut self, change: &ChangedItem) -> io::Result<()> {
        let (item, revision) = (ItemId(change.number.unsigned_abs()), change.revision.unsigned_abs());
        let known = self.segments.iter().filter_map(|open| open.segment.revision_of(item));
        if known.chain(self.revisions.get(&item).copied()).any(|known| known >= revision) {
            return Ok(());
        }
        for open in &mut self.segments {
            open.segment.remove(item)?;
        }
        self.memory.remove_item(item);
        self.revisions.insert(item, revision);
        for (number, bytes) in &change.sketches {
            let picture = PictureId(number.unsigned_abs());
            match EncodedReference::from_bytes(bytes) {
                Ok(reference) => self.memory.insert_in(&change.category, item, picture, &reference),
                Err(error) => tracing::error!(picture = number, ?error, "a reference picture cannot be read"),
            }
        }
        Ok(())
    }

    /// Takes out of the new segments what is known at a later revision here. Returns what the new segments know at a
    /// later revision than those that stay.
    ///
    /// A segment that stays although it is no longer recorded leaves when others have all of its range. What the new
    /// ones have of it is taken out of it at once: taken out of them, it would be in none when that segment leaves.
    fn supersede(
        &self,
        new: &mut [OpenSegment],
        leaving: &[i64],
        recorded: &[CatalogueSegment],
    ) -> io::Result<Vec<(i64, ItemId)>> {
        for open in &mut *new {
            let later =
                |(item, revision): &(ItemId, u64)| self.revisions.get(item).is_some_and(|known| known > revision);
            let known: Vec<ItemId> = open.segment.revisions().filter(later).map(|(item, _)| item).collect();
            known.into_iter().try_for_each(|item| open.segment.remove(item))?;
        }
        let mut superseded = Vec::new();
        for open in self.segments.iter().filter(|open| !leaving.contains(&open.recorded.number)) {
            let is_recorded = recorded.contains(&open.recorded);
            for one in &mut *new {
                for (item, theirs, ours) in common(&open.segment, &one.segment) {
                    if theirs > ours || (theirs == ours && is_recorded) {
                        one.segment.remove(item)?;
                    } else {
                        superseded.push((open.recorded.number, item));
                    }
                }
            }
        }
        for at in 1..new.len() {
            let (before, rest) = new.split_at_mut(at);
            let Some(one) = rest.first_mut() else { break };
            for other in before {
                for (item, theirs, ours) in common(&other.segment, &one.segment) {
                    let older = if theirs >= ours { &mut *one } else { &mut *other };
                    older.segment.remove(item)?;
                }
            }
        }
        Ok(superseded)
    }

    /// What is in memory and need not be any more: what the new segments have at this or a later revision, and removals
    /// in their ranges.
    fn gone_into(&self, new: &[OpenSegment]) -> HashSet<ItemId> {
        let is_gone = |item: ItemId, revision: u64| {
            new.iter().any(|open| {
                if let Some(known) = open.segment.revision_of(item) {
                    return known >= revision;
                }
                let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                let SegmentRange { from, to } = open.range();
                let change = (signed(revision), signed(item.0));
                from < change && change <= to && !self.memory.has_item(item)
            })
        };
        self.revisions.iter().filter(|(item, at)| is_gone(**item, **at)).map(|(item, _)| *item).collect()
    }

    #[allow(clippy::cast_precision_loss, reason = "a gauge is a float")]
    fn report(&self) {
        metrics::gauge!(CATALOGUE_ITEMS, "place" => "memory").set(self.memory.items() as f64);
        metrics::gauge!(CATALOGUE_ITEMS, "place" => "segments").set(self.in_segments() as f64);
    }
}

/// The items that two segments have, with the revision in each.
fn common(one: &Segment, other: &Segment) -> Vec<(ItemId, u64, u64)> {
    let (mut ones, mut others) = (one.revisions().peekable(), other.revisions().peekable());
    let mut found = Vec::new();
    while let (Some((a, at)), Some((b, other_at))) = (ones.peek().copied(), others.peek().copied()) {
        if a == b {
            found.push((a, at, other_at));
        }
        if a <= b {
            ones.next();
        }
        if b <= a {
            others.next();
        }
    }
    found
}

/// The last change that ranges have after one without a gap; or that one.
fn follow_ranges(ranges: &[SegmentRange], mut change: (i64, i64)) -> (i64, i64) {
    while let Some(range) = ranges.iter().find(|range| range.follows(change)) {
        change = range.to;
    }
    change
}

//! The index of a catalogue in memory: which reference pictures have features like those of a query.
//!
//! An inverted file with Hamming embedding (Jégou, Douze and Schmid, 2008): for each word the views that have it, each
//! with the signature of its feature. Fourteen bytes a feature, with the words of each view, by which it is taken out.

use std::{
    collections::{HashMap, HashSet},
    io,
};

use super::{
    encoded::EncodedReference,
    features::are_turns,
    vocabulary::{QueryFeature, WORDS},
    vote::{ItemId, Part, PictureId, PostingList, View, Vote, vote},
};

/// The bytes of a feature: the place of its view and its signature, and its word beside the view.
const FEATURE_BYTES: usize = 4 + 8 + 2;

/// The postings of a word, in two columns because a pair of them would be padded to sixteen bytes.
#[derive(Debug, Clone, Default)]
struct Postings {
    views: Vec<[u8; 4]>,
    signatures: Vec<[u8; 8]>,
}

impl Postings {
    fn push(&mut self, view: u32, signature: u64) {
        // A quarter in reserve, where the standard library would keep as much again.
        let reserve = if self.views.len() == self.views.capacity() { self.views.len() / 4 + 4 } else { 0 };
        self.views.reserve_exact(reserve);
        self.signatures.reserve_exact(reserve);
        self.views.push(view.to_le_bytes());
        self.signatures.push(signature.to_le_bytes());
    }

    /// Takes out the postings of some views. The order of those that stay changes, which no vote notices.
    fn remove(&mut self, is_gone: impl Fn(u32) -> bool) {
        let mut at = 0;
        while let Some(view) = self.views.get(at) {
            if is_gone(u32::from_le_bytes(*view)) {
                self.views.swap_remove(at);
                self.signatures.swap_remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Gives memory back.
    fn shrink(&mut self) {
        let wanted = self.views.len() + self.views.len() / 4;
        self.views.shrink_to(wanted);
        self.signatures.shrink_to(wanted);
    }
}

/// The index. Any number of threads may [`vote`](Index::vote) at a time.
#[derive(Debug, Clone)]
pub struct Index {
    words: Vec<Postings>,
    views: Vec<View>,
    /// The words of each view.
    words_of: Vec<Box<[u16]>>,
    /// The places in `views` that are free.
    free: Vec<u32>,
    /// The places of each picture in `views`.
    pictures: HashMap<PictureId, Vec<u32>>,
    items: HashMap<ItemId, Vec<PictureId>>,
    categories: Vec<String>,
    postings: u64,
    /// How many reference pictures were not read in four turns.
    upright: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            words: vec![Postings::default(); WORDS],
            views: Vec::new(),
            words_of: Vec::new(),
            free: Vec::new(),
            pictures: HashMap::new(),
            items: HashMap::new(),
            categories: Vec::new(),
            postings: 0,
            upright: 0,
        }
    }
}

impl Index {
    /// Puts a reference picture of an item in; what the index knew of this picture goes.
    pub fn insert(&mut self, item: ItemId, picture: PictureId, encoded: &EncodedReference) {
        self.insert_in("", item, picture, encoded);
    }

    /// As [`Index::insert`], for an item of a category.
    pub fn insert_in(&mut self, category: &str, item: ItemId, picture: PictureId, encoded: &EncodedReference) {
        self.remove_picture(picture);
        let category = self.category_number(category);
        let mut slots = Vec::with_capacity(encoded.views().len());
        for (number, codes) in (0_u8..).zip(encoded.views()) {
            let features = u32::try_from(codes.len()).unwrap_or(u32::MAX);
            let view = View { item, picture, category, features, number, live: true };
            // Four thousand million views would not fit in memory anyway.
            let Some(slot) = self.place(view, codes.iter().map(|code| code.word).collect()) else { break };
            slots.push(slot);
            for code in codes {
                if let Some(postings) = self.words.get_mut(usize::from(code.word)) {
                    postings.push(slot, code.signature);
                    self.postings += 1;
                }
            }
        }
        self.upright += usize::from(!are_turns(slots.len()));
        self.pictures.insert(picture, slots);
        self.items.entry(item).or_default().push(picture);
    }

    fn place(&mut self, view: View, words: Box<[u16]>) -> Option<u32> {
        if let Some(slot) = self.free.pop()
            && let (Some(place), Some(place_of_words)) =
                (self.views.get_mut(slot as usize), self.words_of.get_mut(slot as usize))
        {
            (*place, *place_of_words) = (view, words);
            return Some(slot);
        }
        let slot = u32::try_from(self.views.len()).ok()?;
        self.views.push(view);
        self.words_of.push(words);
        Some(slot)
    }

    fn category_number(&mut self, name: &str) -> u32 {
        let at = self.categories.iter().position(|known| known == name).unwrap_or_else(|| {
            self.categories.push(name.to_owned());
            self.categories.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Takes an item out with all its pictures: no vote names it again.
    pub fn remove_item(&mut self, item: ItemId) {
        for picture in self.items.remove(&item).unwrap_or_default() {
            self.remove_picture(picture);
        }
    }

    /// Takes many items out, in less time than one after another.
    pub fn remove_items(&mut self, gone: &HashSet<ItemId>) {
        let mut slots = Vec::new();
        for item in gone {
            for picture in self.items.remove(item).unwrap_or_default() {
                slots.extend(self.forget(picture));
            }
        }
        if self.items.is_empty() {
            *self = Self::default();
            return;
        }
        for slot in &slots {
            self.vacate(*slot);
        }
        let views = &self.views;
        for postings in &mut self.words {
            postings.remove(|slot| views.get(slot as usize).is_none_or(|view| !view.live));
            postings.shrink();
        }
        self.free.extend(slots);
    }

    /// Takes a reference picture out: no vote names it again.
    pub fn remove_picture(&mut self, picture: PictureId) {
        for slot in self.forget(picture) {
            let Some(item) = self.views.get(slot as usize).map(|view| view.item) else { continue };
            let mut words = self.vacate(slot).into_vec();
            words.sort_unstable();
            words.dedup();
            for word in words {
                if let Some(postings) = self.words.get_mut(usize::from(word)) {
                    postings.remove(|other| other == slot);
                }
            }
            self.free.push(slot);
            if let Some(pictures) = self.items.get_mut(&item) {
                pictures.retain(|other| *other != picture);
                if pictures.is_empty() {
                    self.items.remove(&item);
                }
            }
        }
    }

    /// The places of the views of a picture, which it no longer has.
    fn forget(&mut self, picture: PictureId) -> Vec<u32> {
        let Some(slots) = self.pictures.remove(&picture) else { return Vec::new() };
        self.upright -= usize::from(!are_turns(slots.len()));
        slots
    }

    /// Marks the place of a view as no longer live. Returns the words that it had.
    fn vacate(&mut self, slot: u32) -> Box<[u16]> {
        if let Some(view) = self.views.get_mut(slot as usize) {
            view.live = false;
        }
        let words = self.words_of.get_mut(slot as usize).map(std::mem::take).unwrap_or_default();
        self.postings -= words.len() as u64;
        words
    }

    /// How many items it knows.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// Whether all its reference pictures were read in four turns.
    #[must_use]
    pub fn is_turned(&self) -> bool {
        self.upright == 0
    }

    /// Whether it knows an item.
    #[must_use]
    pub fn has_item(&self, item: ItemId) -> bool {
        self.items.contains_key(&item)
    }

    /// How many reference pictures it knows.
    #[must_use]
    pub fn pictures(&self) -> usize {
        self.pictures.len()
    }

    /// The bytes that its postings take, without what the allocator keeps in reserve.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let views: usize = self.words_of.iter().map(|words| words.len() * FEATURE_BYTES).sum();
        views + self.views.len() * size_of::<View>()
    }

    /// The `most` views for which most features of the query speak, the likeliest first.
    #[must_use]
    pub fn vote(&self, query: &[QueryFeature], most: usize) -> Vec<Vote> {
        // Memory does not fail as a disk does.
        vote(&[self], query, most, None).unwrap_or_default()
    }
}

impl Part for Index {
    fn postings(&self) -> u64 {
        self.postings
    }

    fn postings_of(&self, word: u16) -> u64 {
        self.words.get(usize::from(word)).map_or(0, |postings| postings.views.len() as u64)
    }

    fn views(&self) -> &[View] {
        &self.views
    }

    fn category(&self, name: &str) -> Option<u32> {
        self.categories.iter().position(|known| known == name).and_then(|at| u32::try_from(at).ok())
    }

    fn list<'a>(&'a self, word: u16, _: &'a mut Vec<u8>) -> io::Result<PostingList<'a>> {
        let list = self.words.get(usize::from(word));
        Ok(list.map(|list| PostingList { signatures: &list.signatures, views: &list.views }).unwrap_or_default())
    }
}

#[cfg(test)]
pub(in crate::object) mod tests;

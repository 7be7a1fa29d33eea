//! The index of a catalogue: which reference pictures have features like those of a query.
//!
//! An inverted file with Hamming embedding (Jégou, Douze and Schmid, 2008): for each word the views that have it, each
//! with the signature of its feature. Twelve bytes a feature, so a hundred thousand items fit in memory.

use std::collections::HashMap;

use fearless_simd::{Level, dispatch};

use super::{
    encoded::EncodedReference,
    vocabulary::{QueryFeature, WORDS},
};

/// An item of a catalogue, by the number that its store gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u64);

/// A reference picture of an item, by the number that its store gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PictureId(pub u64);

/// Signatures that differ in more bits than this are of different things. Two of three right pairs differ in fewer, and
/// one wrong pair in two thousand; a catalogue has many more wrong ones.
const MOST_BITS: u32 = 13;
/// The weight of a vote falls to a third with so many bits of difference.
const BITS_SCALE: f32 = 8.0;
/// Added to the number of a view's features, which divides its votes because chance speaks for each of them: a view of
/// three features must not win by one stray vote.
const FEW_FEATURES: f32 = 60.0;
/// How soon a feature that speaks for many views is weakened.
const MANY_VIEWS: f32 = 0.1;
/// The views of one item that a ranking holds at most: an item of many pictures must not keep all others from being
/// looked at.
const VIEWS_OF_ONE: usize = 3;
/// Removed postings are swept out when they are more than one in so many.
const SWEEP_SHARE: usize = 4;

/// A view that a query may show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// The item.
    pub item: ItemId,
    /// The reference picture.
    pub picture: PictureId,
    /// Which of the picture's views.
    pub view: usize,
    /// How much speaks for it; comparable within one query only.
    pub score: f32,
}

#[derive(Debug, Clone, Copy)]
struct View {
    item: ItemId,
    picture: PictureId,
    number: u8,
    live: bool,
    features: u32,
}

/// The postings of a word, in two columns because a pair of them would be padded to sixteen bytes.
#[derive(Debug, Clone, Default)]
struct Postings {
    views: Vec<u32>,
    signatures: Vec<u64>,
}

impl Postings {
    fn push(&mut self, view: u32, signature: u64) {
        // A quarter in reserve, where the standard library would keep as much again.
        let reserve = if self.views.len() == self.views.capacity() { self.views.len() / 4 + 4 } else { 0 };
        self.views.reserve_exact(reserve);
        self.signatures.reserve_exact(reserve);
        self.views.push(view);
        self.signatures.push(signature);
    }
}

/// The index. Any number of threads may [`vote`](Index::vote) at a time.
#[derive(Debug, Clone)]
pub struct Index {
    words: Vec<Postings>,
    views: Vec<View>,
    /// The slots of each picture in `views`.
    pictures: HashMap<PictureId, Vec<u32>>,
    items: HashMap<ItemId, Vec<PictureId>>,
    postings: usize,
    dead_postings: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            words: vec![Postings::default(); WORDS],
            views: Vec::new(),
            pictures: HashMap::new(),
            items: HashMap::new(),
            postings: 0,
            dead_postings: 0,
        }
    }
}

impl Index {
    /// Puts a reference picture of an item in; what the index knew of this picture goes.
    pub fn insert(&mut self, item: ItemId, picture: PictureId, encoded: &EncodedReference) {
        self.remove_picture(picture);
        let mut slots = Vec::with_capacity(encoded.views().len());
        for (number, codes) in (0_u8..).zip(encoded.views()) {
            // Four thousand million views would not fit in memory anyway.
            let Ok(slot) = u32::try_from(self.views.len()) else { break };
            let features = u32::try_from(codes.len()).unwrap_or(u32::MAX);
            self.views.push(View { item, picture, number, live: true, features });
            slots.push(slot);
            for code in codes {
                if let Some(postings) = self.words.get_mut(usize::from(code.word)) {
                    postings.push(slot, code.signature);
                    self.postings += 1;
                }
            }
        }
        self.pictures.insert(picture, slots);
        self.items.entry(item).or_default().push(picture);
    }

    /// Takes an item out with all its pictures: no vote names it again.
    pub fn remove_item(&mut self, item: ItemId) {
        for picture in self.items.remove(&item).unwrap_or_default() {
            self.remove_picture(picture);
        }
    }

    /// Takes a reference picture out: no vote names it again.
    pub fn remove_picture(&mut self, picture: PictureId) {
        for slot in self.pictures.remove(&picture).unwrap_or_default() {
            let Some(view) = self.views.get_mut(slot as usize) else { continue };
            view.live = false;
            self.dead_postings += view.features as usize;
            if let Some(pictures) = self.items.get_mut(&view.item) {
                pictures.retain(|other| *other != picture);
                if pictures.is_empty() {
                    let item = view.item;
                    self.items.remove(&item);
                }
            }
        }
        if self.dead_postings * SWEEP_SHARE > self.postings {
            self.sweep();
        }
    }

    /// How many items it knows.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// How many reference pictures it knows.
    #[must_use]
    pub fn pictures(&self) -> usize {
        self.pictures.len()
    }

    /// The bytes that its postings take, without what the allocator keeps in reserve.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.postings * (size_of::<u32>() + size_of::<u64>()) + self.views.len() * size_of::<View>()
    }

    /// The `most` views for which most features of the query speak, the likeliest first.
    #[must_use]
    pub fn vote(&self, query: &[QueryFeature], most: usize) -> Vec<Vote> {
        self.vote_among(query, most, |_| true)
    }

    /// As [`Index::vote`], of the items that are wanted.
    #[must_use]
    pub fn vote_among(&self, query: &[QueryFeature], most: usize, wanted: impl Fn(ItemId) -> bool) -> Vec<Vote> {
        let weights: Vec<f32> = (0..=MOST_BITS).map(weight).collect();
        let mut ballot = Ballot::new(self.views.len());
        let (level, mut near) = (Level::new(), Vec::new());
        for asked in query {
            for word in &asked.words {
                let Some(postings) = self.words.get(usize::from(*word)) else { continue };
                let rarity = self.rarity(postings.views.len());
                near.clear();
                find_near(level, &postings.signatures, asked.signature, &mut near);
                for (at, bits) in &near {
                    if let (Some(slot), Some(weight)) = (postings.views.get(*at), weights.get(*bits as usize)) {
                        ballot.cast(*slot as usize, whole(weight * rarity));
                    }
                }
            }
            ballot.count();
        }
        self.ranking(&ballot, most, wanted)
    }

    /// What a shared word is worth: little when half the catalogue has it.
    #[allow(clippy::cast_precision_loss, reason = "a weight, not an account")]
    fn rarity(&self, postings: usize) -> f32 {
        let usual = (self.postings / WORDS).max(1) as f32;
        (1.0 + 8.0 * usual / (postings.max(1) as f32)).ln()
    }

    #[allow(clippy::cast_precision_loss, reason = "a weight, not an account")]
    fn ranking(&self, ballot: &Ballot, most: usize, wanted: impl Fn(ItemId) -> bool) -> Vec<Vote> {
        let named = self.views.iter().zip(&ballot.sums);
        let named = named.filter(|(view, sum)| view.live && **sum > 0 && wanted(view.item));
        let mut votes: Vec<Vote> = named
            .map(|(view, sum)| Vote {
                item: view.item,
                picture: view.picture,
                view: usize::from(view.number),
                score: *sum as f32 / (view.features as f32 + FEW_FEATURES),
            })
            .collect();
        let total = votes.len();
        // Numbers break ties: the order in which a catalogue was filled makes no difference.
        let likelier = |a: &Vote, b: &Vote| {
            b.score.total_cmp(&a.score).then((a.item, a.picture, a.view).cmp(&(b.item, b.picture, b.view)))
        };
        // More than are asked for are put in order, because some of them are of one item.
        let mut ordered = most.saturating_mul(4);
        loop {
            if total > ordered && ordered > 0 {
                votes.select_nth_unstable_by(ordered - 1, likelier);
            }
            let best = &mut votes[..ordered.min(total)];
            best.sort_by(likelier);
            let ranked = few_of_each(best, most);
            if ranked.len() == most || ordered >= total {
                return ranked;
            }
            ordered = ordered.saturating_mul(4);
        }
    }

    /// Forgets the removed views and numbers the others anew.
    fn sweep(&mut self) {
        let mut renumbered: Vec<Option<u32>> = Vec::with_capacity(self.views.len());
        let mut kept = 0;
        for view in &self.views {
            renumbered.push(view.live.then_some(kept));
            kept += u32::from(view.live);
        }
        let number = |slot: u32| renumbered.get(slot as usize).copied().flatten();
        for postings in &mut self.words {
            let both = postings.views.iter().zip(&postings.signatures);
            let (views, signatures) = both.filter_map(|(slot, signature)| Some((number(*slot)?, *signature))).unzip();
            *postings = Postings { views, signatures };
        }
        self.views.retain(|view| view.live);
        for slots in self.pictures.values_mut() {
            *slots = slots.iter().filter_map(|slot| number(*slot)).collect();
        }
        self.postings -= self.dead_postings;
        self.dead_postings = 0;
    }
}

/// The first so many votes, and of each item the first few.
fn few_of_each(ordered: &[Vote], most: usize) -> Vec<Vote> {
    let mut seen: HashMap<ItemId, usize> = HashMap::new();
    let few = |vote: &&Vote| {
        let seen = seen.entry(vote.item).or_default();
        *seen += 1;
        *seen <= VIEWS_OF_ONE
    };
    ordered.iter().filter(few).take(most).copied().collect()
}

/// Where in a list are signatures that differ from one in few bits, and in how many. Nearly all of the time that a vote
/// takes is spent here, so it is compiled for the instructions that the machine has: counting bits is one of them on
/// most.
fn find_near(level: Level, signatures: &[u64], asked: u64, near: &mut Vec<(usize, u32)>) {
    dispatch!(level, _ => find_near_with(signatures, asked, near));
}

#[allow(clippy::inline_always, reason = "the instructions are those of the function it is put into")]
#[inline(always)]
fn find_near_with(signatures: &[u64], asked: u64, near: &mut Vec<(usize, u32)>) {
    for (at, signature) in signatures.iter().enumerate() {
        let bits = (signature ^ asked).count_ones();
        if bits <= MOST_BITS {
            near.push((at, bits));
        }
    }
}

/// The weight of a vote whose signatures differ in so many bits.
#[allow(clippy::cast_precision_loss, reason = "at most 64")]
fn weight(bits: u32) -> f32 {
    (-(bits as f32 / BITS_SCALE).powi(2)).exp()
}

/// A weight of one, as a whole number.
const UNIT: f32 = 1000.0;

/// A weight in thousandths: sums of whole numbers do not depend on the order in which the catalogue was filled.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "weights are positive and below a hundred")]
fn whole(weight: f32) -> u32 {
    (weight * UNIT) as u32
}

/// The votes of a query. Each of its features has one vote for each view, however often the view has its like: a
/// pattern that repeats counts once. And a feature that speaks for many views says little about each of them.
struct Ballot {
    sums: Vec<u32>,
    /// What the present feature says of each view, and the views of which it says something.
    present: Vec<u32>,
    named: Vec<usize>,
}

impl Ballot {
    fn new(views: usize) -> Self {
        Self { sums: vec![0; views], present: vec![0; views], named: Vec::new() }
    }

    fn cast(&mut self, view: usize, weight: u32) {
        let Some(present) = self.present.get_mut(view) else { return };
        if *present == 0 {
            self.named.push(view);
        }
        *present = weight.max(*present);
    }

    /// Adds what the present feature says to the sums, and makes ready for the next one.
    #[allow(clippy::cast_precision_loss, reason = "a weight, not an account")]
    fn count(&mut self) {
        let said: u64 =
            self.named.iter().filter_map(|view| self.present.get(*view)).map(|weight| u64::from(*weight)).sum();
        let share = 1.0 / (1.0 + said as f32 / (UNIT * MANY_VIEWS)).sqrt();
        for view in self.named.drain(..) {
            if let (Some(sum), Some(present)) = (self.sums.get_mut(view), self.present.get_mut(view)) {
                *sum += whole(*present as f32 * share / UNIT);
                *present = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests;

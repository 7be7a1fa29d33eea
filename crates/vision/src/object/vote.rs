//! The vote of a query's features for the views of a catalogue, wherever its postings are.
//!
//! A catalogue is divided by item into parts: an index in memory, and segments on a disk. The vote depends on the items
//! alone, to the bit, however they are divided: weights depend on all parts together, and sums are of whole numbers.

use std::{collections::HashMap, io};

use fearless_simd::{Level, dispatch};

use super::vocabulary::{QueryFeature, WORDS};

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

/// A view of a reference picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub(super) item: ItemId,
    pub(super) picture: PictureId,
    pub(super) category: u32,
    pub(super) features: u32,
    /// Which of the picture's views.
    pub(super) number: u8,
    pub(super) live: bool,
}

/// The postings of a word: signatures, and beside each the place of its view, both in little-endian order.
#[derive(Clone, Copy, Default)]
pub(super) struct PostingList<'a> {
    pub(super) signatures: &'a [[u8; 8]],
    pub(super) views: &'a [[u8; 4]],
}

/// A part of a catalogue.
pub(super) trait Part: Sync {
    /// How many postings of live views there are, and how many of them a word has.
    fn postings(&self) -> u64;
    fn postings_of(&self, word: u16) -> u64;
    /// All views, also those that are no longer live.
    fn views(&self) -> &[View];
    /// The number of a category, if a view may have it.
    fn category(&self, name: &str) -> Option<u32>;
    /// The postings of a word, also those of views that are no longer live.
    fn list<'a>(&'a self, word: u16, buffer: &'a mut Vec<u8>) -> io::Result<PostingList<'a>>;
}

/// The `most` views of one category, or of all, for which most features of the query speak, the likeliest first.
pub(super) fn vote(
    parts: &[&dyn Part],
    query: &[QueryFeature],
    most: usize,
    category: Option<&str>,
) -> io::Result<Vec<Vote>> {
    let hits = Hits::gather(parts, query)?;
    let mut tally = Tally::new(parts.iter().map(|part| part.views().len()).sum());
    for of_feature in &hits.of_features {
        tally.count(of_feature);
    }
    Ok(ranking(parts, &tally.sums, most, category))
}

/// For each feature of a query, the views that have its like, by their places among the views of all parts, each with
/// a weight.
struct Hits {
    of_features: Vec<Vec<(u32, u32)>>,
}

impl Hits {
    /// Reads the list of each word once, for all features that ask for it.
    fn gather(parts: &[&dyn Part], query: &[QueryFeature]) -> io::Result<Self> {
        let mut asked: Vec<(u16, usize)> = Vec::with_capacity(query.len() * super::vocabulary::PROBES);
        for (feature, of) in query.iter().enumerate() {
            asked.extend(of.words.iter().map(|word| (*word, feature)));
        }
        asked.sort_unstable();
        let weights: Vec<f32> = (0..=MOST_BITS).map(weight).collect();
        let postings = parts.iter().map(|part| part.postings()).sum();
        let (level, mut buffer, mut near) = (Level::new(), Vec::new(), Vec::new());
        let mut of_features = vec![Vec::new(); query.len()];
        for of_word in asked.chunk_by(|a, b| a.0 == b.0) {
            let Some((word, _)) = of_word.first() else { continue };
            let rarity = rarity(postings, parts.iter().map(|part| part.postings_of(*word)).sum());
            let mut first = 0;
            for part in parts {
                let views = part.views();
                let list = part.list(*word, &mut buffer)?;
                for (_, feature) in of_word {
                    let (Some(asked), Some(hits)) = (query.get(*feature), of_features.get_mut(*feature)) else {
                        continue;
                    };
                    near.clear();
                    find_near(level, list.signatures, asked.signature, &mut near);
                    for (at, bits) in &near {
                        let place = list.views.get(*at).map(|place| u32::from_le_bytes(*place) as usize);
                        let place = place.filter(|place| views.get(*place).is_some_and(|view| view.live));
                        // Four thousand million views would not fit in memory anyway.
                        let place = place.and_then(|place| u32::try_from(first + place).ok());
                        if let (Some(place), Some(weight)) = (place, weights.get(*bits as usize)) {
                            hits.push((place, whole(weight * rarity)));
                        }
                    }
                }
                first += views.len();
            }
        }
        Ok(Self { of_features })
    }
}

/// What a shared word is worth that has so many of all postings: little when half the catalogue has it.
#[allow(clippy::cast_precision_loss, reason = "a weight, not an account")]
fn rarity(all: u64, of_word: u64) -> f32 {
    let usual = (all / WORDS as u64).max(1) as f32;
    (1.0 + 8.0 * usual / (of_word.max(1) as f32)).ln()
}

/// The views in the order of their votes, of each item the first few.
#[allow(clippy::cast_precision_loss, reason = "a weight, not an account")]
fn ranking(parts: &[&dyn Part], sums: &[u32], most: usize, category: Option<&str>) -> Vec<Vote> {
    let (mut votes, mut first) = (Vec::new(), 0);
    for part in parts {
        let views = part.views();
        let of_part = views.iter().zip(sums.get(first..).unwrap_or_default());
        first += views.len();
        let wanted = category.map(|name| part.category(name));
        let named = of_part
            .filter(|(view, sum)| view.live && **sum > 0 && wanted.is_none_or(|wanted| wanted == Some(view.category)));
        votes.extend(named.map(|(view, sum)| Vote {
            item: view.item,
            picture: view.picture,
            view: usize::from(view.number),
            score: *sum as f32 / (view.features as f32 + FEW_FEATURES),
        }));
    }
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

/// Signatures that are compared before anything is looked at: few are near, and comparing without a branch takes the
/// vector instructions.
const TOGETHER: usize = 16;

/// Where in a list are signatures that differ from one in few bits, and in how many. Nearly all of the time that a vote
/// takes is spent here, so it is compiled for the instructions that the machine has: counting bits is one of them on
/// most.
fn find_near(level: Level, signatures: &[[u8; 8]], asked: u64, near: &mut Vec<(usize, u32)>) {
    dispatch!(level, _ => find_near_with(signatures, asked, near));
}

#[allow(clippy::inline_always, reason = "the instructions are those of the function it is put into")]
#[inline(always)]
fn find_near_with(signatures: &[[u8; 8]], asked: u64, near: &mut Vec<(usize, u32)>) {
    let difference = |signature: &[u8; 8]| (u64::from_le_bytes(*signature) ^ asked).count_ones();
    let (blocks, rest) = signatures.as_chunks::<TOGETHER>();
    let mut first = 0;
    for block in blocks {
        let any = block.iter().fold(0, |any, signature| any | u64::from(difference(signature) <= MOST_BITS));
        if any != 0 {
            for (at, signature) in (first..).zip(block) {
                let bits = difference(signature);
                if bits <= MOST_BITS {
                    near.push((at, bits));
                }
            }
        }
        first += TOGETHER;
    }
    for (at, signature) in (first..).zip(rest) {
        let bits = difference(signature);
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
struct Tally {
    sums: Vec<u32>,
    /// What the present feature says of each view, and the views of which it says something.
    present: Vec<u32>,
    named: Vec<usize>,
}

impl Tally {
    fn new(views: usize) -> Self {
        Self { sums: vec![0; views], present: vec![0; views], named: Vec::new() }
    }

    /// Adds what a feature says to the sums.
    #[allow(clippy::cast_precision_loss, reason = "a weight, not an account")]
    fn count(&mut self, hits: &[(u32, u32)]) {
        for (view, weight) in hits {
            let view = *view as usize;
            let Some(present) = self.present.get_mut(view) else { continue };
            if *present == 0 {
                self.named.push(view);
            }
            *present = (*weight).max(*present);
        }
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
mod tests {
    use super::{MOST_BITS, find_near};
    use crate::object::instruction_sets::levels;

    #[test]
    fn every_instruction_set_finds_the_same_signatures() {
        // Lengths on either side of a block, and distances on either side of the limit.
        for count in [0, 1, 15, 16, 17, 100] {
            let asked = 0x0f1e_2d3c_4b5a_6978_u64;
            let flipped = |bits: u32| (asked ^ 1_u64.unbounded_shl(bits).wrapping_sub(1)).to_le_bytes();
            let signatures: Vec<[u8; 8]> = (0..count).map(|at| flipped(at * 7 % 64)).collect();
            let expected: Vec<(usize, u32)> =
                (0..count).map(|at| (at as usize, at * 7 % 64)).filter(|(_, bits)| *bits <= MOST_BITS).collect();
            for level in levels() {
                let mut near = Vec::new();
                find_near(level, &signatures, asked, &mut near);
                assert_eq!(near, expected, "{level:?}, {count}");
            }
        }
    }
}

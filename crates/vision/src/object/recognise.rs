//! Object recognition from end to end: a picture, a catalogue, and which items of it are seen.

use std::collections::HashMap;

use fast_image_resize::Resizer;

use super::{
    extract::{Extractor, whole_plane},
    features::{Features, Reference},
    global_descriptor::global_descriptor,
    index::{ItemId, PictureId, Vote},
    verify::{Subject, Verification, verify},
    vocabulary::{QueryFeature, Vocabulary},
};
use crate::{Area, Picture, runtime::RuntimeError};

/// How a query is read, step by step until an item is found for sure.
struct Step {
    /// The longer side in pixels.
    side: u32,
    /// The most features.
    features: usize,
    /// Quarter turns.
    turn: u32,
}

/// Between these sizes and those of the references, an item that fills the picture or a quarter of it meets a view of
/// about its own size. Turned pictures are rare, and the second size costs as much as three of the first, so they are
/// read at the first only. The turns are in the order in which cameras are held.
const STEPS: [Step; 5] = [
    Step { side: 640, features: 1000, turn: 0 },
    Step { side: 1024, features: 1500, turn: 0 },
    Step { side: 640, features: 1000, turn: 1 },
    Step { side: 640, features: 1000, turn: 3 },
    Step { side: 640, features: 1000, turn: 2 },
];
/// How many views are verified at each size and turn.
const VERIFIED: usize = 16;
/// With so many inliers no wrong item has been seen; the search for a better size or turn ends.
const SURE: u32 = 25;
/// With so many inliers looks alone are enough, and the score is a half: wrong items reach 19.
const ENOUGH: u32 = 20;
/// With fewer inliers it is a coincidence. In between, something else must speak for the item.
const LEAST: u32 = 15;
/// After a sure one, only views with this share of its votes are verified: another edition of the same book.
const RIVAL_SHARE: f32 = 0.5;

/// An item that a picture shows, and what speaks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognised {
    /// The item.
    pub item: ItemId,
    /// Its reference picture that is nearest to the query.
    pub picture: PictureId,
    /// 0 to 1; grows with the inliers: 0.5 at 20, 0.95 at 25.
    pub score: f32,
    /// How many features of the reference lie in the query where they should.
    pub inliers: u32,
    /// The corners of the reference in the upright query, from the reference's upper left to the right, as fractions;
    /// they may lie outside of the picture.
    pub corners: [(f32, f32); 4],
    /// The part of the picture that it takes.
    pub area: Area,
}

/// What a recogniser finds in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The items that the picture shows, the surest first. Those with a score below a half may be coincidences: they
    /// need other evidence.
    pub items: Vec<Recognised>,
    /// The picture as a vector of [`GLOBAL_DIMENSIONS`](super::GLOBAL_DIMENSIONS) numbers and of length one; zeros
    /// where it has no features.
    pub descriptor: Vec<f32>,
}

/// The search for the items of a catalogue in one picture, in rounds.
///
/// Each round reads the picture at one size and turn, votes for reference pictures ([`Recogniser::vote`]) and verifies
/// them ([`Recogniser::verify`]). In between, the caller reads the features of the reference pictures from wherever
/// they are, so that no thread with a network waits for a database. The search ends when an item is found for sure, or
/// with the last round.
#[derive(Default)]
pub struct Search {
    rounds: usize,
    ballot: Option<Ballot>,
    found: HashMap<ItemId, Recognised>,
    descriptor: Option<Vec<f32>>,
}

/// What a round has voted for and not yet verified.
struct Ballot {
    query: Features,
    votes: Vec<Vote>,
    turn: u32,
}

impl Search {
    /// Whether no further round is needed.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ballot.is_none() && (self.rounds >= STEPS.len() || self.found.values().any(|found| found.inliers >= SURE))
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Found {
        let mut items: Vec<Recognised> = self.found.into_values().filter(|found| found.inliers >= LEAST).collect();
        items.sort_by(|a, b| b.inliers.cmp(&a.inliers).then(a.item.cmp(&b.item)));
        Found { items, descriptor: self.descriptor.unwrap_or_else(|| global_descriptor(&[])) }
    }
}

/// Recognises items, on one thread.
pub struct Recogniser {
    extractor: Extractor,
    vocabulary: Vocabulary,
}

impl Recogniser {
    /// A recogniser with its network.
    #[must_use]
    pub fn new(extractor: Extractor) -> Self {
        Self { extractor, vocabulary: Vocabulary::default() }
    }

    /// The network, for reading reference pictures.
    pub fn extractor(&mut self) -> &mut Extractor {
        &mut self.extractor
    }

    /// Begins the next round: reads the picture and lets its features vote. Returns the reference pictures that
    /// [`verify`](Self::verify) needs, none after the last round. `ballot` is [`Index::vote`](super::Index::vote), or
    /// [`Index::vote_among`](super::Index::vote_among) some items.
    ///
    /// # Errors
    /// When the network fails.
    pub fn vote(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        search: &mut Search,
        ballot: impl FnOnce(&[QueryFeature], usize) -> Vec<Vote>,
    ) -> Result<Vec<PictureId>, RuntimeError> {
        let Some(Step { side, features, turn }) = STEPS.get(search.rounds) else { return Ok(Vec::new()) };
        let plane = whole_plane(resizer, picture, *side)?.turned(*turn);
        let query = self.extractor.features(&plane, *features)?;
        let encoded = self.vocabulary.encode_query(&query);
        // The first round alone makes the descriptor: how many rounds follow depends on the catalogue.
        search.descriptor.get_or_insert_with(|| global_descriptor(&encoded));
        let votes = ballot(&encoded, VERIFIED);
        let mut pictures: Vec<PictureId> = votes.iter().map(|vote| vote.picture).collect();
        pictures.sort_unstable();
        pictures.dedup();
        search.rounds += 1;
        search.ballot = Some(Ballot { query, votes, turn: *turn });
        Ok(pictures)
    }

    /// Ends a round: keeps the items whose reference pictures lie in the picture as a whole. A reference picture that
    /// is missing was removed from the catalogue since the vote.
    pub fn verify(&self, search: &mut Search, references: &HashMap<PictureId, Reference>) {
        let Some(Ballot { query, votes, turn }) = search.ballot.take() else { return };
        for (vote, verification) in verified(&self.vocabulary, &query, &votes, references) {
            let seen = recognised(&vote, &verification, turn);
            if search.found.get(&vote.item).is_none_or(|other| other.inliers < seen.inliers) {
                search.found.insert(vote.item, seen);
            }
        }
    }
}

/// The votes that verification confirms.
fn verified(
    vocabulary: &Vocabulary,
    query: &Features,
    votes: &[Vote],
    references: &HashMap<PictureId, Reference>,
) -> Vec<(Vote, Verification)> {
    let query = Subject::new(query, vocabulary);
    let mut enough = 0.0;
    let mut seen = Vec::new();
    for vote in votes.iter().take_while(|vote| vote.score > 0.0) {
        if vote.score < enough {
            break;
        }
        let view = references.get(&vote.picture).and_then(|reference| reference.views().get(vote.view));
        let Some(view) = view else { continue };
        let Some(verification) = verify(&Subject::new(view, vocabulary), &query) else { continue };
        if verification.inliers >= SURE {
            enough = vote.score * RIVAL_SHARE;
        }
        seen.push((*vote, verification));
    }
    seen
}

fn recognised(vote: &Vote, verification: &Verification, turn: u32) -> Recognised {
    let corners = verification.corners.map(|corner| upright(corner, turn));
    let range = |values: [f32; 4]| {
        let least = values.into_iter().fold(f32::INFINITY, f32::min).clamp(0.0, 1.0);
        (least, values.into_iter().fold(f32::NEG_INFINITY, f32::max).clamp(0.0, 1.0))
    };
    let ((x_min, x_max), (y_min, y_max)) =
        (range(corners.map(|corner| corner.0)), range(corners.map(|corner| corner.1)));
    Recognised {
        item: vote.item,
        picture: vote.picture,
        score: score(verification.inliers),
        inliers: verification.inliers,
        corners,
        area: Area { x_min, y_min, x_max, y_max },
    }
}

/// A point of the turned picture in the upright one, both as fractions.
fn upright((x, y): (f32, f32), turn: u32) -> (f32, f32) {
    match turn % 4 {
        0 => (x, y),
        1 => (y, 1.0 - x),
        2 => (1.0 - x, 1.0 - y),
        _ => (1.0 - y, x),
    }
}

/// From inliers to a score: a logistic curve through 0.5 at 20, where wrong items end, and 0.95 at 25, where right ones
/// are alone.
#[allow(clippy::cast_precision_loss, reason = "a few thousand inliers")]
fn score(inliers: u32) -> f32 {
    1.0 / (1.0 + ((ENOUGH as f32 - inliers as f32) / 1.65).exp())
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH, SURE, score, upright};
    use crate::Picture;

    #[test]
    fn the_score_grows_with_the_inliers() {
        assert!((1..200).all(|inliers| score(inliers) >= score(inliers - 1)));
        assert!(score(ENOUGH) >= 0.5 && score(ENOUGH - 1) < 0.5);
        assert!(score(SURE) >= 0.95 && score(u32::MAX) <= 1.0);
    }

    /// A mark in a picture is turned with it and must lead back to where it was.
    #[test]
    fn a_place_in_the_turned_picture_leads_back() {
        let mut rgb = vec![0; 4 * 2 * 3];
        rgb[(4 + 3) * 3] = 255;
        let picture = Picture::new(4, 2, rgb).unwrap();
        for turn in 0..4 {
            let turned = picture.turned(turn);
            let at = u16::try_from(turned.rgb().iter().step_by(3).position(|red| *red == 255).unwrap()).unwrap();
            let (width, height) = (u16::try_from(turned.width()).unwrap(), u16::try_from(turned.height()).unwrap());
            let (x, y) = (f32::from(at % width) + 0.5, f32::from(at / width) + 0.5);
            let back = upright((x / f32::from(width), y / f32::from(height)), turn);
            assert!((back.0 - 3.5 / 4.0).abs() < 1e-6 && (back.1 - 1.5 / 2.0).abs() < 1e-6, "{turn}: {back:?}");
        }
    }
}

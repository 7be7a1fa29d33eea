//! Object recognition from end to end: a picture, a catalogue, and which items of it are seen.

use std::collections::HashMap;

use kaisatsu_resize::Resizer;

use super::{
    extract::{Extractor, Plane, whole_plane},
    features::{Features, Reference},
    global_descriptor::global_descriptor,
    matcher::Matcher,
    turn::{Turn, slant},
    verify::{Subject, Verification, verify, verify_pairs},
    vocabulary::{QueryFeature, Vocabulary},
    vote::{ItemId, PictureId, Vote},
};
use crate::{Area, Picture, runtime::RuntimeError};

/// How a query is read, step by step until an item is found for sure.
#[derive(Clone, Copy)]
struct Step {
    /// The longer side in pixels.
    side: u32,
    /// The most features.
    features: usize,
    /// By how many degrees it is turned to the right.
    degrees: f32,
}

/// Between these sizes and those of the references, an item that fills the picture or a quarter of it meets a view of
/// about its own size.
const UPRIGHT: [Step; 2] =
    [Step { side: 640, features: 1000, degrees: 0.0 }, Step { side: 1024, features: 1500, degrees: 0.0 }];
/// Turned pictures are rare and need many turns, so they are read at a size that costs half of the first.
const TURNED: Step = Step { side: 448, features: 700, degrees: 0.0 };
/// The quarter turns, in the order in which cameras are held, and the turns between them. Descriptors bear some 20
/// degrees more or less.
const QUARTERS: [f32; 3] = [90.0, 270.0, 180.0];
const BETWEEN: [f32; 4] = [45.0, 315.0, 135.0, 225.0];
/// In a catalogue of references in four turns one reading between the quarter turns stands for all of them, and none is
/// needed at the quarter turns. It comes before the large one, which costs more.
const BETWEEN_TURNED: f32 = 45.0;
/// The turns, from the angle of the edges, of a picture whose edges say that what it shows lies between two quarters.
const SLANTED: [f32; 4] = [0.0, 90.0, 270.0, 180.0];
/// How many views are verified at each size and turn.
const VERIFIED: usize = 16;
/// How many of them are matched by the network where descriptors leave it open, in one round and in all rounds of a
/// picture, and what makes one worth it, because that takes longer than reading the picture: so many inliers, or in an
/// upright round so many times the votes of any other item. In turned rounds, of which there are many, leading items
/// were always wrong, and of 300 such rounds wrong items had more than 11 inliers in four; right ones that the network
/// decided had 17 and 21.
const MATCHED: usize = 2;
const MATCHED_IN_ALL: usize = 4;
/// The same for references in four turns, of which each round looks at four times as many views: the matcher found no
/// item there that descriptors did not, on 64 drawn photographs. Half as much is left to it for photographs that these
/// are not like.
const MATCHED_TURNED: usize = 1;
const MATCHED_TURNED_IN_ALL: usize = 2;
const PROMISING: u32 = 9;
const PROMISING_TURNED: u32 = 12;
const LEAD: f32 = 1.3;
/// With this score no wrong item has been seen; the search for a better size or turn ends.
const SURE: f32 = 0.95;
/// With so many inliers looks alone are enough, and the score is a half: wrong items reach 19, by descriptors and by
/// the matcher.
const ENOUGH: u32 = 20;
/// With fewer inliers it is a coincidence. In between, something else must speak for the item.
const LEAST: u32 = 15;
/// After a sure one, only views with this share of its votes are verified: another edition of the same book.
const RIVAL_SHARE: f32 = 0.5;
/// How often what lies beside the items found is searched for others, and how many features it must have.
const MOST_REST: usize = 6;
const LEAST_REST: usize = 60;

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
/// they are, so that no thread with a network waits for a database. When an item is found for sure, what lies beside it
/// is searched for others, and the search ends; otherwise it ends with the last round.
#[derive(Default)]
pub struct Search {
    rounds: usize,
    /// Whether all references are in four turns, so that the picture need not be turned by quarters.
    of_turned: bool,
    /// By how many degrees the edges of the picture are turned, if that is far from a quarter turn.
    slant: Option<f32>,
    /// The picture at the size of the turned rounds, made for the first of them.
    turned: Option<Plane>,
    /// The features beside the items that were found, to be searched next, and how often that was done.
    rest: Option<(Features, Turn)>,
    rests: usize,
    /// How many views the network has matched.
    matched: usize,
    ballot: Option<Ballot>,
    found: HashMap<ItemId, Recognised>,
    descriptor: Option<Vec<f32>>,
}

/// What a round has voted for and not yet verified.
struct Ballot {
    query: Features,
    votes: Vec<Vote>,
    turn: Turn,
    /// Whether it is about what lies beside an item that was found.
    beside: bool,
}

impl Search {
    /// A search in a catalogue all of whose reference pictures were read in four turns
    /// ([`Extractor::turned_reference`]): it takes three rounds instead of nine.
    #[must_use]
    pub fn of_turned() -> Self {
        Self { of_turned: true, ..Self::default() }
    }

    /// Whether no further round is needed.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let sure = || self.found.values().any(|found| found.score >= SURE);
        self.ballot.is_none() && self.rest.is_none() && (self.step().is_none() || sure())
    }

    fn step(&self) -> Option<Step> {
        if self.of_turned {
            let between = Step { degrees: self.slant.map_or(BETWEEN_TURNED, |slant| -slant), ..TURNED };
            return [UPRIGHT[0], between, UPRIGHT[1]].get(self.rounds).copied();
        }
        if let Some(step) = UPRIGHT.get(self.rounds) {
            return Some(*step);
        }
        let turned = self.rounds - UPRIGHT.len();
        let degrees = match self.slant {
            Some(slant) => SLANTED.iter().map(|turn| turn - slant).chain(QUARTERS).nth(turned),
            None => QUARTERS.into_iter().chain(BETWEEN).nth(turned),
        };
        degrees.map(|degrees| Step { degrees, ..TURNED })
    }

    /// How many views the network may match in this round.
    fn matches_left(&self) -> usize {
        let (most, in_all) =
            if self.of_turned { (MATCHED_TURNED, MATCHED_TURNED_IN_ALL) } else { (MATCHED, MATCHED_IN_ALL) };
        most.min(in_all.saturating_sub(self.matched))
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
    matcher: Option<Matcher>,
    vocabulary: Vocabulary,
}

impl Recogniser {
    /// A recogniser with its networks.
    #[must_use]
    pub fn new(extractor: Extractor, matcher: Option<Matcher>) -> Self {
        Self { extractor, matcher, vocabulary: Vocabulary::default() }
    }

    /// The network, for reading reference pictures.
    pub fn extractor(&mut self) -> &mut Extractor {
        &mut self.extractor
    }

    /// Begins the next round: reads the picture and lets its features vote. Returns the reference pictures that
    /// [`verify`](Self::verify) needs, none after the last round. `ballot` is [`Index::vote`](super::Index::vote), or
    /// [`vote_over`](super::vote_over) parts of a catalogue.
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
        let rest = search.rest.take();
        let beside = rest.is_some();
        let (query, turn) = if let Some(rest) = rest {
            rest
        } else {
            let Some(Step { side, features, degrees }) = search.step() else { return Ok(Vec::new()) };
            let plane = match search.turned.take().filter(|_| side == TURNED.side) {
                Some(plane) => plane,
                None => whole_plane(resizer, picture, side)?,
            };
            if search.rounds == 0 {
                search.slant = slant(&plane);
            }
            search.rounds += 1;
            let (turn, turned) = Turn::of(&plane, degrees);
            search.turned = (side == TURNED.side).then_some(plane);
            (self.extractor.features(&turned, features)?, turn)
        };
        let encoded = self.vocabulary.encode_query(&query);
        // The first round alone makes the descriptor: how many rounds follow depends on the catalogue.
        search.descriptor.get_or_insert_with(|| global_descriptor(&encoded));
        let votes = ballot(&encoded, VERIFIED);
        let mut pictures: Vec<PictureId> = votes.iter().map(|vote| vote.picture).collect();
        pictures.sort_unstable();
        pictures.dedup();
        search.ballot = Some(Ballot { query, votes, turn, beside });
        Ok(pictures)
    }

    /// Ends a round: keeps the items whose reference pictures lie in the picture as a whole. A reference picture that
    /// is missing was removed from the catalogue since the vote.
    ///
    /// # Errors
    /// When the network of the matcher fails.
    pub fn verify(
        &mut self,
        search: &mut Search,
        references: &HashMap<PictureId, Reference>,
    ) -> Result<(), RuntimeError> {
        let Some(Ballot { query, votes, turn, beside }) = search.ballot.take() else { return Ok(()) };
        let mut seen = verified(&self.vocabulary, &query, &votes, references);
        if !beside && seen.iter().all(|seen| seen.score() < SURE) {
            let most = search.matches_left();
            let worth = promising(&votes, &seen, turn.is_turned());
            search.matched += self.match_best(&query, &worth, references, &mut seen, most)?;
        }
        let sure: Vec<[(f32, f32); 4]> =
            seen.iter().filter(|seen| seen.score() >= SURE).map(|seen| seen.verification.corners).collect();
        if !sure.is_empty() && search.rests < MOST_REST {
            search.rests += 1;
            search.rest = query.outside(&sure).filter(|rest| rest.len() >= LEAST_REST).map(|rest| (rest, turn));
        }
        for seen in seen {
            let found = seen.recognised(&turn);
            let better = |other: &Recognised| (other.score, other.inliers) < (found.score, found.inliers);
            if search.found.get(&found.item).is_none_or(better) {
                search.found.insert(found.item, found);
            }
        }
        Ok(())
    }

    /// Matches the first views of different items, at most `most`. Returns how many it has matched.
    fn match_best(
        &mut self,
        query: &Features,
        worth: &[Vote],
        references: &HashMap<PictureId, Reference>,
        seen: &mut Vec<Seen>,
        most: usize,
    ) -> Result<usize, RuntimeError> {
        let Some(matcher) = &mut self.matcher else { return Ok(0) };
        let mut chosen: Vec<Vote> = Vec::new();
        for vote in worth {
            if chosen.len() < most && chosen.iter().all(|other| other.item != vote.item) {
                chosen.push(*vote);
            }
        }
        let count = chosen.len();
        for vote in chosen {
            let Some((view, quarters)) = view_of(&vote, references) else { continue };
            let pairs = matcher.pairs(view, query)?;
            if let Some(verification) = verify_pairs(view, query, &pairs) {
                seen.push(Seen { vote, verification: verification.upright(quarters) });
            }
        }
        Ok(count)
    }
}

/// A reference picture that lies in the query.
struct Seen {
    vote: Vote,
    verification: Verification,
}

impl Seen {
    fn score(&self) -> f32 {
        score(self.verification.inliers)
    }

    fn recognised(&self, turn: &Turn) -> Recognised {
        let corners = self.verification.corners.map(|corner| turn.back(corner));
        let range = |values: [f32; 4]| {
            let least = values.into_iter().fold(f32::INFINITY, f32::min).clamp(0.0, 1.0);
            (least, values.into_iter().fold(f32::NEG_INFINITY, f32::max).clamp(0.0, 1.0))
        };
        let ((x_min, x_max), (y_min, y_max)) =
            (range(corners.map(|corner| corner.0)), range(corners.map(|corner| corner.1)));
        Recognised {
            item: self.vote.item,
            picture: self.vote.picture,
            score: self.score(),
            inliers: self.verification.inliers,
            corners,
            area: Area { x_min, y_min, x_max, y_max },
        }
    }
}

/// The votes that are worth a closer look, the best first: those that descriptors speak for, and in an upright round
/// that for an item which leads.
fn promising(votes: &[Vote], seen: &[Seen], turned: bool) -> Vec<Vote> {
    let least = if turned { PROMISING_TURNED } else { PROMISING };
    let mut promising: Vec<&Seen> = seen.iter().filter(|seen| seen.verification.inliers >= least).collect();
    promising.sort_by_key(|seen| std::cmp::Reverse(seen.verification.inliers));
    let leads = |first: &&Vote| {
        let next = votes.iter().find(|vote| vote.item != first.item).map_or(0.0, |vote| vote.score);
        !turned && first.score > 0.0 && first.score >= LEAD * next
    };
    promising.into_iter().map(|seen| seen.vote).chain(votes.first().filter(leads).copied()).collect()
}

/// The view of a reference that a vote is for, and by how many quarters it is turned to the right.
fn view_of<'a>(vote: &Vote, references: &'a HashMap<PictureId, Reference>) -> Option<(&'a Features, usize)> {
    let reference = references.get(&vote.picture)?;
    Some((reference.views().get(vote.view)?, reference.quarters_of(vote.view)))
}

/// The votes that verification confirms.
fn verified(
    vocabulary: &Vocabulary,
    query: &Features,
    votes: &[Vote],
    references: &HashMap<PictureId, Reference>,
) -> Vec<Seen> {
    let query = Subject::new(query, vocabulary);
    let mut enough = 0.0;
    let mut all = Vec::new();
    for vote in votes.iter().take_while(|vote| vote.score > 0.0) {
        if vote.score < enough {
            break;
        }
        let Some((view, quarters)) = view_of(vote, references) else { continue };
        let Some(verification) = verify(&Subject::new(view, vocabulary), &query) else { continue };
        let seen = Seen { vote: *vote, verification: verification.upright(quarters) };
        if seen.score() >= SURE {
            enough = vote.score * RIVAL_SHARE;
        }
        all.push(seen);
    }
    all
}

/// From inliers to a score: a logistic curve through 0.5 at [`ENOUGH`], where wrong items end, and 0.95 five inliers
/// later, where right ones are alone.
#[allow(clippy::cast_precision_loss, reason = "a few thousand inliers")]
fn score(inliers: u32) -> f32 {
    1.0 / (1.0 + ((ENOUGH as f32 - inliers as f32) / 1.65).exp())
}

#[cfg(test)]
mod tests {
    use super::{ENOUGH, ItemId, PictureId, SURE, Seen, Verification, Vote, promising, score};

    fn vote(item: u64, score: f32) -> Vote {
        Vote { item: ItemId(item), picture: PictureId(item), view: 0, score }
    }

    fn seen(item: u64, inliers: u32) -> Seen {
        let verification = Verification { inliers, corners: [(0.0, 0.0); 4] };
        Seen { vote: vote(item, 1.0), verification }
    }

    #[test]
    fn what_is_worth_a_closer_look_differs_between_upright_and_turned_rounds() {
        let (votes, seen) = ([vote(1, 2.6), vote(2, 2.0)], [seen(3, 9), seen(4, 8), seen(5, 12), seen(6, 11)]);
        let items =
            |votes: &[Vote], turned| promising(votes, &seen, turned).iter().map(|vote| vote.item.0).collect::<Vec<_>>();
        assert_eq!(items(&votes, false), [5, 6, 3, 1]);
        assert_eq!(items(&votes, true), [5]);
        let level = [vote(1, 2.5), vote(1, 2.4), vote(2, 2.0)];
        assert_eq!(items(&level, false), [5, 6, 3], "an item that hardly leads");
    }

    #[test]
    fn the_score_grows_with_the_inliers() {
        assert!((1..200).all(|inliers| score(inliers) >= score(inliers - 1)));
        assert!(score(ENOUGH) >= 0.5 && score(ENOUGH - 1) < 0.5);
        assert!(score(ENOUGH + 5) >= SURE && score(u32::MAX) <= 1.0);
    }
}

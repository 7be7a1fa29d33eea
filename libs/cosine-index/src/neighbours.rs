//! The neighbours of one slot, and the choice of them.

use super::{beam_search::Candidate, codes::Codes};

/// Most neighbours of a slot: 128 bytes, two cache lines.
const DEGREE: usize = 32;

/// Neighbours kept when a full list is thinned out; the room left saves thinning at each further link.
const KEPT: usize = 28;

/// Neighbours taken even if others lead to them, so that slots in a crowd are reached on more than one way.
const LEAST: usize = 16;

/// A candidate is left out if a neighbour chosen before is nearer to it by this much, in squared distances. At 1 a list
/// has fewer and farther neighbours, at 1.2 it is full before it gets to far ones; in between, most are found.
const DETOUR: (u64, u64) = (100, 110);

/// A gap, only at the end of a list.
const NONE: u32 = u32::MAX;

/// A list of neighbours, of fixed size so that all lists lie in one array.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Links([u32; DEGREE]);

impl Links {
    pub(super) const EMPTY: Self = Self([NONE; DEGREE]);

    pub(super) fn new(slots: &[u32]) -> Self {
        let mut links = Self::EMPTY;
        for (link, &slot) in links.0.iter_mut().zip(slots) {
            *link = slot;
        }
        links
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        let len = self.0.iter().position(|&slot| slot == NONE).unwrap_or(DEGREE);
        &self.0[..len]
    }

    /// Adds a neighbour; false if the list is full.
    pub(super) fn add(&mut self, slot: u32) -> bool {
        let place = self.0.iter_mut().find(|link| **link == NONE || **link == slot);
        place.map(|link| *link = slot).is_some()
    }
}

/// From candidates in order of distance those that lead in differing directions, and if they are too few, the nearest
/// of the others.
pub(super) fn prune(codes: &Codes, candidates: &[Candidate]) -> Vec<u32> {
    let mut kept = Vec::with_capacity(KEPT);
    let mut left_out = Vec::new();
    let mut distances = Vec::new();
    for &candidate in candidates {
        if kept.len() == KEPT {
            break;
        }
        if is_covered(codes, candidate, &kept, &mut distances) {
            left_out.push(candidate.slot);
        } else {
            kept.push(candidate.slot);
        }
    }
    left_out.truncate(LEAST.saturating_sub(kept.len()));
    kept.extend(left_out);
    kept
}

fn is_covered(codes: &Codes, candidate: Candidate, kept: &[u32], distances: &mut Vec<u32>) -> bool {
    let limit = u64::from(candidate.distance) * DETOUR.0;
    // In small groups, for one of the first mostly decides.
    kept.chunks(8).any(|some| {
        codes.distances(codes.get(candidate.slot), some, distances);
        distances.iter().any(|&distance| u64::from(distance) * DETOUR.1 <= limit)
    })
}

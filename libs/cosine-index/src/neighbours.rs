//! The neighbours of one slot, and the choice of them.

use super::{beam_search::Candidate, codes::Codes};

/// Most neighbours of a slot: 128 bytes, two cache lines.
const DEGREE: usize = 32;

/// Neighbours kept when a full list is pruned; the room left saves pruning at each further link.
const KEPT: usize = 28;

/// Neighbours kept even if others lead to them, so that several paths lead to slots in dense regions.
const LEAST: usize = 16;

/// A candidate is pruned if a neighbour kept before is nearer to it by this factor (α of Vamana), in squared distances.
/// At 1 a list has fewer and farther neighbours; at 1.2 it is full before it gets to far ones. Recall is best in
/// between.
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

/// Keeps candidates that lie in different directions and, if these are too few, the nearest of the others. The
/// candidates are in order of distance.
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
    // In small groups, because one of the first usually decides.
    kept.chunks(8).any(|some| {
        codes.distances(codes.get(candidate.slot), some, distances);
        distances.iter().any(|&distance| u64::from(distance) * DETOUR.1 <= limit)
    })
}

//! Which collections belong in the database, by their sizes.

use std::collections::HashSet;

use crate::{VectorPlace, VectorSettings};

/// A collection as it is now.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) images: usize,
    pub(super) dims: usize,
    /// Whether it is in the database, or on its way there.
    pub(super) is_there: bool,
}

impl Measured {
    /// What it takes in memory: a component a float, a byte and some links, and an image its number and places.
    fn bytes(&self) -> usize {
        self.images.saturating_mul(self.dims * 21 / 4 + 128)
    }
}

/// The bytes that collections take in memory if all are there that are not in the database.
pub(super) fn in_memory(collections: &[Measured]) -> usize {
    collections.iter().filter(|one| !one.is_there).map(Measured::bytes).sum()
}

/// The names of those that belong in the database.
///
/// With [`VectorPlace::Auto`], those that are large, and of the others the largest until the rest fits into the
/// memory that they may take. Each stays in the database for a while: one with half as many images as a large one has,
/// until it has fewer, and one that had to make room until it and all in memory take three quarters of what they may.
/// So none moves to and fro while images come and go.
pub(super) fn in_database(mut collections: Vec<Measured>, settings: &VectorSettings) -> HashSet<String> {
    let (mut chosen, mut kept) = (HashSet::new(), Vec::new());
    // The smallest first, so that the largest have to go; those in the database return into what room the others leave.
    collections.sort_by(|one, other| {
        (one.is_there, one.bytes(), &one.name).cmp(&(other.is_there, other.bytes(), &other.name))
    });
    for one in collections {
        let threshold = if one.is_there { settings.threshold / 2 } else { settings.threshold };
        let belongs = match settings.place {
            VectorPlace::Memory => false,
            VectorPlace::Database => one.images > 0 || one.is_there,
            VectorPlace::Auto => one.images >= threshold.max(1),
        };
        if belongs {
            chosen.insert(one.name);
        } else {
            kept.push(one);
        }
    }
    if settings.place == VectorPlace::Auto {
        let mut taken = 0_usize;
        for one in kept {
            let with_it = taken.saturating_add(one.bytes());
            let room = if one.is_there { settings.memory / 4 * 3 } else { settings.memory };
            if with_it > room && one.images > 0 {
                chosen.insert(one.name);
            } else {
                taken = with_it;
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::{Measured, in_database, in_memory};
    use crate::{VectorPlace, VectorSettings};

    const AUTO: VectorSettings = VectorSettings { place: VectorPlace::Auto, threshold: 1_000, memory: 1_000_000 };

    /// With 642 bytes an image.
    fn collections(of: &[(&str, usize, bool)]) -> Vec<Measured> {
        let sized = |&(name, images, is_there): &(&str, usize, bool)| Measured {
            name: name.to_owned(),
            images,
            dims: 98,
            is_there,
        };
        of.iter().map(sized).collect()
    }

    fn chosen(of: &[(&str, usize, bool)]) -> Vec<String> {
        let mut names: Vec<String> = in_database(collections(of), &AUTO).into_iter().collect();
        names.sort();
        names
    }

    #[test]
    fn large_ones_go_whatever_else_there_is() {
        assert_eq!(chosen(&[("a", 1_000, false), ("b", 999, false)]), ["a"]);
        assert_eq!(chosen(&[("a", 500, true), ("b", 499, true)]), ["a"], "half is left of one");
        assert!(chosen(&[("empty", 0, false)]).is_empty());
    }

    #[test]
    fn of_those_in_between_the_largest_go_until_the_rest_fits() {
        // 1,557 images fit.
        assert!(chosen(&[("a", 700, false), ("b", 500, false), ("c", 300, false)]).is_empty());
        assert_eq!(chosen(&[("a", 700, false), ("b", 500, false), ("c", 400, false)]), ["a"]);
        assert_eq!(chosen(&[("a", 999, false), ("b", 998, false), ("c", 997, false)]), ["a", "b"]);
        assert_eq!(chosen(&[("b", 800, false), ("a", 800, false)]), ["b"], "every replica chooses the same");
    }

    #[test]
    fn one_that_made_room_returns_when_there_is_room_to_spare() {
        // Three quarters are 1,168 images.
        assert_eq!(chosen(&[("a", 450, true), ("b", 500, false), ("c", 300, false)]), ["a"]);
        assert!(chosen(&[("a", 450, true), ("b", 400, false), ("c", 300, false)]).is_empty());
        // None of two that stay where they are sends the other to and fro.
        assert_eq!(chosen(&[("a", 900, true), ("b", 900, false)]), ["a"]);
    }

    #[test]
    fn what_an_operator_says_holds() {
        let of = [("a", 999_999, false), ("b", 1, false), ("c", 0, true), ("d", 0, false)];
        let memory = VectorSettings { place: VectorPlace::Memory, ..AUTO };
        assert!(in_database(collections(&of), &memory).is_empty());
        let database = VectorSettings { place: VectorPlace::Database, ..AUTO };
        assert_eq!(in_database(collections(&of), &database).len(), 3);
        assert_eq!(in_memory(&collections(&of)), 642 * 1_000_000);
    }
}

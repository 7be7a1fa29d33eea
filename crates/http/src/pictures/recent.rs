//! The pictures that were asked for last, up to so many bytes.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use crate::tagged::Tag;

/// Pictures by tag; the one that was not asked for the longest goes first.
pub(super) struct Recent {
    most: usize,
    bytes: usize,
    clock: u64,
    pictures: HashMap<Tag, (u64, Bytes)>,
    by_age: BTreeMap<u64, Tag>,
}

impl Recent {
    /// Keeps at most so many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { most, bytes: 0, clock: 0, pictures: HashMap::new(), by_age: BTreeMap::new() }
    }

    /// A picture, which is the youngest from now on.
    pub(super) fn find(&mut self, tag: Tag) -> Option<Bytes> {
        let (age, picture) = self.pictures.get_mut(&tag)?;
        self.by_age.remove(age);
        self.clock += 1;
        *age = self.clock;
        self.by_age.insert(self.clock, tag);
        Some(picture.clone())
    }

    /// Keeps a picture. One that would push out a good part of the others is not kept.
    pub(super) fn keep(&mut self, tag: Tag, picture: Bytes) {
        if picture.len() > self.most / 8 || self.find(tag).is_some() {
            return;
        }
        self.clock += 1;
        self.bytes += picture.len();
        self.pictures.insert(tag, (self.clock, picture));
        self.by_age.insert(self.clock, tag);
        while self.bytes > self.most
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.bytes -= self.pictures.remove(&oldest).map_or(0, |(_, picture)| picture.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::Recent;
    use crate::tagged::Tag;

    #[test]
    fn what_was_not_asked_for_goes_first_and_the_bytes_are_bounded() {
        let tag = |n: u32| Tag::of(format_args!("{n}"));
        let mut recent = Recent::new(800);
        for n in 0..8 {
            recent.keep(tag(n), Bytes::from(vec![0; 100]));
            recent.keep(tag(n), Bytes::from(vec![0; 100]));
        }
        assert!(recent.find(tag(0)).is_some(), "all fit");
        recent.keep(tag(8), Bytes::from(vec![0; 100]));
        assert!(recent.find(tag(0)).is_some() && recent.find(tag(1)).is_none());
        recent.keep(tag(9), Bytes::from(vec![0; 101]));
        assert!(recent.find(tag(9)).is_none(), "too large to keep");
        assert_eq!((recent.bytes, recent.pictures.len(), recent.by_age.len()), (800, 8, 8));
    }
}

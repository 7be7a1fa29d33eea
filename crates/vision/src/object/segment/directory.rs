//! What a segment begins with: its items and views, and how many postings each word has. It stays in memory.
//!
//! ```text
//! header    64 bytes: mark, version, how many items, views and categories, bytes of the categories' names, postings,
//!           SHA-256 of the directory
//! directory postings of each word; items in the order of their numbers; their views; the names of categories
//! postings  word by word: signatures, then the places of views
//! words     of the features of each view, in the order of the views: what to take off when an item is removed
//! ```
//!
//! All numbers are in little-endian order. How long each part is follows from the header, so any of them can be read by
//! its range.

use sha2::{Digest, Sha256};

use super::SegmentError;
use crate::object::vocabulary::WORDS;

const MARK: [u8; 4] = *b"KSEG";
/// Also the version of the vocabulary: words of another one mean nothing here.
const VERSION: u32 = 1;

pub(super) const HEADER_BYTES: usize = 64;
/// A posting: a signature and the place of a view.
pub(super) const POSTING_BYTES: u64 = 12;
pub(super) const WORD_BYTES: u64 = 2;
const COUNT_BYTES: u64 = 4;
const ITEM_BYTES: u64 = 24;
const VIEW_BYTES: u64 = 16;

/// An item as it was at a revision. One without views is not found: it was removed, or has no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemRow {
    pub(super) number: u64,
    pub(super) revision: u64,
    pub(super) category: u32,
    pub(super) views: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ViewRow {
    pub(super) picture: u64,
    pub(super) features: u32,
    pub(super) number: u8,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Directory {
    /// Postings of each word.
    pub(super) counts: Vec<u32>,
    pub(super) items: Vec<ItemRow>,
    pub(super) views: Vec<ViewRow>,
    pub(super) categories: Vec<String>,
}

/// The parts of a file, by the header.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    items: u32,
    views: u32,
    categories: u32,
    names: u32,
    pub(super) postings: u64,
    digest: [u8; 32],
}

impl Header {
    pub(super) fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Self, SegmentError> {
        let mut rest = &bytes[..];
        if take::<4>(&mut rest)? != MARK {
            return Err(SegmentError::Malformed("it begins with another mark"));
        }
        if number(&mut rest)? != VERSION {
            return Err(SegmentError::Malformed("it is of another version"));
        }
        let [items, views] = [number(&mut rest)?, number(&mut rest)?];
        let [categories, names] = [number(&mut rest)?, number(&mut rest)?];
        let postings = u64::from_le_bytes(take(&mut rest)?);
        Ok(Self { items, views, categories, names, postings, digest: take(&mut rest)? })
    }

    pub(super) fn directory_bytes(&self) -> u64 {
        let rows = u64::from(self.items) * ITEM_BYTES + u64::from(self.views) * VIEW_BYTES;
        WORDS as u64 * COUNT_BYTES + rows + u64::from(self.names)
    }

    /// Where the postings begin.
    pub(super) fn postings_at(&self) -> u64 {
        HEADER_BYTES as u64 + self.directory_bytes()
    }

    /// Where the words of views begin.
    pub(super) fn words_at(&self) -> Option<u64> {
        self.postings.checked_mul(POSTING_BYTES)?.checked_add(self.postings_at())
    }

    /// How long the file is.
    pub(super) fn file_bytes(&self) -> Option<u64> {
        self.postings.checked_mul(WORD_BYTES)?.checked_add(self.words_at()?)
    }
}

impl Directory {
    /// The header and the directory.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut rows = Vec::new();
        for count in &self.counts {
            rows.extend(count.to_le_bytes());
        }
        for item in &self.items {
            rows.extend(item.number.to_le_bytes());
            rows.extend(item.revision.to_le_bytes());
            rows.extend(item.category.to_le_bytes());
            rows.extend(item.views.to_le_bytes());
        }
        for view in &self.views {
            rows.extend(view.picture.to_le_bytes());
            rows.extend(view.features.to_le_bytes());
            rows.extend(u32::from(view.number).to_le_bytes());
        }
        let before = rows.len();
        for name in &self.categories {
            rows.extend(small(name.len()).to_le_bytes());
            rows.extend(name.as_bytes());
        }
        let names = small(rows.len() - before);
        let postings: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + rows.len());
        bytes.extend(MARK);
        for number in [VERSION, small(self.items.len()), small(self.views.len()), small(self.categories.len()), names] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(postings.to_le_bytes());
        bytes.extend(Sha256::digest(&rows));
        bytes.extend(rows);
        bytes
    }

    /// Reads what [`Directory::to_bytes`] wrote after the header.
    pub(super) fn read(header: &Header, rows: &[u8]) -> Result<Self, SegmentError> {
        if Sha256::digest(rows)[..] != header.digest {
            return Err(SegmentError::Malformed("its directory is damaged"));
        }
        let mut rest = rows;
        let mut directory = Self::default();
        for _ in 0..WORDS {
            directory.counts.push(number(&mut rest)?);
        }
        for _ in 0..header.items {
            let (number_of_item, revision) =
                (u64::from_le_bytes(take(&mut rest)?), u64::from_le_bytes(take(&mut rest)?));
            let (category, views) = (number(&mut rest)?, number(&mut rest)?);
            directory.items.push(ItemRow { number: number_of_item, revision, category, views });
        }
        for _ in 0..header.views {
            let picture = u64::from_le_bytes(take(&mut rest)?);
            let features = number(&mut rest)?;
            let [view, ..] = number(&mut rest)?.to_le_bytes();
            directory.views.push(ViewRow { picture, features, number: view });
        }
        for _ in 0..header.categories {
            let length = number(&mut rest)? as usize;
            let (name, after) = rest.split_at_checked(length).ok_or(SegmentError::Malformed("it is cut short"))?;
            let name = std::str::from_utf8(name).map_err(|_| SegmentError::Malformed("a category is no text"))?;
            directory.categories.push(name.to_owned());
            rest = after;
        }
        directory.agrees(header)?;
        Ok(directory)
    }

    /// Whether the rows agree with each other: what refers to a place refers to one that is there.
    fn agrees(&self, header: &Header) -> Result<(), SegmentError> {
        let postings: u64 = self.counts.iter().map(|count| u64::from(*count)).sum();
        let features: u64 = self.views.iter().map(|view| u64::from(view.features)).sum();
        let views: u64 = self.items.iter().map(|item| u64::from(item.views)).sum();
        let ordered = self.items.iter().zip(self.items.iter().skip(1)).all(|(a, b)| a.number < b.number);
        let named = self.items.iter().all(|item| (item.category as usize) < self.categories.len());
        let agree = [postings, features].iter().all(|sum| *sum == header.postings) && views == u64::from(header.views);
        if agree && ordered && named { Ok(()) } else { Err(SegmentError::Malformed("its rows do not agree")) }
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], SegmentError> {
    let (first, after) = rest.split_first_chunk().ok_or(SegmentError::Malformed("it is cut short"))?;
    *rest = after;
    Ok(*first)
}

fn number(rest: &mut &[u8]) -> Result<u32, SegmentError> {
    take(rest).map(u32::from_le_bytes)
}

/// A count; more than four thousand million views do not fit into a segment.
pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

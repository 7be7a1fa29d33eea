//! Writing segments. The same items make the same bytes.

use std::{
    cmp::Reverse,
    fs::File,
    io::{self, BufWriter, Write as _},
    path::Path,
};

use sha2::{Digest, Sha256};

use super::directory::{Directory, ItemRow, ViewRow, small};
use crate::object::{
    encoded::EncodedReference,
    vocabulary::WORDS,
    vote::{ItemId, PictureId},
};

/// An item to be written, as it is at a revision.
#[derive(Debug, Clone)]
pub struct SegmentItem {
    /// The item.
    pub item: ItemId,
    /// The revision of its latest change.
    pub revision: u64,
    /// Its category.
    pub category: String,
    /// Its reference pictures; none when it was removed.
    pub pictures: Vec<(PictureId, EncodedReference)>,
}

/// A segment that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenSegment {
    /// The hash of the file.
    pub sha256: [u8; 32],
    /// How long it is.
    pub bytes: u64,
    /// How many items it has.
    pub entries: u64,
    /// How many of them can be found.
    pub items: u64,
}

/// Writes a segment of some items, in a new file. It is on the disk when this returns. Of an item that is given more
/// than once, the latest revision is written.
///
/// # Errors
/// When the file cannot be written.
pub fn write_segment(path: &Path, mut items: Vec<SegmentItem>) -> io::Result<WrittenSegment> {
    items.sort_by_key(|item| (item.item, Reverse(item.revision)));
    items.dedup_by_key(|item| item.item);
    let mut directory = Directory { counts: vec![0; WORDS], ..Directory::default() };
    let mut words = Vec::new();
    for item in &items {
        let views = item.pictures.iter().flat_map(|(picture, encoded)| {
            (0_u8..).zip(encoded.views()).map(|(number, codes)| (*picture, number, codes))
        });
        let before = directory.views.len();
        for (picture, number, codes) in views {
            directory.views.push(ViewRow { picture: picture.0, features: small(codes.len()), number });
            for code in codes {
                words.extend(code.word.to_le_bytes());
                directory.counts.iter_mut().skip(usize::from(code.word)).take(1).for_each(|count| *count += 1);
            }
        }
        let category = directory.category(&item.category);
        let views = small(directory.views.len() - before);
        directory.items.push(ItemRow { number: item.item.0, revision: item.revision, category, views });
    }
    let lists = Lists::of(&directory.counts, &items);
    let mut output = Output::create(path)?;
    output.write(&directory.to_bytes())?;
    let mut first = 0;
    for count in &directory.counts {
        let end = first + *count as usize;
        output.write(lists.signatures.get(first..end).unwrap_or_default().as_flattened())?;
        output.write(lists.views.get(first..end).unwrap_or_default().as_flattened())?;
        first = end;
    }
    output.write(&words)?;
    output.finish(&directory)
}

/// The postings of all words, one word after another.
struct Lists {
    signatures: Vec<[u8; 8]>,
    views: Vec<[u8; 4]>,
}

impl Lists {
    fn of(counts: &[u32], items: &[SegmentItem]) -> Self {
        let total: usize = counts.iter().map(|count| *count as usize).sum();
        let mut lists = Self { signatures: vec![[0; 8]; total], views: vec![[0; 4]; total] };
        let mut next: Vec<usize> = counts
            .iter()
            .scan(0, |before, count| {
                let first = *before;
                *before += *count as usize;
                Some(first)
            })
            .collect();
        let views = items.iter().flat_map(|item| &item.pictures).flat_map(|(_, encoded)| encoded.views());
        for (place, codes) in (0_u32..).zip(views) {
            for code in codes {
                let Some(at) = next.get_mut(usize::from(code.word)) else { continue };
                if let (Some(signature), Some(view)) = (lists.signatures.get_mut(*at), lists.views.get_mut(*at)) {
                    (*signature, *view) = (code.signature.to_le_bytes(), place.to_le_bytes());
                }
                *at += 1;
            }
        }
        lists
    }
}

impl Directory {
    /// The number of a category, which becomes one of the directory's.
    pub(super) fn category(&mut self, name: &str) -> u32 {
        small(self.categories.iter().position(|known| known == name).unwrap_or_else(|| {
            self.categories.push(name.to_owned());
            self.categories.len() - 1
        }))
    }
}

/// A file that is hashed as it is written.
pub(super) struct Output {
    file: BufWriter<File>,
    digest: Sha256,
    bytes: u64,
}

impl Output {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::with_capacity(1 << 20, File::create(path)?), digest: Sha256::new(), bytes: 0 })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    pub(super) fn finish(mut self, directory: &Directory) -> io::Result<WrittenSegment> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        let items = directory.items.iter().filter(|item| item.views > 0).count() as u64;
        let entries = directory.items.len() as u64;
        Ok(WrittenSegment { sha256: self.digest.finalize().into(), bytes: self.bytes, entries, items })
    }
}

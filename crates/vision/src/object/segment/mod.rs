//! Segments: parts of a catalogue in files that are never changed, of which only the directory is in memory. A vote
//! reads the postings of its words from the file, which the system keeps in its cache as far as it has memory.

mod directory;
mod merge;
#[cfg(test)]
mod tests;
mod write;

use std::{fs::File, io, os::unix::fs::FileExt};

use directory::{Directory, HEADER_BYTES, Header, POSTING_BYTES, WORD_BYTES};
pub use merge::merge_segments;
pub use write::{SegmentItem, WrittenSegment, write_segment};

use super::{
    index::Index,
    vocabulary::{QueryFeature, WORDS},
    vote::{ItemId, Part, PictureId, PostingList, View, Vote, vote},
};

/// Why a segment cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else, of another version, cut short or damaged.
    #[error("this is no segment of a catalogue: {0}")]
    Malformed(&'static str),
}

/// An item of a segment.
#[derive(Debug, Clone, Copy)]
struct Entry {
    number: u64,
    revision: u64,
    first_view: u32,
    views: u32,
    /// Its words: where among those of all views, and how many.
    first_word: u64,
    words: u64,
    live: bool,
}

/// A segment, open for votes. What is not live any more is in the file, and no vote names it.
#[derive(Debug)]
pub struct Segment {
    file: File,
    header: Header,
    /// Where the postings of each word begin, and where those of the last end, in postings.
    starts: Vec<u64>,
    entries: Vec<Entry>,
    views: Vec<View>,
    categories: Vec<String>,
    /// The postings of each word that are not live any more; empty while all are.
    dead_of: Vec<u32>,
    dead: u64,
    live_items: usize,
    /// How many reference pictures of live items were not read in four turns.
    upright: i64,
}

impl Segment {
    /// Opens a segment. Its directory is read and checked; its postings are as whole as the file.
    ///
    /// # Errors
    /// When the file cannot be read, or is no segment.
    pub fn open(file: File) -> Result<Self, SegmentError> {
        let mut bytes = [0; HEADER_BYTES];
        file.read_exact_at(&mut bytes, 0).map_err(cut_short)?;
        let header = Header::read(&bytes)?;
        // Before anything is reserved for what the header promises.
        if header.file_bytes() != Some(file.metadata()?.len()) {
            return Err(SegmentError::Malformed("it is cut short or too long"));
        }
        let mut rows = vec![0; usize::try_from(header.directory_bytes()).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut rows, HEADER_BYTES as u64).map_err(cut_short)?;
        let directory = Directory::read(&header, &rows)?;
        Ok(Self::of(file, header, directory))
    }

    fn of(file: File, header: Header, directory: Directory) -> Self {
        let mut starts = Vec::with_capacity(WORDS + 1);
        let mut before = 0;
        for count in &directory.counts {
            starts.push(before);
            before += u64::from(*count);
        }
        starts.push(before);
        let (mut entries, mut views) = (Vec::with_capacity(directory.items.len()), Vec::new());
        let (mut rows, mut first_word) = (directory.views.iter(), 0);
        for item in &directory.items {
            let first_view = directory::small(views.len());
            let mut words = 0;
            for row in rows.by_ref().take(item.views as usize) {
                words += u64::from(row.features);
                views.push(View {
                    item: ItemId(item.number),
                    picture: PictureId(row.picture),
                    category: item.category,
                    features: row.features,
                    number: row.number,
                    live: true,
                });
            }
            let (number, revision) = (item.number, item.revision);
            let live = item.views > 0;
            entries.push(Entry { number, revision, first_view, views: item.views, first_word, words, live });
            first_word += words;
        }
        let live_items = entries.iter().filter(|entry| entry.live).count();
        let categories = directory.categories;
        let upright = upright(&views);
        Self { file, header, starts, entries, views, categories, dead_of: Vec::new(), dead: 0, live_items, upright }
    }

    /// The items of the segment and the revision of each, in the order of their numbers, also those that are not live
    /// any more, and those that were removed at that revision.
    pub fn revisions(&self) -> impl Iterator<Item = (ItemId, u64)> {
        self.entries.iter().map(|entry| (ItemId(entry.number), entry.revision))
    }

    /// The revision at which the segment has an item.
    #[must_use]
    pub fn revision_of(&self, item: ItemId) -> Option<u64> {
        let at = self.entries.binary_search_by_key(&item.0, |entry| entry.number).ok()?;
        self.entries.get(at).map(|entry| entry.revision)
    }

    /// How many items it has that are live.
    #[must_use]
    pub fn live_items(&self) -> usize {
        self.live_items
    }

    /// Whether all reference pictures of its live items were read in four turns.
    #[must_use]
    pub fn is_turned(&self) -> bool {
        self.upright == 0
    }

    /// Takes an item out: no vote names it again.
    ///
    /// # Errors
    /// When its words cannot be read; then it is still in.
    pub fn remove(&mut self, item: ItemId) -> io::Result<()> {
        let Ok(at) = self.entries.binary_search_by_key(&item.0, |entry| entry.number) else { return Ok(()) };
        let Some(entry) = self.entries.get(at).copied().filter(|entry| entry.live) else { return Ok(()) };
        let words = self.words(&entry)?;
        self.dead_of.resize(WORDS, 0);
        for word in words.as_chunks::<2>().0 {
            if let Some(dead) = self.dead_of.get_mut(usize::from(u16::from_le_bytes(*word))) {
                *dead += 1;
            }
        }
        self.dead += entry.words;
        self.live_items -= 1;
        self.entries.iter_mut().skip(at).take(1).for_each(|entry| entry.live = false);
        let first = entry.first_view as usize;
        if let Some(views) = self.views.get_mut(first..first.saturating_add(entry.views as usize)) {
            for view in &mut *views {
                view.live = false;
            }
            self.upright -= upright(views);
        }
        Ok(())
    }

    /// The words of an item, two bytes each.
    fn words(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        let mut words = vec![0; usize::try_from(entry.words * WORD_BYTES).unwrap_or(usize::MAX)];
        let at = self.header.words_at().unwrap_or(u64::MAX) + entry.first_word * WORD_BYTES;
        self.file.read_exact_at(&mut words, at)?;
        Ok(words)
    }

    /// The range of postings of a word.
    fn range(&self, word: u16) -> (u64, u64) {
        let at = usize::from(word);
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or(0);
        (bound(at), bound(at + 1))
    }
}

impl Part for Segment {
    fn postings(&self) -> u64 {
        self.header.postings - self.dead
    }

    fn postings_of(&self, word: u16) -> u64 {
        let (first, end) = self.range(word);
        // The words of items are not checked when a segment is opened: damaged ones must not count below zero.
        (end - first).saturating_sub(self.dead_of.get(usize::from(word)).copied().map_or(0, u64::from))
    }

    fn views(&self) -> &[View] {
        &self.views
    }

    fn category(&self, name: &str) -> Option<u32> {
        self.categories.iter().position(|known| known == name).map(directory::small)
    }

    fn list<'a>(&'a self, word: u16, buffer: &'a mut Vec<u8>) -> io::Result<PostingList<'a>> {
        let (first, end) = self.range(word);
        let count = usize::try_from(end - first).unwrap_or(usize::MAX);
        let bytes = count.saturating_mul(12);
        if buffer.len() < bytes {
            buffer.resize(bytes, 0);
        }
        let Some(read) = buffer.get_mut(..bytes) else { return Ok(PostingList::default()) };
        self.file.read_exact_at(read, self.header.postings_at() + first * POSTING_BYTES)?;
        let (signatures, views) = read.split_at(count * 8);
        Ok(PostingList { signatures: signatures.as_chunks().0, views: views.as_chunks().0 })
    }
}

/// The `most` views of a catalogue for which most features of a query speak, of one category or of all, the likeliest
/// first. The catalogue is what lies in memory and in segments; an item is live in one of them at most.
///
/// # Errors
/// When a segment cannot be read.
pub fn vote_over<'a>(
    memory: &Index,
    segments: impl IntoIterator<Item = &'a Segment>,
    query: &[QueryFeature],
    most: usize,
    category: Option<&str>,
) -> io::Result<Vec<Vote>> {
    let mut parts: Vec<&dyn Part> = vec![memory];
    parts.extend(segments.into_iter().map(|segment| segment as &dyn Part));
    vote(&parts, query, most, category)
}

/// How many of these are views of pictures that were not read in four turns, each picture counted once: the views of a
/// picture are numbered from 0, and only one that was read in turns has four.
fn upright(views: &[View]) -> i64 {
    views.iter().map(|view| i64::from(view.number == 0) - i64::from(view.number == 3)).sum()
}

/// A file that ends too early is no segment; other failures are the disk's.
fn cut_short(error: io::Error) -> SegmentError {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return SegmentError::Malformed("it is cut short");
    }
    error.into()
}

//! Making one segment of several, word by word: no more of them is in memory than their directories and one word.

use std::{collections::HashMap, hash::BuildHasher, io, path::Path};

use super::{
    Segment, WrittenSegment,
    directory::{Directory, ItemRow, ViewRow, small},
    write::Output,
};
use crate::object::{
    vocabulary::WORDS,
    vote::{ItemId, Part},
};

/// Writes a segment of what `wanted` names, items with the revision of each, out of several segments, in a new file.
/// Returns nothing when a wanted item is in none of them at its revision.
///
/// # Errors
/// When a segment cannot be read, or the file cannot be written.
pub fn merge_segments(
    path: &Path,
    mut segments: Vec<Segment>,
    wanted: &HashMap<ItemId, u64, impl BuildHasher>,
) -> io::Result<Option<WrittenSegment>> {
    // The items in the order of their numbers, each with its segment and its place there.
    let mut chosen: HashMap<u64, (usize, usize)> = HashMap::new();
    for (number, segment) in segments.iter_mut().enumerate() {
        let mut unwanted = Vec::new();
        for (at, entry) in segment.entries.iter().enumerate() {
            let is_wanted = wanted.get(&ItemId(entry.number)) == Some(&entry.revision);
            if !is_wanted || chosen.contains_key(&entry.number) {
                unwanted.push(ItemId(entry.number));
            } else {
                chosen.insert(entry.number, (number, at));
            }
        }
        for item in unwanted {
            segment.remove(item)?;
        }
    }
    if chosen.len() != wanted.len() {
        return Ok(None);
    }
    let mut chosen: Vec<(u64, (usize, usize))> = chosen.into_iter().collect();
    chosen.sort_unstable();
    let (directory, places) = directory(&segments, &chosen);
    let mut output = Output::create(path)?;
    output.write(&directory.to_bytes())?;
    let (mut buffer, mut postings, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for word in 0..=u16::MAX {
        postings.clear();
        for (segment, places) in segments.iter().zip(&places) {
            let list = segment.list(word, &mut buffer)?;
            for (signature, view) in list.signatures.iter().zip(list.views) {
                if let Some(Some(place)) = places.get(u32::from_le_bytes(*view) as usize) {
                    postings.push((*place, *signature));
                }
            }
        }
        // In the order of the views, and those of a view as they were: as if all had been written at once.
        postings.sort_by_key(|posting| posting.0);
        columns.clear();
        columns.extend(postings.iter().flat_map(|(_, signature)| *signature));
        columns.extend(postings.iter().flat_map(|(place, _)| place.to_le_bytes()));
        output.write(&columns)?;
    }
    for (_, (number, at)) in &chosen {
        if let Some((segment, entry)) = segments.get(*number).and_then(|of| Some((of, of.entries.get(*at)?))) {
            output.write(&segment.words(entry)?)?;
        }
    }
    output.finish(&directory).map(Some)
}

/// The directory of the chosen items, and for each segment the new place of each of its views, if it has one.
fn directory(segments: &[Segment], chosen: &[(u64, (usize, usize))]) -> (Directory, Vec<Vec<Option<u32>>>) {
    let count = |word: usize| {
        let word = u16::try_from(word).unwrap_or(u16::MAX);
        segments.iter().map(|segment| segment.postings_of(word)).sum::<u64>()
    };
    let counts = (0..WORDS).map(|word| u32::try_from(count(word)).unwrap_or(u32::MAX)).collect();
    let mut directory = Directory { counts, ..Directory::default() };
    let mut places: Vec<Vec<Option<u32>>> = segments.iter().map(|segment| vec![None; segment.views.len()]).collect();
    for (_, (number, at)) in chosen {
        let Some((segment, places)) = segments.get(*number).zip(places.get_mut(*number)) else { continue };
        let Some(entry) = segment.entries.get(*at) else { continue };
        let first = entry.first_view as usize;
        let views = segment.views.get(first..first + entry.views as usize).unwrap_or_default();
        let category = views.first().and_then(|view| segment.categories.get(view.category as usize));
        let category = directory.category(category.map_or("", String::as_str));
        for (view, place) in views.iter().zip(places.iter_mut().skip(first)) {
            *place = Some(small(directory.views.len()));
            directory.views.push(ViewRow { picture: view.picture.0, features: view.features, number: view.number });
        }
        let (number, revision, views) = (entry.number, entry.revision, entry.views);
        directory.items.push(ItemRow { number, revision, category, views });
    }
    (directory, places)
}

//! Groups of stations in a corrections file, by their names.

use std::collections::{HashMap, HashSet};

use kaisatsu_model::StationCode;
use toml::Spanned;

use super::Corrections;
use crate::Error;

/// The stations of each name.
type CodesByName = HashMap<String, Vec<StationCode>>;

/// The groups, and the pairs that are kept apart.
type Groups = (Vec<Vec<StationCode>>, HashSet<(StationCode, StationCode)>);

impl Corrections {
    /// The groups of this file and its bases, and the pairs of stations that they keep apart. A base may name stations
    /// that the map does not show.
    ///
    /// # Errors
    /// When this file names an unknown station, or one of several with the same name.
    pub(crate) fn groups(&self, codes: &CodesByName) -> Result<Groups, Error> {
        let (mut together, mut apart) = (Vec::new(), HashSet::new());
        let mut errors = Vec::new();
        for layer in self.layers() {
            for (entries, is_group) in [(&layer.contents.group, true), (&layer.contents.apart, false)] {
                for entry in entries {
                    let (found, problems) = layer.members(entry, codes);
                    if std::ptr::eq(layer, self) {
                        errors.extend(problems);
                    }
                    if is_group {
                        together.push(found);
                    } else {
                        let pairs = found.iter().flat_map(|a| found.iter().map(move |b| (*a, *b)));
                        apart.extend(pairs.filter(|(a, b)| a < b));
                    }
                }
            }
        }
        Error::from_all(errors)?;
        Ok((together, apart))
    }

    fn members(&self, entry: &Spanned<Vec<String>>, codes: &CodesByName) -> (Vec<StationCode>, Vec<Error>) {
        let line = self.lines.number(&entry.span()) as u64;
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        for name in entry.get_ref() {
            match codes.get(name).map(Vec::as_slice) {
                Some([code]) => found.push(*code),
                Some(several) => {
                    let message = format!("{} stations are called {name}; write {name}@CODE", several.len());
                    problems.push(Error::line(&self.file, line, message));
                }
                None => problems.push(Error::line(&self.file, line, format!("there is no station {name}"))),
            }
        }
        (found, problems)
    }
}

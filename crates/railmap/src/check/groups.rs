//! Checks the groups of a map file.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use kaisatsu_model::StationCode;
use toml::Spanned;

use super::{check_path, report::Report};
use crate::{Group, file::GroupEntry};

/// Checks that each group has two stations of the map or more, and that no station is in two groups.
pub(super) fn check(
    entries: &[Spanned<GroupEntry>],
    stations: &HashMap<StationCode, Range<usize>>,
    report: &mut Report,
) -> Vec<Group> {
    let mut seen = HashSet::new();
    let mut groups = Vec::with_capacity(entries.len());
    for spanned in entries {
        let (at, entry) = (spanned.span(), spanned.get_ref());
        if entry.stations.len() < 2 {
            report.error(&at, "a group has two stations or more");
        }
        let mut members = Vec::with_capacity(entry.stations.len());
        for &number in &entry.stations {
            match StationCode::new(number).ok().filter(|code| stations.contains_key(code)) {
                Some(code) if seen.insert(code) => members.push(code),
                Some(_) => report.error(&at, format!("station {number} is in a group before")),
                None => report.error(&at, format!("a group has {number}, which is no station of this map")),
            }
        }
        members.sort_unstable();
        let paths = entry.paths.iter().filter_map(|path| check_path(path, "a group", &at, report)).collect();
        groups.push(Group { stations: members, paths });
    }
    groups.sort_by(|a, b| a.stations.cmp(&b.stations));
    groups
}

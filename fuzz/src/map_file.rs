//! Map files: any text gives findings or a map, and every station of a map lies on it.

use kaisatsu_railmap::{Selection, Severity, check::check};

use crate::text;

pub(crate) fn run(bytes: &[u8]) {
    let checked = check(text(bytes));
    let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    match checked.map {
        None => assert!(errors > 0, "a map that is refused for no reason"),
        Some(map) => {
            assert_eq!(errors, 0);
            let whole = map.select(&Selection::From(0, 0)).expect("a window always has an answer");
            assert_eq!(whole.stations.len(), map.stations().len(), "every station lies on the map");
        }
    }
}

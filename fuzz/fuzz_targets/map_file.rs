//! The reader of map files: any text gives findings or a map, and a map keeps its promises.
#![no_main]

use kaisatsu_railmap::{Selection, Severity, check::check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let checked = check(text);
    let errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    match checked.map {
        None => assert!(errors > 0, "a map that is refused for no reason"),
        Some(map) => {
            assert_eq!(errors, 0);
            let whole = map.select(&Selection::From(0, 0)).expect("a window always has an answer");
            assert_eq!(whole.stations.len(), map.stations().len(), "every station lies on the map");
        }
    }
});

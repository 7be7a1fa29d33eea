//! The query parser: any bytes are survived, and what comes out keeps the promises of its type.
#![no_main]

use kaisatsu_http::Query;
use libfuzzer_sys::fuzz_target;

const KNOWN: [&str; 4] = ["APIKEY", "id", "width", "stationName"];

fuzz_target!(|raw: &str| {
    let query = Query::read(Some(raw), &KNOWN);
    for name in KNOWN {
        if let Ok(Some(text)) = query.text(name) {
            assert!(!text.is_empty() && query.has(name));
        }
        if let Ok(Some(number)) = query.integer(name, 1..=500) {
            assert!((1..=500).contains(&number));
        }
    }
});

//! Query strings: any text is parsed or refused, and a value that is accepted lies in its range.

use kaisatsu_http::Query;

use crate::text;

const KNOWN: [&str; 4] = ["APIKEY", "id", "width", "stationName"];

pub(crate) fn run(bytes: &[u8]) {
    let query = Query::read(Some(text(bytes)), &KNOWN);
    for name in KNOWN {
        if let Ok(Some(text)) = query.text(name) {
            assert!(!text.is_empty() && query.has(name));
        }
        if let Ok(Some(number)) = query.integer(name, 1..=500) {
            assert!((1..=500).contains(&number));
        }
    }
}

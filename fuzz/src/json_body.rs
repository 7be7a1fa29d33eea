//! JSON bodies: any bytes are a dataset within its limits, or refused with a message.

use kaisatsu_http::fuzzing::dataset;

const MOST: usize = 100;

pub(crate) fn run(bytes: &[u8]) {
    match dataset(bytes, MOST) {
        Ok(images) => assert!((1..=MOST).contains(&images)),
        Err(failure) => assert!(!failure.message.is_empty()),
    }
}

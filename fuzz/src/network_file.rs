//! Network files: any text gives findings or a network, and a network survives being written and read again.

use kaisatsu_transit::file;

use crate::text;

pub(crate) fn run(bytes: &[u8]) {
    match file::read(text(bytes)) {
        Ok(network) => {
            let written = file::write(&network);
            let again = file::read(&written).expect("what we write can be read");
            assert_eq!(file::write(&again), written);
        }
        Err(unreadable) => assert!(!unreadable.findings.is_empty(), "refused for no reason"),
    }
}

//! The reader of network files: any text gives findings or a network, and what is written of a network is read as the same.
#![no_main]

use kaisatsu_transit::file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match file::read(text) {
    Ok(network) => {
        let written = file::write(&network);
        let again = file::read(&written).expect("what we write can be read");
        assert_eq!(file::write(&again), written);
    }
    Err(unreadable) => assert!(!unreadable.findings.is_empty(), "refused for no reason"),
});

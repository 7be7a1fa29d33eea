//! Runs one target under libFuzzer. `KAISATSU_FUZZ_TARGET` names the target; `tools/fuzz` sets it.
#![no_main]
#![allow(unsafe_code, clippy::expect_used, reason = "the macro defines libFuzzer's entry point")]

use std::sync::OnceLock;

use kaisatsu_fuzz::Target;
use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<&Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("KAISATSU_FUZZ_TARGET").expect("KAISATSU_FUZZ_TARGET names the target");
        let _ = TARGET.set(kaisatsu_fuzz::target(&name).expect("a target listed in fuzz/src/lib.rs"));
    },
    |bytes: &[u8]| (TARGET.get().expect("set before the first input").run)(bytes)
);

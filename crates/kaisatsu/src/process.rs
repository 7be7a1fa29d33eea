//! What is set for the whole process before it has a second thread.

/// ONNX Runtime as the package registries have it describes the machine and the model in events that it keeps in
/// `~/.cache/Microsoft` and sends to its maker. The switch in its interface comes too late, because that begins when
/// the library is loaded.
#[allow(unsafe_code, reason = "the environment is not synchronised")]
pub(crate) fn forbid_telemetry() {
    // SAFETY: no other thread runs that could read the environment.
    unsafe { std::env::set_var("ORT_DISABLE_TELEMETRY", "1") };
}

/// Makes what is created from now on readable by this user alone: databases and copies of them, users' images.
pub(crate) fn keep_files_private() {
    #[cfg(unix)]
    #[allow(unsafe_code, reason = "the mask belongs to the process")]
    // SAFETY: it takes an integer and cannot fail.
    unsafe {
        libc::umask(0o077);
    }
}

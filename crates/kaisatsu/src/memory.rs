//! What the C library does with memory that is given back.
//!
//! Our own code allocates with mimalloc; ONNX Runtime allocates with the C library. Loading a network leaves tens of megabytes
//! behind for every thread, which glibc keeps for later: it takes ever larger blocks for small ones after the first was freed. Told where to
//! draw the line, it gives them back, and the server needs half the memory.

/// Large blocks go back to the system when they are freed. Called before there is a second thread.
#[allow(unsafe_code, reason = "the C library has no other way to be told")]
pub(crate) fn give_large_blocks_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt takes two integers and changes nothing but the allocator's own settings; no other thread runs.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
    }
}

/// From how many bytes on a block is large.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 128 * 1024;

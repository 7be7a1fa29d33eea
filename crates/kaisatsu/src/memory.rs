//! What the allocators do with memory that is given back.
//!
//! Our own code allocates with mimalloc, which gives pages back to the system ten milliseconds after they were last needed: between two
//! pictures. Told to wait a second, it has them at hand for the next picture, and a tenth more pictures are looked at. ONNX Runtime allocates with the C library. Loading a network leaves tens of megabytes
//! behind for every thread, which glibc keeps for later: it takes ever larger blocks for small ones after the first was freed. Told where to
//! draw the line, it gives them back, and the server needs half the memory.

/// Tells both allocators. Called before there is a second thread.
#[allow(unsafe_code, reason = "the allocators have no other way to be told")]
pub(crate) fn decide_what_is_given_back() {
    // SAFETY: it takes two integers and changes nothing but the allocator's own settings; no other thread runs.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, 1_000);
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt takes two integers and changes nothing but the allocator's own settings; no other thread runs.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
    }
}

/// Gives back at once what this thread has freed. Reading a network leaves two copies of its weights behind, and a thread that then waits for
/// pictures would keep them.
#[allow(unsafe_code, reason = "the allocator has no other way to be told")]
pub(crate) fn give_back() {
    // SAFETY: it may be called at any time, and touches nothing but what is free.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

/// The option `mi_option_purge_delay` of mimalloc 2, in milliseconds; the bindings leave it out.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// From how many bytes on a block is large.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 128 * 1024;

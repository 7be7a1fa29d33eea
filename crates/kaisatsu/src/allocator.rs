//! Settings of the two allocators, which decide when freed memory returns to the system.
//!
//! Our own code allocates with mimalloc, which returns pages ten milliseconds after their last use: between two
//! pictures. With a delay of one second they are still there for the next picture, and a tenth more pictures are
//! processed. ONNX Runtime allocates with the C library. Loading a network leaves tens of megabytes of free memory for
//! every thread, and glibc keeps it, because it raises its thresholds after large blocks are freed. With fixed
//! thresholds glibc returns them, and the server needs half the memory.

/// Configures both allocators. Must be called before there is a second thread.
#[allow(unsafe_code, reason = "the allocators have no other way to be told")]
pub(crate) fn configure() {
    // SAFETY: the function takes two integers and changes only settings of the allocator; no other thread runs.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, 1_000);
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt takes two integers and changes only settings of the allocator; no other thread runs.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
    }
}

/// Returns the memory that this thread has freed to the system at once. Loading a network frees two copies of its
/// weights, and a large picture frees its pixels; an idle thread would keep both, because the allocator returns pages
/// only while it is called.
#[allow(unsafe_code, reason = "the allocator has no other way to be told")]
pub(crate) fn release_unused() {
    // SAFETY: it may be called at any time, and touches only free memory.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

/// The option `mi_option_purge_delay` of mimalloc 2, in milliseconds; the bindings leave it out.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// The size in bytes from which a block is large.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 128 * 1024;

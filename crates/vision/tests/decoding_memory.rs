//! What decoding takes: a small file that declares many pixels of 64 bits must not take eight bytes for each.
#![allow(clippy::unwrap_used, unsafe_code, reason = "a test; an allocator has no safe form")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

use kaisatsu_vision::{Bounds, decode};

/// The system's allocator with a count of the bytes that are held, and of the most that were.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of the trait.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of the trait.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A picture of one colour, so that the file is small.
fn blank(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    let mut stream = writer.stream_writer().unwrap();
    let row = vec![0x80; side as usize * 8];
    for _ in 0..side {
        std::io::Write::write_all(&mut stream, &row).unwrap();
    }
    stream.finish().unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn a_small_file_with_many_wide_pixels_takes_at_most_a_byte_for_each_where_less_is_needed() {
    const SIDE: u32 = 4500;
    let bytes = blank(SIDE);
    let pixels = SIDE as usize * SIDE as usize;
    assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
    for (short_side, most) in [(Some(960), pixels), (Some(260), pixels / 4), (None, pixels * 3 + pixels / 8)] {
        let before = HELD.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let decoded = decode(&bytes, Bounds::default(), short_side).unwrap();
        let taken = MOST.load(Ordering::Relaxed) - before;
        assert!(taken <= most, "{taken} bytes for {pixels} pixels, {short_side:?}");
        assert_eq!((decoded.file.width, decoded.file.height), (SIDE, SIDE));
        assert_eq!(decoded.picture.rgb()[..3], [191, 191, 191]);
        drop(decoded);
        assert!(HELD.load(Ordering::Relaxed) <= before + (1 << 20), "it gives its memory back");
    }
}

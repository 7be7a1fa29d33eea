//! The AMX instructions.

use std::arch::{
    asm,
    x86_64::{
        __cpuid_count, __m512, __m512i, _mm512_castsi512_ps, _mm512_castsi512_si256, _mm512_cvtepu16_epi32,
        _mm512_cvtne2ps_pbh, _mm512_extracti64x4_epi64, _mm512_loadu_ps, _mm512_setzero_ps, _mm512_slli_epi32,
        _mm512_storeu_si512, _mm512_sub_ps,
    },
};

use super::{Quad, SIDE, Sums};
use crate::kernels::{Lanes, rows::Strips};

/// Whether the processor has the tiles and the system gives them to this process.
pub(super) fn enable() -> bool {
    const ASK_FOR_REGISTERS: libc::c_long = 0x1023;
    const OF_TILES: libc::c_long = 18;
    let features = __cpuid_count(7, 0).edx;
    let has = |bit: u32| features >> bit & 1 == 1;
    if !has(22) || !has(24) || !is_x86_feature_detected!("avx512bf16") {
        return false;
    }
    // SAFETY: the call takes two integers, and changes nothing but which registers the process may use.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ASK_FOR_REGISTERS, OF_TILES) == 0 }
}

/// Eight tiles of sixteen lines of 64 bytes.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    first_row: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    lines: [u8; 16],
}

/// As long as it lives, the tiles of this thread are in use.
pub(super) struct Configured(());

impl Configured {
    pub(super) fn new() -> Self {
        let mut configuration =
            Configuration { palette: 1, first_row: 0, reserved: [0; 14], bytes: [0; 16], lines: [0; 16] };
        configuration.bytes[..8].fill(64);
        configuration.lines[..8].fill(16);
        // SAFETY: weights in tiles exist only after `enable` said yes; the address is that of 64 bytes.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const configuration, options(nostack, readonly)) };
        Self(())
    }
}

impl Drop for Configured {
    fn drop(&mut self) {
        // SAFETY: it gives the tiles back, which nothing reads any more. The next switch of threads need not save them.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}

/// Splits up to 32 rows of `depth` blocks; lines of rows that are not there keep what they had.
pub(super) fn split(rows: Strips<'_>, depth: usize, count: usize, quads: &mut [Quad]) {
    assert!(quads.len() * 2 >= depth && count <= 2 * SIDE);
    // SAFETY: weights in tiles exist only after `enable` found the instructions.
    unsafe { split_here(rows, depth, count, quads) }
}

#[target_feature(enable = "avx512f,avx512bf16")]
fn split_here(rows: Strips<'_>, depth: usize, count: usize, quads: &mut [Quad]) {
    // SAFETY: a block is the sixteen numbers that a register holds.
    let load = |block: &Lanes| unsafe { _mm512_loadu_ps(block.as_ptr()) };
    for (step, quad) in quads.iter_mut().enumerate().take(depth.div_ceil(2)) {
        let first = &rows.lanes[step * 2 * rows.stride..][..count];
        if step * 2 + 1 < depth {
            let second = &rows.lanes[(step * 2 + 1) * rows.stride..][..count];
            for (row, (first, second)) in first.iter().zip(second).enumerate() {
                split_pair(load(first), load(second), row, quad);
            }
        } else {
            for (row, first) in first.iter().enumerate() {
                split_pair(load(first), _mm512_setzero_ps(), row, quad);
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bf16")]
fn split_pair(first: __m512, second: __m512, row: usize, quad: &mut Quad) {
    let nearest = narrow(first, second);
    let missing = [_mm512_sub_ps(first, widen::<0>(nearest)), _mm512_sub_ps(second, widen::<1>(nearest))];
    // SAFETY: a line is the 64 bytes that a register holds.
    let store = |to: &mut [u16; 32], bits| unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bits) };
    store(&mut quad.nearest[row / SIDE].0[row % SIDE], nearest);
    store(&mut quad.missing[row / SIDE].0[row % SIDE], narrow(missing[0], missing[1]));
}

#[target_feature(enable = "avx512f,avx512bf16")]
fn narrow(first: __m512, second: __m512) -> __m512i {
    // SAFETY: both are 512 bits, and all bits are numbers.
    unsafe { std::mem::transmute(_mm512_cvtne2ps_pbh(second, first)) }
}

/// One half of 32 numbers of 16 bits, in 32 bits.
#[target_feature(enable = "avx512f,avx512bf16")]
fn widen<const HALF: i32>(bits: __m512i) -> __m512 {
    let half = if HALF == 0 { _mm512_castsi512_si256(bits) } else { _mm512_extracti64x4_epi64::<1>(bits) };
    _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(half)))
}

/// Multiplies two blocks of rows (or one, if they are not `tall`) with two blocks of columns (or one, if they are not
/// `wide`).
pub(super) fn multiply(rows: &[Quad], columns: &[Quad], tall: bool, wide: bool, sums: &mut Sums) {
    assert_eq!(rows.len(), columns.len());
    let (rows, columns, steps, sums) = (rows.as_ptr(), columns.as_ptr(), columns.len(), &raw mut *sums);
    // SAFETY: the tiles are configured as long as weights are multiplied; each step reads one quad of both, and the
    // sums are four tiles.
    unsafe {
        match (tall, wide) {
            (true, true) => tall_and_wide(rows, columns, steps, sums),
            (true, false) => tall_and_narrow(rows, columns, steps, sums),
            (false, _) => low_and_wide(rows, columns, steps, sums),
        }
    }
}

/// The loop over the steps, between clearing the sums and storing them. Tiles 0 to 3 are sums, 4 and 5 rows, 6 and 7
/// columns; a quad is 4096 bytes: two tiles of nearest numbers at 0 and 1024, two of missing ones at 2048 and 3072.
/// Columns are read in the order in which they lie: they may come from memory, and the processor fetches ahead what
/// follows, but not beyond a page. So the beginning of the page after the next one is asked for.
macro_rules! kernel {
    ($name:ident, $clear:literal, $step:literal, $store:literal) => {
        unsafe fn $name(rows: *const Quad, columns: *const Quad, steps: usize, sums: *mut Sums) {
            // SAFETY: the caller's.
            unsafe {
                asm!(
                    $clear,
                    "2:",
                    $step,
                    "add {rows}, 4096",
                    "add {columns}, 4096",
                    "dec {steps}",
                    "jnz 2b",
                    $store,
                    rows = inout(reg) rows => _,
                    columns = inout(reg) columns => _,
                    steps = inout(reg) steps => _,
                    sums = in(reg) sums,
                    line = in(reg) 64usize,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                    out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                    options(nostack),
                );
            }
        }
    };
}

kernel!(
    tall_and_wide,
    "tilezero tmm0
     tilezero tmm1
     tilezero tmm2
     tilezero tmm3",
    "tileloadd tmm4, [{rows} + {line} + 2048]
     tileloadd tmm6, [{columns} + {line}]
     prefetcht0 [{columns} + 8192]
     prefetcht0 [{columns} + 8256]
     prefetcht0 [{columns} + 8320]
     prefetcht0 [{columns} + 8384]
     tdpbf16ps tmm0, tmm4, tmm6
     tileloadd tmm7, [{columns} + {line} + 1024]
     tdpbf16ps tmm1, tmm4, tmm7
     tileloadd tmm5, [{rows} + {line} + 3072]
     tdpbf16ps tmm2, tmm5, tmm6
     tdpbf16ps tmm3, tmm5, tmm7
     tileloadd tmm4, [{rows} + {line}]
     tdpbf16ps tmm0, tmm4, tmm6
     tdpbf16ps tmm1, tmm4, tmm7
     tileloadd tmm5, [{rows} + {line} + 1024]
     tdpbf16ps tmm2, tmm5, tmm6
     tileloadd tmm6, [{columns} + {line} + 2048]
     tdpbf16ps tmm3, tmm5, tmm7
     tileloadd tmm7, [{columns} + {line} + 3072]
     tdpbf16ps tmm0, tmm4, tmm6
     tdpbf16ps tmm1, tmm4, tmm7
     tdpbf16ps tmm2, tmm5, tmm6
     tdpbf16ps tmm3, tmm5, tmm7",
    "tilestored [{sums} + {line}], tmm0
     tilestored [{sums} + {line} + 1024], tmm1
     tilestored [{sums} + {line} + 2048], tmm2
     tilestored [{sums} + {line} + 3072], tmm3"
);

kernel!(
    tall_and_narrow,
    "tilezero tmm0
     tilezero tmm2",
    "tileloadd tmm4, [{rows} + {line}]
     tileloadd tmm6, [{columns} + {line}]
     tdpbf16ps tmm0, tmm4, tmm6
     tileloadd tmm5, [{rows} + {line} + 1024]
     tdpbf16ps tmm2, tmm5, tmm6
     tileloadd tmm7, [{columns} + {line} + 2048]
     tdpbf16ps tmm0, tmm4, tmm7
     tdpbf16ps tmm2, tmm5, tmm7
     tileloadd tmm4, [{rows} + {line} + 2048]
     tdpbf16ps tmm0, tmm4, tmm6
     tileloadd tmm5, [{rows} + {line} + 3072]
     tdpbf16ps tmm2, tmm5, tmm6",
    "tilestored [{sums} + {line}], tmm0
     tilestored [{sums} + {line} + 2048], tmm2"
);

kernel!(
    low_and_wide,
    "tilezero tmm0
     tilezero tmm1",
    "tileloadd tmm4, [{rows} + {line}]
     tileloadd tmm6, [{columns} + {line}]
     tdpbf16ps tmm0, tmm4, tmm6
     tileloadd tmm7, [{columns} + {line} + 1024]
     tdpbf16ps tmm1, tmm4, tmm7
     tileloadd tmm5, [{rows} + {line} + 2048]
     tdpbf16ps tmm0, tmm5, tmm6
     tdpbf16ps tmm1, tmm5, tmm7
     tileloadd tmm6, [{columns} + {line} + 2048]
     tdpbf16ps tmm0, tmm4, tmm6
     tileloadd tmm7, [{columns} + {line} + 3072]
     tdpbf16ps tmm1, tmm4, tmm7",
    "tilestored [{sums} + {line}], tmm0
     tilestored [{sums} + {line} + 1024], tmm1"
);

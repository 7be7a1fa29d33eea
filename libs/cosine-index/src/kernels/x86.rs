//! Dot products of codes with the multiply-add instructions of x86, which the compiler does not find by itself.

use std::arch::x86_64::{
    _mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_reduce_add_epi32, _mm512_setzero_si512,
};

use fearless_simd::{SimdBase, SimdInto, i32x8, kernel, u8x32, u8x64};

use super::{CodeBlock, Rows};

kernel!(
    pub(super) fn code_dots_avx512(
        simd: Avx512,
        query: &[CodeBlock],
        rows: &Rows<CodeBlock>,
        slots: &[u32],
        out: &mut Vec<u32>,
    ) {
        let (query_pairs, query_rest) = query.as_chunks::<2>();
        for &slot in slots {
            let (row_pairs, row_rest) = rows.row(slot).as_chunks::<2>();
            let mut sums = [_mm512_setzero_si512(); 2];
            for (left, right) in query_pairs.iter().zip(row_pairs) {
                for lane in 0..2 {
                    let (left, right) =
                        (u8x64::from_slice(simd, &left[lane].0), u8x64::from_slice(simd, &right[lane].0));
                    sums[lane] = _mm512_dpbusd_epi32(sums[lane], left.into(), right.into());
                }
            }
            for (left, right) in query_rest.iter().zip(row_rest) {
                let (left, right) = (u8x64::from_slice(simd, &left.0), u8x64::from_slice(simd, &right.0));
                sums[0] = _mm512_dpbusd_epi32(sums[0], left.into(), right.into());
            }
            out.push(_mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])).cast_unsigned());
        }
    }
);

kernel!(
    pub(super) fn code_dots_avx2(
        simd: Avx2,
        query: &[CodeBlock],
        rows: &Rows<CodeBlock>,
        slots: &[u32],
        out: &mut Vec<u32>,
    ) {
        let ones = _mm256_set1_epi16(1);
        for &slot in slots {
            let mut sums = [_mm256_setzero_si256(); 2];
            for (left, right) in query.iter().zip(rows.row(slot)) {
                for (half, sum) in sums.iter_mut().enumerate() {
                    let (left, right) = (&left.0[half * 32..][..32], &right.0[half * 32..][..32]);
                    let (left, right) = (u8x32::from_slice(simd, left), u8x32::from_slice(simd, right));
                    let pairs = _mm256_maddubs_epi16(left.into(), right.into());
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                }
            }
            let lanes: i32x8<_> = _mm256_add_epi32(sums[0], sums[1]).simd_into(simd);
            out.push(<[i32; 8]>::from(lanes).iter().sum::<i32>().cast_unsigned());
        }
    }
);

//! What a search is compared with, in the 16-bit floats of the tables, and how far they may be from the truth.

use sqlx::{
    Encode, Postgres, Type,
    encode::IsNull,
    error::BoxDynError,
    postgres::{PgArgumentBuffer, PgTypeInfo, types::Oid},
};

/// Half of the distance between two neighbouring 16-bit floats, relative to them.
const HALF_ROUNDING: f64 = 1.0 / 2048.0;

/// The same for 32-bit floats.
const ROUNDING: f64 = 1.0 / 16_777_216.0;

/// A vector of length 1, rounded to 16-bit floats, in the extension's type.
pub(super) struct HalfVector {
    halfvec: Oid,
    halves: Vec<u16>,
    bound: f64,
}

impl HalfVector {
    /// `unit` has the length 1.
    pub(super) fn new(unit: &[f32], halfvec: Oid) -> Self {
        let halves: Vec<u16> = unit.iter().map(|value| to_half(*value)).collect();
        let off = |(value, half): (&f32, &u16)| (f64::from(*value) - from_half(*half)).powi(2);
        let rounded_off = unit.iter().zip(&halves).map(off).sum::<f64>().sqrt();
        Self { halfvec, bound: bound(rounded_off, unit.len()), halves }
    }

    /// How much farther than the last one that is wanted a candidate may be by 16-bit floats and be nearer in truth.
    ///
    /// Every product is off by at most `bound`. When `k` candidates are at `d` or nearer by their 16-bit floats, they
    /// are at `d + bound` or nearer in truth; one that is farther than `d + 2 * bound` is farther than `d + bound` in
    /// truth, and not one of the `k` nearest.
    pub(super) fn slack(&self) -> f64 {
        2.0 * self.bound
    }
}

/// The most by which the product that the index computes differs from the cosine that is answered.
///
/// With `q` and `v` of length 1, and `q'` and `v'` rounded to 16 bits, `|q'v' - qv| <= |q' - q||v'| + |q||v' - v|`.
/// The first is `rounded_off`. A component of `v'` is off by at most `2^-11` of itself, and by `2^-25` where it is
/// below the smallest normal 16-bit float, so `|v' - v| <= 2^-11 + sqrt(n) * 2^-25`. The sum of `n` products in 32
/// bits is off by at most `n * 2^-24`, in whatever order they are added, and that of the answered cosine too. What is
/// left is that `q`, `v` and their lengths are 32-bit floats, and that `|v'|` may be `1 + 2^-11`.
fn bound(rounded_off: f64, dims: usize) -> f64 {
    let dims = f64::from(u32::try_from(dims).unwrap_or(u32::MAX));
    rounded_off + HALF_ROUNDING + (2.0 * dims + dims.sqrt() + 32.0) * ROUNDING
}

impl Type<Postgres> for HalfVector {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("halfvec")
    }
}

impl Encode<'_, Postgres> for HalfVector {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        // The number of components, a zero, and the components.
        buffer.extend(u16::try_from(self.halves.len())?.to_be_bytes());
        buffer.extend([0, 0]);
        for half in &self.halves {
            buffer.extend(half.to_be_bytes());
        }
        Ok(IsNull::No)
    }

    /// By its number: the extension may be in a schema that is not searched.
    fn produces(&self) -> Option<PgTypeInfo> {
        Some(PgTypeInfo::with_oid(self.halfvec))
    }

    fn size_hint(&self) -> usize {
        4 + 2 * self.halves.len()
    }
}

/// The nearest 16-bit float, the even one of two. Only for numbers from -1 to 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is cut off is zero")]
fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16) as u16 & 0x8000, bits & 0x7FFF_FFFF);
    let half = if magnitude >= 0x3880_0000 {
        // The exponent counts from 15 instead of 127, and 13 bits of the fraction are rounded off.
        let shifted = magnitude - (112 << 23);
        ((shifted + 0xFFF + ((shifted >> 13) & 1)) >> 13) as u16
    } else {
        // In steps of 2^-24; the multiplication is exact.
        (f32::from_bits(magnitude) * 16_777_216.0).round_ties_even() as u16
    };
    sign | half
}

fn from_half(half: u16) -> f64 {
    let (exponent, fraction) = (i32::from((half >> 10) & 0x1F), f64::from(half & 0x3FF));
    let magnitude = match exponent {
        0 => fraction / 16_777_216.0,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if half & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sqlx::postgres::types::Oid;

    use super::{HalfVector, from_half, to_half};
    use crate::vectors::unit;

    #[test]
    fn halves_are_the_nearest_and_even_ones() {
        for half in (0..=0x3C00_u16).chain(0x8000..=0xBC00) {
            #[allow(clippy::cast_possible_truncation, reason = "exact")]
            let value = from_half(half) as f32;
            assert_eq!(to_half(value), half);
            if half & 0x7FFF < 0x3C00 {
                #[allow(clippy::cast_possible_truncation, reason = "exact: it has one more bit than a half")]
                let between = f64::midpoint(from_half(half), from_half(half + 1)) as f32;
                assert_eq!(to_half(between), half + (half & 1), "{half:x}: the even one");
                assert_eq!(to_half(between.next_up()), half + u16::from(between > 0.0), "{half:x}");
                assert_eq!(to_half(between.next_down()), half + u16::from(between < 0.0), "{half:x}");
            }
        }
        assert_eq!([1.0, -0.5, 0.0, 1e-9].map(to_half), [0x3C00, 0xB800, 0, 0]);
    }

    /// Components of very different sizes, down to those that 16 bits hold badly.
    fn vector() -> impl Strategy<Value = Vec<f32>> {
        let component = (-1.0f32..1.0, 0..24).prop_map(|(value, halvings)| value * 0.5f32.powi(halvings));
        prop::collection::vec(component, 300)
    }

    proptest! {
        #[test]
        fn no_product_is_farther_off_than_the_bound(one in vector(), other in vector(), mixed in 0.0f32..1.0) {
            // Near each other, as a query and its best candidates are, or not.
            let near = |(one, other): (&f32, &f32)| one * mixed + other * (1.0 - mixed);
            let other: Vec<f32> = one.iter().zip(&other).map(near).collect();
            let (Some(query), Some(stored)) = (unit(&one), unit(&other)) else { return Ok(()) };
            let asked = HalfVector::new(&query, Oid(1));
            let exact: f64 = query.iter().zip(&stored).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum();
            #[allow(clippy::cast_possible_truncation, reason = "exact")]
            let half = |value: &f32| from_half(to_half(*value)) as f32;
            let products: Vec<f32> = query.iter().zip(&stored).map(|(one, other)| half(one) * half(other)).collect();
            let forwards: f32 = products.iter().sum();
            let backwards: f32 = products.iter().rev().sum();
            for sum in [forwards, backwards] {
                prop_assert!((f64::from(sum) - exact).abs() <= asked.slack() / 2.0);
            }
            prop_assert!(asked.slack() < 0.0025, "it would keep more than it has to: {}", asked.slack());
        }
    }
}

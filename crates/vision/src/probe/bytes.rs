//! A probe as bytes: a few numbers, then the tables, all little-endian.

use super::{Kind, Probe};

const MAGIC: &[u8; 8] = b"KSTHEAD1";

/// Far above any real probe; it keeps a damaged file from asking for all memory.
const MOST: usize = 1 << 20;

impl Probe {
    /// Writes the probe.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let kind: u32 = match self.kind {
            Kind::Means => 0,
            Kind::Ridge => 1,
        };
        let size = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        for number in [kind, size(self.classes()), size(self.dims)] {
            bytes.extend(number.to_le_bytes());
        }
        let numbers = [&[self.temperature, self.familiar][..], &self.centre, &self.bias, &self.weights, &self.means];
        bytes.extend(numbers.into_iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` for anything else.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (integers, floats) = bytes.strip_prefix(MAGIC)?.split_at_checked(12)?;
        let integers: Vec<u32> = integers.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
        let [kind, classes, dims] = integers[..] else { return None };
        let (classes, dims) = (classes as usize, dims as usize);
        let kind = match kind {
            0 => Kind::Means,
            1 => Kind::Ridge,
            _ => return None,
        };
        let table = classes.checked_mul(dims).filter(|_| classes > 0 && dims > 0 && classes <= MOST && dims <= MOST)?;
        let (chunks, rest) = floats.as_chunks();
        let mut numbers = chunks.iter().map(|four| f32::from_le_bytes(*four));
        if !rest.is_empty() || chunks.len() != 2 + dims + classes + 2 * table {
            return None;
        }
        let (temperature, familiar) = (numbers.next()?, numbers.next()?);
        let mut take = |count: usize| numbers.by_ref().take(count).collect::<Vec<f32>>();
        let (centre, bias, weights, means) = (take(dims), take(classes), take(table), take(table));
        let probe = Self { kind, dims, centre, weights, bias, means, temperature, familiar };
        (temperature > 0.0 && temperature.is_finite()).then_some(probe)
    }
}

//! Vectors that resemble the embeddings of photographs, and the raw files that they are kept in.

use std::{fs, io, path::Path};

/// Vectors one after another, as in the file.
pub(crate) struct Vectors {
    pub(crate) dims: usize,
    pub(crate) values: Vec<f32>,
}

impl Vectors {
    pub(crate) fn read(path: &Path, dims: usize) -> io::Result<Self> {
        let bytes = fs::read(path)?;
        let (values, _) = bytes.as_chunks::<4>();
        Ok(Self { dims, values: values.iter().map(|&value| f32::from_le_bytes(value)).collect() })
    }

    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        fs::write(path, self.values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len() / self.dims
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dims)
    }
}

/// `SplitMix64`, so that every run has the same data.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    #[allow(clippy::cast_precision_loss)]
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A normally distributed number: twelve uniform ones, less six.
    pub(crate) fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }
}

/// Directions without any structure: every vector is about as far from every other, the hardest case for any index.
pub(crate) fn random(random: &mut Random, dims: usize, count: usize) -> Vectors {
    let mut values = Vec::with_capacity(dims * count);
    for _ in 0..count {
        let row: Vec<f32> = (0..dims).map(|_| random.normal()).collect();
        values.extend(unit_length(&row));
    }
    Vectors { dims, values }
}

/// Points in clusters of several widths in a space of few dimensions, led through one random layer and a rectifier,
/// with a little noise: as with a network's embeddings, few directions matter, and no component is negative.
pub(crate) struct Clusters {
    dims: usize,
    layer: Vec<f32>,
    bias: Vec<f32>,
    centres: Vec<(f32, [f32; LATENT])>,
}

const LATENT: usize = 48;
const WIDTHS: [f32; 4] = [0.1, 0.25, 0.5, 1.0];

impl Clusters {
    pub(crate) fn new(random: &mut Random, dims: usize, clusters: usize) -> Self {
        let layer = (0..dims * LATENT).map(|_| random.normal() / 7.0).collect();
        let bias = (0..dims).map(|_| 0.4 * random.normal() - 0.4).collect();
        let centres = (0..clusters)
            .map(|number| (WIDTHS[number % WIDTHS.len()], std::array::from_fn(|_| random.normal())))
            .collect();
        Self { dims, layer, bias, centres }
    }

    pub(crate) fn draw(&self, random: &mut Random, count: usize) -> Vectors {
        let mut values = Vec::with_capacity(self.dims * count);
        for _ in 0..count {
            let (width, centre) =
                &self.centres[usize::try_from(random.next() % self.centres.len() as u64).unwrap_or(0)];
            let latent: [f32; LATENT] = std::array::from_fn(|at| centre[at] + width * random.normal());
            let row: Vec<f32> = self
                .layer
                .chunks_exact(LATENT)
                .zip(&self.bias)
                .map(|(weights, bias)| {
                    let sum: f32 = weights.iter().zip(&latent).map(|(weight, value)| weight * value).sum();
                    (sum + bias + 0.03 * random.normal()).max(0.0)
                })
                .collect();
            values.extend(unit_length(&row));
        }
        Vectors { dims: self.dims, values }
    }
}

fn unit_length(row: &[f32]) -> impl Iterator<Item = f32> {
    let length = row.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    row.iter().map(move |value| value / length)
}

//! Seeded vectors with the structure of embeddings: clusters, few directions that matter, no negative components.

pub(super) const DIMS: usize = 96;

const LATENT: usize = 12;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    #[allow(clippy::cast_precision_loss)]
    fn normal(&mut self) -> f32 {
        (0..6).map(|_| (self.next() >> 40) as f32 / (1_u64 << 24) as f32).sum::<f32>() - 3.0
    }

    fn point(&mut self) -> [f32; LATENT] {
        std::array::from_fn(|_| self.normal())
    }
}

type Stored = Vec<(u64, Vec<f32>)>;

/// The same `count` vectors each time, and after them `queries` more.
pub(super) fn embeddings(count: usize, queries: usize) -> (Stored, Vec<Vec<f32>>) {
    let mut random = Random(88_172_645_463_325_252);
    let layer: Vec<[f32; LATENT]> = (0..DIMS).map(|_| random.point()).collect();
    let centres: Vec<[f32; LATENT]> = (0..20).map(|_| random.point()).collect();
    let mut draw = || {
        let number = usize::try_from(random.next() % 20).unwrap();
        let width = if number.is_multiple_of(2) { 0.2 } else { 0.8 };
        let offset = random.point();
        let latent: [f32; LATENT] = std::array::from_fn(|at| centres[number][at] + width * offset[at]);
        layer
            .iter()
            .map(|weights| weights.iter().zip(&latent).map(|(weight, value)| weight * value).sum::<f32>().max(0.01))
            .collect::<Vec<f32>>()
    };
    let stored = (0..).zip(std::iter::repeat_with(&mut draw).take(count)).collect();
    (stored, std::iter::repeat_with(draw).take(queries).collect())
}

//! Recall, and the time of a search, an insertion and a removal, on clustered vectors. `cargo bench -- COUNT
//! DIMENSIONS`.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "a measurement prints, and its counts are small")]

use std::time::Instant;

use cosine_index::{Error, Settings, VectorIndex};

const K: usize = 10;
const QUERIES: usize = 500;
/// Directions in which the vectors differ; embeddings have far fewer of them than components.
const LATENT: usize = 24;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 24) as f32 - 0.5
    }

    fn point(&mut self) -> [f32; LATENT] {
        std::array::from_fn(|_| self.next())
    }
}

/// Vectors around centres, mapped to more dimensions and rectified, as the last layer of a network does.
fn clustered(random: &mut Random, count: usize, dimensions: usize) -> Vec<Vec<f32>> {
    let layer: Vec<[f32; LATENT]> = (0..dimensions).map(|_| random.point()).collect();
    let centres: Vec<[f32; LATENT]> = (0..(count / 100).max(4)).map(|_| random.point()).collect();
    let mut vector = |at: usize| {
        let (centre, offset) = (centres[at % centres.len()], random.point());
        let latent: [f32; LATENT] = std::array::from_fn(|at| centre[at] + 0.3 * offset[at]);
        let component =
            |row: &[f32; LATENT]| row.iter().zip(&latent).map(|(weight, value)| weight * value).sum::<f32>();
        layer.iter().map(|row| component(row).max(0.001)).collect()
    };
    (0..count).map(&mut vector).collect()
}

fn main() -> Result<(), Error> {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (count, dimensions) = (sizes.first().copied().unwrap_or(20_000), sizes.get(1).copied().unwrap_or(512));
    let mut vectors = clustered(&mut Random(88_172_645_463_325_252), count + QUERIES, dimensions);
    let queries = vectors.split_off(count);
    let microseconds = |start: Instant, of: usize| start.elapsed().as_secs_f64() * 1e6 / of as f64;

    let start = Instant::now();
    let mut index = VectorIndex::build(dimensions, Settings::default(), (0..).zip(&vectors))?;
    println!("{count} vectors of {dimensions} components: built in {:.2} s", start.elapsed().as_secs_f64());
    let exact = queries.iter().map(|query| index.search_exactly(query, K)).collect::<Result<Vec<_>, _>>()?;
    for beam in [24, 48, 96] {
        index.set_beam(beam);
        let start = Instant::now();
        let found = queries.iter().map(|query| index.search(query, K)).collect::<Result<Vec<_>, _>>()?;
        let time = microseconds(start, queries.len());
        let hits = found.iter().zip(&exact).map(|(found, exact)| exact.iter().filter(|id| found.contains(id)).count());
        let recall = hits.sum::<usize>() as f64 / (K * queries.len()) as f64;
        println!("beam {beam:3}: recall {recall:.4}, {time:.0} µs a search");
    }
    let start = Instant::now();
    for id in 0..QUERIES as u64 {
        index.remove(id);
    }
    println!("removal: {:.0} µs", microseconds(start, QUERIES));
    let start = Instant::now();
    for (id, vector) in (0..).zip(&vectors[..QUERIES]) {
        index.insert(id, vector)?;
    }
    println!("insertion: {:.0} µs", microseconds(start, QUERIES));
    Ok(())
}

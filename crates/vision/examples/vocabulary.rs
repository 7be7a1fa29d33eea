//! Trains `src/object/vocabulary.bin`, the tables of visual words: `vocabulary MODELS PICTURES > vocabulary.bin`.
//!
//! MODELS is the folder that `make models` fills; PICTURES holds pictures of the kind to be recognised, some hundred at
//! least. A new vocabulary makes stored references void, so the version in `src/object/encoded.rs` goes up with it.

use std::{
    error::Error,
    io::{Write, stdout},
    path::{Path, PathBuf},
};

use kaisatsu_vision::{
    Bounds, Resizer, Runtime, decode,
    object::{DIMENSIONS, Extractor},
    registry::ModelRegistry,
};

const ENTRIES: usize = 256;
const ROUNDS: usize = 15;
/// Enough for 512 entries, and a minute's work.
const MOST_SAMPLES: usize = 200_000;

type Vector = [f32; DIMENSIONS];

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [models, pictures] = folders.as_slice() else {
        return Err("two folders are wanted: the models, and pictures to learn from".into());
    };
    let samples = samples(models, pictures)?;
    let mean = mean(&samples).ok_or("there is nothing to learn from in these pictures")?;
    let first = cluster(&samples);
    let rest: Vec<Vector> = samples.iter().map(|sample| minus(sample, &first[nearest(&first, sample)])).collect();
    let second = cluster(&rest);
    let rows = std::iter::once(&mean).chain(&first).chain(&second);
    let bytes: Vec<u8> = rows.flatten().map(|number| whole(*number).cast_unsigned()).collect();
    Ok(stdout().write_all(&bytes)?)
}

#[allow(clippy::cast_possible_truncation, reason = "clamped to the range of i8")]
fn whole(number: f32) -> i8 {
    number.round().clamp(-127.0, 127.0) as i8
}

/// The descriptors of all pictures in a folder, or every so many-th of them.
fn samples(models: &Path, pictures: &Path) -> Result<Vec<Vector>, Box<dyn Error>> {
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so"))?;
    let registry = ModelRegistry::open(models)?;
    let model = &registry.entry("local-features").ok_or("there is no model local-features")?.model;
    let model = model.as_ref().map_err(ToString::to_string)?;
    let mut extractor = Extractor::load(&runtime, &model.folder, &model.manifest)?;
    let mut resizer = Resizer::new();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(pictures)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    let mut samples: Vec<Vector> = Vec::new();
    for file in files {
        let Ok(decoded) = decode(&std::fs::read(file)?, Bounds { max_pixels: 100_000_000 }, None) else { continue };
        let reference = extractor.reference(&mut resizer, &decoded.picture)?;
        samples.extend(
            reference.views().iter().flat_map(kaisatsu_vision::object::Features::descriptors).map(|d| d.map(f32::from)),
        );
    }
    let step = samples.len().div_ceil(MOST_SAMPLES).max(1);
    Ok(samples.into_iter().step_by(step).collect())
}

/// Lloyd's k-means, from samples at equal steps.
fn cluster(samples: &[Vector]) -> Vec<Vector> {
    let mut centres: Vec<Vector> = (0..ENTRIES).map(|at| samples[at * samples.len() / ENTRIES]).collect();
    for _ in 0..ROUNDS {
        let mut members: Vec<Vec<Vector>> = vec![Vec::new(); ENTRIES];
        for sample in samples {
            members[nearest(&centres, sample)].push(*sample);
        }
        for (centre, members) in centres.iter_mut().zip(&members) {
            *centre = mean(members).unwrap_or(*centre);
        }
    }
    centres
}

#[allow(clippy::cast_precision_loss, reason = "fewer than a million samples")]
fn mean(samples: &[Vector]) -> Option<Vector> {
    let mut sum = [0.0; DIMENSIONS];
    for sample in samples {
        for (sum, number) in sum.iter_mut().zip(sample) {
            *sum += number;
        }
    }
    (!samples.is_empty()).then(|| sum.map(|sum| sum / samples.len() as f32))
}

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|at| a[at] - b[at])
}

fn nearest(centres: &[Vector], sample: &Vector) -> usize {
    // Sixteen sums side by side, which the compiler turns into vector instructions.
    let distance = |centre: &Vector| {
        let mut sums = [0.0_f32; 16];
        for (a, b) in centre.as_chunks::<16>().0.iter().zip(sample.as_chunks::<16>().0) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += (a - b) * (a - b));
        }
        sums.iter().sum::<f32>()
    };
    let nearer = |best: (f32, usize), next: (f32, usize)| if next.0 < best.0 { next } else { best };
    (centres.iter().zip(0..)).map(|(centre, at)| (distance(centre), at)).fold((f32::INFINITY, 0), nearer).1
}

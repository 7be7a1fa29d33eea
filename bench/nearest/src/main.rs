//! Measures nearest-vector search: makes data, answers queries, and prints one line of JSON for `compare.py`.
#![allow(clippy::print_stdout, clippy::cast_precision_loss)]

mod data;
mod database;
mod scale;

use std::{
    env, error, fs,
    path::{Path, PathBuf},
    thread,
    time::Instant,
};

use cosine_index::{Match, Settings, VectorIndex};
use data::{Clusters, Random, Vectors};

type Outcome<T> = Result<T, Box<dyn error::Error>>;

const K: usize = 10;
const USAGE: &str = "usage: bench-nearest make DIR clustered|random COUNT DIMS QUERIES
       bench-nearest run DIR DIMS [BEAM...]
       bench-nearest crossover DIR DIMS
       bench-nearest changes DIR DIMS
       bench-nearest database DIR DIMS
       bench-nearest scale …";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["make", dir, kind, count, dims, queries] => {
            make(&PathBuf::from(dir), kind, count.parse()?, dims.parse()?, queries.parse()?)
        }
        ["run", dir, dims, beams @ ..] => {
            let beams: Vec<usize> = beams.iter().map(|beam| beam.parse()).collect::<Result<_, _>>()?;
            run(&PathBuf::from(dir), dims.parse()?, &beams)
        }
        ["changes", dir, dims] => changes(&PathBuf::from(dir), dims.parse()?),
        ["scale", command @ ..] => scale::run(command),
        ["database", dir, dims] => database::compare(&PathBuf::from(dir), dims.parse()?),
        ["crossover", dir, dims] => crossover(&PathBuf::from(dir), dims.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn make(dir: &Path, kind: &str, count: usize, dims: usize, queries: usize) -> Outcome<()> {
    fs::create_dir_all(dir)?;
    let mut random = Random::new(1);
    let (stored, asked) = match kind {
        "clustered" => {
            let clusters = Clusters::new(&mut random, dims, (count / 250).max(4));
            (clusters.draw(&mut random, count), clusters.draw(&mut random, queries))
        }
        "random" => (data::random(&mut random, dims, count), data::random(&mut random, dims, queries)),
        _ => return Err(USAGE.into()),
    };
    stored.write(&dir.join("vectors.f32"))?;
    asked.write(&dir.join("queries.f32"))?;
    let truth = truth(&stored, &asked)?;
    fs::write(dir.join("truth.u32"), truth.iter().flatten().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>())?;
    Ok(())
}

fn truth(stored: &Vectors, asked: &Vectors) -> Outcome<Vec<Vec<u32>>> {
    let index = build(stored, usize::MAX, Settings::default().beam)?;
    asked.iter().map(|query| Ok(ids(&index.search_exactly(query, K)?))).collect()
}

fn ids(matches: &[Match]) -> Vec<u32> {
    matches.iter().filter_map(|found| u32::try_from(found.id).ok()).collect()
}

fn build(stored: &Vectors, graph_from: usize, beam: usize) -> Outcome<VectorIndex> {
    Ok(VectorIndex::build(stored.dims, Settings { graph_from, beam, ..Settings::default() }, (0..).zip(stored.iter()))?)
}

fn run(dir: &Path, dims: usize, beams: &[usize]) -> Outcome<()> {
    let stored = Vectors::read(&dir.join("vectors.f32"), dims)?;
    let asked = Vectors::read(&dir.join("queries.f32"), dims)?;
    let truth = stored_truth(dir)?;
    let start = Instant::now();
    let mut index = build(&stored, Settings::default().graph_from, Settings::default().beam)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let default = [Settings::default().beam];
    for &beam in if beams.is_empty() { default.as_slice() } else { beams } {
        index.set_beam(beam);
        // A narrow beam leaves less to compare exactly.
        index.set_spare(Settings::default().spare.min(beam.saturating_sub(K)));
        let recall = recall(&index, &asked, &truth)?;
        let single = best_rate(&index, &asked)?;
        let cores = thread::available_parallelism()?.get();
        let all = rate_together(&index, &asked, cores);
        let (count, megabytes) = (index.len(), index.heap_bytes() >> 20);
        print!(r#"{{"count":{count},"beam":{beam},"recall":{recall:.4},"qps":{single:.0},"qps_all":{all:.0},"#);
        println!(r#""cores":{cores},"build_seconds":{build_seconds:.1},"megabytes":{megabytes}}}"#);
    }
    Ok(())
}

fn stored_truth(dir: &Path) -> Outcome<Vec<u32>> {
    let truth = fs::read(dir.join("truth.u32"))?;
    let (truth, _) = truth.as_chunks::<4>();
    Ok(truth.iter().map(|&id| u32::from_le_bytes(id)).collect())
}

fn recall(index: &VectorIndex, asked: &Vectors, truth: &[u32]) -> Outcome<f64> {
    recall_of(asked, truth, &|query| Ok(ids(&index.search(query, K)?)))
}

fn recall_of(asked: &Vectors, truth: &[u32], search: &dyn Fn(&[f32]) -> Outcome<Vec<u32>>) -> Outcome<f64> {
    let mut hits = 0;
    for (query, best) in asked.iter().zip(truth.chunks(K)) {
        let found = search(query)?;
        hits += best.iter().filter(|id| found.contains(id)).count();
    }
    Ok(hits as f64 / truth.len() as f64)
}

/// The best of three counts.
fn best_rate(index: &VectorIndex, asked: &Vectors) -> Outcome<f64> {
    Ok(rate(index, asked)?.max(rate(index, asked)?).max(rate(index, asked)?))
}

/// Queries per second of one thread, by the processor time that it took: other programs then disturb less.
fn rate(index: &VectorIndex, asked: &Vectors) -> Outcome<f64> {
    let start = processor_seconds()?;
    for query in asked.iter() {
        index.search(query, K)?;
    }
    Ok(asked.len() as f64 / (processor_seconds()? - start))
}

/// The processor time of this thread, which Linux counts in nanoseconds.
fn processor_seconds() -> Outcome<f64> {
    let counts = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = counts.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e9)
}

/// Queries per second of several threads, by the clock.
fn rate_together(index: &VectorIndex, asked: &Vectors, threads: usize) -> f64 {
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| asked.iter().filter(|query| index.search(query, K).is_err()).count());
        }
    });
    (threads * asked.len()) as f64 / start.elapsed().as_secs_f64()
}

/// Where the graph begins to be faster than comparing with every vector.
fn crossover(dir: &Path, dims: usize) -> Outcome<()> {
    let stored = Vectors::read(&dir.join("vectors.f32"), dims)?;
    let asked = Vectors::read(&dir.join("queries.f32"), dims)?;
    println!("vectors  exact µs  graph µs");
    for count in [250, 350, 500, 700, 1_000, 2_000, 4_000, 8_000] {
        let part = Vectors { dims, values: stored.values[..count * dims].to_vec() };
        let exact = 1e6 / best_rate(&build(&part, usize::MAX, Settings::default().beam)?, &asked)?;
        let graph = 1e6 / best_rate(&build(&part, 0, Settings::default().beam)?, &asked)?;
        println!("{count:7} {exact:9.1} {graph:9.1}");
    }
    Ok(())
}

/// Removes three vectors of ten and stores them again under other ids, several times, and looks what it took and how
/// much is still found.
fn changes(dir: &Path, dims: usize) -> Outcome<()> {
    let stored = Vectors::read(&dir.join("vectors.f32"), dims)?;
    let asked = Vectors::read(&dir.join("queries.f32"), dims)?;
    let mut index = build(&stored, Settings::default().graph_from, Settings::default().beam)?;
    let mut held: Vec<(u64, &[f32])> = (0..).zip(stored.iter()).collect();
    println!("round  removal µs  recall  insertion µs  recall");
    println!("    0                           {:14.4}", recall_now(&index, &asked)?);
    for round in 1..=6 {
        let moved = |at: usize| (at + 3 * round) % 10 < 3;
        let count = held.len() as f64 * 0.3;
        let start = processor_seconds()?;
        for (_, (id, _)) in held.iter().enumerate().filter(|(at, _)| moved(*at)) {
            index.remove(*id);
        }
        let removal = 1e6 * (processor_seconds()? - start) / count;
        let less = recall_now(&index, &asked)?;
        let start = processor_seconds()?;
        for (_, (id, vector)) in held.iter_mut().enumerate().filter(|(at, _)| moved(*at)) {
            *id += 1_000_000_000;
            index.insert(*id, vector)?;
        }
        let insertion = 1e6 * (processor_seconds()? - start) / count;
        println!("{round:5}  {removal:10.0}  {less:.4}  {insertion:12.0}  {:.4}", recall_now(&index, &asked)?);
    }
    Ok(())
}

/// Recall against a scan of what is stored now, for some of the queries.
fn recall_now(index: &VectorIndex, asked: &Vectors) -> Outcome<f64> {
    let some = Vectors { dims: asked.dims, values: asked.values[..asked.values.len().min(200 * asked.dims)].to_vec() };
    let truth: Vec<Vec<u32>> =
        some.iter().map(|query| Ok(ids(&index.search_exactly(query, K)?))).collect::<Outcome<_>>()?;
    recall(index, &some, &truth.concat())
}

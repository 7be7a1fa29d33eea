//! What the memory of feedback adds to a recognition, beside the network it follows, in one run on one thread.
//!
//! `bench-feedback MODELS PHOTO …`; `make bench-feedback` calls it.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement stops at the first surprise"
)]

use std::{env, fs, hint::black_box, path::Path, time::Instant};

use kaisatsu_feedback::{Change, Item, Memory, STRENGTH, SpaceKey, shifted_shares};
use kaisatsu_model::AppId;
use kaisatsu_vision::{Bounds, ModelRegistry, Worker, decode};

/// Verdicts in the memory.
const COUNTS: [u32; 4] = [0, 1_000, 100_000, 1_000_000];

/// Classes that the verdicts are spread over, as many as the network has.
const CLASSES: u32 = 1_000;

/// Times that each figure is measured.
const TIMES: usize = 200;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [models, photos @ ..] = &words[..] else {
        println!("bench-feedback MODELS PHOTO …");
        return;
    };
    let (looks, inference) = network(Path::new(models), photos);
    println!("the network alone: {inference:.2} ms a picture (median of {TIMES})\n");
    println!("| verdicts in force | building it, s | added, p50 ms | p99 ms | share of the network | resident MB |");
    println!("|---|---|---|---|---|---|");
    for count in COUNTS {
        let began = Instant::now();
        let memory = filled(count, &looks);
        let building = began.elapsed().as_secs_f64();
        let times = asked(&memory, &looks);
        let (p50, p99) = (times[TIMES / 2], times[TIMES * 99 / 100]);
        println!(
            "| {count} | {building:.1} | {p50:.3} | {p99:.3} | {:.1}% | {:.0} |",
            100.0 * p50 / inference,
            resident()
        );
    }
}

/// The vectors of the photographs, and how long the network takes for one.
fn network(models: &Path, photos: &[String]) -> (Vec<Vec<f32>>, f64) {
    let registry = ModelRegistry::open(models).expect("models");
    let mut worker = Worker::load_only(&registry, "general").expect("the model 'general'");
    let (classifier, resizer) = worker.classifier("general").expect("a classifier");
    let bounds = Bounds { max_pixels: 50_000_000 };
    let read = |file: &String| {
        let bytes = fs::read(file).expect("a photograph");
        decode(&bytes, bounds, Some(classifier.short_side())).expect("a picture").picture
    };
    let pictures: Vec<_> = photos.iter().map(read).collect();
    let mut looks = Vec::new();
    let mut times = Vec::new();
    for turn in 0..TIMES {
        let began = Instant::now();
        let seen = classifier.classify(resizer, &pictures[turn % pictures.len()]).expect("an answer");
        times.push(began.elapsed().as_secs_f64() * 1e3);
        if turn < pictures.len() {
            looks.push(seen.embedding.expect("a vector"));
        }
    }
    times.sort_by(f64::total_cmp);
    (looks, times[TIMES / 2])
}

fn space() -> SpaceKey {
    let text = |text: &str| text.to_owned();
    SpaceKey { task: text("classify"), model: text("general"), engine: text("bench"), part: String::new() }
}

/// A memory of that many verdicts of one application, on variations of real vectors.
fn filled(count: u32, looks: &[Vec<f32>]) -> Memory {
    let memory = Memory::new(3);
    let mut noise = Noise(7);
    for number in 0..count {
        let class = number % CLASSES;
        let exemplar = format!("{number:08x}-{class}");
        memory.apply(&Change {
            space: space(),
            shared: true,
            application: AppId::from_random([1; 10]),
            owner: None,
            verdict: (exemplar.clone(), "1".to_owned()),
            exemplar,
            valid: Some(number % 3 != 0),
            items: vec![Item { id: "1".to_owned(), subject: format!("class {class}"), base: 0.5 }],
            look: noise.vary(&looks[number as usize % looks.len()]),
        });
    }
    memory
}

/// How long each of many questions takes, as a recognition asks them: what is said, and all scores moved by it. Sorted.
fn asked(memory: &Memory, looks: &[Vec<f32>]) -> Vec<f64> {
    let application = AppId::from_random([1; 10]);
    let names: Vec<String> = (0..CLASSES).map(|class| format!("class {class}")).collect();
    let scores = vec![1.0 / CLASSES as f32; CLASSES as usize];
    let mut noise = Noise(99);
    let time = |turn: usize| {
        let look = noise.vary(&looks[turn % looks.len()]);
        let began = Instant::now();
        if let Some(said) = memory.ask(&space(), &application, &look) {
            black_box(shifted_shares(&scores, |class| STRENGTH * said.lean(&names[class])));
        }
        began.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<f64> = (0..TIMES).map(time).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Numbers that look random and are the same each time.
struct Noise(u64);

impl Noise {
    /// A vector of a picture somewhat like that of another.
    fn vary(&mut self, look: &[f32]) -> Vec<f32> {
        look.iter().map(|value| (value * (0.4 + 1.2 * self.next())).max(0.0) + 0.01 * self.next()).collect()
    }

    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f32::from(u16::try_from(self.0 >> 48).expect("16 bits")) / 65_536.0
    }
}

/// Linux tells it in pages of 4 KiB.
fn resident() -> f64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0 / 1e6
}

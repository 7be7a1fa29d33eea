//! Measures the time that feedback adds to a recognition, compared to the network, on one thread.
//!
//! `bench-feedback MODELS PHOTO …`; `make bench-feedback` calls it.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement stops at the first surprise"
)]

use std::{env, fs, hint::black_box, path::Path, time::Instant};

use kaisatsu_feedback::{Candidate, Change, FeedbackModel, STRENGTH, ScopeKey, rescale_shares};
use kaisatsu_model::{AppId, Function};
use kaisatsu_vision::{Bounds, ModelRegistry, Worker, decode};

/// The numbers of verdicts in force.
const COUNTS: [u32; 4] = [0, 1_000, 100_000, 1_000_000];

/// The number of classes that the verdicts are spread over, which is that of the network.
const CLASSES: u32 = 1_000;

/// The number of measurements of each figure.
const TIMES: usize = 200;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let [models, photos @ ..] = &words[..] else {
        println!("bench-feedback MODELS PHOTO …");
        return;
    };
    let (descriptors, inference) = network(Path::new(models), photos);
    println!("the network alone: {inference:.2} ms a picture (median of {TIMES})\n");
    println!("| verdicts in force | building it, s | added, p50 ms | p99 ms | share of the network | resident MB |");
    println!("|---|---|---|---|---|---|");
    for count in COUNTS {
        let began = Instant::now();
        let model = filled(count, &descriptors);
        let building = began.elapsed().as_secs_f64();
        let times = query_times(&model, &descriptors);
        let (p50, p99) = (times[TIMES / 2], times[TIMES * 99 / 100]);
        println!(
            "| {count} | {building:.1} | {p50:.3} | {p99:.3} | {:.1}% | {:.0} |",
            100.0 * p50 / inference,
            resident()
        );
    }
}

/// The descriptors of the photographs, and the median time of the network in milliseconds.
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
    let mut descriptors = Vec::new();
    let mut times = Vec::new();
    for turn in 0..TIMES {
        let began = Instant::now();
        let seen = classifier.classify(resizer, &pictures[turn % pictures.len()]).expect("an answer");
        times.push(began.elapsed().as_secs_f64() * 1e3);
        if turn < pictures.len() {
            descriptors.push(seen.embedding.expect("a vector"));
        }
    }
    times.sort_by(f64::total_cmp);
    (descriptors, times[TIMES / 2])
}

fn scope() -> ScopeKey {
    let text = |text: &str| text.to_owned();
    ScopeKey { function: Function::Classify, model: text("general"), engine: text("bench"), class: String::new() }
}

/// A model of `count` verdicts of one application, on variations of the descriptors of photographs.
fn filled(count: u32, descriptors: &[Vec<f32>]) -> FeedbackModel {
    let model = FeedbackModel::new(3);
    let mut noise = Noise(7);
    for number in 0..count {
        let class = number % CLASSES;
        let exemplar = format!("{number:08x}-{class}");
        model.apply(&Change {
            scope: scope(),
            shared: true,
            application: AppId::from_random([1; 10]),
            owner: None,
            verdict: (exemplar.clone(), "1".to_owned()),
            exemplar,
            valid: Some(number % 3 != 0),
            candidates: vec![Candidate { id: "1".to_owned(), subject: format!("class {class}"), base_score: 0.5 }],
            named: None,
            descriptor: noise.vary(&descriptors[number as usize % descriptors.len()]),
        });
    }
    model
}

/// The time in milliseconds that a recognition spends on the evidence and on rescaling all scores, measured many times,
/// sorted.
fn query_times(model: &FeedbackModel, descriptors: &[Vec<f32>]) -> Vec<f64> {
    let application = AppId::from_random([1; 10]);
    let names: Vec<String> = (0..CLASSES).map(|class| format!("class {class}")).collect();
    let scores = vec![1.0 / CLASSES as f32; CLASSES as usize];
    let mut noise = Noise(99);
    let time = |turn: usize| {
        let descriptor = noise.vary(&descriptors[turn % descriptors.len()]);
        let began = Instant::now();
        if let Some(evidence) = model.evidence(&scope(), &application, &descriptor) {
            black_box(rescale_shares(&scores, |class| STRENGTH * evidence.value(&names[class])));
        }
        began.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<f64> = (0..TIMES).map(time).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// A pseudorandom generator with a fixed seed.
struct Noise(u64);

impl Noise {
    /// A variation of a descriptor, as a similar picture has it.
    fn vary(&mut self, descriptor: &[f32]) -> Vec<f32> {
        descriptor.iter().map(|value| (value * (0.4 + 1.2 * self.next())).max(0.0) + 0.01 * self.next()).collect()
    }

    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f32::from(u16::try_from(self.0 >> 48).expect("16 bits")) / 65_536.0
    }
}

/// The resident memory in MB. Linux reports it in pages of 4 KiB.
fn resident() -> f64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0 / 1e6
}

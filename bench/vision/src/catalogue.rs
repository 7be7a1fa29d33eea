//! A catalogue of a hundred thousand items: how much memory it takes, and how long it takes to find one or none.
//!
//! So many pictures may not be passed on. A few photographs are real items; the others are made of mixtures of the
//! descriptors of many parts of photographs, so that words and signatures are spread as the network spreads them.

use std::{
    cell::Cell,
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use kaisatsu_vision::{
    Area, Bounds, Picture, Resizer, Runtime, decode,
    object::{
        DIMENSIONS, Descriptor, EncodedReference, Extractor, Features, Index, ItemId, Matcher, PictureId, QueryFeature,
        Recognised, Recogniser, Reference, Search, Vocabulary, Vote,
    },
    registry::ModelRegistry,
};
use serde_json::{Value, json};

use crate::cpu;

struct Memory {
    index: Index,
    references: HashMap<PictureId, Reference>,
    voting: Cell<Duration>,
}

impl Memory {
    fn vote(&self, query: &[QueryFeature], most: usize) -> Vec<Vote> {
        let began = cpu::now();
        let votes = self.index.vote(query, most);
        self.voting.set(self.voting.get() + cpu::now().saturating_sub(began));
        votes
    }

    /// The items that a picture shows.
    fn recognise(&self, recogniser: &mut Recogniser, resizer: &mut Resizer, picture: &Picture) -> Vec<Recognised> {
        let mut search = if self.index.is_turned() { Search::of_turned() } else { Search::default() };
        while !search.is_over() {
            let vote = |query: &[QueryFeature], most| self.vote(query, most);
            recogniser.vote(resizer, picture, &mut search, vote).expect("features");
            recogniser.verify(&mut search, &self.references).expect("a match");
        }
        search.finish().items
    }
}

/// `views` says how references are read: `upright` or `turned`. `known` are files in the catalogue. `asked` are files
/// to be recognised, with `=` and the numbers of the known files that they show, from 0 and joined by `+`, or `none`.
pub(crate) fn run(models: &str, count: u32, views: &str, known: &[&str], asked: &[&str]) -> Value {
    let models = Path::new(models);
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so")).expect("the library");
    let registry = ModelRegistry::open(models).expect("the models");
    let model = registry.entry("local-features").and_then(|entry| entry.model.as_ref().ok()).expect("local features");
    let mut extractor = Extractor::load(&runtime, &model.folder, &model.manifest).expect("the network");
    let (mut resizer, vocabulary) = (Resizer::new(), Vocabulary::default());
    let reference = |picture: &Picture, extractor: &mut Extractor, resizer: &mut Resizer| match views {
        "turned" => extractor.turned_reference(resizer, picture).expect("features"),
        _ => extractor.reference(resizer, picture).expect("features"),
    };
    let mut memory = Memory { index: Index::default(), references: HashMap::new(), voting: Cell::default() };
    for (number, file) in (0..).zip(known) {
        let reference = reference(&picture(file), &mut extractor, &mut resizer);
        memory.index.insert(ItemId(number), PictureId(number), &vocabulary.encode(&reference));
        memory.references.insert(PictureId(number), reference);
    }
    let strangers = asked.iter().filter_map(|asked| asked.split_once('=')).filter(|(_, wanted)| *wanted == "none");
    let parts: Vec<Picture> = strangers.flat_map(|(file, _)| parts(&picture(file))).collect();
    let real: Vec<Reference> = parts.iter().map(|part| reference(part, &mut extractor, &mut resizer)).collect();
    let began = Instant::now();
    fill(&mut memory, &vocabulary, &real, count);
    let filled = began.elapsed().as_secs_f64();

    let matcher = Matcher::load(&runtime, &model.folder, &model.manifest).expect("the matcher");
    let mut recogniser = Recogniser::new(extractor, matcher);
    let answers: Vec<Value> = asked
        .iter()
        .map(|asked| {
            let (file, wanted) = asked.split_once('=').expect("FILE=NUMBER");
            let picture = picture(file);
            memory.voting.set(Duration::ZERO);
            let began = cpu::now();
            let found = memory.recognise(&mut recogniser, &mut resizer, &picture);
            let milliseconds = cpu::milliseconds(began);
            let sure: Vec<&Recognised> = found.iter().filter(|found| found.score >= 0.5).collect();
            let wanted: BTreeSet<u64> = wanted.split('+').filter_map(|number| number.parse().ok()).collect();
            json!({
                "file": file, "found": sure.iter().map(|found| (found.item.0, found.inliers)).collect::<Vec<_>>(),
                "right": sure.iter().map(|found| found.item.0).collect::<BTreeSet<_>>() == wanted,
                "inliers": sure.first().map(|found| found.inliers), "ms": milliseconds,
                "voting_ms": memory.voting.get().as_secs_f64() * 1e3,
            })
        })
        .collect();
    let (items, bytes) = (memory.index.items(), memory.index.bytes());
    json!({"items": items, "index_megabytes": bytes / 1_000_000, "filled_seconds": filled, "answers": answers})
}

fn picture(file: &str) -> Picture {
    decode(&fs::read(file).expect("a picture"), Bounds::default(), Some(960)).expect("an image").picture
}

/// Parts of a picture, a half wide and high, that overlap.
fn parts(picture: &Picture) -> Vec<Picture> {
    let places = [0.0, 0.125, 0.25, 0.375, 0.5];
    let part = |(x_min, y_min): (f32, f32)| picture.part(Area { x_min, y_min, x_max: x_min + 0.5, y_max: y_min + 0.5 });
    places.iter().flat_map(|x| places.iter().map(|y| part((*x, *y)))).collect()
}

/// The number of the first item that is made up.
const MADE_UP: u64 = 1_000_000;

/// Adds `count` made-up items, on all cores.
fn fill(memory: &mut Memory, vocabulary: &Vocabulary, real: &[Reference], count: u32) {
    let all: Vec<Descriptor> =
        real.iter().flat_map(Reference::views).flat_map(Features::descriptors).copied().collect();
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let (all, count) = (&all, u64::from(count));
    let made: Vec<Vec<(u64, EncodedReference)>> = thread::scope(|scope| {
        let make = |first: u64| {
            let numbers = (first..count).step_by(usize::try_from(threads).expect("few"));
            move || numbers.map(|number| (number, vocabulary.encode(&made_up(real, all, number)))).collect()
        };
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(make(first))).collect();
        running.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    for (number, sketch) in made.into_iter().flatten() {
        memory.index.insert(ItemId(MADE_UP + number), PictureId(MADE_UP + number), &sketch);
    }
}

/// An item with as many features as a real one, at the same places.
fn made_up(real: &[Reference], all: &[Descriptor], number: u64) -> Reference {
    let mut state = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut below = |limit: usize| {
        // xorshift: plain, and the same everywhere
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).expect("31 bits") % limit
    };
    let like = &real[below(real.len())];
    let views = like.views().iter().map(|view| {
        let mixed = view.points().iter().map(|point| {
            let (mine, other) = (all[below(all.len())], all[below(all.len())]);
            (*point, mixture(&mine, &other))
        });
        Features::new(view.width(), view.height(), mixed.collect()).expect("features")
    });
    Reference::new(views.collect()).expect("a reference")
}

/// Two thirds of one and one third of another, of the length that descriptors have.
fn mixture(mine: &Descriptor, other: &Descriptor) -> Descriptor {
    let mixed: [f32; DIMENSIONS] = std::array::from_fn(|at| f32::from(mine[at]) * 2.0 + f32::from(other[at]));
    let length = mixed.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
    #[allow(clippy::cast_possible_truncation, reason = "within 127")]
    mixed.map(|value| (value / length * 127.0).round() as i8)
}

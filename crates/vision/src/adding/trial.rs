//! Runs a network on a picture: first to see what it answers at all, and then as its manifest says.

use std::{path::Path, sync::Arc};

use super::{LABELS, Network, input};
use crate::{
    Classifier, Detector, Embedder, Labels, Picture, Resizer, Tiles, best,
    manifest::{Fault, Input, Task},
    prepare::{prepare, shape},
    runtime::{Feed, Inspected, Runtime, RuntimeError, Tensor},
    text_encoder::SENTENCE,
    vector,
};

/// How many answers are shown.
const SHOWN: usize = 5;

/// The input at the first size that the network takes, and all of its outputs.
pub(super) fn run(
    network: &mut Inspected,
    known: &input::Shape,
    picture: &Picture,
) -> Result<(Input, Vec<(String, Tensor)>), Fault> {
    let mut first = None;
    for size in &known.sizes {
        let input = input::at(known, *size);
        match outputs(network, &input, picture) {
            Ok(outputs) => return Ok((input, outputs)),
            Err(error) => first = first.or(Some((size, error))),
        }
    }
    let (size, error) = first.map_or((String::new(), String::new()), |((width, height), error)| {
        (format!("{width}×{height}"), error.to_string())
    });
    Err(Fault(format!("it does not run on a picture of {size}: {error}. --size WIDTHxHEIGHT and --layout say others")))
}

fn outputs(network: &mut Inspected, input: &Input, picture: &Picture) -> Result<Vec<(String, Tensor)>, RuntimeError> {
    let prepared = prepare(&mut Resizer::new(), picture, input, None)
        .ok_or_else(|| RuntimeError::Run("the picture cannot be resized".to_owned()))?;
    let sides = shape(input);
    let mut feeds = vec![(input.name.as_str(), Feed::Floats(&sides, &prepared.tensor))];
    #[allow(clippy::cast_possible_truncation, reason = "a ratio of sides")]
    let factor = [prepared.scale.1 as f32, prepared.scale.0 as f32];
    let size = [i64::from(picture.height()), i64::from(picture.width())];
    if let Some(name) = &input.scale_factor {
        feeds.push((name, Feed::Floats(&[1, 2], &factor)));
    }
    if let Some(name) = &input.original_size {
        feeds.push((name, Feed::Integers(&[1, 2], &size)));
    }
    network.run(&feeds)
}

/// Loads the finished folder as a server does, and tells what it answers, and what it runs on.
pub(super) fn answer(
    runtime: &Runtime,
    folder: &Path,
    task: Task,
    network: &Network,
    picture: &Picture,
) -> Result<(Vec<String>, &'static str), Fault> {
    let (told, mut resizer) = (|error: RuntimeError| Fault(error.to_string()), Resizer::new());
    let parts = match network {
        Network::Embedder(parts) => {
            let mut embedder = Embedder::load(runtime, folder, parts)?;
            let vector = embedder.embed(&mut resizer, picture, None).map_err(told)?;
            let start: Vec<String> = vector.iter().take(SHOWN).map(|value| format!("{value:.3}")).collect();
            if vector.iter().any(|value| !value.is_finite()) || vector.iter().all(|value| *value == 0.0) {
                return Err(Fault("the vector of the picture is not a number, or is all zero".to_owned()));
            }
            let answer = format!("a vector of {} numbers: {}, …", vector.len(), start.join(", "));
            let mut answers = vec![answer];
            if let Some(read) = embedder.embed_text(SENTENCE) {
                let read = read.map_err(|error| Fault(error.to_string()))?;
                let cosine = vector::dot(&vector, &read);
                if !cosine.is_finite() || read.iter().all(|value| *value == 0.0) {
                    return Err(Fault(format!("the vector of \"{SENTENCE}\" is not a number, or is all zero")));
                }
                answers.push(format!("\"{SENTENCE}\": a cosine of {cosine:.3} with the picture"));
            }
            return Ok((answers, embedder.runs_on()));
        }
        Network::Picture(parts) => parts,
    };
    let labels = Labels::read(&folder.join(LABELS))?;
    let line = |score: f32, class: usize, labels: &Arc<Labels>| {
        let label = labels.get(class);
        format!("{score:.3} {}", label.map(|label| labels.name(label, "en")).unwrap_or_default())
    };
    if task == Task::Detect {
        let mut detector = Detector::load(runtime, folder, parts, Arc::clone(&labels))?;
        let seen = detector.detect(&mut resizer, picture, Tiles::WHOLE, SHOWN, 0.0).map_err(told)?;
        let found = seen.found.iter().map(|found| {
            let area = found.area;
            let corners = [area.x_min, area.y_min, area.x_max, area.y_max].map(|side| format!("{side:.2}"));
            format!("{} at {}", line(found.score, found.class, &labels), corners.join(" "))
        });
        return Ok((found.collect(), detector.runs_on()));
    }
    let mut classifier = Classifier::load(runtime, folder, parts, Arc::clone(&labels))?;
    let seen = classifier.classify(&mut resizer, picture).map_err(told)?;
    if seen.scores.iter().any(|score| !score.is_finite()) {
        return Err(Fault("the scores of the picture are no numbers; --mean and --std say what it wants".to_owned()));
    }
    let classes = best(&seen.scores, SHOWN, 0.0);
    Ok((classes.iter().map(|one| line(one.score, one.class, &labels)).collect(), classifier.runs_on()))
}

//! The outputs of a network: which of them are scores, boxes or vectors, and in which form.

mod detector;

use super::{AddOptions, Finding, finding};
use crate::{
    manifest::{Decode, EmbedderOutput, Fault, Input, Output, Pool, Task},
    runtime::Tensor,
};

/// Networks that are fed alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Classifier,
    Encoder,
    Clip,
    Detector,
    RtDetr,
    Yolox,
}

/// What the manifest will say of the outputs.
#[derive(Debug)]
pub(super) enum Form {
    /// A vector alone.
    Vector(EmbedderOutput),
    /// Scores of so many classes.
    Scores { output: Box<Output>, count: usize },
}

/// What was found out of the outputs.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) form: Form,
    pub(super) family: Family,
    pub(super) findings: Vec<Finding>,
}

type Outputs = [(String, Tensor)];

/// Reads the outputs for one picture.
pub(super) fn read(
    outputs: &Outputs,
    options: &AddOptions,
    classes: Option<usize>,
    input: &Input,
) -> Result<Read, Fault> {
    match options.task {
        Task::Classify => classifier(outputs, options, classes),
        Task::Detect => detector::read(outputs, options, classes, input),
        Task::Embed => embedder(outputs, options),
        Task::ReadText | Task::LocalFeatures => Err(Fault("--task is classify, detect or embed".to_owned())),
    }
}

/// The output of that name.
pub(super) fn named<'a>(outputs: &'a Outputs, name: &str, option: &str) -> Result<&'a (String, Tensor), Fault> {
    let found = outputs.iter().find(|(known, _)| known == name);
    found.ok_or_else(|| Fault(format!("{option} {name}: there is no such output. It has {}", list(outputs))))
}

pub(super) fn list(outputs: &Outputs) -> String {
    let one = |(name, tensor): &(String, Tensor)| format!("'{name}' {:?}", tensor.shape);
    if outputs.is_empty() {
        "none of 32-bit numbers".to_owned()
    } else {
        outputs.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Whether it is one vector, however many ones are around it.
pub(super) fn is_vector(tensor: &Tensor) -> bool {
    tensor.values.len() > 1 && Pool::None.vector(tensor).is_some()
}

fn blank(decode: Decode, scores: &str) -> Output {
    Output {
        decode,
        scores: scores.to_owned(),
        embedding: None,
        boxes: None,
        temperature: 1.0,
        none_below: 0.0,
        none: Vec::new(),
        nms_iou: 0.6,
        score_floor: 0.025,
        candidates_per_class: 1000,
        keep: 100,
    }
}

fn classifier(outputs: &Outputs, options: &AddOptions, classes: Option<usize>) -> Result<Read, Fault> {
    let vectors: Vec<_> = outputs.iter().filter(|(_, tensor)| is_vector(tensor)).collect();
    let fits = |tensor: &Tensor| classes.is_none_or(|classes| tensor.values.len() == classes);
    let (name, tensor) = if let Some(name) = &options.scores {
        named(outputs, name, "--scores")?
    } else {
        let likely = ["logits", "scores", "prob", "output"];
        let fitting = || vectors.iter().filter(|(_, tensor)| fits(tensor));
        let usual = likely.iter().find_map(|word| fitting().find(|(name, _)| name.to_lowercase().contains(word)));
        let found = usual.or_else(|| fitting().next()).or_else(|| vectors.first().filter(|_| vectors.len() == 1));
        let told = || match classes {
            None => format!("no output is a list of scores; --scores names it. It has {}", list(outputs)),
            Some(n) => format!("no output has {n} scores, one for each of --labels. It has {}", list(outputs)),
        };
        *found.ok_or_else(|| Fault(told()))?
    };
    let count = tensor.values.len();
    if let Some(classes) = classes.filter(|classes| *classes != count) {
        let hint = if count == classes + 1 {
            ". Perhaps the first or the last class is \"background\" and needs a line too"
        } else {
            ""
        };
        let told = format!("the output '{name}' has {count} classes and --labels names {classes}");
        return Err(Fault(told + hint));
    }
    let (decode, why) = match options.decode {
        Some(decode) if matches!(decode, Decode::Softmax | Decode::Sigmoid | Decode::Probabilities) => {
            (decode, "as --decode says".to_owned())
        }
        Some(_) => return Err(Fault("--decode of a classifier is softmax, sigmoid or probabilities".to_owned())),
        None => form(&tensor.values),
    };
    let mut findings = vec![finding("scores", format!("'{name}', {}", word(decode)), why)];
    let mut output = blank(decode, name);
    let others: Vec<&str> = vectors.iter().map(|(other, _)| other.as_str()).filter(|other| other != name).collect();
    output.embedding = match (&options.embedding, &others[..]) {
        (Some(embedding), _) => Some(named(outputs, embedding, "--embedding")?.0.clone()),
        (None, [only]) => Some((*only).to_owned()),
        (None, many) => many.iter().find(|name| is_embedding(name)).map(|name| (*name).to_owned()),
    };
    findings.push(match &output.embedding {
        Some(name) => finding("vectors", format!("'{name}'"), "for collections and teaching; --embedding"),
        None => finding("vectors", "none", "no other output is a vector: it cannot be a --base"),
    });
    Ok(Read { form: Form::Scores { output: Box::new(output), count }, family: Family::Classifier, findings })
}

fn is_embedding(name: &str) -> bool {
    ["embed", "feature", "pool"].iter().any(|word| name.to_lowercase().contains(word))
}

/// The form of scores, by the scores of one picture.
fn form(scores: &[f32]) -> (Decode, String) {
    let sum: f32 = scores.iter().sum();
    let between = scores.iter().all(|score| (0.0..=1.0).contains(score));
    let told = match (between, (sum - 1.0).abs() < 0.01) {
        (true, true) => "between 0 and 1, and they sum to one",
        (true, false) => "between 0 and 1, each by itself",
        (false, _) => {
            return (Decode::Softmax, "they do not sum to one; --decode sigmoid if several can be right".into());
        }
    };
    (Decode::Probabilities, format!("{told}; --decode"))
}

fn word(decode: Decode) -> &'static str {
    match decode {
        Decode::Softmax => "softmax",
        Decode::Sigmoid => "sigmoid",
        Decode::Probabilities => "probabilities",
        Decode::BoxesScores => "boxes-scores",
        Decode::Detr => "detr",
        Decode::Yolox => "yolox",
    }
}

fn embedder(outputs: &Outputs, options: &AddOptions) -> Result<Read, Fault> {
    let usual = ["image_embeds", "image_features", "embedding", "embeddings", "pooler_output", "features"];
    let (name, tensor) = if let Some(name) = &options.embedding {
        named(outputs, name, "--embedding")?
    } else {
        let vectors = || outputs.iter().filter(|(_, tensor)| is_vector(tensor));
        let known = usual.iter().find_map(|word| vectors().find(|(name, _)| name == word));
        let tokens = outputs.iter().find(|(_, tensor)| matches!(tensor.shape.len(), 3 | 4));
        let found = known.or_else(|| vectors().next()).or(tokens);
        found.ok_or_else(|| Fault(format!("no output is a vector; --embedding names it. It has {}", list(outputs))))?
    };
    let (pool, why) = match (options.pool, is_vector(tensor), tensor.shape.len()) {
        (Some(pool), ..) => (pool, "as --pool says"),
        (None, true, _) => (Pool::None, "it is one vector; --embedding"),
        (None, false, 3) => (Pool::First, "the first token stands for the picture; --pool mean averages them"),
        (None, false, _) => (Pool::Mean, "the mean over all pixels; --embedding, --pool"),
    };
    let Some(vector) = pool.vector(tensor) else {
        let (shape, pool) = (&tensor.shape, pool.as_str());
        return Err(Fault(format!(
            "--pool {pool} makes no vector of the output '{name}' {shape:?}; --embedding, --pool"
        )));
    };
    let pooled = if pool == Pool::None { String::new() } else { format!(", pool {}", pool.as_str()) };
    let value = format!("'{name}' {:?}{pooled}: {} numbers", tensor.shape, vector.len());
    let family = if name == "image_embeds" { Family::Clip } else { Family::Encoder };
    let output = EmbedderOutput { embedding: name.clone(), pool };
    Ok(Read { form: Form::Vector(output), family, findings: vec![finding("vectors", value, why)] })
}

#[cfg(test)]
mod tests;

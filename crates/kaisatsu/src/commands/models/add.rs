//! `kaisatsu models add`: an ONNX file becomes a model.

use std::path::{Path, PathBuf};

use clap::Args;
use kaisatsu_vision::{
    ModelRegistry,
    adding::{self, AddOptions, Added, TextOptions},
    manifest::{Channels, Decode, Filter, Fit, Layout, Load, Pool, Task},
};
use serde::{Deserialize, de::IntoDeserializer};

use super::model_name;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The ONNX file
    file: PathBuf,
    /// What the model does: classify, detect or embed (vectors only)
    #[arg(long, value_parser = task)]
    task: Task,
    /// The names of the classes: one a line, a list in JSON, `id2label` of a config.json, or a labels.tsv
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The name of the model, for `modelName` and `--base` [default: that of the file]
    #[arg(long, value_parser = model_name)]
    name: Option<String>,
    /// The picture that it is tried on [default: a drawn one]
    #[arg(long = "try", value_name = "PICTURE")]
    picture: Option<PathBuf>,
    /// Replace a model of that name
    #[arg(long)]
    force: bool,
    /// What people call it [default: the name]
    #[arg(long)]
    title: Option<String>,
    /// The licence of the weights
    #[arg(long)]
    licence: Option<String>,
    /// When it is loaded: start or first-use
    #[arg(long, value_parser = word::<Load>, default_value = "start")]
    load: Load,
    /// The size of the input, such as 224 or 640x480 [default: the file's, or the first usual one that runs]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// How the pixels lie in the input: nchw or nhwc [default: where the file has a side of 3]
    #[arg(long, value_parser = word::<Layout>)]
    layout: Option<Layout>,
    /// The order of the colours: rgb or bgr
    #[arg(long, value_parser = word::<Channels>)]
    channels: Option<Channels>,
    /// How a picture fits the input: crop, stretch or pad
    #[arg(long, value_parser = word::<Fit>)]
    fit: Option<Fit>,
    /// With --fit crop: the part of the shorter side that is looked at
    #[arg(long, value_name = "0.1-1")]
    crop_fraction: Option<f64>,
    /// How pictures are resized: bicubic or bilinear
    #[arg(long, value_parser = word::<Filter>)]
    filter: Option<Filter>,
    /// What is subtracted from the colours, which are 0 to 255: one number, or three with commas
    #[arg(long, value_name = "R,G,B", value_parser = colours, allow_hyphen_values = true)]
    mean: Option<[f32; 3]>,
    /// What the colours are divided by after that
    #[arg(long, value_name = "R,G,B", value_parser = colours)]
    std: Option<[f32; 3]>,
    /// How the outputs are read: softmax, sigmoid, probabilities; boxes-scores, detr, yolox
    #[arg(long, value_parser = word::<Decode>)]
    decode: Option<Decode>,
    /// The output with the scores
    #[arg(long, value_name = "OUTPUT")]
    scores: Option<String>,
    /// The output with the boxes
    #[arg(long, value_name = "OUTPUT")]
    boxes: Option<String>,
    /// The output with the vector
    #[arg(long, value_name = "OUTPUT")]
    embedding: Option<String>,
    /// What becomes of several vectors in that output: none, first (the class token), last or mean
    #[arg(long, value_parser = word::<Pool>)]
    pool: Option<Pool>,
    #[command(flatten)]
    words: WordSearch,
}

#[derive(Debug, Args)]
struct WordSearch {
    /// The ONNX file of the text encoder that goes with it, for searching with words
    #[arg(long, value_name = "FILE", requires = "tokenizer")]
    text_encoder: Option<PathBuf>,
    /// The tokenizer of the text encoder: a tokenizer.json of Hugging Face
    #[arg(long, value_name = "FILE", requires = "text_encoder")]
    tokenizer: Option<PathBuf>,
    /// The most tokens of a text [default: the file's, or the most that run]
    #[arg(long, value_name = "TOKENS", requires = "text_encoder", value_parser = tokens)]
    text_length: Option<usize>,
    /// The number of the token that texts are filled up with [default: the tokenizer's, or 0, if the length is fixed]
    #[arg(long, value_name = "TOKEN", requires = "text_encoder")]
    text_pad: Option<u32>,
    /// The output of the text encoder with the vector
    #[arg(long, value_name = "OUTPUT", requires = "text_encoder")]
    text_embedding: Option<String>,
    /// What becomes of several vectors in that output: none, first, last or mean
    #[arg(long, requires = "text_encoder", value_parser = word::<Pool>)]
    text_pool: Option<Pool>,
}

impl WordSearch {
    fn options(self) -> Option<TextOptions> {
        Some(TextOptions {
            encoder: self.text_encoder?,
            tokenizer: self.tokenizer?,
            length: self.text_length,
            pad: self.text_pad,
            embedding: self.text_embedding,
            pool: self.text_pool,
        })
    }
}

pub(super) fn run(registry: &ModelRegistry, models: &Path, add: Add) -> Result<(), CliError> {
    let name = match add.name {
        Some(name) => name,
        None => model_name(&stem(&add.file))
            .map_err(|rule| CliError::Usage(format!("--name is needed: {rule}, unlike '{}'", stem(&add.file))))?,
    };
    let tried = add.picture.as_ref().map_or("a drawn picture".to_owned(), |path| path.display().to_string());
    let options = AddOptions {
        name,
        task: add.task,
        labels: add.labels,
        picture: add.picture,
        force: add.force,
        title: add.title,
        licence: add.licence,
        load: add.load,
        size: add.size,
        layout: add.layout,
        channels: add.channels,
        fit: add.fit,
        crop_fraction: add.crop_fraction,
        filter: add.filter,
        mean: add.mean,
        std: add.std,
        decode: add.decode,
        scores: add.scores,
        boxes: add.boxes,
        embedding: add.embedding,
        pool: add.pool,
        text: add.words.options(),
    };
    let added = adding::add(registry, models, &add.file, &options);
    tell(&options, &tried, &added.map_err(|fault| CliError::Failed(fault.to_string()))?);
    Ok(())
}

fn tell(options: &AddOptions, tried: &str, added: &Added) {
    let Added { findings, answers, runs_on, vectors } = added;
    outln!("model '{}' ({}), runs on {runs_on}", options.name, options.task.as_str());
    for finding in findings {
        outln!("  {:<8} {} ({})", finding.what, finding.value, finding.why);
    }
    if let Some(sha256) = vectors {
        outln!("  {:<8} {sha256} (identifies the vectors; sha256 of a member of an ensemble)", "kind");
    }
    outln!("tried on {tried}:");
    for answer in answers {
        outln!("  {answer}");
    }
    if answers.is_empty() {
        outln!("  nothing");
    }
    outln!("A server loads it when it starts. Compare with the program that the weights come with.");
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A word of the manifest.
fn word<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, String> {
    T::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(text)).map_err(|e| e.to_string())
}

fn task(text: &str) -> Result<Task, String> {
    let known = word(text).ok().filter(|task| matches!(task, Task::Classify | Task::Detect | Task::Embed));
    known.ok_or_else(|| "expected classify, detect or embed".to_owned())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once(['x', '×']).unwrap_or((text, text));
    match (width.parse(), height.parse()) {
        (Ok(width @ 1..=4096), Ok(height @ 1..=4096)) => Ok((width, height)),
        _ => Err("expected a side, or WIDTHxHEIGHT, of 1 to 4096 pixels".to_owned()),
    }
}

fn tokens(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|tokens| (1..=4096).contains(tokens));
    number.ok_or_else(|| "expected 1 to 4096 tokens".to_owned())
}

fn colours(text: &str) -> Result<[f32; 3], String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([one]) if one.is_finite() => Ok([*one; 3]),
        Ok(&[red, green, blue]) if [red, green, blue].iter().all(|n| n.is_finite()) => Ok([red, green, blue]),
        _ => Err("expected one number, or three with commas".to_owned()),
    }
}

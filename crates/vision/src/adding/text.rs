//! The text encoder of a model that makes vectors: which inputs take the tokens, how many there may be, and which
//! output is the vector.

use std::{fs, path::Path};

use super::{Finding, TextOptions, finding, hashed, input, not_onnx, output};
use crate::{
    manifest::{Fault, Pool, TextEncoderParts},
    runtime::{Inspected, Number, Runtime, Tensor, TensorInfo},
    text_encoder::{SENTENCE, TextTokenizer, Tokens, pooled},
};

const WEIGHTS: &str = "text.onnx";
const TOKENIZER: &str = "tokenizer.json";

/// The lengths that are tried, in this order, where the file leaves them open: the longest that runs is taken.
const USUAL: [usize; 6] = [512, 256, 128, 77, 64, 32];

/// Copies a text encoder into a model folder and finds out how it is used. Its vectors must have `dims` numbers.
pub(super) fn add(
    runtime: &Runtime,
    making: &Path,
    said: &TextOptions,
    dims: usize,
    findings: &mut Vec<Finding>,
) -> Result<TextEncoderParts, Fault> {
    for (from, to) in [(&said.encoder, WEIGHTS), (&said.tokenizer, TOKENIZER)] {
        fs::copy(from, making.join(to)).map_err(|error| Fault(format!("{}: {error}", from.display())))?;
    }
    let tokenizer =
        TextTokenizer::read(&said.tokenizer, None, None).map_err(|fault| Fault(format!("--tokenizer {fault}")))?;
    let network = runtime.inspect(&making.join(WEIGHTS)).map_err(|error| not_onnx(&said.encoder, error))?;
    let mut network = Trial { inputs: inputs(&network.inputs)?, network };
    let padding = TextTokenizer::own_padding(&said.tokenizer);
    let fixed = length(&network.inputs, said, padding.and_then(|(length, _)| length))?;
    let (length, tokenizer, why) = match fixed {
        Some((length, why)) => (length, limited(tokenizer, length)?, why),
        None => network.longest(tokenizer)?,
    };
    // A file that leaves the length open takes short texts as they are, unless its tokenizer fills them up.
    let fills_up = network.inputs.fixed.is_some() || padding.is_some_and(|(length, _)| length.is_some());
    let pad = said.pad.or_else(|| fills_up.then(|| padding.map_or(0, |(_, pad)| pad)));
    let tokenizer = tokenizer.with(Some(length), pad)?;
    let tokens = tokenizer.tokens(SENTENCE).ok_or_else(|| Fault(no_tokens()))?;
    let outputs = network.run(&tokens).map_err(|error| Fault(format!("the text encoder does not run: {error}")))?;
    let Trial { inputs: Inputs { tokens: input, mask, .. }, .. } = network;
    let masked = mask.as_ref().map(|mask| format!(", mask '{mask}'")).unwrap_or_default();
    let filled = pad.map(|pad| format!(", filled up with {pad}")).unwrap_or_default();
    let value = format!("'{input}'{masked}, {length} tokens{filled}");
    findings.push(finding("text", value, format!("{why}; --text-length, --text-pad")));
    let (embedding, pool) = vector(outputs, said, dims, tokens.count, findings)?;
    let (weights, tokenizer) = (hashed(making, WEIGHTS)?, hashed(making, TOKENIZER)?);
    let length = Some(length);
    Ok(TextEncoderParts {
        weights,
        tokenizer,
        tokens: input,
        mask,
        length,
        pad,
        embedding,
        pool,
        sha256: String::new(),
    })
}

fn limited(tokenizer: TextTokenizer, length: usize) -> Result<TextTokenizer, Fault> {
    tokenizer.with(Some(length), None).map_err(|fault| Fault(format!("--text-length: {fault}")))
}

fn no_tokens() -> String {
    format!("--tokenizer: it makes no tokens of \"{SENTENCE}\"")
}

/// The inputs of a text encoder.
#[derive(Debug, PartialEq, Eq)]
struct Inputs {
    tokens: String,
    mask: Option<String>,
    /// How many tokens there must be, if the file says so.
    fixed: Option<usize>,
}

fn inputs(all: &[TensorInfo]) -> Result<Inputs, Fault> {
    let is_mask = |input: &&TensorInfo| input.name.contains("mask");
    let hint = "export the part that reads text alone, with the tokens and their mask as its only inputs";
    for input in all {
        let sides = input.shape.len() == 2 && input.shape[0].is_none_or(|side| side == 1);
        if input.number != Number::Integer || !sides {
            let told = "the text encoder wants the input";
            return Err(Fault(format!(
                "{told} {}, which is not [1, tokens] of 64-bit integers; {hint}",
                input::one_of(input)
            )));
        }
    }
    let mask = all.iter().find(is_mask).map(|mask| mask.name.clone());
    match &all.iter().filter(|input| !is_mask(input)).collect::<Vec<_>>()[..] {
        [tokens] if all.len() <= 2 => Ok(Inputs { tokens: tokens.name.clone(), mask, fixed: tokens.shape[1] }),
        _ => Err(Fault(format!("the text encoder has the inputs {}; {hint}", input::list(all)))),
    }
}

/// The length that is said by the file, by the operator, or by the tokenizer, and who says it.
fn length(inputs: &Inputs, said: &TextOptions, own: Option<usize>) -> Result<Option<(usize, String)>, Fault> {
    match (inputs.fixed, said.length) {
        (Some(fixed), Some(said)) if fixed != said => {
            Err(Fault(format!("--text-length {said}: the text encoder takes {fixed} tokens")))
        }
        (Some(fixed), _) => Ok(Some((fixed, "as the file says".to_owned()))),
        (None, Some(said)) => Ok(Some((said, "as --text-length says".to_owned()))),
        (None, None) => Ok(own.map(|own| (own, "as the tokenizer says".to_owned()))),
    }
}

/// A text encoder that is tried.
struct Trial {
    network: Inspected,
    inputs: Inputs,
}

impl Trial {
    fn run(&mut self, tokens: &Tokens) -> Result<Vec<(String, Tensor)>, String> {
        let feeds = tokens.feeds(&self.inputs.tokens, self.inputs.mask.as_deref());
        self.network.run(&feeds).map_err(|error| error.to_string())
    }

    /// The longest of the usual lengths that runs, and a tokenizer that cuts texts to it.
    fn longest(&mut self, mut tokenizer: TextTokenizer) -> Result<(usize, TextTokenizer, String), Fault> {
        let long = [SENTENCE].repeat(USUAL[0]).join(" ");
        let mut first = None;
        for length in USUAL {
            tokenizer = limited(tokenizer, length)?;
            let tokens = tokenizer.tokens(&long).ok_or_else(|| Fault(no_tokens()))?;
            match self.run(&tokens) {
                Ok(_) => {
                    return Ok((length, tokenizer, "the longest text that it was tried on with success".to_owned()));
                }
                Err(error) => first = first.or(Some(error)),
            }
        }
        let told = "the text encoder does not run on a text of";
        Err(Fault(format!("{told} {USUAL:?} tokens; --text-length says another: {}", first.unwrap_or_default())))
    }
}

/// The output that is the vector, and how it becomes one.
fn vector(
    outputs: Vec<(String, Tensor)>,
    said: &TextOptions,
    dims: usize,
    count: usize,
    findings: &mut Vec<Finding>,
) -> Result<(String, Pool), Fault> {
    let usual = ["text_embeds", "text_features", "sentence_embedding", "embedding", "embeddings", "pooler_output"];
    let list = output::list(&outputs);
    let fits = |(_, tensor): &&(String, Tensor)| tensor.shape.last() == Some(&dims);
    let name = if let Some(name) = &said.embedding {
        &output::named(&outputs, name, "--text-embedding")?.0
    } else {
        let vectors = || outputs.iter().filter(|(_, tensor)| output::is_vector(tensor)).filter(fits);
        let known = usual.iter().find_map(|word| vectors().find(|(name, _)| name == word));
        let tokens = outputs.iter().filter(fits).find(|(_, tensor)| tensor.shape.len() == 3);
        let told = || {
            format!(
                "no output of the text encoder is a vector of {dims} numbers, as those of pictures are; \
                 --text-embedding names it. It has {list}"
            )
        };
        &known.or_else(|| vectors().next()).or(tokens).ok_or_else(|| Fault(told()))?.0
    };
    let name = name.clone();
    let Some((_, tensor)) = outputs.into_iter().find(|(known, _)| *known == name) else {
        return Err(Fault(format!("the output '{name}' is gone")));
    };
    let (pool, why) = match (said.pool, output::is_vector(&tensor)) {
        (Some(pool), _) => (pool, "as --text-pool says"),
        (None, true) => (Pool::None, "it is one vector; --text-embedding"),
        (None, false) => (Pool::Mean, "the mean of its tokens; --text-pool first or last takes one of them"),
    };
    let shape = tensor.shape.clone();
    let Some(vector) = pooled(pool, tensor, count) else {
        let pool = pool.as_str();
        return Err(Fault(format!("--text-pool {pool} makes no vector of '{name}' {shape:?}. It has {list}")));
    };
    if vector.len() != dims {
        let told = "vectors of texts and of pictures cannot be compared";
        return Err(Fault(format!("{told}: '{name}' has {} numbers, and a picture has {dims}", vector.len())));
    }
    let pooled = if pool == Pool::None { String::new() } else { format!(", pool {}", pool.as_str()) };
    findings.push(finding("texts", format!("'{name}' {shape:?}{pooled}: {dims} numbers"), why));
    Ok((name, pool))
}

#[cfg(test)]
mod tests;

//! The outputs of detectors: the families differ in their shapes.

use super::{Family, Form, Outputs, Read, blank, list, named, word};
use crate::{
    adding::{AddOptions, finding},
    manifest::{Decode, Fault, Input},
    runtime::Tensor,
};

/// Grids of cells that have a side of so many pixels.
const STRIDES: [u32; 3] = [8, 16, 32];

/// A logarithm of a side in cells is never so large. A side in pixels soon is.
const LARGEST_LOGARITHM: f32 = 20.0;

pub(super) fn read(
    outputs: &Outputs,
    options: &AddOptions,
    classes: Option<usize>,
    input: &Input,
) -> Result<Read, Fault> {
    let boxes = match &options.boxes {
        Some(name) => Some(named(outputs, name, "--boxes")?),
        None => outputs.iter().find(|(_, tensor)| matches!(tensor.shape[..], [1, _, 4])),
    };
    let (found, family) = match (boxes, options.decode) {
        (None, None | Some(Decode::Yolox)) | (_, Some(Decode::Yolox)) => {
            (yolox(outputs, options, input)?, Family::Yolox)
        }
        (None, Some(_)) => return Err(Fault(format!("no output is boxes [1, n, 4]; it has {}", list(outputs)))),
        (Some(boxes), _) => boxes_and_scores(outputs, boxes, options, classes, input)?,
    };
    let Found { decode, scores, boxes, count } = found;
    if let Some(classes) =
        classes.filter(|classes| *classes != count && !(decode == Decode::Detr && *classes + 1 == count))
    {
        return Err(Fault(format!("the output '{scores}' has {count} classes and --labels names {classes}")));
    }
    let mut output = blank(decode, &scores);
    let value = match &boxes {
        Some(boxes) => format!("{}, scores '{scores}', boxes '{boxes}'", word(decode)),
        None => format!("{}, '{scores}'", word(decode)),
    };
    output.boxes = boxes;
    let why =
        if options.decode.is_some() { "as --decode says" } else { "by their shapes; --decode, --scores, --boxes" };
    let count = classes.unwrap_or(count);
    Ok(Read {
        form: Form::Scores { output: Box::new(output), count },
        family,
        findings: vec![finding("outputs", value, why)],
    })
}

struct Found {
    decode: Decode,
    scores: String,
    boxes: Option<String>,
    /// The classes that the shape has room for.
    count: usize,
}

/// One tensor with everything.
fn yolox(outputs: &Outputs, options: &AddOptions, input: &Input) -> Result<Found, Fault> {
    let rows = |tensor: &Tensor| matches!(tensor.shape[..], [1, _, columns] if columns > 5);
    let known = "boxes [1, n, 4] with logits [1, n, classes] (detr) or scores [1, classes, n] (boxes-scores), or one \
                 output [1, n, 5 + classes] (yolox)";
    let told =
        || Fault(format!("its outputs are not those of a detector that is known: {known}. It has {}", list(outputs)));
    let (name, tensor) = match &options.scores {
        Some(name) => named(outputs, name, "--scores")?,
        None => outputs.iter().find(|(_, tensor)| rows(tensor)).ok_or_else(told)?,
    };
    let [1, count, columns] = tensor.shape[..] else { return Err(told()) };
    let cells: u32 = STRIDES.iter().map(|step| (input.width / step) * (input.height / step)).sum();
    if columns <= 5 || count != cells as usize {
        let (width, height) = (input.width, input.height);
        let told = format!("the output '{name}' {:?} is not YOLOX's", tensor.shape);
        return Err(Fault(format!("{told}, which is [1, {cells}, 5 + classes] for {width}×{height}; --size")));
    }
    if tensor.values.chunks_exact(columns).any(|row| row[2].max(row[3]) > LARGEST_LOGARITHM) {
        let told = format!("the output '{name}' has boxes in pixels");
        return Err(Fault(format!("{told}; export without --decode_in_inference, so that it has offsets")));
    }
    Ok(Found { decode: Decode::Yolox, scores: name.clone(), boxes: None, count: columns - 5 })
}

fn boxes_and_scores(
    outputs: &Outputs,
    (boxes, of): &(String, Tensor),
    options: &AddOptions,
    classes: Option<usize>,
    input: &Input,
) -> Result<(Found, Family), Fault> {
    let n = of.values.len() / 4;
    // Where both would fit, the number of labels decides.
    let by_query = |tensor: &Tensor| match tensor.shape[..] {
        [1, rows, columns] if rows == n => Some(columns),
        _ => None,
    };
    let by_class = |tensor: &Tensor| match tensor.shape[..] {
        [1, rows, columns] if columns == n => Some(rows),
        _ => None,
    };
    let others = || outputs.iter().filter(|(name, _)| name != boxes);
    let (name, scores) = match &options.scores {
        Some(name) => named(outputs, name, "--scores")?,
        None => others().find(|(_, tensor)| by_query(tensor).or(by_class(tensor)).is_some()).ok_or_else(|| {
            let told = format!("no output is the scores of all classes for the {n} boxes '{boxes}'");
            let hint = "A network that answers with labels and their scores alone was exported with its \
                        post-processing; export it without. It has";
            Fault(format!("{told}. {hint} {}", list(outputs)))
        })?,
    };
    let told = || Fault(format!("the output '{name}' {:?} does not fit the {n} boxes '{boxes}'", scores.shape));
    let (decode, count) = match (options.decode, by_query(scores), by_class(scores)) {
        (None | Some(Decode::Detr), Some(count), _) => (Decode::Detr, count),
        (None | Some(Decode::BoxesScores), _, Some(count)) => (Decode::BoxesScores, count),
        _ => return Err(told()),
    };
    if decode == Decode::Detr && of.values.iter().any(|side| !(-0.5..=2.0).contains(side)) {
        let told = format!("the boxes '{boxes}' are not fractions of the picture");
        return Err(Fault(format!("{told}, as detr has them; export it without its post-processing")));
    }
    if decode == Decode::BoxesScores && input.scale_factor.is_none() && input.original_size.is_none() {
        let told = format!("the boxes '{boxes}' would be in pixels of the picture, but no input takes its size");
        return Err(Fault(format!("{told}; export it with such an input (scale_factor or orig_size)")));
    }
    // DETR has a class for "nothing here" and ImageNet's pixels, RT-DETR has neither.
    let family = match (decode, classes) {
        (Decode::Detr, Some(classes)) if count == classes + 1 => Family::Detector,
        (Decode::Detr, _) => Family::RtDetr,
        _ => Family::Detector,
    };
    Ok((Found { decode, scores: name.clone(), boxes: Some(boxes.clone()), count }, family))
}

//! The input of a network: which tensor takes the picture, at which size, and what the pixels become.

use super::{AddOptions, Finding, finding, output::Family};
use crate::{
    manifest::{Channels, Fault, Filter, Fit, Input, Layout, Task},
    runtime::{Number, TensorInfo},
};

/// The sizes that are tried, in this order, where the file leaves them open.
const USUAL: [u32; 6] = [224, 256, 336, 384, 448, 518];
const USUAL_OF_DETECTORS: [u32; 5] = [640, 416, 512, 800, 320];

/// What the file says of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) layout: Layout,
    /// Widths and heights to be tried, in this order.
    pub(super) sizes: Vec<(u32, u32)>,
    pub(super) scale_factor: Option<String>,
    pub(super) original_size: Option<String>,
    pub(super) why: String,
}

/// Finds the input that takes a picture, and those that take its size.
pub(super) fn read(inputs: &[TensorInfo], options: &AddOptions) -> Result<Shape, Fault> {
    let is_picture = |input: &&TensorInfo| input.shape.len() == 4;
    let picture = inputs
        .iter()
        .find(is_picture)
        .ok_or_else(|| Fault(format!("no input takes a picture, that is, has four sides. It has {}", list(inputs))))?;
    let one = |side: &Option<usize>| side.is_none_or(|side| side == 1);
    let told = |what: &str| Fault(format!("its input {} {what}", one_of(picture)));
    if picture.number != Number::Float {
        return Err(told("takes no 32-bit floating-point numbers; export it with such an input"));
    }
    if !one(&picture.shape[0]) {
        return Err(told("takes several pictures at once; export it with a batch of 1, or one that is not fixed"));
    }
    let layout = match (options.layout, picture.shape[1], picture.shape[3]) {
        (Some(layout), ..) => layout,
        (None, Some(3), _) | (None, None, None) => Layout::Nchw,
        (None, _, Some(3)) => Layout::Nhwc,
        _ => return Err(told("has no side of 3 for the colours, first (nchw) or last (nhwc)")),
    };
    let (channels, height, width) = match layout {
        Layout::Nchw => (picture.shape[1], picture.shape[2], picture.shape[3]),
        Layout::Nhwc => (picture.shape[3], picture.shape[1], picture.shape[2]),
    };
    if channels.is_some_and(|channels| channels != 3) {
        return Err(told("does not fit --layout: there are not 3 colours"));
    }
    let fixed = |side: Option<usize>, said: Option<u32>| match (side.and_then(|side| u32::try_from(side).ok()), said) {
        (Some(side), Some(said)) if side != said => Err(told(&format!("does not fit --size: it is fixed at {side}"))),
        (side, said) => Ok(side.or(said)),
    };
    let width = fixed(width, options.size.map(|size| size.0))?;
    let height = fixed(height, options.size.map(|size| size.1))?;
    let usual: &[u32] = if options.task == Task::Detect { &USUAL_OF_DETECTORS } else { &USUAL };
    let (sizes, why) = match (width, height) {
        (Some(width), Some(height)) if options.size.is_some() => (vec![(width, height)], "as --size says"),
        (Some(width), Some(height)) => (vec![(width, height)], "as the file says"),
        (Some(side), None) | (None, Some(side)) => (vec![(side, side)], "one side as the file says; --size"),
        (None, None) => (usual.iter().map(|side| (*side, *side)).collect(), "the file leaves the size open; --size"),
    };
    let mut shape = Shape {
        name: picture.name.clone(),
        layout,
        sizes,
        scale_factor: None,
        original_size: None,
        why: why.to_owned(),
    };
    for other in inputs.iter().filter(|input| input.name != picture.name) {
        take(&mut shape, other, options.task)?;
    }
    Ok(shape)
}

/// A detector may also want the size of the picture.
fn take(shape: &mut Shape, other: &TensorInfo, task: Task) -> Result<(), Fault> {
    let is_pair = other.shape.len() == 2 && other.shape[1].is_none_or(|side| side == 2);
    match (&other.number, task) {
        (Number::Float, Task::Detect) if is_pair && other.name.contains("scale") => {
            shape.scale_factor = Some(other.name.clone());
        }
        (Number::Integer, Task::Detect) if is_pair => shape.original_size = Some(other.name.clone()),
        _ => {
            let told = "it also wants the input";
            let hint = "export the part that sees pictures alone, with the picture as its only input";
            return Err(Fault(format!("{told} {}; {hint}", one_of(other))));
        }
    }
    Ok(())
}

pub(super) fn list(inputs: &[TensorInfo]) -> String {
    inputs.iter().map(one_of).collect::<Vec<_>>().join(", ")
}

pub(super) fn one_of(input: &TensorInfo) -> String {
    let sides: Vec<String> = input.shape.iter().map(|side| side.map_or("?".to_owned(), |n| n.to_string())).collect();
    let number = match &input.number {
        Number::Float => "",
        Number::Integer => " of 64-bit integers",
        Number::Other(kind) => kind,
    };
    format!("'{}' [{}]{}{number}", input.name, sides.join(", "), if number.starts_with(' ') { "" } else { " " })
        .trim_end()
        .to_owned()
}

/// The input at one size, before what is usual for its family is known.
pub(super) fn at(shape: &Shape, (width, height): (u32, u32)) -> Input {
    Input {
        name: shape.name.clone(),
        width,
        height,
        layout: shape.layout,
        channels: Channels::Rgb,
        fit: Fit::Stretch,
        crop_fraction: 1.0,
        filter: Filter::Bicubic,
        pad_value: 0,
        mean: IMAGENET.0,
        std: IMAGENET.1,
        scale_factor: shape.scale_factor.clone(),
        original_size: shape.original_size.clone(),
    }
}

const IMAGENET: ([f32; 3], [f32; 3]) = ([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]);
const CLIP: ([f32; 3], [f32; 3]) = ([122.770_94, 116.746_01, 104.093_74], [68.500_49, 66.632_2, 70.323_166]);

/// Sets what the file does not say: what is usual in its family, or what the operator says.
pub(super) fn normalise(input: &mut Input, family: Family, options: &AddOptions, findings: &mut Vec<Finding>) {
    let (pixels, whose) = match family {
        Family::Clip => (CLIP, "CLIP's"),
        Family::RtDetr => (([0.0; 3], [255.0; 3]), "RT-DETR's"),
        Family::Yolox => (([0.0; 3], [1.0; 3]), "YOLOX's"),
        Family::Classifier | Family::Encoder | Family::Detector => (IMAGENET, "ImageNet's"),
    };
    (input.mean, input.std) = (options.mean.unwrap_or(pixels.0), options.std.unwrap_or(pixels.1));
    let said = options.mean.is_some() && options.std.is_some();
    let why = if said { "as --mean and --std say".to_owned() } else { format!("{whose}, guessed; --mean, --std") };
    findings.push(finding("pixels", format!("(x - {:?}) / {:?}", input.mean, input.std), why));
    let (fit, crop, filter, channels) = match family {
        Family::Clip => (Fit::Crop, 1.0, Filter::Bicubic, Channels::Rgb),
        Family::Classifier | Family::Encoder => (Fit::Crop, 0.875, Filter::Bicubic, Channels::Rgb),
        Family::Yolox => (Fit::Pad, 1.0, Filter::Bilinear, Channels::Bgr),
        Family::RtDetr | Family::Detector => (Fit::Stretch, 1.0, Filter::Bilinear, Channels::Rgb),
    };
    input.fit = options.fit.unwrap_or(fit);
    input.crop_fraction = options.crop_fraction.unwrap_or(if input.fit == Fit::Crop { crop } else { 1.0 });
    input.filter = options.filter.unwrap_or(filter);
    input.channels = options.channels.unwrap_or(channels);
    input.pad_value = if input.fit == Fit::Pad { 114 } else { 0 };
    let part = if input.fit == Fit::Crop { format!(" {}", input.crop_fraction) } else { String::new() };
    let value = format!("{:?}{part}, {:?}, {:?}", input.fit, input.filter, input.channels).to_lowercase();
    findings.push(finding("fit", value, "usual; --fit, --crop-fraction, --filter, --channels"));
}

pub(super) fn describe(input: &Input) -> String {
    let Input { name, width, height, layout, .. } = input;
    format!("'{name}', {width}×{height}, {}", format!("{layout:?}").to_lowercase())
}

#[cfg(test)]
mod tests;

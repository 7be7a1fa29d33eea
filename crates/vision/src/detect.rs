//! Object detection: where things are in a picture, and what they are.

mod decoding;
mod descriptor;
mod join;
mod overlap;
mod tiles;

use std::{path::Path, sync::Arc};

use decoding::{Outputs, Reader};
use join::Seen;
use kaisatsu_resize::Resizer;
pub use tiles::{Accuracy, Tiles};

use crate::{
    Area, Picture,
    labels::Labels,
    manifest::{Decode, Fault, Input, Output, PictureParts},
    prepare::{Prepared, prepare, shape, short_side},
    runtime::{Feed, Network, Runtime, RuntimeError},
};

/// A detected object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detection {
    /// Its position among the labels.
    pub class: usize,
    /// 0 to 1.
    pub score: f32,
    /// Where it is.
    pub area: Area,
    /// The row of its box in the output of the network. One row may yield several objects of different classes.
    pub row: usize,
}

/// The result of detecting objects in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Detections {
    /// The objects, surest first.
    pub found: Vec<Detection>,
    /// Their descriptors, in the same order: unit vectors with four components more than there are classes. The cosine
    /// of two is high if the network scored both boxes alike.
    pub descriptors: Vec<Vec<f32>>,
}

/// A detector on one thread.
pub struct Detector {
    network: Network,
    input: Input,
    output: Output,
    labels: Arc<Labels>,
}

impl Detector {
    /// Loads the network of a manifest, and runs it once to see that it fits.
    ///
    /// # Errors
    /// What does not fit.
    pub fn load(runtime: &Runtime, folder: &Path, parts: &PictureParts, labels: Arc<Labels>) -> Result<Self, Fault> {
        let PictureParts { weights, input, output, .. } = parts;
        let told = |error: RuntimeError| Fault(error.to_string());
        let network = runtime.network(&folder.join(&weights.file), parts.runtime).map_err(told)?;
        let mut detector = Self { network, input: input.clone(), output: output.clone(), labels };
        let grey = vec![127; input.width as usize * input.height as usize * 3];
        if let Some(blank) = Picture::new(input.width, input.height, grey) {
            detector.detect(&mut Resizer::new(), &blank, Tiles::WHOLE, 1, 0.0).map_err(told)?;
        }
        Ok(detector)
    }

    /// The name of what its network runs on.
    #[must_use]
    pub fn runs_on(&self) -> &'static str {
        self.network.runs_on()
    }

    /// The shorter side that it needs of a picture.
    #[must_use]
    pub fn short_side(&self) -> u32 {
        short_side(&self.input)
    }

    /// The names of its classes.
    #[must_use]
    pub fn labels(&self) -> &Arc<Labels> {
        &self.labels
    }

    /// The most objects that the model may report in one picture.
    #[must_use]
    pub fn keep(&self) -> usize {
        self.output.keep
    }

    /// The `most` surest objects in a picture that score `min_score` or more, surest first: those in the whole of it,
    /// joined with those in its tiles.
    ///
    /// # Errors
    /// When the network fails.
    pub fn detect(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        tiles: Tiles,
        most: usize,
        min_score: f32,
    ) -> Result<Detections, RuntimeError> {
        let floor = min_score.max(self.output.score_floor);
        let (found, outputs) = self.view(resizer, picture, floor)?;
        let mut seen: Vec<Seen> = found.into_iter().map(|found| Seen::whole(found, 0)).collect();
        let mut views = vec![outputs];
        let tiles = tiles.cut(picture);
        for tile in &tiles {
            let part = tile.of(picture).ok_or_else(|| RuntimeError::Run("a tile is empty".to_owned()))?;
            let (found, outputs) = self.view(resizer, &part, floor)?;
            let strongest = overlap::strongest(found, self.output.keep).into_iter();
            seen.extend(strongest.map(|found| Seen::in_tile(found, views.len(), *tile, picture)));
            views.push(outputs);
        }
        if !tiles.is_empty() {
            seen = join::join(seen, self.output.nms_iou);
        }
        seen.sort_by(|a, b| overlap::surest(&a.found, &b.found));
        seen.truncate(most);
        let scores = |seen: &Seen| views[seen.view].scores(seen.found.row, self.labels.len());
        let descriptors = seen.iter().map(|seen| descriptor::descriptor(&scores(seen), seen.found.area)).collect();
        Ok(Detections { found: seen.into_iter().map(|seen| seen.found).collect(), descriptors })
    }

    /// What the network sees in a picture, one of each thing, and its outputs.
    fn view(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        floor: f32,
    ) -> Result<(Vec<Detection>, Outputs), RuntimeError> {
        let prepared = prepare(resizer, picture, &self.input, None)
            .ok_or_else(|| RuntimeError::Run("the picture cannot be resized".to_owned()))?;
        let outputs = self.infer(&prepared, picture)?;
        let reader = Reader { input: &self.input, prepared: &prepared, picture, classes: self.labels.len(), floor };
        let candidates = reader.candidates(&outputs)?;
        let found = if self.output.decode == Decode::Detr {
            candidates // One answer for each thing is what these networks are trained for.
        } else {
            overlap::suppress(candidates, self.output.nms_iou, self.output.candidates_per_class)
        };
        Ok((found, outputs))
    }

    fn infer(&mut self, prepared: &Prepared, picture: &Picture) -> Result<Outputs, RuntimeError> {
        let shape = shape(&self.input);
        let mut feeds = vec![(self.input.name.as_str(), Feed::Floats(&shape, &prepared.tensor))];
        #[allow(clippy::cast_possible_truncation, reason = "a ratio of sides")]
        let factor = [prepared.scale.1 as f32, prepared.scale.0 as f32];
        let size = [i64::from(picture.height()), i64::from(picture.width())];
        if let Some(name) = &self.input.scale_factor {
            feeds.push((name, Feed::Floats(&[1, 2], &factor)));
        }
        if let Some(name) = &self.input.original_size {
            feeds.push((name, Feed::Integers(&[1, 2], &size)));
        }
        match (self.output.decode, &self.output.boxes) {
            (Decode::Yolox, _) => {
                let [rows] = self.network.run(&feeds, [&self.output.scores])?;
                Ok(Outputs::Yolox { rows })
            }
            (decode, Some(boxes)) => {
                let [boxes, scores] = self.network.run(&feeds, [boxes.as_str(), &self.output.scores])?;
                if decode == Decode::Detr {
                    return Ok(Outputs::Detr { boxes, logits: scores });
                }
                Ok(Outputs::BoxesScores { boxes, scores })
            }
            (_, None) => Err(RuntimeError::Run("the manifest names no output with boxes".to_owned())),
        }
    }
}

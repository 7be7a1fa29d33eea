//! The outputs of the common families of detectors, each turned into candidates in fractions of the picture.

use super::Detection;
use crate::{
    Area, Picture,
    manifest::Input,
    prepare::Prepared,
    runtime::{RuntimeError, Tensor},
    softmax::softmax,
};

/// The outputs of a network, by family.
pub(super) enum Outputs {
    /// Boxes in pixels of the picture, and scores class by class.
    BoxesScores { boxes: Tensor, scores: Tensor },
    /// Boxes as centre and size, and logits query by query.
    Detr { boxes: Tensor, logits: Tensor },
    /// Cell by cell: a box, how sure it is of a thing there, and of each class.
    Yolox { rows: Tensor },
}

impl Outputs {
    /// The scores of all classes at the row of a candidate, also of those that score too little to be candidates.
    pub(super) fn scores(&self, row: usize, classes: usize) -> Vec<f32> {
        match self {
            Self::BoxesScores { boxes, scores } => {
                let count = boxes.values.len() / 4;
                scores.values.iter().skip(row).step_by(count.max(1)).copied().collect()
            }
            Self::Detr { boxes, logits } => {
                let columns = logits.values.len() / (boxes.values.len() / 4).max(1);
                let row = logits.values.chunks_exact(columns.max(1)).nth(row);
                row.map(|row| query_scores(row, classes)).unwrap_or_default()
            }
            Self::Yolox { rows } => {
                let row = rows.values.chunks_exact(5 + classes).nth(row);
                row.map(|row| cell_scores(row).collect()).unwrap_or_default()
            }
        }
    }
}

/// What is needed to read an output.
pub(super) struct Reader<'a> {
    pub(super) input: &'a Input,
    pub(super) prepared: &'a Prepared,
    pub(super) picture: &'a Picture,
    pub(super) classes: usize,
    /// Lower scores are dropped.
    pub(super) floor: f32,
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "sides and ratios of pictures")]
impl Reader<'_> {
    /// The candidates that score enough, before non-maximum suppression.
    pub(super) fn candidates(&self, outputs: &Outputs) -> Result<Vec<Detection>, RuntimeError> {
        match outputs {
            Outputs::BoxesScores { boxes, scores } => self.boxes_scores(boxes, scores),
            Outputs::Detr { boxes, logits } => self.detr(boxes, logits),
            Outputs::Yolox { rows } => self.yolox(rows),
        }
    }

    /// Boxes in pixels of the picture, and scores class by class.
    fn boxes_scores(&self, boxes: &Tensor, scores: &Tensor) -> Result<Vec<Detection>, RuntimeError> {
        let count = boxes.values.len() / 4;
        expect(scores, &[1, self.classes, count])?;
        let (width, height) = (self.picture.width() as f32, self.picture.height() as f32);
        let mut found = Vec::new();
        for (class, row) in scores.values.chunks_exact(count.max(1)).enumerate() {
            for (at, &score) in row.iter().enumerate().filter(|(_, score)| **score >= self.floor) {
                let [x_min, y_min, x_max, y_max] = four(&boxes.values, at);
                let area =
                    Area { x_min: x_min / width, y_min: y_min / height, x_max: x_max / width, y_max: y_max / height };
                found.push(Detection { class, score, area: inside(area), row: at });
            }
        }
        Ok(found)
    }

    /// Logits for every query, and boxes as centre and size in fractions of the input. A last class beyond the
    /// labels means "nothing here", and then the classes exclude each other.
    fn detr(&self, boxes: &Tensor, logits: &Tensor) -> Result<Vec<Detection>, RuntimeError> {
        let count = boxes.values.len() / 4;
        let columns = logits.values.len() / count.max(1);
        if columns != self.classes && columns != self.classes + 1 {
            return Err(RuntimeError::Run(format!("it has {columns} classes and the labels are {}", self.classes)));
        }
        let mut found = Vec::new();
        for (at, row) in logits.values.chunks_exact(columns.max(1)).enumerate() {
            let area = self.uncentred(four(&boxes.values, at), 1.0, 1.0);
            let scores = query_scores(row, self.classes).into_iter().enumerate();
            let sure = scores.filter(|(_, score)| *score >= self.floor);
            found.extend(sure.map(|(class, score)| Detection { class, score, area, row: at }));
        }
        Ok(found)
    }

    /// Offsets from the cells of three grids, then how sure it is of a thing and of each class.
    fn yolox(&self, rows: &Tensor) -> Result<Vec<Detection>, RuntimeError> {
        let columns = 5 + self.classes;
        let (width, height) = (self.input.width as usize, self.input.height as usize);
        let cells: Vec<(f32, f32, f32)> = [8, 16, 32].into_iter().flat_map(|step| grid(width, height, step)).collect();
        expect(rows, &[1, cells.len(), columns])?;
        let mut found = Vec::new();
        for (at, (row, (x, y, step))) in rows.values.chunks_exact(columns).zip(cells).enumerate() {
            let centre = [(row[0] + x) * step, (row[1] + y) * step, row[2].exp() * step, row[3].exp() * step];
            let area = self.uncentred(centre, self.input.width as f32, self.input.height as f32);
            let sure = cell_scores(row).enumerate().filter(|(_, score)| *score >= self.floor);
            found.extend(sure.map(|(class, score)| Detection { class, score, area, row: at }));
        }
        Ok(found)
    }

    /// A box given by centre and size in units of which the input is `wide` × `high`, undoing the padding.
    fn uncentred(&self, [x, y, w, h]: [f32; 4], wide: f32, high: f32) -> Area {
        let filled_x = (self.picture.width() as f32 * self.prepared.scale.0 as f32) / self.input.width as f32;
        let filled_y = (self.picture.height() as f32 * self.prepared.scale.1 as f32) / self.input.height as f32;
        let (x, y, w, h) = (x / wide / filled_x, y / high / filled_y, w / wide / filled_x, h / high / filled_y);
        inside(Area { x_min: x - w / 2.0, y_min: y - h / 2.0, x_max: x + w / 2.0, y_max: y + h / 2.0 })
    }
}

/// How sure it is of each class in a query.
fn query_scores(logits: &[f32], classes: usize) -> Vec<f32> {
    let exclusive = logits.len() == classes + 1;
    let mut scores = if exclusive { softmax(logits, 1.0) } else { logits.iter().map(|v| sigmoid(*v)).collect() };
    scores.truncate(classes);
    scores
}

/// How sure it is of a thing in a cell, times how sure of each class.
fn cell_scores(row: &[f32]) -> impl Iterator<Item = f32> {
    let thing = row.get(4).copied().unwrap_or(0.0);
    row.iter().skip(5).map(move |class| class * thing)
}

#[allow(clippy::cast_precision_loss, reason = "cells of a grid")]
fn grid(width: usize, height: usize, step: usize) -> impl Iterator<Item = (f32, f32, f32)> {
    (0..height / step).flat_map(move |y| (0..width / step).map(move |x| (x as f32, y as f32, step as f32)))
}

fn expect(tensor: &Tensor, shape: &[usize]) -> Result<(), RuntimeError> {
    if tensor.shape == shape {
        return Ok(());
    }
    Err(RuntimeError::Run(format!("an output is {:?} and the manifest makes it {shape:?}", tensor.shape)))
}

fn four(values: &[f32], at: usize) -> [f32; 4] {
    std::array::from_fn(|side| values.get(at * 4 + side).copied().unwrap_or(0.0))
}

fn inside(area: Area) -> Area {
    let clamp = |value: f32| if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
    Area { x_min: clamp(area.x_min), y_min: clamp(area.y_min), x_max: clamp(area.x_max), y_max: clamp(area.y_max) }
}

fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::{Outputs, Reader};
    use crate::{
        Picture,
        manifest::{Channels, Filter, Fit, Input, Layout},
        prepare::Prepared,
        runtime::Tensor,
    };

    fn input(side: u32) -> Input {
        Input {
            name: "images".to_owned(),
            width: side,
            height: side,
            layout: Layout::Nchw,
            channels: Channels::Rgb,
            fit: Fit::Pad,
            crop_fraction: 1.0,
            filter: Filter::Bilinear,
            pad_value: 114,
            mean: [0.0; 3],
            std: [1.0; 3],
            scale_factor: None,
            original_size: None,
        }
    }

    /// A wide picture of 64×32 on an input of 32×32: the lower half is filling.
    fn reading<T>(read: impl FnOnce(&Reader<'_>) -> T) -> T {
        let picture = Picture::new(64, 32, vec![0; 64 * 32 * 3]).unwrap();
        let prepared = Prepared { tensor: Vec::new(), scale: (0.5, 0.5) };
        read(&Reader { input: &input(32), prepared: &prepared, picture: &picture, classes: 2, floor: 0.3 })
    }

    #[test]
    fn detr_boxes_lose_their_padding() {
        let boxes = Tensor { shape: vec![1, 1, 4], values: vec![0.5, 0.25, 1.0, 0.5] };
        let logits = Tensor { shape: vec![1, 1, 2], values: vec![-9.0, 2.0] };
        let found = reading(|reader| reader.detr(&boxes, &logits)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].class, 1);
        assert!((found[0].score - 0.8808).abs() < 1e-4);
        let area = found[0].area;
        assert_eq!((area.x_min, area.y_min, area.x_max, area.y_max), (0.0, 0.0, 1.0, 1.0));
    }

    #[test]
    fn detr_with_a_class_for_nothing_excludes() {
        let boxes = Tensor { shape: vec![1, 1, 4], values: vec![0.5, 0.25, 0.2, 0.1] };
        let logits = Tensor { shape: vec![1, 1, 3], values: vec![0.0, 3.0, 9.0] };
        assert!(reading(|reader| reader.detr(&boxes, &logits)).unwrap().is_empty());
    }

    #[test]
    fn yolox_cells_are_counted_row_by_row() {
        // 16 + 4 + 1 cells; the second of the first grid says: one cell wide, centred on its own corner.
        let mut values = vec![0.0; 21 * 7];
        values[7..14].copy_from_slice(&[0.0, 1.0, 0.0, 0.0, 0.9, 0.1, 1.0]);
        let rows = Tensor { shape: vec![1, 21, 7], values };
        let found = reading(|reader| reader.yolox(&rows)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].class, found[0].score, found[0].row), (1, 0.9, 1));
        // Centre (8, 8) and 8 wide in an input of 32 that shows 64 × 32.
        let area = found[0].area;
        assert_eq!((area.x_min, area.x_max, area.y_min, area.y_max), (0.125, 0.375, 0.25, 0.75));
    }

    /// Whatever the family, the scores read again at the row of a thing are those that it was found by.
    #[test]
    fn a_row_leads_back_to_its_scores() {
        let boxes = || Tensor { shape: vec![1, 2, 4], values: vec![0.5; 8] };
        let mut cells = vec![0.0; 21 * 7];
        cells[20 * 7 + 4..].copy_from_slice(&[0.5, 0.2, 0.8]);
        for (outputs, row, expected) in [
            (
                Outputs::BoxesScores {
                    boxes: boxes(),
                    scores: Tensor { shape: vec![1, 2, 2], values: vec![0.1, 0.2, 0.1, 0.7] },
                },
                1,
                [0.2, 0.7],
            ),
            (
                Outputs::Detr {
                    boxes: boxes(),
                    logits: Tensor { shape: vec![1, 2, 2], values: vec![-9.0, -9.0, 0.0, -9.0] },
                },
                1,
                [0.5, 0.0001],
            ),
            (
                Outputs::Detr {
                    boxes: boxes(),
                    logits: Tensor { shape: vec![1, 2, 3], values: vec![1.0, 1.0, -20.0, -20.0, -20.0, 9.0] },
                },
                0,
                [0.5, 0.5],
            ),
            (Outputs::Yolox { rows: Tensor { shape: vec![1, 21, 7], values: cells } }, 20, [0.1, 0.4]),
        ] {
            let found = reading(|reader| reader.candidates(&outputs)).unwrap();
            assert!(!found.is_empty() && found.iter().all(|found| found.row == row), "{found:?}");
            let scores = outputs.scores(row, 2);
            assert_eq!(scores.len(), 2);
            assert!(scores.iter().zip(expected).all(|(score, expected)| (score - expected).abs() < 1e-4), "{scores:?}");
            assert!(found.iter().all(|found| scores[found.class].to_bits() == found.score.to_bits()));
        }
    }

    #[test]
    fn an_output_of_another_shape_is_refused() {
        let wrong = Tensor { shape: vec![1, 3, 7], values: vec![0.0; 21] };
        assert!(reading(|reader| reader.yolox(&wrong)).is_err());
        let boxes = Tensor { shape: vec![1, 1, 4], values: vec![0.0; 4] };
        assert!(reading(|reader| reader.boxes_scores(&boxes, &wrong)).is_err());
        assert!(reading(|reader| reader.detr(&boxes, &wrong)).is_err());
    }
}

//! Text in pictures: where lines are, which way up, and what they say.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "places within pictures, whose sides are far below 2^24"
)]

mod alphabet;
mod columns;
mod crop;
mod extent;
mod geometry;
mod order;
mod page;
mod pool;
mod regions;
mod sizing;
mod support;

use std::path::Path;

use kaisatsu_resize::Resizer;

use crate::{
    Picture,
    manifest::{Backend, Fault, MANIFEST, Text, TextDetect, TextPicture, TextRecognise, TextTurn},
    runtime::{Feed, Network, Runtime, RuntimeError, Tensor},
};
use alphabet::Alphabet;
use geometry::{Point, distance};
pub(crate) use pool::ReaderPool;
use sizing::Scale;
pub use support::{letters, support};

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it says.
    pub text: String,
    /// How sure the reader is of its characters on average, 0 to 1.
    pub score: f32,
    /// Its corners in pixels of the picture, clockwise from the upper left of the line as it is read: where that is
    /// upside down, from the lower right.
    pub quad: [(f32, f32); 4],
    /// Whether it is a column of upright letters.
    pub vertical: bool,
}

/// A language to read text in: which characters there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Kanji, kana and Latin letters.
    Japanese,
    /// Latin letters.
    English,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::Japanese, Self::English];
}

/// How much work a picture may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longer side at which lines are looked for, in pixels.
    pub longest_side: u32,
    /// The most lines that are read; the largest letters come first.
    pub lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { longest_side: 960, lines: 40 }
    }
}

/// The least score of a line of one character: photographs are full of things that look like an 8 or an O.
const LEAST_OF_ONE: f32 = 0.9;

/// A line is at most this many times as long as high: beyond it, memory would be a caller's to choose.
const LONGEST_LINE: f32 = 60.0;

/// A text reader on one thread.
pub struct Reader {
    bounds: TextPicture,
    detect: (Network, TextDetect, Scale),
    turn: (Network, TextTurn, Scale),
    recognise: (Network, TextRecognise, Scale),
    alphabet: Alphabet,
}

impl Reader {
    /// Loads the networks of a manifest, and runs each once to see that it fits.
    ///
    /// # Errors
    /// What does not fit.
    pub fn load(runtime: &Runtime, folder: &Path, parts: &Text) -> Result<Self, Fault> {
        check(parts)?;
        let Text { picture, detect, turn, recognise } = parts.clone();
        let load =
            |file: &Path| runtime.network(&folder.join(file), Backend::Auto).map_err(|error| Fault(error.to_string()));
        let mut reader = Self {
            bounds: picture,
            alphabet: Alphabet::load(folder, &recognise)?,
            detect: {
                let scale = Scale::new(detect.channels, detect.mean, detect.std);
                (load(&detect.file)?, detect, scale)
            },
            turn: {
                let scale = Scale::new(turn.channels, turn.mean, turn.std);
                (load(&turn.file)?, turn, scale)
            },
            recognise: {
                let scale = Scale::new(recognise.channels, recognise.mean, recognise.std);
                (load(&recognise.file)?, recognise, scale)
            },
        };
        reader.try_out()?;
        Ok(reader)
    }

    fn try_out(&mut self) -> Result<(), Fault> {
        let blank = |width: u32, height: u32| {
            Picture::new(width, height, vec![255; width as usize * height as usize * 3])
                .ok_or_else(|| Fault("a network's input has no size".to_owned()))
        };
        let told = |error: RuntimeError| Fault(error.to_string());
        let of = self.detect.1.multiple_of;
        let mut resizer = Resizer::new();
        self.find(&blank(of * 2, of * 2)?, (of * 2, of * 2), &mut resizer).map_err(told)?;
        let line = blank(self.recognise.1.width, self.recognise.1.height)?;
        let (line, _) = self.upright(&mut resizer, line).map_err(told)?;
        self.recognise(&mut resizer, &line, None).map_err(told)?;
        Ok(())
    }

    /// Reads the lines of a picture, in reading order; all characters that it knows, or those of a language.
    ///
    /// # Errors
    /// When a network fails.
    pub fn read(
        &mut self,
        resizer: &mut Resizer,
        picture: &Picture,
        limits: Limits,
        language: Option<Language>,
    ) -> Result<Vec<Line>, RuntimeError> {
        let bounded =
            sizing::bounded(resizer, picture, &self.bounds, self.detect.1.multiple_of).ok_or_else(unsized_)?;
        let mut look = |longest: u32| {
            let size = sizing::detector_size(&bounded.picture, &self.detect.1, longest);
            self.find(&bounded.picture, size, resizer)
        };
        let mut quads = look(limits.longest_side)?;
        if quads.is_empty() {
            // A word on a large plain ground fades away where the network sees nothing but ground around it.
            quads = look(limits.longest_side / 2)?;
        }
        let letters = |[a, b, _, d]: &[Point; 4]| distance(*a, *b).min(distance(*a, *d));
        quads.sort_by(|a, b| letters(b).total_cmp(&letters(a)));
        quads.truncate(limits.lines);
        let given = |(x, y): Point| {
            let y = (y - bounded.above as f32) * bounded.scale.1;
            // Adding nothing makes a negative zero a plain one.
            let within = |place: f32, side: u32| place.clamp(0.0, side as f32) + 0.0;
            (within(x * bounded.scale.0, picture.width()), within(y, picture.height()))
        };
        let mut lines = Vec::with_capacity(quads.len());
        for quad in quads {
            let cut = crop::cut_out(&bounded.picture, quad).ok_or_else(unsized_)?;
            let (cut, turned) = self.upright(resizer, cut)?;
            let (text, score) = self.recognise(resizer, &cut, language)?;
            lines.push(page::ReadLine { text, score, quad, turned });
        }
        // A line that seems to stand on its head among others that do not is read the other way up, too.
        for line in page::doubtful(&mut lines) {
            let cut = crop::cut_out(&bounded.picture, line.quad).ok_or_else(unsized_)?;
            let cut = if line.turned { cut } else { cut.turned(2) };
            let (text, score) = self.recognise(resizer, &cut, language)?;
            if score > line.score {
                *line = page::ReadLine { text, score, quad: line.quad, turned: !line.turned };
            }
        }
        lines.retain(|line| {
            let letters = line.text.trim().chars().count();
            let floor = if letters == 1 { LEAST_OF_ONE } else { 0.0 };
            letters > 0 && line.score >= self.recognise.1.score_floor.max(floor)
        });
        Ok(page::arrange(lines).into_iter().map(|line| Line { quad: line.quad.map(given), ..line }).collect())
    }

    /// The corners of lines, in pixels of the picture.
    fn find(
        &mut self,
        picture: &Picture,
        size: (u32, u32),
        resizer: &mut Resizer,
    ) -> Result<Vec<[Point; 4]>, RuntimeError> {
        let (network, rules, scale) = &mut self.detect;
        let seen = sizing::resized(resizer, picture, size).ok_or_else(unsized_)?;
        let (width, height) = (size.0 as usize, size.1 as usize);
        let mut tensor = Vec::with_capacity(width * height * 3);
        scale.append(&mut tensor, &seen, width);
        let feed = [(rules.input.as_str(), Feed::Floats(&[1, 3, height, width], &tensor))];
        let [map] = network.run(&feed, [&rules.output])?;
        expect(&map, &[1, 1, height, width], &rules.output)?;
        let map = regions::Map { width, height, values: &map.values };
        Ok(regions::boxes(&map, rules, (picture.width() as f32, picture.height() as f32)))
    }

    /// Turns a line that is upside down, and says whether it was.
    fn upright(&mut self, resizer: &mut Resizer, line: Picture) -> Result<(Picture, bool), RuntimeError> {
        let (network, rules, scale) = &mut self.turn;
        let (width, height) = (rules.width as usize, rules.height as usize);
        let seen = sizing::line(resizer, &line, rules.height, rules.width).ok_or_else(unsized_)?;
        let mut tensor = Vec::with_capacity(3 * width * height);
        scale.append(&mut tensor, &seen, width);
        let feed = [(rules.input.as_str(), Feed::Floats(&[1, 3, height, width], &tensor))];
        let [sides] = network.run(&feed, [&rules.output])?;
        expect(&sides, &[1, 2], &rules.output)?;
        let turned = matches!(sides.values[..], [up, down] if down > up && down > rules.floor);
        Ok((if turned { line.turned(2) } else { line }, turned))
    }

    /// What a line says, and its score. Lines go one by one: together they took longer (they are filled up to the
    /// longest one), and the filling cost letters.
    fn recognise(
        &mut self,
        resizer: &mut Resizer,
        line: &Picture,
        language: Option<Language>,
    ) -> Result<(String, f32), RuntimeError> {
        let (network, rules, scale) = &mut self.recognise;
        let least = rules.width as f32 / rules.height as f32;
        let ratio = (line.width() as f32 / line.height() as f32).clamp(least, LONGEST_LINE.max(least));
        let (width, height) = ((rules.height as f32 * ratio) as usize, rules.height as usize);
        let seen = sizing::line(resizer, line, rules.height, width as u32).ok_or_else(unsized_)?;
        let mut tensor = Vec::with_capacity(3 * width * height);
        scale.append(&mut tensor, &seen, width);
        let feed = [(rules.input.as_str(), Feed::Floats(&[1, 3, height, width], &tensor))];
        let [symbols] = network.run(&feed, [&rules.output])?;
        let steps = symbols.shape.get(1).copied().unwrap_or(0);
        expect(&symbols, &[1, steps, self.alphabet.len()], &rules.output)?;
        Ok(self.alphabet.read(&symbols.values, language))
    }
}

fn unsized_() -> RuntimeError {
    RuntimeError::Run("the picture cannot be resized".to_owned())
}

fn expect(tensor: &Tensor, shape: &[usize], name: &str) -> Result<(), RuntimeError> {
    if tensor.shape == shape {
        return Ok(());
    }
    Err(RuntimeError::Run(format!("output '{name}' has the shape {:?} and not {shape:?}", tensor.shape)))
}

/// What would make no sense, or make a picture enormous.
fn check(Text { picture, detect, turn, recognise }: &Text) -> Result<(), Fault> {
    let side = |side: u32| (1..=4096).contains(&side);
    let sides = "sides are 1 to 4096 and no std is 0";
    let rules = [
        (side(picture.max_side) && picture.min_side <= picture.max_side, "[picture] max_side is min_side to 4096"),
        (picture.wide_ratio >= 1.0 && picture.min_height <= 4096, "[picture] wide_ratio is at least 1"),
        ((1..=256).contains(&detect.multiple_of), "[detect] multiple_of is 1 to 256"),
        (side(detect.short_side) && !detect.std.contains(&0.0), sides),
        (side(turn.width) && side(turn.height) && !turn.std.contains(&0.0), sides),
        (side(recognise.width) && side(recognise.height) && !recognise.std.contains(&0.0), sides),
    ];
    match rules.iter().find(|(kept, _)| !kept) {
        Some((_, rule)) => Err(Fault(format!("{MANIFEST}: {rule}"))),
        None => Ok(()),
    }
}

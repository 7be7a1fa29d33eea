//! From the symbols of a recogniser to text: connectionist temporal classification, read greedily.

use std::path::Path;

use crate::manifest::{Fault, TextRecognise};

/// The characters behind the symbols of a recogniser.
#[derive(Debug, Clone)]
pub(super) struct Alphabet {
    /// By symbol; the blank is empty.
    characters: Vec<Box<str>>,
    blank: usize,
}

impl Alphabet {
    /// Reads the alphabet of a manifest. The blank is put at its place, and the space behind the last character.
    pub(super) fn load(folder: &Path, recognise: &TextRecognise) -> Result<Self, Fault> {
        let file = &recognise.characters.file;
        let text = std::fs::read_to_string(folder.join(file))
            .map_err(|error| Fault(format!("{} cannot be read: {error}", file.display())))?;
        Self::new(&text, recognise.blank)
            .ok_or_else(|| Fault(format!("{} has fewer characters than the place of the blank", file.display())))
    }

    fn new(text: &str, blank: usize) -> Option<Self> {
        // Only line feeds end a line here: some characters of an alphabet count as line breaks elsewhere.
        let body = text.strip_suffix('\n').unwrap_or(text);
        let mut characters: Vec<Box<str>> = body.split('\n').map(|line| line.trim_end_matches('\r').into()).collect();
        characters.push(" ".into());
        if blank > characters.len() {
            return None;
        }
        characters.insert(blank, "".into());
        Some(Self { characters, blank })
    }

    /// How many symbols a recogniser for it has.
    pub(super) fn len(&self) -> usize {
        self.characters.len()
    }

    /// The text of one line and the mean probability of its characters: the best symbol of each step, without
    /// repetitions and blanks. An empty text has the score 0.
    pub(super) fn read(&self, steps: &[f32]) -> (String, f32) {
        let (mut text, mut sum, mut many) = (String::new(), 0.0f32, 0.0f32);
        let mut last = self.blank;
        for step in steps.chunks_exact(self.len().max(1)) {
            let (symbol, probability) = best(step);
            if symbol != last && symbol != self.blank {
                text.push_str(self.characters.get(symbol).map_or("", |character| character));
                sum += probability;
                many += 1.0;
            }
            last = symbol;
        }
        (text, if many > 0.0 { sum / many } else { 0.0 })
    }
}

/// The greatest value and its place. Eighteen thousand symbols a step make this worth two passes that the compiler can
/// widen.
fn best(step: &[f32]) -> (usize, f32) {
    let mut lanes = [f32::MIN; 8];
    let chunks = step.chunks_exact(8);
    let rest = chunks.remainder().iter().copied().fold(f32::MIN, f32::max);
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = lane.max(*value);
        }
    }
    let greatest = lanes.into_iter().fold(rest, f32::max);
    (step.iter().position(|value| *value >= greatest).unwrap_or(0), greatest)
}

#[cfg(test)]
mod tests {
    use super::Alphabet;

    fn steps(symbols: &[(usize, f32)]) -> Vec<f32> {
        let step = |&(symbol, probability): &(usize, f32)| {
            let mut step = [0.0; 5];
            step[symbol] = probability;
            step
        };
        symbols.iter().flat_map(step).collect()
    }

    #[test]
    fn repetitions_and_blanks_fall_away() {
        let alphabet = Alphabet::new("猫\n犬\nx\n", 0).unwrap();
        assert_eq!(alphabet.len(), 5);
        let (text, score) =
            alphabet.read(&steps(&[(0, 0.9), (1, 0.8), (1, 0.9), (0, 1.0), (1, 0.6), (4, 1.0), (2, 1.0)]));
        assert_eq!(text, "猫猫 犬");
        assert!((score - 0.85).abs() < 1e-6);
        assert_eq!(alphabet.read(&steps(&[(0, 0.9)])), (String::new(), 0.0));
        assert_eq!(alphabet.read(&[]), (String::new(), 0.0));
    }

    #[test]
    fn an_ideographic_space_is_a_character_and_windows_line_ends_are_not() {
        let alphabet = Alphabet::new("\u{3000}\r\n\u{2028}\r\n", 0).unwrap();
        assert_eq!(alphabet.read(&[0.0, 1.0, 0.0, 0.0]).0, "\u{3000}");
        assert_eq!(alphabet.read(&[0.0, 0.0, 1.0, 0.0]).0, "\u{2028}");
        assert!(Alphabet::new("x", 9).is_none());
    }
}

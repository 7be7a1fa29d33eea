//! From the symbols of a recogniser to text: connectionist temporal classification, read greedily.

use std::path::Path;

use encoding_rs::SHIFT_JIS;

use super::Language;
use crate::manifest::{Fault, TextRecognise};

/// The characters behind the symbols of a recogniser.
#[derive(Debug, Clone)]
pub(super) struct Alphabet {
    /// By symbol; the blank is empty.
    characters: Vec<Box<str>>,
    blank: usize,
    /// The symbols of each language, in ascending order, with the blank.
    of_language: [Vec<usize>; Language::ALL.len()],
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
        let of_language = Language::ALL.map(|language| {
            let symbols = characters.iter().enumerate();
            symbols.filter(|(_, text)| text.chars().all(|c| is_of(language, c))).map(|(symbol, _)| symbol).collect()
        });
        Some(Self { characters, blank, of_language })
    }

    /// How many symbols a recogniser for it has.
    pub(super) fn len(&self) -> usize {
        self.characters.len()
    }

    /// The text of one line and the mean probability of its characters: the best symbol of each step, without
    /// repetitions and blanks. An empty text has the score 0. With a language only its characters are considered, at
    /// the probabilities they have among all, so that a line of another script scores low.
    pub(super) fn read(&self, steps: &[f32], language: Option<Language>) -> (String, f32) {
        let symbols = language.map(|language| self.of_language[language as usize].as_slice());
        let (mut text, mut sum, mut many) = (String::new(), 0.0f32, 0.0f32);
        let mut last = self.blank;
        for step in steps.chunks_exact(self.len().max(1)) {
            let (symbol, probability) = symbols.map_or_else(|| best(step), |symbols| best_of(step, symbols));
            if symbol != last && symbol != self.blank {
                text.push_str(self.characters.get(symbol).map_or("", |character| character));
                sum += probability;
                many += 1.0;
            }
            last = symbol;
        }
        // Characters of other languages leave spaces behind.
        (text.trim_matches(' ').to_owned(), if many > 0.0 { sum / many } else { 0.0 })
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

/// The same among some symbols.
fn best_of(step: &[f32], symbols: &[usize]) -> (usize, f32) {
    let values = symbols.iter().filter_map(|symbol| Some((*symbol, *step.get(*symbol)?)));
    values.fold((0, f32::MIN), |best, (symbol, value)| if value > best.1 { (symbol, value) } else { best })
}

/// Whether texts of a language have a character. Japanese texts have Latin letters too, and of the thousands of Chinese
/// characters those of JIS X 0208 with the extensions of Windows-31J.
fn is_of(language: Language, c: char) -> bool {
    let latin = matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2000}'..='\u{218f}');
    match language {
        Language::English => latin,
        Language::Japanese => latin || !SHIFT_JIS.encode(c.encode_utf8(&mut [0; 4])).2,
    }
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, Language, is_of};

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
            alphabet.read(&steps(&[(0, 0.9), (1, 0.8), (1, 0.9), (0, 1.0), (1, 0.6), (4, 1.0), (2, 1.0)]), None);
        assert_eq!(text, "猫猫 犬");
        assert!((score - 0.85).abs() < 1e-6);
        assert_eq!(alphabet.read(&steps(&[(0, 0.9)]), None), (String::new(), 0.0));
        assert_eq!(alphabet.read(&[], None), (String::new(), 0.0));
    }

    #[test]
    fn an_ideographic_space_is_a_character_and_windows_line_ends_are_not() {
        let alphabet = Alphabet::new("\u{3000}\r\n\u{2028}\r\n", 0).unwrap();
        assert_eq!(alphabet.read(&[0.0, 1.0, 0.0, 0.0], None).0, "\u{3000}");
        assert_eq!(alphabet.read(&[0.0, 0.0, 1.0, 0.0], None).0, "\u{2028}");
        assert!(Alphabet::new("x", 9).is_none());
    }

    #[test]
    fn a_language_has_its_own_characters() {
        for (c, japanese, english) in
            [('a', true, true), ('é', true, true), ('猫', true, false), ('ネ', true, false), ('，', true, false)]
        {
            assert_eq!((is_of(Language::Japanese, c), is_of(Language::English, c)), (japanese, english), "{c}");
        }
        assert!(!is_of(Language::Japanese, '说') && !is_of(Language::Japanese, '한'), "Chinese and Korean");
    }

    #[test]
    fn only_characters_of_the_language_are_read_and_with_their_own_probabilities() {
        let alphabet = Alphabet::new("说\n説\nx\n", 0).unwrap();
        let step = [0.0, 0.5, 0.3, 0.2, 0.0];
        assert_eq!(alphabet.read(&step, None), ("说".to_owned(), 0.5));
        assert_eq!(alphabet.read(&step, Some(Language::Japanese)), ("説".to_owned(), 0.3));
        assert_eq!(alphabet.read(&step, Some(Language::English)), ("x".to_owned(), 0.2));
    }
}

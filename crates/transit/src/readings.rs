//! Finds the readings of names in SKK dictionaries, and lists the names that a person must decide.

use std::{collections::HashMap, path::Path};

use encoding_rs::{EUC_JP, UTF_8};

use crate::{Error, Network, summary::UnresolvedReading};

/// Spelling variants that dictionaries and railways use for the same name.
const VARIANTS: [(char, char); 12] = [
    ('ケ', 'ヶ'),
    ('ヶ', 'ケ'),
    ('ケ', 'が'),
    ('ヶ', 'が'),
    ('が', 'ヶ'),
    ('が', 'ケ'),
    ('ツ', 'ッ'),
    ('ッ', 'ツ'),
    ('ノ', '之'),
    ('ノ', 'の'),
    ('の', 'ノ'),
    ('之', 'ノ'),
];

/// The readings of one or more dictionaries.
#[derive(Debug, Default)]
pub struct Readings {
    by_word: HashMap<String, Vec<String>>,
}

impl Readings {
    /// Adds the dictionary in a file, in UTF-8 or EUC-JP.
    ///
    /// # Errors
    /// When the file cannot be read, or is not an SKK dictionary.
    pub fn open(&mut self, path: &Path) -> Result<(), Error> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| Error::io(&name, error))?;
        self.add(&name, &bytes)
    }

    /// Adds the dictionary in these bytes.
    ///
    /// # Errors
    /// When they are not an SKK dictionary.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        // SKK dictionaries are EUC-JP unless their first line says otherwise. EUC-JP text is hardly ever valid UTF-8.
        let text = match UTF_8.decode_without_bom_handling_and_without_replacement(bytes) {
            Some(text) => text,
            None => EUC_JP.decode_without_bom_handling(bytes).0,
        };
        let mut has_entries = false;
        for row in text.trim_start_matches('\u{feff}').lines().filter(|row| !row.starts_with(';')) {
            let Some((yomi, words)) = row.split_once(" /") else { continue };
            // A Latin letter at the end marks a verb, whose stem is not a name.
            if !yomi.chars().all(is_hiragana) {
                continue;
            }
            has_entries = true;
            for word in words.split('/').filter_map(|word| word.split(';').next()).filter(|word| !word.is_empty()) {
                let known = self.by_word.entry(word.to_owned()).or_default();
                if !known.iter().any(|reading| reading == yomi) {
                    known.push(yomi.to_owned());
                }
            }
        }
        if has_entries { Ok(()) } else { Err(Error::file(name, "no reading in it: is it an SKK dictionary?")) }
    }

    /// All readings of a name, with and without 駅, in all spellings. The reading of a name in kana is the name itself.
    #[must_use]
    pub fn candidates(&self, name: &str) -> Vec<String> {
        if name.chars().all(|c| is_kana(c) && !matches!(c, 'ヶ' | 'ヵ')) && !name.is_empty() {
            return vec![to_hiragana(name)];
        }
        let mut found: Vec<String> = Vec::new();
        for spelling in spellings(name) {
            let plain = self.by_word.get(&spelling).into_iter().flatten().cloned();
            let with_station = self.by_word.get(&format!("{spelling}駅")).into_iter().flatten();
            let shortened = with_station.filter_map(|yomi| yomi.strip_suffix("えき").map(str::to_owned));
            for yomi in plain.chain(shortened) {
                if !yomi.is_empty() && !found.contains(&yomi) {
                    found.push(yomi);
                }
            }
        }
        // The dictionaries have the place name without the prefix JR of the station.
        if found.is_empty()
            && let Some(rest) = name.strip_prefix("JR")
        {
            found = self.candidates(rest).into_iter().map(|yomi| format!("じぇいあーる{yomi}")).collect();
        }
        found
    }

    /// Sets the missing reading of each station whose name has exactly one. Returns the other names.
    pub fn fill_missing(&self, network: &mut Network) -> Vec<UnresolvedReading> {
        let mut unresolved: Vec<UnresolvedReading> = Vec::new();
        for station in network.stations.iter_mut().filter(|station| station.yomi.is_empty()) {
            let mut candidates = self.candidates(&station.name);
            if let [_] = candidates.as_slice() {
                station.yomi = candidates.swap_remove(0);
                continue;
            }
            let name = match station.prefecture {
                Some(prefecture) => format!("{}@{}", station.name, prefecture.name()),
                None => station.name.clone(),
            };
            if !unresolved.iter().any(|known| known.name == name) {
                unresolved.push(UnresolvedReading { name, candidates });
            }
        }
        unresolved
    }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, 'ぁ'..='ゖ' | 'ー')
}

fn is_kana(c: char) -> bool {
    is_hiragana(c) || matches!(c, 'ァ'..='ヺ' | '・')
}

/// Converts katakana to hiragana, keeps the prolonged sound mark and removes the middle dot.
fn to_hiragana(text: &str) -> String {
    let one = |c: char| match c {
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60).unwrap_or(c),
        other => other,
    };
    text.chars().filter(|c| *c != '・').map(one).collect()
}

/// All spellings of a name, the given one first.
fn spellings(name: &str) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    for (old, new) in VARIANTS {
        for spelling in found.clone() {
            if spelling.contains(old) {
                found.push(spelling.replace(old, &new.to_string()));
            }
        }
    }
    for digits in [WIDE_DIGITS, KANJI_DIGITS] {
        for spelling in found.clone() {
            found.push(spelling.chars().map(|c| digit_as(c, digits)).collect());
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|spelling| seen.insert(spelling.clone()));
    found
}

const WIDE_DIGITS: [char; 10] = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];
const KANJI_DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

fn digit_as(c: char, digits: [char; 10]) -> char {
    let narrow = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
    let wide = || WIDE_DIGITS.iter().position(|&wide| wide == c);
    narrow.or_else(wide).map_or(c, |digit| digits[digit])
}

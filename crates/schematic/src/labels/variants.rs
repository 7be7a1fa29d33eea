//! The variants of a label: in one row, in two rows, or vertical.

use kaisatsu_model::MapLanguage;
use kaisatsu_railmap::Label;
use kaisatsu_transit::{Network, Station};

/// Returns the width and the height of a label.
pub(crate) type MeasureLabel<'a> = dyn Fn(&Label) -> (i32, i32) + 'a;

/// A label and its size.
#[derive(Debug, Clone)]
pub(super) struct LabelVariant {
    pub(super) label: Label,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) cost: f32,
}

/// The variants of the labels of all stations, by station.
pub(crate) struct LabelVariants(Vec<Vec<LabelVariant>>);

impl LabelVariants {
    pub(crate) fn of(network: &Network, language: MapLanguage, measure: &MeasureLabel<'_>) -> Self {
        Self(network.stations.iter().map(|station| variants(station, language, measure)).collect())
    }

    pub(super) fn of_station(&self, station: usize) -> &[LabelVariant] {
        &self.0[station]
    }
}

fn variants(station: &Station, language: MapLanguage, measure: &MeasureLabel<'_>) -> Vec<LabelVariant> {
    let has_second = language == MapLanguage::Both && !station.translation.is_empty();
    let text = language.choose(&station.name, &station.translation);
    let small = |rows: usize| match (has_second, rows) {
        (false, _) => Vec::new(),
        (true, 1) => vec![station.translation.clone()],
        (true, _) => split_name(&station.translation).unwrap_or_else(|| vec![station.translation.clone()]),
    };
    let name = vec![text.to_owned()];
    let mut variants = vec![(Label { rows: name.clone(), small: small(1), down: false }, 0.0)];
    if let Some(rows) = split_name(text) {
        variants.push((Label { rows: rows.clone(), small: small(2), down: false }, 1.2));
        variants.push((Label { rows, small: small(1), down: true }, 3.0));
    }
    variants.push((Label { rows: name, small: small(1), down: true }, if is_japanese(text) { 1.4 } else { 3.5 }));
    variants
        .into_iter()
        .map(|(label, cost)| {
            let (width, height) = measure(&label);
            LabelVariant { label, width: i64::from(width), height: i64::from(height), cost }
        })
        .collect()
}

fn is_japanese(name: &str) -> bool {
    name.chars().next().is_some_and(|first| !first.is_ascii() && first > '\u{2E7F}')
}

/// Splits a name in two where a word ends: at a space or a dash, else where the script changes, else between ideographs
/// in the middle. Names with fewer than four characters, and single words in one script, are not split.
pub(crate) fn split_name(name: &str) -> Option<Vec<String>> {
    let letters: Vec<char> = name.chars().collect();
    let from_middle = |at: usize| (2 * at).abs_diff(letters.len());
    let spaces = (1..letters.len().saturating_sub(1)).filter(|&at| matches!(letters[at], ' ' | '-' | '–' | '/'));
    if let Some(at) = spaces.min_by_key(|&at| from_middle(at)) {
        let keep = usize::from(letters[at] != ' ');
        let first: String = letters[..at + keep].iter().collect();
        let second: String = letters[at + 1..].iter().collect();
        return Some(vec![first, second.trim_start().to_owned()]);
    }
    if letters.len() < 4 || !is_japanese(name) {
        return None;
    }
    // 虎ノ門 and 自由が丘 are words, although they have two scripts.
    let joins = |letter: char| matches!(letter, 'ノ' | 'ヶ' | 'ケ' | 'ツ' | 'ッ' | 'の' | 'が' | '々' | '・');
    let changes = |at: &usize| {
        let (before, after) = (letters[*at - 1], letters[*at]);
        script(before) != script(after) && !(joins(before) && before != '・') && !joins(after)
    };
    let is_between_ideographs = |at: &usize| script(letters[*at - 1]) == 3 && script(letters[*at]) == 3;
    let middle = letters.len() / 2;
    let near = (middle.saturating_sub(1).max(2)..=(middle + 1).min(letters.len() - 2)).filter(is_between_ideographs);
    let ends = (2..=letters.len() - 2).filter(changes);
    let at = ends.min_by_key(|&at| from_middle(at)).or_else(|| near.min_by_key(|&at| from_middle(at)))?;
    Some(vec![letters[..at].iter().collect(), letters[at..].iter().collect()])
}

fn script(letter: char) -> u8 {
    match letter {
        'ぁ'..='ゖ' => 0,
        'ァ'..='ヺ' | 'ー' | '・' => 1,
        letter if letter.is_ascii() => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::split_name;

    #[test]
    fn names_are_broken_where_words_end() {
        for (name, rows) in [
            ("高輪ゲートウェイ", "高輪|ゲートウェイ"),
            ("虎ノ門ヒルズ", "虎ノ門|ヒルズ"),
            ("東京国際クルーズターミナル", "東京国際|クルーズターミナル"),
            ("六本木一丁目", "六本木|一丁目"),
            ("Times Sq-42 St", "Times Sq-|42 St"),
            ("コスモスクエア", "コスモスクエア"),
            ("なかもず", "なかもず"),
            ("自由が丘", "自由が丘"),
            ("三田", "三田"),
        ] {
            assert_eq!(split_name(name).unwrap_or_else(|| vec![name.to_owned()]).join("|"), rows);
        }
    }
}

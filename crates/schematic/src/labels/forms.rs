//! The ways to write a name: in one row, in two, or downwards.

use kaisatsu_railmap::Label;
use kaisatsu_transit::Station;

use super::Measure;

/// A label and the room it takes.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) label: Label,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) cost: f32,
}

pub(super) fn forms(station: &Station, second: bool, measure: &Measure<'_>) -> Vec<Form> {
    let small = |rows: usize| match (second && !station.translation.is_empty(), rows) {
        (false, _) => Vec::new(),
        (true, 1) => vec![station.translation.clone()],
        (true, _) => halves(&station.translation).unwrap_or_else(|| vec![station.translation.clone()]),
    };
    let name = vec![station.name.clone()];
    let mut forms = vec![(Label { rows: name.clone(), small: small(1), down: false }, 0.0)];
    if let Some(rows) = halves(&station.name) {
        forms.push((Label { rows: rows.clone(), small: small(2), down: false }, 1.2));
        forms.push((Label { rows, small: small(1), down: true }, 3.0));
    }
    forms.push((Label { rows: name, small: small(1), down: true }, if is_japanese(&station.name) { 1.4 } else { 3.5 }));
    forms
        .into_iter()
        .map(|(label, cost)| {
            let (width, height) = measure(&label);
            Form { label, width: i64::from(width), height: i64::from(height), cost }
        })
        .collect()
}

fn is_japanese(name: &str) -> bool {
    name.chars().next().is_some_and(|first| !first.is_ascii() && first > '\u{2E7F}')
}

/// A name broken in two near its middle: at a space or a dash, else where the kind of letters changes, else in the middle.
/// Names of less than four letters, and single words of other scripts, are not broken.
pub(crate) fn halves(name: &str) -> Option<Vec<String>> {
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
    let may_break = |at: &usize| {
        !matches!(
            letters[*at],
            'ー' | '・'
                | 'ッ'
                | 'っ'
                | 'ャ'
                | 'ュ'
                | 'ョ'
                | 'ゃ'
                | 'ゅ'
                | 'ょ'
                | 'ァ'
                | 'ィ'
                | 'ゥ'
                | 'ェ'
                | 'ォ'
                | '々'
                | ')'
                | '）'
                | '〉'
        )
    };
    let changes = |at: &usize| kind(letters[*at]) != kind(letters[*at - 1]);
    let middle = letters.len() / 2;
    let near = (middle.saturating_sub(1).max(2)..=(middle + 1).min(letters.len() - 2)).filter(may_break);
    let at = near
        .clone()
        .filter(changes)
        .min_by_key(|&at| from_middle(at))
        .or_else(|| near.min_by_key(|&at| from_middle(at)))?;
    Some(vec![letters[..at].iter().collect(), letters[at..].iter().collect()])
}

fn kind(letter: char) -> u8 {
    match letter {
        'ぁ'..='ゖ' => 0,
        'ァ'..='ヺ' | 'ー' => 1,
        letter if letter.is_ascii() => 2,
        _ => 3,
    }
}

//! Assigns the codes of lines.

use std::collections::{HashMap, HashSet};

use kaisatsu_model::StationName;

use crate::{
    Error, Line, Network, RetiredLine, Summary,
    assemble::{Draft, DraftLine},
};

/// The code of each line of the draft.
pub(super) fn assign(draft: &Draft, previous: &Network, summary: &mut Summary) -> Result<Vec<i64>, Error> {
    let mut codes: Vec<Option<i64>> = vec![None; draft.lines.len()];
    let mut taken: HashSet<i64> = HashSet::new();
    // Codes from the source or from a person are used as they are.
    for (line, code) in draft.lines.iter().zip(&mut codes) {
        if let Some(wanted) = line.code {
            if !taken.insert(wanted) {
                return Err(Error::file("the source", format!("two lines have the code {wanted}: {}", line.name)));
            }
            *code = Some(wanted);
        }
    }
    let known = |table: &HashMap<String, i64>, text: &str| table.get(text).copied();
    let keys: HashMap<String, i64> =
        previous.history.line_keys.iter().map(|(code, key)| (key.clone(), *code)).collect();
    let retired = &previous.history.retired_lines;
    let retired_keys: HashMap<String, i64> = retired
        .iter()
        .filter(|retired| !retired.key.is_empty())
        .map(|retired| (retired.key.clone(), retired.code))
        .collect();
    let names: HashMap<String, i64> =
        unique_names(previous.lines.iter().map(|line| (folded_name(&line.name), line.code)));
    let retired_names: HashMap<String, i64> =
        unique_names(retired.iter().map(|retired| (folded_name(&retired.name), retired.code)));
    for (by_key, table) in [(true, &keys), (false, &names), (true, &retired_keys), (false, &retired_names)] {
        for (line, code) in draft.lines.iter().zip(&mut codes).filter(|(_, code)| code.is_none()) {
            let text = if by_key { line.key.clone() } else { folded_name(&line.name) };
            *code = known(table, &text).filter(|_| !text.is_empty()).filter(|code| taken.insert(*code));
        }
    }
    let ever = previous.lines.iter().map(|line| line.code).chain(retired.iter().map(|retired| retired.code));
    let mut next = ever.chain(taken.iter().copied()).max().unwrap_or(0);
    // Ordered by key and name, because the source may change the order of its lines. The legend lists lines by their
    // codes, and there line 2 comes before line 10.
    let mut fresh: Vec<usize> = (0..codes.len()).filter(|&at| codes[at].is_none()).collect();
    fresh.sort_by_cached_key(|&at| (natural_order(&draft.lines[at].key), natural_order(&draft.lines[at].name)));
    if !previous.lines.is_empty() {
        summary.count("new lines", fresh.len());
    }
    for at in fresh {
        // A person may have used the largest code.
        next = next.checked_add(1).ok_or_else(|| {
            let name = &draft.lines[at].name;
            Error::file("the source", format!("no code is left for the line {name}: another line has the code {next}"))
        })?;
        codes[at] = Some(next);
    }
    Ok(codes.into_iter().flatten().collect())
}

/// The translation of a line. A translation that a person added to the network file stays while the name is unchanged.
pub(super) fn translation(line: &DraftLine, code: i64, previous: &Network) -> String {
    if !line.translation.is_empty() {
        return line.translation.clone();
    }
    let is_same = |known: &&Line| known.code == code && folded_name(&known.name) == folded_name(&line.name);
    previous.lines.iter().find(is_same).map(|known| known.translation.clone()).unwrap_or_default()
}

/// The lines of the previous network that no longer exist.
pub(super) fn retired(lines: &[Line], previous: &Network) -> Vec<RetiredLine> {
    let here: HashSet<i64> = lines.iter().map(|line| line.code).collect();
    let key = |code| previous.history.line_keys.get(&code).cloned().unwrap_or_default();
    let left =
        previous.lines.iter().map(|line| RetiredLine { code: line.code, name: line.name.clone(), key: key(line.code) });
    let mut retired: Vec<_> =
        left.chain(previous.history.retired_lines.iter().cloned()).filter(|g| !here.contains(&g.code)).collect();
    retired.sort_by_key(|retired| retired.code);
    retired
}

fn folded_name(name: &str) -> String {
    // Line names are compared by the same rules as station names.
    format!("{:?}", StationName::fold(name))
}

/// Names that exactly one line has. A shared name identifies none of them.
fn unique_names(named: impl Iterator<Item = (String, i64)>) -> HashMap<String, i64> {
    let mut found: HashMap<String, Option<i64>> = HashMap::new();
    for (name, code) in named {
        found.entry(name).and_modify(|known| *known = None).or_insert(Some(code));
    }
    found.into_iter().filter_map(|(name, code)| code.map(|code| (name, code))).collect()
}

/// A part of a text in natural order: a character, or a whole number as the count of its digits and the digits.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Number(usize, &'a str),
    Character(char),
}

/// A key by which texts are sorted so that the numbers in them count as numbers. Only equal texts have equal keys.
fn natural_order(text: &str) -> (Vec<Part<'_>>, &str) {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = rest[..rest.len() - after.len()].trim_start_matches('0');
        let is_number = after.len() < rest.len();
        parts.push(if is_number { Part::Number(number.len(), number) } else { Part::Character(first) });
        rest = if is_number { after } else { &rest[first.len_utf8()..] };
    }
    (parts, text)
}

#[cfg(test)]
mod tests {
    use super::natural_order;

    #[test]
    fn numbers_in_texts_are_ordered_as_numbers() {
        let ordered =
            ["", "0", "007", "7", "07a", "7b", "10", "A", "L", "L0", "L1", "L2", "L10", "L10-2", "L10-10", "環"];
        assert!(ordered.is_sorted_by(|one, other| natural_order(one) < natural_order(other)));
    }
}

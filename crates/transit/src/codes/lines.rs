//! The codes of lines.

use std::collections::{HashMap, HashSet};

use kaisatsu_model::StationName;

use crate::{
    Error, GoneLine, Line, Network, Summary,
    assemble::{Draft, DraftLine},
};

/// The code of each line of the draft.
pub(super) fn assign(draft: &Draft, previous: &Network, summary: &mut Summary) -> Result<Vec<i64>, Error> {
    let mut codes: Vec<Option<i64>> = vec![None; draft.lines.len()];
    let mut taken: HashSet<i64> = HashSet::new();
    // What the source or a person numbers needs no guessing.
    for (line, code) in draft.lines.iter().zip(&mut codes) {
        if let Some(wanted) = line.code {
            if !taken.insert(wanted) {
                return Err(Error::file("the source", format!("two lines have the code {wanted}: {}", line.name)));
            }
            *code = Some(wanted);
        }
    }
    let known = |memory: &HashMap<String, i64>, text: &str| memory.get(text).copied();
    let keys: HashMap<String, i64> = previous.memory.line_keys.iter().map(|(code, key)| (key.clone(), *code)).collect();
    let gone = &previous.memory.gone_lines;
    let gone_keys: HashMap<String, i64> =
        gone.iter().filter(|gone| !gone.key.is_empty()).map(|gone| (gone.key.clone(), gone.code)).collect();
    let names: HashMap<String, i64> = only_once(previous.lines.iter().map(|line| (folded(&line.name), line.code)));
    let gone_names: HashMap<String, i64> = only_once(gone.iter().map(|gone| (folded(&gone.name), gone.code)));
    for (by_key, table) in [(true, &keys), (false, &names), (true, &gone_keys), (false, &gone_names)] {
        for (line, code) in draft.lines.iter().zip(&mut codes).filter(|(_, code)| code.is_none()) {
            let text = if by_key { line.key.clone() } else { folded(&line.name) };
            *code = known(table, &text).filter(|_| !text.is_empty()).filter(|code| taken.insert(*code));
        }
    }
    let ever = previous.lines.iter().map(|line| line.code).chain(gone.iter().map(|gone| gone.code));
    let mut next = ever.chain(taken.iter().copied()).max().unwrap_or(0);
    // By name and not by place in the source, which may list them in another order tomorrow.
    let mut fresh: Vec<usize> = (0..codes.len()).filter(|&at| codes[at].is_none()).collect();
    fresh.sort_by_key(|&at| (&draft.lines[at].key, &draft.lines[at].name));
    if !previous.lines.is_empty() {
        summary.read("new lines", fresh.len());
    }
    for at in fresh {
        // A person may write any number, also the last one that there is.
        next = next.checked_add(1).ok_or_else(|| {
            let name = &draft.lines[at].name;
            Error::file("the source", format!("no code is left for the line {name}: another line has the code {next}"))
        })?;
        codes[at] = Some(next);
    }
    Ok(codes.into_iter().flatten().collect())
}

/// The translation of a line. One that a person wrote into the file stays as long as the name does.
pub(super) fn translation(line: &DraftLine, code: i64, previous: &Network) -> String {
    if !line.translation.is_empty() {
        return line.translation.clone();
    }
    let is_same = |known: &&Line| known.code == code && folded(&known.name) == folded(&line.name);
    previous.lines.iter().find(is_same).map(|known| known.translation.clone()).unwrap_or_default()
}

/// Lines of before that are no longer there.
pub(super) fn gone(lines: &[Line], previous: &Network) -> Vec<GoneLine> {
    let here: HashSet<i64> = lines.iter().map(|line| line.code).collect();
    let key = |code| previous.memory.line_keys.get(&code).cloned().unwrap_or_default();
    let left =
        previous.lines.iter().map(|line| GoneLine { code: line.code, name: line.name.clone(), key: key(line.code) });
    let mut gone: Vec<_> =
        left.chain(previous.memory.gone_lines.iter().cloned()).filter(|g| !here.contains(&g.code)).collect();
    gone.sort_by_key(|gone| gone.code);
    gone
}

fn folded(name: &str) -> String {
    // The folding of station names serves lines as well.
    format!("{:?}", StationName::fold(name))
}

/// A name that two lines share says nothing.
fn only_once(named: impl Iterator<Item = (String, i64)>) -> HashMap<String, i64> {
    let mut found: HashMap<String, Option<i64>> = HashMap::new();
    for (name, code) in named {
        found.entry(name).and_modify(|known| *known = None).or_insert(Some(code));
    }
    found.into_iter().filter_map(|(name, code)| code.map(|code| (name, code))).collect()
}

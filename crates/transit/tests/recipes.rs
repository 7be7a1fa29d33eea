//! The recipes of the maps, as far as they can be read without their sources.

use std::{collections::BTreeMap, fs, path::PathBuf};

use toml::{Table, Value};

fn recipe(name: &str) -> Table {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../maps").join(name);
    fs::read_to_string(&path).unwrap().parse().unwrap()
}

/// The lines of a recipe and of its bases: for each code, whether it has runs, and whether it has a name.
fn add_lines(recipe: &Table, lines: &mut BTreeMap<i64, (bool, bool)>) {
    for line in recipe.get("line").and_then(Value::as_array).into_iter().flatten() {
        if let Some(code) = line.get("code").and_then(Value::as_integer) {
            let (runs, name) = lines.entry(code).or_default();
            *runs |= line.get("runs").is_some();
            *name |= line.get("name").is_some();
        }
    }
    for base in recipe.get("base").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        add_lines(&self::recipe(base), lines);
    }
}

#[test]
fn lines_that_the_source_lacks_have_names() {
    // From this code on, lines are ours.
    const OURS: i64 = 900_000;
    for name in ["tokyo.toml", "kansai.toml", "japan.toml"] {
        let mut lines = BTreeMap::new();
        add_lines(&recipe(name), &mut lines);
        let nameless: Vec<_> = lines.iter().filter(|(code, (runs, name))| **code >= OURS && *runs && !name).collect();
        assert!(lines.range(OURS..).next().is_some() && nameless.is_empty(), "{name}: {nameless:?}");
    }
}

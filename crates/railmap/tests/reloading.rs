//! The maps of a folder: added, replaced, kept if a file breaks, and removed with their file.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{fmt::Write as _, fs, path::Path};

use kaisatsu_railmap::MapRegistry;

/// A map of `count` stations in a row.
fn map_file(id: &str, count: usize) -> String {
    let mut text = format!("format = 1\nid = \"{id}\"\nname = \"{id}\"\nwidth = 1000\nheight = 40\ncentre = 1\n");
    for code in 1..=count {
        write!(
            text,
            "[[station]]\ncode = {code}\nname = \"s{code}\"\nyomi = \"え\"\nlat = 35.0\nlon = 139.0\nmarks = [\
             {{ shape = \"rect\", x = {}, y = 10, width = 20, height = 10, text = true }},\
             {{ shape = \"circle\", x = {}, y = 15, r = 4 }}]\n",
            code * 40,
            code * 40 - 6
        )
        .unwrap();
    }
    text
}

fn open(folder: &Path) -> MapRegistry<usize> {
    MapRegistry::open(Some(folder.to_owned()), |map| map.stations().len()).unwrap()
}

fn stations(library: &MapRegistry<usize>, id: &str) -> Option<usize> {
    library.get(id).map(|shelved| shelved.prepared)
}

#[test]
fn a_folder_adds_replaces_and_removes_maps() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    fs::write(&file, map_file("line", 3)).unwrap();
    fs::write(folder.path().join("notes.txt"), "not a map").unwrap();
    let library = open(folder.path());
    assert_eq!(stations(&library, "line"), Some(3));
    assert!(!library.reload().unwrap(), "nothing changed");

    let held = library.get("line").unwrap();
    fs::write(&file, map_file("line", 5)).unwrap();
    assert!(library.reload().unwrap());
    assert_eq!(stations(&library, "line"), Some(5));
    assert_eq!(held.prepared, 3, "a request keeps the map it began with");

    fs::remove_file(&file).unwrap();
    assert!(library.reload().unwrap());
    assert_eq!(stations(&library, "line"), None);
    assert_eq!(library.all().len(), 3, "the built-in maps are still there");
}

#[test]
fn a_broken_file_leaves_the_running_map() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    fs::write(&file, map_file("line", 3)).unwrap();
    let library = open(folder.path());
    for broken in ["format = 1\n", "\u{0}", &map_file("line", 4).replace("code = 4", "code = 3")] {
        fs::write(&file, broken).unwrap();
        library.reload().unwrap();
        assert_eq!(stations(&library, "line"), Some(3), "{broken:?}");
    }
    fs::write(&file, map_file("line", 6)).unwrap();
    library.reload().unwrap();
    assert_eq!(stations(&library, "line"), Some(6));
}

#[test]
fn a_file_replaces_a_built_in_map_until_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let library = open(folder.path());
    let built_in = stations(&library, "tokyo").unwrap();
    let file = folder.path().join("mine.toml");
    fs::write(&file, map_file("tokyo", 2)).unwrap();
    library.reload().unwrap();
    assert_eq!(stations(&library, "tokyo"), Some(2));
    fs::remove_file(&file).unwrap();
    library.reload().unwrap();
    assert_eq!(stations(&library, "tokyo"), Some(built_in));
}

#[test]
fn of_two_files_with_one_id_the_first_by_name_wins() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.toml"), map_file("line", 2)).unwrap();
    fs::write(folder.path().join("a.toml"), map_file("line", 4)).unwrap();
    assert_eq!(stations(&open(folder.path()), "line"), Some(4));
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    assert!(MapRegistry::open(Some("/nonexistent/maps".into()), |_| ()).is_err());
}

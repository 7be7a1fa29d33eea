//! The maps of a folder: added, replaced, kept if a file breaks, and removed with their file.

use std::{fmt::Write as _, fs, path::Path};

use kaisatsu_model::MapLanguage;
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

fn stations(registry: &MapRegistry<usize>, id: &str) -> Option<usize> {
    registry.get(id).map(|loaded| loaded.prepared)
}

#[test]
fn a_folder_adds_replaces_and_removes_maps() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    fs::write(&file, map_file("line", 3)).unwrap();
    fs::write(folder.path().join("notes.txt"), "not a map").unwrap();
    let registry = open(folder.path());
    assert_eq!(stations(&registry, "line"), Some(3));
    assert!(!registry.reload().unwrap(), "nothing changed");

    let held = registry.get("line").unwrap();
    fs::write(&file, map_file("line", 5)).unwrap();
    assert!(registry.reload().unwrap());
    assert_eq!(stations(&registry, "line"), Some(5));
    assert_eq!(held.prepared, 3, "a request keeps the map it began with");

    fs::remove_file(&file).unwrap();
    assert!(registry.reload().unwrap());
    assert_eq!(stations(&registry, "line"), None);
    assert_eq!(registry.all().len(), 3, "the built-in maps are still there");
}

#[test]
fn a_broken_file_leaves_the_previous_map() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    fs::write(&file, map_file("line", 3)).unwrap();
    let registry = open(folder.path());
    for broken in ["format = 1\n", "\u{0}", &map_file("line", 4).replace("code = 4", "code = 3")] {
        fs::write(&file, broken).unwrap();
        registry.reload().unwrap();
        assert_eq!(stations(&registry, "line"), Some(3), "{broken:?}");
    }
    fs::write(&file, map_file("line", 6)).unwrap();
    registry.reload().unwrap();
    assert_eq!(stations(&registry, "line"), Some(6));
}

#[test]
fn a_file_replaces_a_built_in_map_until_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let registry = open(folder.path());
    let built_in = stations(&registry, "tokyo").unwrap();
    let file = folder.path().join("mine.toml");
    fs::write(&file, map_file("tokyo", 2)).unwrap();
    registry.reload().unwrap();
    assert_eq!(stations(&registry, "tokyo"), Some(2));
    fs::remove_file(&file).unwrap();
    registry.reload().unwrap();
    assert_eq!(stations(&registry, "tokyo"), Some(built_in));
}

#[test]
fn of_two_files_with_one_id_the_first_by_name_wins() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.toml"), map_file("line", 2)).unwrap();
    fs::write(folder.path().join("a.toml"), map_file("line", 4)).unwrap();
    assert_eq!(stations(&open(folder.path()), "line"), Some(4));
}

#[test]
fn a_missing_folder_is_an_error() {
    assert!(MapRegistry::open(Some("/nonexistent/maps".into()), |_| ()).is_err());
}

#[test]
fn without_a_folder_there_is_nothing_to_reload() {
    let registry = MapRegistry::open(None, |_| ()).unwrap();
    assert!(!registry.reload().unwrap());
    let ids: Vec<_> = registry.all().iter().map(|loaded| loaded.map.id.to_string()).collect();
    assert_eq!(ids, ["kansai", "new-york", "tokyo"]);
}

#[test]
fn only_files_that_end_in_toml_are_maps() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    fs::write(folder.path().join("line.toml.bak"), map_file("backup", 2)).unwrap();
    fs::write(folder.path().join("toml"), map_file("bare", 2)).unwrap();
    let registry = open(folder.path());
    assert_eq!((stations(&registry, "backup"), stations(&registry, "bare"), registry.all().len()), (None, None, 3));
    assert!(!registry.reload().unwrap(), "the folder is not a changed file");
}

#[test]
fn a_file_that_is_not_text_is_read_again_only_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    fs::write(&file, [0xff, 0xfe]).unwrap();
    let registry = open(folder.path());
    assert!(!registry.reload().unwrap());
    fs::write(&file, map_file("line", 2)).unwrap();
    assert!(registry.reload().unwrap());
    assert_eq!(stations(&registry, "line"), Some(2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_cannot_be_read_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    // Reading the first page of a process's memory fails, although the file exists.
    std::os::unix::fs::symlink("/proc/self/mem", folder.path().join("line.toml")).unwrap();
    let registry = open(folder.path());
    assert!(registry.reload().unwrap() && registry.reload().unwrap(), "each reload tries the file again");
    assert_eq!(registry.all().len(), 3);
}

#[test]
fn a_file_has_at_most_64_mib() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.toml");
    let mut text = map_file("line", 2) + "#";
    text.push_str(&" ".repeat(kaisatsu_railmap::file::MAX_BYTES - text.len()));
    fs::write(&file, &text).unwrap();
    let registry = open(folder.path());
    assert_eq!(stations(&registry, "line"), Some(2));
    fs::write(&file, text.replacen("name = \"line\"", "name = \"line2\"", 1)).unwrap();
    assert!(registry.reload().unwrap());
    assert_eq!(registry.get("line").unwrap().map.name, "line", "the previous map stays");
    assert!(!registry.reload().unwrap(), "a file that is too large is not read again");
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_of_terabytes_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    // A sparse file, which takes no room.
    fs::File::create(folder.path().join("line.toml")).unwrap().set_len(1 << 42).unwrap();
    let registry = open(folder.path());
    assert!(!registry.reload().unwrap(), "a file for which there is no memory would be tried again");
    assert_eq!(registry.all().len(), 3);
}

/// The same map as [`map_file`], with translations or for a language.
fn translated(id: &str, count: usize, language: Option<&str>) -> String {
    let text = map_file(id, count).replace("yomi = \"え\"\n", "yomi = \"え\"\ntranslation = \"Station\"\n");
    match language {
        Some(word) => text.replace("format = 1\n", &format!("format = 1\nlanguage = \"{word}\"\n")),
        None => text,
    }
}

#[test]
fn a_map_without_translations_is_the_same_in_every_language() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), map_file("line", 3)).unwrap();
    let registry = open(folder.path());
    let map = registry.get("line").unwrap();
    assert_eq!(registry.languages(&map.map), [MapLanguage::Japanese]);
    for language in MapLanguage::ALL {
        assert!(std::sync::Arc::ptr_eq(&map, &registry.in_language(&map, language)), "{language:?}");
    }
    assert!(registry.get_in("none", MapLanguage::English).is_none());
}

#[test]
fn a_map_with_translations_and_one_layout_is_drawn_in_it_with_the_names_of_the_language() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("line.toml"), translated("line", 3, None)).unwrap();
    let registry = open(folder.path());
    let map = registry.get("line").unwrap();
    assert_eq!(registry.languages(&map.map), MapLanguage::ALL);
    let [ja, en, both] = MapLanguage::ALL.map(|language| registry.in_language(&map, language));
    let label = |loaded: &kaisatsu_railmap::LoadedMap<usize>| {
        let station = &loaded.map.stations()[0];
        (station.label.rows.join("|"), station.label.small.join("|"))
    };
    assert_eq!(label(&ja), ("s1".to_owned(), String::new()));
    assert_eq!(label(&en), ("Station".to_owned(), String::new()));
    assert_eq!(label(&both), ("s1".to_owned(), "Station".to_owned()));
    assert_eq!(en.map.stations()[0].marks, ja.map.stations()[0].marks);
    assert_eq!(en.map.stations()[0].name, "s1", "it is still found by its own name");
}

#[test]
fn a_file_with_a_language_is_a_layout_of_the_map_with_its_stations() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("line.toml"), translated("line", 3, None)).unwrap();
    let wide = translated("line", 3, Some("en")).replace("width = 1000", "width = 2000");
    fs::write(path("line.en.toml"), &wide).unwrap();
    fs::write(path("lost.en.toml"), translated("lost", 3, Some("en"))).unwrap();
    let registry = open(folder.path());
    let width = |language| registry.get_in("line", language).unwrap().map.extent.width;
    assert_eq!(MapLanguage::ALL.map(width), [1000, 2000, 1000]);
    assert!(registry.get("lost").is_none(), "a layout is no map");

    // A layout with other stations would answer with other stations than the map has.
    fs::write(path("line.en.toml"), wide.replace("code = 3\n", "code = 4\n")).unwrap();
    registry.reload().unwrap();
    assert_eq!(MapLanguage::ALL.map(width), [1000, 1000, 1000]);
    fs::write(path("line.en.toml"), wide.replace("width = 2000", "width = 3000")).unwrap();
    registry.reload().unwrap();
    assert_eq!(width(MapLanguage::English), 3000);
}

#[test]
fn the_built_in_layouts_have_the_stations_of_their_maps_and_labels_in_their_language() {
    let registry = MapRegistry::open(None, |_| ()).unwrap();
    for id in ["tokyo", "kansai"] {
        let map = registry.get(id).unwrap();
        for language in [MapLanguage::English, MapLanguage::Both] {
            let layout = registry.in_language(&map, language);
            assert_eq!(layout.map.language, language, "{id}");
            let pairs = map.map.stations().iter().zip(layout.map.stations());
            for (station, drawn) in pairs {
                assert_eq!((station.code, &station.name), (drawn.code, &drawn.name));
                let rows = drawn.label.rows.concat().replace([' ', '-', '–', '/'], "");
                let name = station.name_in(language).replace([' ', '-', '–', '/'], "");
                assert_eq!(rows, name, "{id} {}", station.code);
                assert_eq!(drawn.label.small.is_empty(), language == MapLanguage::English, "{id} {}", station.code);
            }
        }
    }
    let york = registry.get("new-york").unwrap();
    assert_eq!(registry.languages(&york.map), [MapLanguage::Japanese]);
}

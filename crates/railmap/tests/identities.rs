//! On the built-in maps, lines say who they are, and stations are found by their numbers.

use kaisatsu_railmap::{MapRegistry, Selection, StationFilter};

fn registry() -> MapRegistry<()> {
    MapRegistry::open(None, |_| ()).unwrap()
}

#[test]
fn every_line_with_a_symbol_has_a_bullet() {
    for (id, least) in [("tokyo", 70), ("kansai", 90), ("new-york", 25)] {
        let loaded = registry().get(id).unwrap();
        let with_symbol: Vec<_> = loaded.map.lines.iter().filter(|line| !line.symbol.is_empty()).collect();
        assert!(with_symbol.len() >= least, "{id}: {}", with_symbol.len());
        for line in with_symbol {
            assert!(!line.bullets.is_empty(), "{id}: {}", line.name);
        }
    }
}

#[test]
fn most_stations_have_numbers_and_show_them() {
    for (id, known, shown) in [("tokyo", 529, 480), ("kansai", 850, 800)] {
        let loaded = registry().get(id).unwrap();
        let numbered = loaded.map.stations().iter().filter(|station| !station.numbers.is_empty());
        let (all, drawn) =
            numbered.fold((0, 0), |(all, drawn), station| (all + 1, drawn + usize::from(station.numbers_at.is_some())));
        assert!(all >= known && drawn >= shown, "{id}: {all} known, {drawn} drawn");
    }
}

#[test]
fn stations_are_found_by_their_numbers() {
    let registry = registry();
    let tokyo = registry.get("tokyo").unwrap();
    // Two lines of Tokyo have the symbol G.
    for (number, name) in
        [("G09", "銀座 日吉本町"), ("G-09", "銀座 日吉本町"), ("jy17", "新宿"), ("OH01", "新宿"), ("Mb 03", "方南町")]
    {
        let found = tokyo.map.select(&Selection::Name(number.to_owned())).unwrap();
        let names: Vec<_> = found.stations.iter().map(|at| tokyo.map.stations()[*at].name.as_str()).collect();
        assert_eq!(names.join(" "), name, "{number}");
    }
    let stations = registry.stations();
    let first = |number: &str| {
        let found = stations.search(&StationFilter { name: Some(number), ..StationFilter::default() });
        found.first().map(|at| stations.station(*at).name.clone())
    };
    assert_eq!(first("JY17").as_deref(), Some("新宿"));
    assert_eq!(first("JR-A47").as_deref(), Some("大阪"));
    assert_eq!(first("HK01").as_deref(), Some("大阪梅田"));
}

//! The maps that come with the binary: what the validator finds in them, and that they are whole.

use kaisatsu_model::StationCode;
use kaisatsu_railmap::{MapRegistry, Selection, check::check};

/// What looks wrong on the built-in maps and is not: tracks that turn, and a number that is kept for a station to come.
const REAL: [(&str, &[&str]); 3] = [
    ("tokyo", &["テレコムセンター: is it"]),
    (
        "kansai",
        &[
            "no station is JR-Q35",
            "桃山: is it",
            "谷川: is it",
            "南吹田: is it",
            "信貴山下: is it",
            "紀ノ川: is it",
            "十三: is it",
            "東梅田: is it",
            "公園東口: is it",
        ],
    ),
    ("new-york", &[]),
];

#[test]
fn every_built_in_map_has_no_other_findings_than_what_is_real() {
    let texts = [
        include_str!("../maps/tokyo.toml"),
        include_str!("../maps/kansai.toml"),
        include_str!("../maps/new-york.toml"),
    ];
    for (text, (id, real)) in texts.iter().zip(REAL) {
        let found: Vec<String> = check(text).findings.iter().map(ToString::to_string).collect();
        let others: Vec<_> = found.iter().filter(|told| !real.iter().any(|known| told.contains(known))).collect();
        assert!(others.is_empty(), "{id}: {others:#?}");
        assert_eq!(found.len(), real.len(), "{id}: {found:#?}");
    }
}

#[test]
fn the_built_in_tokyo_map_is_whole() {
    let text = include_str!("../maps/tokyo.toml");
    let map = check(text).map.unwrap();
    assert!(map.stations().len() >= 550, "{}", map.stations().len());
    assert!(map.stations().iter().all(|s| s.prefecture.is_some() && !s.yomi.is_empty() && s.marks.len() == 2));

    let named = |name: &str| {
        let found = map.select(&Selection::Name(name.to_owned())).unwrap_or_else(|| panic!("no {name}"));
        found.stations.iter().map(|&at| &map.stations()[at]).collect::<Vec<_>>()
    };
    for name in ["東京", "新宿", "高円寺", "霞ヶ関", "西船橋", "和光市", "本八幡", "西高島平", "光が丘", "虎ノ門ヒルズ"]
    {
        assert_eq!(named(name).len(), 1, "{name}");
    }
    assert_eq!(named("業平橋")[0].name, "とうきょうスカイツリー");
    assert_eq!(named("高輪ゲートウェイ")[0].yomi, "たかなわげーとうぇい");
    let yamanote = map.lines.iter().find(|line| line.name == "JR山手線").unwrap();
    assert!(yamanote.is_loop && yamanote.runs.len() == 1 && yamanote.runs[0].len() == 30);
    assert!(map.select(&Selection::Code(StationCode::new(1).unwrap())).is_none());
}

#[test]
fn a_library_opens_with_the_built_in_map_alone() {
    let library = MapRegistry::open(None, |map| map.stations().len()).unwrap();
    let tokyo = library.get("tokyo").unwrap();
    assert_eq!(tokyo.prepared, tokyo.map.stations().len());
    assert!(library.get("nowhere").is_none());
}

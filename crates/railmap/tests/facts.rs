//! Facts that the data of the built-in maps once had wrong: each is named here, so that no import loses it again.

use std::sync::{Arc, LazyLock};

use kaisatsu_model::{MapLanguage, Position, StationCode};
use kaisatsu_railmap::{Line, LoadedMap, MapRegistry, RouteMap, Selection, Station};

static MAPS: LazyLock<MapRegistry<()>> = LazyLock::new(|| MapRegistry::open(None, |_| ()).unwrap());

fn map(id: &str) -> Arc<LoadedMap<()>> {
    MAPS.get(id).unwrap()
}

/// The only station that is called so, now or formerly.
fn station<'a>(map: &'a RouteMap, name: &str) -> &'a Station {
    let found = map.select(&Selection::Name(name.to_owned())).unwrap_or_else(|| panic!("no {name}"));
    let [at] = found.stations.as_slice() else { panic!("{} stations are called {name}", found.stations.len()) };
    &map.stations()[*at]
}

fn line<'a>(map: &'a RouteMap, name: &str) -> &'a Line {
    map.lines.iter().find(|line| line.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// The names of the stations of each run of a line.
fn runs(map: &RouteMap, name: &str) -> Vec<Vec<String>> {
    let name_of = |code: &StationCode| map.stations().iter().find(|one| one.code == *code).unwrap().name.clone();
    line(map, name).runs.iter().map(|run| run.iter().map(name_of).collect()).collect()
}

fn follow_each_other(map: &RouteMap, name: &str, stops: &[&str]) -> bool {
    let backwards: Vec<&str> = stops.iter().rev().copied().collect();
    runs(map, name).iter().any(|run| run.windows(stops.len()).any(|some| some == stops || some == backwards.as_slice()))
}

#[test]
fn every_japanese_station_has_its_prefecture() {
    let kansai = map("kansai");
    assert_eq!(station(&kansai.map, "加島").prefecture.map(kaisatsu_model::Prefecture::name), Some("大阪府"));
    for id in ["tokyo", "kansai"] {
        let without: Vec<_> =
            map(id).map.stations().iter().filter(|s| s.prefecture.is_none()).map(|s| s.code).collect();
        assert_eq!(without, [], "{id}");
    }
}

#[test]
fn the_osaka_higashi_line_stops_at_shigino() {
    assert!(follow_each_other(&map("kansai").map, "JRおおさか東線", &["JR野江", "鴫野", "放出"]));
    assert!(follow_each_other(&map("kansai").map, "JRおおさか東線", &["大阪", "新大阪", "南吹田", "JR淡路"]));
}

#[test]
fn stations_opened_lately_are_where_they_are() {
    let kansai = map("kansai");
    for (name, lat, lon) in [
        ("城北公園通", 34.7235, 135.5308),
        ("衣摺加美北", 34.6383, 135.5670),
        ("JR総持寺", 34.8286, 135.5778),
        ("夢洲", 34.6523, 135.3900),
        ("JR野江", 34.7069, 135.5414),
        ("JR淡路", 34.7407, 135.5199),
        ("南吹田", 34.7494, 135.5113),
    ] {
        let metres = station(&kansai.map, name).position.metres_to(Position::new(lat, lon).unwrap());
        assert!(metres < 60.0, "{name} is {metres:.0} m off");
    }
}

#[test]
fn kansai_reaches_its_edges() {
    let kansai = map("kansai");
    for (line, end) in [
        ("JR神戸線", "姫路"),
        ("JR琵琶湖線", "草津"),
        ("JR阪和線", "和歌山"),
        ("近鉄吉野線", "吉野"),
        ("南海高野山ケーブル", "高野山"),
    ] {
        let runs = runs(&kansai.map, line);
        let ends = runs.iter().any(|run| run.first().is_some_and(|s| s == end) || run.last().is_some_and(|s| s == end));
        assert!(ends, "{line}: {runs:?}");
    }
}

#[test]
fn the_shinkansen_crosses_kansai() {
    assert!(follow_each_other(&map("kansai").map, "JR東海道新幹線", &["京都", "新大阪"]));
    assert!(follow_each_other(&map("kansai").map, "JR山陽新幹線", &["新大阪", "新神戸", "西明石", "姫路"]));
}

#[test]
fn tokyo_has_the_lines_that_the_source_lacks() {
    let tokyo = map("tokyo");
    let disney = line(&tokyo.map, "ディズニーリゾートライン");
    assert!(disney.is_loop && disney.runs.len() == 1 && disney.runs[0].len() == 4);
    assert!(follow_each_other(&tokyo.map, "JR東海道新幹線", &["東京", "品川"]));
    assert!(follow_each_other(&tokyo.map, "JR東北新幹線", &["東京", "上野"]));
    assert!(follow_each_other(&tokyo.map, "相鉄・JR直通線", &["西大井", "武蔵小杉", "羽沢横浜国大"]));
    let musashino = runs(&tokyo.map, "JR武蔵野線");
    let ends = (musashino[0].first().map(String::as_str), musashino[0].last().map(String::as_str));
    assert_eq!((musashino.len(), ends), (1, (Some("府中本町"), Some("西船橋"))));
    assert!(musashino[0].len() == 26, "{}", musashino[0].len());
}

#[test]
fn the_names_that_people_still_type_find_their_stations() {
    for (id, old, now) in [
        ("kansai", "上本町", "大阪上本町"),
        ("kansai", "近鉄難波", "大阪難波"),
        ("kansai", "湊町", "JR難波"),
        ("kansai", "西大津", "大津京"),
        ("kansai", "神足", "長岡京"),
        ("kansai", "南霞町", "新今宮駅前"),
        ("tokyo", "新線新宿", "新宿"),
        ("tokyo", "モノレール浜松町", "浜松町"),
        ("tokyo", "業平橋", "とうきょうスカイツリー"),
        ("tokyo", "産業道路", "大師橋"),
    ] {
        assert_eq!(station(&map(id).map, old).name, now, "{old}");
    }
    let count = |id: &str| map(id).map.stations().iter().map(|station| station.formerly.len()).sum::<usize>();
    assert!(count("tokyo") + count("kansai") >= 120, "{} and {}", count("tokyo"), count("kansai"));
}

#[test]
fn maps_and_lines_have_english_names() {
    for (id, title, lines) in [
        ("tokyo", "Tokyo", [("東京メトロ銀座線", "Ginza Line"), ("JR山手線", "JR Yamanote Line")]),
        ("kansai", "Kansai", [("JR大阪環状線", "Ōsaka Loop Line"), ("阪急京都本線", "Hankyu Kyōto Main Line")]),
    ] {
        let loaded = map(id);
        for (name, translation) in lines {
            assert_eq!(line(&loaded.map, name).name_in(MapLanguage::English), translation);
        }
        let without: Vec<_> =
            loaded.map.lines.iter().filter(|line| line.translation.is_empty()).map(|l| &l.name).collect();
        assert!(without.is_empty(), "{id}: {without:?}");
        assert_eq!(MAPS.in_language(&loaded, MapLanguage::English).map.title(), title);
        assert_eq!(MAPS.in_language(&loaded, MapLanguage::Both).map.title(), loaded.map.name);
        let found = loaded.map.select(&Selection::Name(lines[0].1.to_lowercase())).unwrap();
        assert!(found.stations.len() > 15, "a line is found by its English name: {}", found.stations.len());
    }
}

#[test]
fn names_in_the_latin_alphabet_are_those_of_the_signs() {
    for (id, name, sign) in [
        ("tokyo", "高輪ゲートウェイ", "Takanawa Gateway"),
        ("tokyo", "虎ノ門ヒルズ", "Toranomon Hills"),
        ("tokyo", "下落合", "Shimo-Ochiai"),
        ("tokyo", "池ノ上", "Ikenoue"),
        ("tokyo", "上野御徒町", "Ueno-Okachimachi"),
        ("tokyo", "広尾", "Hiroo"),
        ("tokyo", "新宿西口", "Shinjuku-nishiguchi"),
        ("tokyo", "外苑前", "Gaiemmae"),
        ("kansai", "新田辺", "Shin-Tanabe"),
        ("kansai", "下井阪", "Shimoisaka"),
        ("kansai", "北花田", "Kitahanada"),
        ("kansai", "おごと温泉", "Ogoto-onsen"),
        ("kansai", "磯ノ浦", "Isonoura"),
        ("kansai", "山ノ内", "Yamanouchi"),
        ("kansai", "西山天王山", "Nishiyama-Tennōzan"),
        ("kansai", "西中島南方", "Nishinakajima-Minamigata"),
    ] {
        assert_eq!(station(&map(id).map, name).translation, sign);
    }
    for id in ["tokyo", "kansai"] {
        for station in map(id).map.stations() {
            let longest = station.translation.split([' ', '-', '/']).map(|word| word.chars().count()).max();
            let name = &station.translation;
            assert!(longest.is_some_and(|letters| letters <= 16), "{id}: {name} runs together");
        }
    }
}

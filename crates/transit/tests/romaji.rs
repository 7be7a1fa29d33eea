//! Names in the Latin alphabet of the built-in maps: the rule, and the table maps/romaji.toml.

use std::path::Path;

use kaisatsu_transit::{Corrections, Options, Source};

use crate::common::{folder, imported};

/// The names that an import with `maps/romaji.toml` gives: of stations of the source, and of opened ones.
fn latin(names: &[(&str, &str)], opened: &[(&str, &str)]) -> Vec<(String, String)> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../maps/romaji.toml").canonicalize().unwrap();
    let row = |(code, (name, yomi)): (u32, &(&str, &str))| {
        format!("{code},{name},{yomi},{},139\n", 35.0 + 0.001 * f64::from(code))
    };
    let rows: Vec<String> = (1..).zip(names).map(row).collect();
    let codes: Vec<String> = (1..=names.len()).map(|code| code.to_string()).collect();
    let entry = |(code, (name, yomi)): (u32, &(&str, &str))| {
        let lat = 36.0 + 0.001 * f64::from(code);
        format!(
            "[[opened]]\ncode = {}\nname = \"{name}\"\nyomi = \"{yomi}\"\nlat = {lat}\nlon = 139.0\n",
            9_000_000 + code
        )
    };
    let entries: Vec<String> = (1..).zip(opened).map(entry).collect();
    let run: Vec<String> = opened.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let line = if run.is_empty() {
        String::new()
    } else {
        format!("[[line]]\ncode = 99\nname = \"新線\"\nruns = [[{}]]\n", run.join(", "))
    };
    let stations = format!("code,name,yomi,lat,lon\n{}", rows.concat());
    let lines = format!("name,stations\n本線,{}\n", codes.join(" "));
    let corrections = format!("format = 1\nromaji = true\nbase = ['{}']\n{}{line}", table.display(), entries.concat());
    let folder = folder(&[("stations.csv", &stations), ("lines.csv", &lines), ("fixes.toml", &corrections)]);
    let corrections = Corrections::open(&folder.path().join("fixes.toml")).unwrap();
    let options = Options { corrections: Some(&corrections), id: Some("test"), ..Options::default() };
    let (network, _) = imported(Source::Csv(folder.path()), &options).unwrap();
    let asked: Vec<&str> = names.iter().chain(opened).map(|(name, _)| *name).collect();
    let of = |name: &str| network.stations.iter().find(|station| station.name == name).unwrap().translation.clone();
    asked.into_iter().map(|name| (name.to_owned(), of(name))).collect()
}

#[test]
fn the_table_applies_to_opened_stations_too() {
    let opened = [("高輪ゲートウェイ", "たかなわげーとうぇい"), ("虎ノ門ヒルズ", "とらのもんひるず")];
    let found = latin(&[("甲", "こう"), ("乙", "おつ")], &opened);
    assert_eq!(found[2].1, "Takanawa Gateway");
    assert_eq!(found[3].1, "Toranomon Hills");
}

#[test]
fn names_are_written_as_their_signs_write_them() {
    let expected = [
        ("下落合", "しもおちあい", "Shimo-Ochiai"),
        ("池ノ上", "いけのうえ", "Ikenoue"),
        ("上野御徒町", "うえのおかちまち", "Ueno-Okachimachi"),
        ("広尾", "ひろお", "Hiroo"),
        ("都筑ふれあいの丘", "つづきふれあいのおか", "Tsuzuki-fureai-no-oka"),
        ("おごと温泉", "おごとおんせん", "Ogoto-onsen"),
        ("磯ノ浦", "いそのうら", "Isonoura"),
        ("山ノ内", "やまのうち", "Yamanouchi"),
        ("西山天王山", "にしやまてんのうざん", "Nishiyama-Tennōzan"),
        ("西中島南方", "にしなかじまみなみがた", "Nishinakajima-Minamigata"),
        ("新宿西口", "しんじゅくにしぐち", "Shinjuku-nishiguchi"),
        ("西脇市", "にしわきし", "Nishiwakishi"),
        ("北花田", "きたはなだ", "Kitahanada"),
        ("河内森", "かわちもり", "Kawachimori"),
        ("外苑前", "がいえんまえ", "Gaiemmae"),
        ("箕面", "みのお", "Minoo"),
        ("羽沢横浜国大", "はざわよこはまこくだい", "Hazawa Yokohama-Kokudai"),
        ("馬喰横山", "ばくろよこやま", "Bakuro-Yokoyama"),
        ("旧居留地・大丸前", "きゅうきょりゅうちだいまるまえ", "Kyūkyoryūchi/Daimaru-mae"),
    ];
    let names: Vec<(&str, &str)> = expected.iter().map(|(name, yomi, _)| (*name, *yomi)).collect();
    for ((name, found), (_, _, sign)) in latin(&names, &[]).iter().zip(&expected) {
        assert_eq!(found, sign, "{name}");
    }
}

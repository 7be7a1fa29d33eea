//! Small networks, and the checks that every map must pass.

use kaisatsu_model::StationCode;
use kaisatsu_railmap::{Severity, check};
use kaisatsu_schematic::{BuiltMap, Options, build};
use kaisatsu_transit::{Line, Network, Station};

/// A network of stations at positions, and lines through them by index.
pub(crate) fn network(places: &[(f64, f64)], lines: &[(&[usize], bool)]) -> Network {
    let code = |at: usize| StationCode::new(i64::try_from(at).unwrap() + 1).unwrap();
    let station = |(at, &(lat, lon)): (usize, &(f64, f64))| Station {
        code: code(at),
        name: name(at),
        yomi: "えき".to_owned(),
        translation: format!("Station {at}"),
        kind: kaisatsu_model::TransportKind::default(),
        prefecture: None,
        lat,
        lon,
        formerly: Vec::new(),
        numbers: vec![format!("A{at:02}")],
    };
    let line = |(at, (stops, is_loop)): (usize, &(&[usize], bool))| Line {
        code: i64::try_from(at).unwrap() + 1,
        name: format!("{at}号線"),
        translation: String::new(),
        color: format!("#{:06x}", 0x20_40_80 + at * 0x11_22_05),
        symbol: char::from(b'A' + u8::try_from(at % 26).unwrap()).to_string(),
        operator: String::new(),
        runs: vec![stops.iter().map(|&stop| code(stop)).collect()],
        is_loop: *is_loop,
        direct: Vec::new(),
        along: Vec::new(),
    };
    Network {
        id: "test".to_owned(),
        name: "試験".to_owned(),
        stations: places.iter().enumerate().map(station).collect(),
        lines: lines.iter().enumerate().map(line).collect(),
        ..Network::default()
    }
}

/// Names of one to twelve characters, as in Japan.
fn name(at: usize) -> String {
    let words =
        ["津", "大手", "新日本橋", "高輪ゲートウェイ", "三田", "東京国際クルーズターミナル", "浅草橋", "六本木一丁目"];
    format!("{}{}", words[at % words.len()], at / words.len())
}

/// Builds a map and runs the checks that every map must pass.
pub(crate) fn built(network: &Network) -> BuiltMap {
    let built = build(network, Options::default(), &mut |_| ()).unwrap_or_else(|error| panic!("{error}: {network:?}"));
    assert_eq!(built.quality.violations.total(), 0, "{:?}", built.quality);
    assert_eq!(built.quality.unlabelled, 0);
    assert_eq!(built.quality.overlaps, 0);
    assert_eq!((built.quality.groups, built.quality.groups_apart), (network.groups.len(), 0), "{:?}", built.quality);
    let text = built.document.to_toml();
    let checked = check::check(&text);
    let errors: Vec<_> = checked.findings.iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let overlaps: Vec<_> = checked.findings.iter().filter(|f| f.message.contains("overlap")).collect();
    assert!(overlaps.is_empty(), "{overlaps:?}");
    assert_eq!(checked.map.unwrap().stations().len(), network.stations.len(), "no station is lost");
    built
}

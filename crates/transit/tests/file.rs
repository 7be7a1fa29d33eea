//! Network files and CSV tables are read back as they were written.

use kaisatsu_model::{Prefecture, StationCode, TransportKind, text::tidy};
use kaisatsu_transit::{ImportHistory, Line, Network, Options, RetiredStation, Station, file, write_csv};
use proptest::prelude::*;

use crate::common::csv;

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[a-z東京駅ヶ\"\\\\,.#'-][a-z 東京駅ヶ\"\\\\,.#'-]{0,8}[a-z東京駅]").unwrap()
}

/// Name, reading, latitude, longitude, prefecture, and whether it has a former name.
type StationParts = (String, String, f64, f64, Option<i64>, bool);

fn network() -> impl Strategy<Value = Network> {
    let station = (text(), text(), -90.0..90.0_f64, -180.0..180.0_f64, proptest::option::of(1..=47_i64), any::<bool>());
    let stations = proptest::collection::vec(station, 2..12);
    (stations, proptest::collection::vec((text(), any::<bool>(), proptest::collection::vec(0..12_usize, 2..9)), 0..4))
        .prop_map(|(stations, lines)| {
            let code = |at: usize| StationCode::new(i64::try_from(at).unwrap() * 7 + 3).unwrap();
            let count = stations.len();
            let station = |(at, (name, yomi, lat, lon, prefecture, old)): (usize, StationParts)| Station {
                code: code(at),
                formerly: if old { vec![format!("old {at}")] } else { Vec::new() },
                name,
                yomi,
                translation: String::new(),
                kind: if old { TransportKind::Ship } else { TransportKind::Train },
                prefecture: prefecture.and_then(Prefecture::from_code),
                lat: (lat * 1e6).round() / 1e6,
                lon: (lon * 1e6).round() / 1e6,
                numbers: if old { vec![format!("A{at:02}"), "B1".to_owned()] } else { Vec::new() },
            };
            let line = |(at, (name, is_loop, stops)): (usize, (String, bool, Vec<usize>))| {
                let mut run: Vec<_> = stops.into_iter().map(|stop| code(stop % count)).collect();
                run.dedup();
                if run.len() < 2 {
                    run = vec![code(0), code(1)];
                }
                let color = format!("#{at:06x}");
                Line {
                    code: i64::try_from(at).unwrap() + 1,
                    name: format!("{name}{at}"),
                    translation: String::new(),
                    color,
                    symbol: if is_loop { "A".to_owned() } else { String::new() },
                    operator: if is_loop { String::new() } else { "甲".to_owned() },
                    direct: if is_loop { vec![[run[0], run[1]]] } else { Vec::new() },
                    along: if is_loop || count < 3 { Vec::new() } else { vec![vec![code(2), code(0), code(1)]] },
                    runs: vec![run],
                    is_loop,
                }
            };
            Network {
                id: "net".to_owned(),
                name: "ネット".to_owned(),
                translation: "Net".to_owned(),
                edition: String::new(),
                credits: "a \"b\"\n\u{7}".to_owned(),
                stations: stations.into_iter().enumerate().map(station).collect(),
                lines: lines.into_iter().enumerate().map(line).collect(),
                groups: Vec::new(),
                history: ImportHistory::default(),
            }
        })
}

proptest! {
    #[test]
    fn a_written_network_reads_back(network in network()) {
        let mut network = network;
        network.history.station_keys.insert(network.stations[0].code, "key".to_owned());
        let code = StationCode::new(4_000_000_000).unwrap();
        let retired = RetiredStation {
            code,
            name: "gone".to_owned(),
            key: String::new(),
            yomi: "がん".to_owned(),
            translation: "Gone".to_owned(),
            prefecture: Prefecture::from_code(13),
            lat: 1.0,
            lon: 2.5,
            formerly: vec!["here".to_owned()],
        };
        network.history.retired_stations.push(retired);
        let written = file::write(&network);
        let read = file::read(&written).unwrap();
        prop_assert_eq!(&read, &network);
        prop_assert_eq!(file::write(&read), written);
    }

    #[test]
    fn the_csv_form_reads_back(network in network()) {
        let [stations, lines] = write_csv(&network).unwrap();
        let credits = network.credits.clone();
        let options = Options { id: Some("net"), name: Some("ネット"), credits: Some(&credits), ..Options::default() };
        // Names are read with single spaces.
        let mut trimmed = network;
        trimmed.translation.clear();
        for station in &mut trimmed.stations {
            station.name = tidy(&station.name);
            station.yomi = tidy(&station.yomi);
            // Numbers and tracks are given in corrections.
            station.numbers.clear();
        }
        for line in &mut trimmed.lines {
            line.name = tidy(&line.name);
            line.direct.clear();
            line.along.clear();
        }
        // A ring is read back without its first station at the end.
        for run in trimmed.lines.iter_mut().filter(|line| line.is_loop).flat_map(|line| &mut line.runs) {
            if run.len() > 3 && run.first() == run.last() {
                run.pop();
            }
        }
        prop_assert_eq!(csv(&stations, &lines, &options).unwrap().0, trimmed);
    }
}

#[test]
fn findings_carry_their_line() {
    let good = "format = 1\nid = \"x\"\nname = \"X\"\n\n[[station]]\ncode = 1\nname = \"甲\"\nlat = 35\nlon = 139.5\n\n[[line]]\ncode = 1\nname = \"線\"\ncolor = \"#123456\"\nstations = [[1, 2]]\n";
    let told = |text: &str| file::read(text).unwrap_err().to_string();
    assert_eq!(told(good), "line 11: line 1 線: stops at 2, which is no station of this network");
    assert_eq!(
        told(&good.replace("format = 1", "format = 2")),
        "line 1: format 2 is not known; this Kaisatsu reads format 1"
    );
    assert!(told(&good.replace("lat = 35", "lat = 91")).starts_with("line 5: station 1 甲: lat 91 and lon 139.5"));
    assert!(told(&good.replace("yomi", "x").replace("lat", "latt")).starts_with("line 8: "));
    let twice = good.replace("[[line]]", "[[station]]\ncode = 1\nname = \"乙\"\nlat = 1\nlon = 1\n\n[[line]]");
    assert!(told(&twice).contains("line 11: station 1 乙: the code is used before, at line 5"));
}

#[test]
fn a_gone_station_may_be_of_a_file_that_says_little_about_it() {
    let text =
        "format = 1\nid = \"x\"\nname = \"X\"\n\n[[gone_station]]\ncode = 12\nname = \"甲\"\nlat = 35.0\nlon = 139.5\n";
    let network = file::read(text).unwrap();
    assert_eq!(file::write(&network), text);
    let told = |more: &str| file::read(&format!("{text}{more}\n")).unwrap_err().to_string();
    assert_eq!(told("prefecture = 48"), "line 5: gone station 12 甲: prefecture is 48; the codes are 1 to 47");
    assert_eq!(told("formerly = [\"甲\"]"), "line 5: gone station 12 甲: formerly '甲' is no other name");
}

//! Codes are stable when a source changes its order and when stations are renamed, moved, added or removed.

use std::fmt::Write;

use kaisatsu_transit::{Network, Options, file};
use proptest::prelude::*;

use crate::common::{code_of, csv};

type Row = (String, f64, f64);

/// A line through these stations, without codes, as from a source without stable ids.
fn read(rows: &[Row], previous: Option<&Network>) -> Network {
    let mut stations = "name,lat,lon\n".to_owned();
    for (name, lat, lon) in rows {
        writeln!(stations, "{name},{lat:.6},{lon:.6}").unwrap();
    }
    let mut in_order: Vec<&Row> = rows.iter().collect();
    in_order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let names: Vec<_> = in_order.iter().map(|row| row.0.as_str()).collect();
    let lines = format!("name,stations\n本線,{}\n", names.join(";"));
    csv(&stations, &lines, &Options { id: Some("net"), previous, ..Options::default() }).unwrap().0
}

fn rows(count: usize) -> Vec<Row> {
    (0..u32::try_from(count).unwrap()).map(|at| (format!("駅{at}"), 35.0 + f64::from(at) * 0.01, 139.0)).collect()
}

#[test]
fn a_code_that_somebody_wrote_holds_beside_a_station_that_is_gone() {
    let with = |stations: &str, previous: Option<&Network>| {
        let lines =
            "name,stations\n本線,終点;旧駅新駅\n".replace("旧駅新駅", if previous.is_some() { "新駅" } else { "旧駅" });
        csv(stations, &lines, &Options { id: Some("net"), previous, ..Options::default() }).unwrap().0
    };
    let first = with("code,name,lat,lon\n1,旧駅,35.0,139.0\n9,終点,35.1,139.0\n", None);
    // Two hundred metres away on the same line: without a code it would match the old station as a renamed one.
    let second = with("code,name,lat,lon\n2,新駅,35.0018,139.0\n9,終点,35.1,139.0\n", Some(&first));
    assert_eq!((code_of(&second, "新駅"), code_of(&second, "終点")), (2, 9));
    let station = second.stations.iter().find(|station| station.name == "新駅").unwrap();
    assert!(station.formerly.is_empty(), "{:?}", station.formerly);
}

#[test]
fn new_lines_are_numbered_by_the_numbers_in_their_names() {
    let stations = "name,lat,lon\n甲,35.0,139.0\n乙,35.1,139.0\n";
    let import = |names: &[&str], previous: Option<&Network>| {
        let lines = names.iter().fold("name,stations\n".to_owned(), |text, name| text + name + ",甲 乙\n");
        csv(stations, &lines, &Options { id: Some("net"), previous, ..Options::default() }).unwrap().0
    };
    let names = |network: &Network| network.lines.iter().map(|line| line.name.clone()).collect::<Vec<_>>();
    let first = import(&["L10", "L2", "L0", "L11", "L1"], None);
    assert_eq!(names(&first), ["L0", "L1", "L2", "L10", "L11"]);
    // What has a code keeps it.
    let second = import(&["L10", "L9", "L2", "L0", "L11", "L1", "L3"], Some(&first));
    assert_eq!(names(&second), ["L0", "L1", "L2", "L10", "L11", "L3", "L9"]);
}

proptest! {
    #[test]
    fn codes_stay_over_reimports(
        count in 4..20_usize,
        seed in any::<u64>(),
        renamed in 0..4_usize,
        moved in 0..4_usize,
        removed in 0..4_usize,
    ) {
        let before = rows(count);
        let first = read(&before, None);
        let mut after = before.clone();
        after[renamed].0 = "新しい名".to_owned();
        after[moved].2 += 0.002;
        let retired = (removed != renamed && removed != moved).then(|| after.remove(removed).0);
        after.push(("開業".to_owned(), 34.5, 139.0));
        let hash =
            |name: &str| name.bytes().fold(seed, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        after.sort_by_key(|row| hash(&row.0));
        // The second import knows the first one only through its file.
        let first = file::read(&file::write(&first)).unwrap();
        let second = read(&after, Some(&first));
        for (name, ..) in before.iter().filter(|(name, ..)| Some(name) != retired.as_ref()) {
            let now = if *name == before[renamed].0 { "新しい名" } else { name };
            prop_assert_eq!(code_of(&second, now), code_of(&first, name), "{} {}", name, now);
        }
        let station = second.stations.iter().find(|station| station.name == "新しい名").unwrap();
        prop_assert_eq!(&station.formerly, &[before[renamed].0.clone()]);
        let new = code_of(&second, "開業");
        prop_assert!(first.stations.iter().all(|station| station.code.get() != new));
        prop_assert_eq!(second.lines[0].code, first.lines[0].code);

        // A retired station returns with its code, which nothing else has received.
        let second = file::read(&file::write(&second)).unwrap();
        let mut third = after.clone();
        third.push(("さらに開業".to_owned(), 34.4, 139.0));
        if let Some(name) = &retired {
            third.push(before.iter().find(|row| row.0 == *name).unwrap().clone());
        }
        let third = read(&third, Some(&second));
        if let Some(name) = &retired {
            prop_assert_eq!(code_of(&third, name), code_of(&first, name));
            prop_assert!(third.history.retired_stations.is_empty());
        }
        prop_assert!(!second.stations.iter().any(|station| station.code.get() == code_of(&third, "さらに開業")));
    }
}

#[test]
fn a_new_station_far_away_is_no_renaming() {
    let mut all = rows(5);
    let first = read(&all, None);
    all[4] = ("遠い駅".to_owned(), 36.0, 139.0);
    let second = read(&all, Some(&first));
    assert_eq!(code_of(&second, "遠い駅"), 6);
    assert_eq!(second.history.retired_stations[0].name, "駅4");
}

#[test]
fn readings_that_a_person_settled_stay() {
    let mut first = read(&rows(3), None);
    first.stations[1].yomi = "えきいち".to_owned();
    let second = read(&rows(3), Some(&first));
    assert_eq!(second.stations[1].yomi, "えきいち");
}

#[test]
fn what_is_known_of_a_station_is_known_when_it_returns() {
    let all = rows(5);
    let mut first = read(&all, None);
    let known = first.stations.iter_mut().find(|station| station.name == "駅4").unwrap();
    known.yomi = "えきよん".to_owned();
    known.translation = "Fourth".to_owned();
    known.prefecture = kaisatsu_model::Prefecture::from_code(13);
    known.formerly = vec!["旧駅".to_owned()];
    let known = known.clone();
    let through_the_file = |network: &Network| file::read(&file::write(network)).unwrap();
    let second = through_the_file(&read(&all[..4], Some(&through_the_file(&first))));
    assert!(!second.stations.iter().any(|station| station.name == "駅4"));
    let third = read(&all, Some(&second));
    assert_eq!(third.stations.iter().find(|station| station.name == "駅4"), Some(&known));

    // A former name matches too.
    let mut old = all;
    old[4].0 = "旧駅".to_owned();
    let third = read(&old, Some(&second));
    assert_eq!(code_of(&third, "旧駅"), known.code.get());
}

#[test]
fn the_translation_of_a_line_that_a_person_wrote_stays_as_long_as_its_name_does() {
    let read = |name: &str, previous: Option<&Network>| {
        let stations = "name,lat,lon\n甲,35.0,139.0\n乙,35.1,139.0\n";
        let lines = format!("code,name,stations\n7,{name},甲 乙\n");
        csv(stations, &lines, &Options { id: Some("net"), previous, ..Options::default() }).unwrap().0
    };
    let mut first = read("本線", None);
    first.lines[0].translation = "Main Line".to_owned();
    assert_eq!(read("本線", Some(&first)).lines[0].translation, "Main Line");
    assert_eq!(read("新本線", Some(&first)).lines[0].translation, "");
}

//! Every import fails with an error, or returns a network whose file can be read back.

use kaisatsu_transit::{Network, file};

use crate::common::{StationRow, export, runs, train_data};

const MAIN: [StationRow<'static>; 4] = [
    (1, 1, "池袋", 35.73, 139.71),
    (2, 2, "中野坂上", 35.70, 139.68),
    (3, 3, "荻窪", 35.70, 139.62),
    (4, 4, "方南町", 35.68, 139.66),
];

/// 丸ノ内線, whose list continues with its branch after 荻窪.
fn sample(branch: &[StationRow<'_>]) -> String {
    export(&[(7, "丸ノ内線", &[&MAIN[..3], branch].concat())])
}

fn network(json: &str, corrections: &str) -> Network {
    let (network, _) = train_data(json, &format!("format = 1\n{corrections}")).unwrap();
    assert_eq!(file::read(&file::write_checked(&network).unwrap()).unwrap(), network);
    network
}

fn error(json: &str, corrections: &str) -> String {
    train_data(json, &format!("format = 1\n{corrections}")).unwrap_err().to_string()
}

#[test]
fn a_branch_may_repeat_the_station_from_which_it_leaves() {
    let correction = "[[line]]\ncode = 7\nbranch = [{ after = \"荻窪\", from = \"中野坂上\" }]\n";
    let expected = ["池袋 中野坂上 荻窪", "中野坂上 方南町"];
    assert_eq!(runs(&network(&sample(&MAIN[3..]), correction))["丸ノ内線"], expected);
    assert_eq!(runs(&network(&sample(&[MAIN[1], MAIN[3]]), correction))["丸ノ内線"], expected);
}

#[test]
fn a_station_adjacent_to_itself_is_an_error() {
    let json = sample(&MAIN[3..]);
    let twice = error(&json, "[[line]]\ncode = 7\nruns = [[\"池袋\", \"池袋\"]]\n");
    assert_eq!(twice, "corrections.toml:2: line 丸ノ内線: 池袋 follows itself");
    let twice = error(&json, "[[line]]\ncode = 7\ninsert = [{ new = \"池袋\", between = [\"池袋\", \"中野坂上\"] }]\n");
    let expected =
        "corrections.toml:2: line 丸ノ内線: insert: 池袋 does not lie between 池袋 and 中野坂上, it is one of them";
    assert_eq!(twice, expected);
}

#[test]
fn another_spelling_is_not_a_former_name() {
    let json = export(&[(7, "線", &[(1, 1, "霞ケ関", 35.67, 139.75), (2, 2, "銀座", 35.67, 139.76)])]);
    let opened = "[[opened]]\ncode = 9\nname = \"虎ノ門ヒルズ\"\nlat = 35.66\nlon = 139.74\n\
        [[line]]\ncode = 7\nmore = [[\"霞ケ関\", \"虎ノ門ヒルズ\"]]\n";
    let formerly =
        "[formerly]\n\"霞ケ関\" = [\"霞ヶ関\", \"　\", \"虎ノ門外\"]\n\"虎ノ門ヒルズ\" = [\"虎ノ門 ヒルズ\"]\n";
    let network = network(&json, &format!("{formerly}{opened}"));
    let formerly: Vec<_> = network.stations.iter().map(|station| station.formerly.join(" ")).collect();
    assert_eq!(formerly, ["虎ノ門外", "", ""]);
}

#[test]
fn a_missing_name_is_an_error() {
    let nameless = "[[line]]\ncode = 8\nruns = [[\"池袋\", \"荻窪\"]]\n";
    let expected = "corrections.toml:2: line 8 has no name: write one into the corrections, as name = \"…\"";
    assert_eq!(error(&sample(&[]), nameless), expected);
    let empty = sample(&[(4, 4, "", 35.68, 139.66)]);
    assert_eq!(error(&empty, ""), "the source: the station 4 at 35.68, 139.66 has no name");
    assert!(error(&empty.replace("丸ノ内線", " "), "").contains("corrections.toml: line 7 has no name"));
    // Corrections can supply the names.
    let names = "[spelling]\n\"\" = \"方南町\"\n[[line]]\ncode = 7\nname = \"丸ノ内線\"\n";
    assert_eq!(runs(&network(&empty.replace("丸ノ内線", " "), names))["丸ノ内線"], ["池袋 中野坂上 荻窪 方南町"]);
}

#[test]
fn a_network_that_is_too_large_is_not_written() {
    let (mut network, _) = train_data(&sample(&[]), "format = 1\n").unwrap();
    network.credits = "x".repeat(file::MAX_BYTES);
    let error = file::write_checked(&network).unwrap_err().to_string();
    assert!(error.ends_with("bytes; a network file has at most 67108864"), "{error}");
}

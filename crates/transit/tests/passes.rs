//! Which stations a line passes, found from the lines beside it.

use kaisatsu_transit::{Network, Options, Passes};

use crate::common::csv;

/// The passes of the lines of a network, each as the names on its way.
fn passes(stations: &str, lines: &str) -> Vec<String> {
    let options = Options { id: Some("test"), ..Options::default() };
    let (network, _) = csv(&format!("name,lat,lon\n{stations}"), &format!("name,stations\n{lines}"), &options).unwrap();
    let found = Passes::of(&network);
    let name = |network: &Network, code| network.stations.iter().find(|s| s.code == code).unwrap().name.clone();
    let way = |way: Vec<_>| way.into_iter().map(|code| name(&network, code)).collect::<Vec<_>>().join(" ");
    let mut all: Vec<String> = network
        .lines
        .iter()
        .flat_map(|line| found.edges(line).map(|on| format!("{}: {}", line.name, way(on))).collect::<Vec<_>>())
        .collect();
    all.sort();
    all
}

/// Seven stations from south to north, a kilometre apart, on a track that is not quite straight.
const TRACK: &str = "a,0.000,8.000\nb,0.009,8.001\nc,0.018,8.000\nd,0.027,8.001\ne,0.036,8.000\nf,0.045,8.001\n\
    g,0.054,8.000\n";

#[test]
fn an_express_passes_the_stations_of_the_local_line() {
    let lines = "local,a b c d e f g\nexpress,a d g\n";
    assert_eq!(passes(TRACK, lines), ["express: a b c d", "express: d e f g"]);
    // The order in which a line lists its stops does not matter.
    assert_eq!(passes(TRACK, "local,a b c d e f g\nexpress,g d a\n"), ["express: d c b a", "express: g f e d"]);
}

#[test]
fn each_kind_of_train_passes_what_slower_ones_stop_at() {
    let lines = "local,a b c d e f g\nrapid,a c e g\nlimited,a g\n";
    let expected = ["limited: a b c d e f g", "rapid: a b c", "rapid: c d e", "rapid: e f g"];
    assert_eq!(passes(TRACK, lines), expected);
}

#[test]
fn lines_that_stop_by_turns_pass_each_other_s_stations() {
    let lines = "j,a b d f g\nz,a c e g\n";
    assert_eq!(passes(TRACK, lines), ["j: b c d", "j: d e f", "z: a b c", "z: c d e", "z: e f g"]);
}

#[test]
fn a_way_that_is_much_longer_is_another_track() {
    // The stations of the local line lie far to the east.
    let stations = "a,0.00,8.00\nx,0.01,8.02\ny,0.02,8.02\ng,0.03,8.00\n";
    assert_eq!(passes(stations, "local,a x y g\ndirect,a g\n"), [] as [&str; 0]);
}

#[test]
fn two_lines_that_merely_meet_at_both_ends_are_two_tracks() {
    // Half a kilometre apart, with stops of their own: none of them passes the other's stations.
    let stations = "a,0.000,8.000\nb,0.010,7.998\nc,0.020,7.998\nx,0.012,8.003\ny,0.022,8.003\ng,0.030,8.000\n\
        h,0.040,8.0\ni,0.050,8.0\nj,0.060,8.0\nk,0.040,8.02\nl,0.050,8.03\nm,0.060,8.04\n";
    assert_eq!(passes(stations, "one,a b c g h i j\nother,a x y g k l m\n"), [] as [&str; 0]);
}

#[test]
fn a_line_on_a_curve_is_recognised() {
    // A quarter of a circle: the way along the stations is a tenth longer than the straight line.
    let place = |(at, name): (u8, char)| {
        let angle = f64::from(at) * 0.314;
        format!("{name},{:.5},{:.5}", 0.03 * angle.sin(), 8.0 + 0.03 * (1.0 - angle.cos()))
    };
    let stations = format!("{}\n", (0..).zip('a'..='f').map(place).collect::<Vec<_>>().join("\n"));
    assert_eq!(passes(&stations, "local,a b c d e f\nexpress,a f\n"), ["express: a b c d e f"]);
}

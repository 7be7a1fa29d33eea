//! Ways over the built-in maps: compared with a plain search, with real rides, and by what they must hold.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{Arc, LazyLock},
};

use kaisatsu_model::{StationCode, StationName};
use kaisatsu_railmap::{
    Line, LoadedMap, MapRegistry, RouteMap, Station,
    journey::{Course, Leg, Order, ride},
};

static MAPS: LazyLock<MapRegistry<()>> = LazyLock::new(|| MapRegistry::open(None, |_| ()).unwrap());

fn map(id: &str) -> Arc<LoadedMap<()>> {
    MAPS.get(id).unwrap()
}

fn named(map: &RouteMap, name: &str) -> usize {
    map.stations().iter().position(|station| station.name == name).unwrap()
}

/// The best way through stations with these names.
fn best(loaded: &LoadedMap<()>, names: &[&str], order: Order) -> Course {
    let places: Vec<usize> = names.iter().map(|name| named(&loaded.map, name)).collect();
    loaded.network().courses(&places, order, 1).remove(0)
}

fn lines<'a>(map: &'a RouteMap, course: &Course) -> Vec<&'a str> {
    course.legs.iter().map(|leg| leg.line.map_or("徒歩", |line| map.lines[line].name.as_str())).collect()
}

/// Where a passenger is: at a station by train, ready to board there, or in a train of a line, which came from another
/// station and does not turn round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Place {
    At(usize),
    Ready(usize),
    Train {
        at: usize,
        line: usize,
        from: usize,
    },
    /// On a train that has not left yet, which nobody leaves.
    Boarded(usize, usize),
}

/// All steps on a map, with their seconds and boardings, read from the map anew.
fn steps(map: &RouteMap) -> HashMap<Place, Vec<(Place, u32, u32)>> {
    let stations = map.stations();
    let index: HashMap<StationCode, usize> = stations.iter().enumerate().map(|(at, s)| (s.code, at)).collect();
    let mut steps: HashMap<Place, Vec<(Place, u32, u32)>> = HashMap::new();
    let mut add = |from, to, seconds, boardings| steps.entry(from).or_default().push((to, seconds, boardings));
    for (number, line) in map.lines.iter().enumerate() {
        let mut hops = BTreeSet::new();
        for run in &line.runs {
            let mut run: Vec<usize> = run.iter().map(|code| index[code]).collect();
            if line.is_loop {
                run.push(run[0]);
            }
            hops.extend(run.windows(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]));
        }
        for &(from, to) in &hops {
            let pace = ride::pace_of(line, stations[from].kind);
            let (seconds, _) = ride::ride(pace, stations[from].position, stations[to].position);
            let train = Place::Train { at: to, line: number, from };
            add(Place::Ready(from), Place::Boarded(from, number), ride::CHANGE, 1);
            add(Place::Boarded(from, number), train, seconds, 0);
            add(train, Place::At(to), 0, 0);
            for &(before, _) in hops.iter().filter(|(before, at)| *at == from && *before != to) {
                add(Place::Train { at: from, line: number, from: before }, train, seconds, 0);
            }
        }
    }
    let names: Vec<StationName> = stations.iter().map(|station| StationName::fold(&station.name)).collect();
    let group = |station: &Station| map.groups.iter().position(|group| group.stations.contains(&station.code));
    let groups: Vec<Option<usize>> = stations.iter().map(group).collect();
    for (at, from) in stations.iter().enumerate() {
        add(Place::At(at), Place::Ready(at), 0, 0);
        for (other, to) in stations.iter().enumerate().filter(|(other, _)| *other != at) {
            let is_known = names[at] == names[other] || (groups[at].is_some() && groups[at] == groups[other]);
            if let Some((seconds, _)) = ride::walk(from.position, to.position, is_known) {
                add(Place::At(at), Place::Ready(other), seconds, 0);
            }
        }
    }
    steps
}

/// A plain Dijkstra: the costs of the best ways from a station to all others, the more important number first.
fn plain(steps: &HashMap<Place, Vec<(Place, u32, u32)>>, from: usize, order: Order) -> HashMap<usize, (u32, u32)> {
    let mut queue = BTreeSet::from([((0, 0), Place::At(from))]);
    let (mut done, mut costs) = (HashSet::new(), HashMap::new());
    while let Some((cost, place)) = queue.pop_first() {
        if !done.insert(place) {
            continue;
        }
        if let Place::Ready(station) = place {
            costs.insert(station, cost);
        }
        for (next, seconds, boardings) in
            steps.get(&place).into_iter().flatten().filter(|(next, ..)| !done.contains(next))
        {
            let more = if order == Order::Time { (*seconds, *boardings) } else { (*boardings, *seconds) };
            queue.insert(((cost.0 + more.0, cost.1 + more.1), *next));
        }
    }
    costs
}

/// The cost of a way by its legs; the first boarding counts as a change.
fn cost(course: &Course, order: Order) -> (u32, u32) {
    let boardings: u32 = course.legs.iter().map(|leg| u32::from(leg.line.is_some())).sum();
    let seconds = course.legs.iter().map(|leg| leg.seconds).sum::<u32>() + boardings * ride::CHANGE;
    if order == Order::Time { (seconds, boardings) } else { (boardings, seconds) }
}

/// Whether the stations of a leg follow each other on its line, and its time is that of its steps.
fn is_real(leg: &Leg, steps: &HashMap<Place, Vec<(Place, u32, u32)>>) -> bool {
    let seconds = |pair: &[usize]| {
        let (from, to) = match leg.line {
            Some(line) => (Place::Boarded(pair[0], line), Place::Train { at: pair[1], line, from: pair[0] }),
            None => (Place::At(pair[0]), Place::Ready(pair[1])),
        };
        steps[&from].iter().find(|(next, ..)| *next == to).map(|(_, seconds, _)| *seconds)
    };
    leg.stations.windows(2).map(seconds).sum::<Option<u32>>() == Some(leg.seconds) && leg.metres > 0
}

#[test]
fn ten_thousand_random_pairs_of_tokyo_agree_with_a_plain_dijkstra() {
    let loaded = map("tokyo");
    let (network, steps, count) = (loaded.network(), steps(&loaded.map), loaded.map.stations().len());
    let mut state: u64 = 20_261_117;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % count
    };
    // A plain search finds the ways to all stations, so each serves fifty pairs.
    for number in 0..200 {
        let from = random();
        let order = if number % 2 == 0 { Order::Time } else { Order::Transfers };
        let best = plain(&steps, from, order);
        for to in std::iter::repeat_with(&mut random).filter(|to| *to != from).take(50) {
            let course = network.courses(&[from, to], order, 1).pop();
            assert_eq!(course.as_ref().map(|way| cost(way, order)), best.get(&to).copied(), "{from} to {to}");
            let legs = course.unwrap().legs;
            assert!(legs.iter().all(|leg| is_real(leg, &steps)), "{legs:?}");
            assert!(legs.windows(2).all(|pair| pair[0].stations.last() == pair[1].stations.first()), "{legs:?}");
            assert_eq!((legs[0].stations.first(), legs.last().unwrap().stations.last()), (Some(&from), Some(&to)));
        }
    }
}

/// Rides that passengers know, in minutes on a weekday at noon.
#[test]
fn rides_take_about_as_long_as_real_ones() {
    let rides: [(&str, &str, &str, &str, u32); 16] = [
        ("tokyo", "新宿", "東京", "JR中央線快速", 14),
        ("tokyo", "新宿", "渋谷", "JR山手線", 7),
        ("tokyo", "東京", "品川", "JR東海道線", 8),
        ("tokyo", "池袋", "新宿", "JR湘南新宿ライン", 6),
        ("tokyo", "上野", "渋谷", "東京メトロ銀座線", 27),
        ("tokyo", "池袋", "荻窪", "東京メトロ丸ノ内線", 50),
        ("tokyo", "中野", "西船橋", "東京メトロ東西線", 50),
        ("tokyo", "秋葉原", "北千住", "つくばエクスプレス", 11),
        ("tokyo", "新橋", "豊洲", "ゆりかもめ", 31),
        ("tokyo", "三ノ輪橋", "早稲田", "都電荒川線", 53),
        ("tokyo", "三軒茶屋", "下高井戸", "東急世田谷線", 18),
        ("kansai", "梅田", "なんば", "大阪メトロ御堂筋線", 8),
        ("kansai", "天王寺", "大阪", "JR大阪環状線", 21),
        ("kansai", "京都", "国際会館", "京都市営地下鉄烏丸線", 20),
        ("kansai", "大阪空港", "門真市", "大阪モノレール本線", 36),
        ("new-york", "Van Cortlandt Park-242 St", "South Ferry", "1 Broadway - 7 Avenue Local", 60),
    ];
    let mut off = Vec::new();
    for (id, from, to, line, real) in rides {
        let loaded = map(id);
        let map = &loaded.map;
        let line = map.lines.iter().find(|other| other.name == line).unwrap();
        let minutes = f64::from(seconds_on(map, line, from, to)) / 60.0;
        if (minutes - f64::from(real)).abs() > (f64::from(real) * 0.15).max(1.0) {
            off.push((line.name.clone(), minutes, real));
        }
    }
    assert!(off.is_empty(), "{off:?}");
}

/// Seconds of a ride on a line, the shorter way round on a loop.
fn seconds_on(map: &RouteMap, line: &Line, from: &str, to: &str) -> u32 {
    let find = |code: &StationCode| map.stations().iter().find(|station| station.code == *code).unwrap();
    let run: Vec<&Station> = line.runs[0].iter().map(find).collect();
    let at = |name: &str| run.iter().position(|station| station.name == name).unwrap();
    let (first, last) = (at(from).min(at(to)), at(from).max(at(to)));
    let hop = |one: usize| {
        let (from, to) = (run[one], run[(one + 1) % run.len()]);
        ride::ride(ride::pace_of(line, from.kind), from.position, to.position).0
    };
    let there: u32 = (first..last).map(hop).sum();
    let round: u32 = (0..run.len()).map(hop).sum();
    if line.is_loop { there.min(round - there) } else { there }
}

#[test]
fn loops_are_ridden_both_ways() {
    let loaded = map("tokyo");
    let stops = |from: &str, to: &str| best(&loaded, &[from, to], Order::Transfers).legs;
    for (from, to) in [("原宿", "目黒"), ("目黒", "原宿"), ("駒込", "目白"), ("上野", "大崎")] {
        let legs = stops(from, to);
        assert_eq!(legs.len(), 1, "{from} to {to}: {legs:?}");
        assert!(legs[0].stations.len() <= 16, "the shorter way round: {legs:?}");
    }
}

#[test]
fn fewer_changes_or_fewer_minutes() {
    let loaded = map("tokyo");
    for (from, to) in [("高円寺", "六本木"), ("荻窪", "表参道"), ("北千住", "二子玉川")] {
        let quick = best(&loaded, &[from, to], Order::Time);
        let direct = best(&loaded, &[from, to], Order::Transfers);
        assert!(quick.seconds() <= direct.seconds() && direct.transfers() <= quick.transfers(), "{from} to {to}");
    }
    assert_eq!(best(&loaded, &["荻窪", "池袋"], Order::Transfers).transfers(), 0);
}

#[test]
fn neighbouring_stations_are_reached_on_foot() {
    let loaded = map("kansai");
    let walk = best(&loaded, &["梅田", "東梅田"], Order::Time);
    assert_eq!((lines(&loaded.map, &walk), walk.transfers()), (vec!["徒歩"], 0));
    let (on_board, on_foot, other) = walk.minutes();
    assert!(on_board == 0 && other == 0 && (1..=8).contains(&on_foot), "{walk:?}");
}

#[test]
fn no_train_is_taken_there_and_back_to_join_two_walks() {
    let mut state: u64 = 7;
    for id in ["tokyo", "kansai", "new-york"] {
        let loaded = map(id);
        let count = loaded.map.stations().len();
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % count
        };
        // These ways had such a ride: 内幸町 to 汐留, and 145 St to 145 St.
        let known = [(9_930_307, 9_930_120), (8_400_093, 8_400_012), (8_400_133, 8_400_184)]
            .map(|(from, to)| (StationCode::new(from).unwrap(), StationCode::new(to).unwrap()));
        let at = |code| loaded.map.stations().iter().position(|station| station.code == code);
        let mut pairs: Vec<(usize, usize)> =
            known.into_iter().filter_map(|(from, to)| Some((at(from)?, at(to)?))).collect();
        pairs.extend(std::iter::repeat_with(|| (random(), random())).filter(|(from, to)| from != to).take(150));
        for (from, to) in pairs {
            for order in [Order::Time, Order::Transfers] {
                for way in loaded.network().courses(&[from, to], order, 5) {
                    let ends: Vec<usize> =
                        [from].into_iter().chain(way.legs.iter().map(|leg| *leg.stations.last().unwrap())).collect();
                    let different: BTreeSet<usize> = ends.iter().copied().collect();
                    assert_eq!(different.len(), ends.len(), "{id}, {from} to {to}: {way:?}");
                }
            }
        }
    }
}

#[test]
fn a_station_between_is_passed_without_a_change_where_the_train_goes_on() {
    let loaded = map("tokyo");
    let through = best(&loaded, &["新宿", "原宿", "恵比寿"], Order::Transfers);
    assert_eq!((through.legs.len(), through.transfers()), (1, 0), "{through:?}");
    assert!(through.legs[0].stations.contains(&named(&loaded.map, "原宿")));
    // There and back is two rides.
    let back = best(&loaded, &["新宿", "原宿", "代々木"], Order::Transfers);
    assert_eq!((back.legs.len(), back.transfers()), (2, 1), "{back:?}");
}

#[test]
fn alternatives_are_different_and_come_best_first() {
    let loaded = map("tokyo");
    for (from, to) in [("新宿", "東京"), ("渋谷", "上野"), ("高円寺", "羽田空港第1・第2ターミナル")]
    {
        let Some(to) = loaded.map.stations().iter().position(|station| station.name.starts_with(to)) else { continue };
        let from = named(&loaded.map, from);
        for order in [Order::Time, Order::Transfers] {
            let ways = loaded.network().courses(&[from, to], order, 5);
            assert!((2..=5).contains(&ways.len()), "{ways:?}");
            let key = |way: &Course| {
                let (on_board, on_foot, other) = way.minutes();
                let minutes = on_board + on_foot + other;
                if order == Order::Time { (minutes, 0) } else { (way.transfers(), minutes) }
            };
            assert!(ways.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1])), "best first");
            let ridden: BTreeSet<Vec<&str>> = ways.iter().map(|way| lines(&loaded.map, way)).collect();
            assert!(ridden.len() > 1, "{ridden:?}");
            assert!((1..ways.len()).all(|at| !ways[..at].contains(&ways[at])), "none twice");
        }
    }
}

#[test]
fn stations_of_a_group_are_reached_on_foot() {
    let station = |code: u32, lon: f64| {
        format!(
            "[[station]]\ncode = {code}\nname = \"s{code}\"\nyomi = \"え\"\nlat = 35.0\nlon = {lon}\n\
             marks = [{{ shape = \"circle\", x = {}, y = 20, r = 5 }}]\n",
            code * 20
        )
    };
    let head = "format = 1\nid = \"m\"\nname = \"m\"\nwidth = 100\nheight = 40\ncentre = 1\n";
    // 638 metres: too far for strangers.
    let stations: String = [(1, 139.0), (2, 139.007)].map(|(code, lon)| station(code, lon)).concat();
    let courses = |group: &str| {
        let map = kaisatsu_railmap::check::check(&format!("{head}{group}{stations}")).map.unwrap();
        kaisatsu_railmap::journey::Network::of(&map).courses(&[0, 1], Order::Time, 1)
    };
    assert!(courses("").is_empty());
    let way = courses("[[group]]\nstations = [1, 2]\n").remove(0);
    assert_eq!((way.legs.len(), way.legs[0].line, way.legs[0].metres), (1, None, 797), "streets are not straight");
}

#[test]
fn there_is_no_way_to_an_island() {
    let station = |code: u32, lon: f64| {
        format!(
            "[[station]]\ncode = {code}\nname = \"s{code}\"\nyomi = \"え\"\nlat = 35.0\nlon = {lon}\n\
             marks = [{{ shape = \"circle\", x = {}, y = 20, r = 5 }}]\n",
            code * 20
        )
    };
    let head = "format = 1\nid = \"m\"\nname = \"m\"\nwidth = 100\nheight = 40\ncentre = 1\n";
    let line = "[[line]]\ncode = 1\nname = \"l\"\ncolor = \"#000000\"\nstations = [[1, 2]]\n";
    let stations: String = [(1, 139.0), (2, 139.1), (3, 139.2)].map(|(code, lon)| station(code, lon)).concat();
    let map = kaisatsu_railmap::check::check(&format!("{head}{line}{stations}")).map.unwrap();
    let network = kaisatsu_railmap::journey::Network::of(&map);
    assert_eq!(network.courses(&[0, 1], Order::Time, 5).len(), 1);
    assert!(network.courses(&[0, 2], Order::Time, 5).is_empty());
    assert!(network.courses(&[0, 1, 2], Order::Time, 5).is_empty());
}

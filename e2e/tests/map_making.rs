//! From facts to a map in force, with the commands that an operator types: import, build, draw, and the server that
//! finds it.

use std::{fs, path::Path};

use kaisatsu_e2e::{Backend, Database, Server, http, make_key, run};
use serde_json::json;

const STATIONS: &str = "\
code,name,yomi,translation,lat,lon
1,西口,にしぐち,West Gate,35.70,139.60
2,中央,ちゅうおう,Central,35.70,139.62
3,東口,ひがしぐち,East Gate,35.70,139.64
4,北町,きたまち,North Town,35.72,139.62
5,南町,みなみまち,South Town,35.68,139.621
";

const LINES: &str = "\
code,name,color,stations
1,東西線,#0067b0,1 2 3
2,南北線,#e60012,4 2 5
";

fn facts(folder: &Path, stations: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("stations.csv"), stations).unwrap();
    fs::write(folder.join("lines.csv"), LINES).unwrap();
}

#[test]
fn facts_become_a_network_a_map_and_a_picture() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).display().to_string();
    facts(&home.path().join("town"), STATIONS);
    let (town, network) = (path("town"), path("town.network.toml"));
    let imported =
        run(home.path(), &["map", "import", "csv", &town, "--id", "town", "--name", "町", "--output", &network], &[]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    assert!(imported.err.contains('5') && imported.err.contains('2'), "a summary of what was read: {}", imported.err);

    let maps = home.path().join("maps");
    fs::create_dir(&maps).unwrap();
    let map = maps.join("town.toml").display().to_string();
    let built = run(home.path(), &["map", "build", &network, "--output", &map, "--second-language"], &[]);
    assert_eq!(built.code, 0, "{}", built.err);
    assert!(built.err.contains("violations 0") && built.err.contains("names missing 0, overlaps 0"), "{}", built.err);
    let checked = run(home.path(), &["map", "check", &map], &[]);
    assert_eq!((checked.code, checked.out.as_str()), (0, ""), "{}", checked.err);

    let picture = path("town.svg");
    let drawn = run(home.path(), &["map", "draw", &map, "--output", &picture, "--style", "dark"], &[]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let nothing = run(home.path(), &["map", "draw", &map, "--output", &path("town.gif")], &[]);
    assert!(nothing.code == 1 && nothing.err.contains(".svg, .png or .pdf"), "{}", nothing.err);

    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--maps", &maps.display().to_string()]);
    let ask = format!("/route_service/v1/railmapDetail?APIKEY={key}&id=town&stationName={}", http::encode("中央"));
    let answer = server.get(&ask).json();
    assert_eq!(answer["ResultSet"]["RailMap"]["Point"][0]["Station"]["code"], json!("2"));
    let picture = server.get(&format!("/route_service/v1/railmapData?APIKEY={key}&id=town"));
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")));
}

#[test]
fn a_renamed_station_keeps_its_code_and_its_old_name() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("town");
    let network = home.path().join("town.toml").display().to_string();
    let town = folder.display().to_string();
    let without_codes = |stations: &str| {
        let rows = stations.lines().map(|row| row.split_once(',').unwrap().1);
        rows.fold(String::new(), |text, row| text + row + "\n")
    };
    let lines = "code,name,color,stations\n1,東西線,#0067b0,西口;中央;東口\n";
    facts(&folder, &without_codes(STATIONS));
    fs::write(folder.join("lines.csv"), lines).unwrap();
    let import = || run(home.path(), &["map", "import", "csv", &town, "--output", &network], &[]);
    let first = import();
    assert_eq!(first.code, 0, "{}", first.err);
    let code = |name: &str| {
        let text = fs::read_to_string(&network).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| *line == format!("name = \"{name}\"")).unwrap();
        lines[..at].iter().rev().find(|line| line.starts_with("code = ")).map(ToString::to_string)
    };
    let before = code("中央");
    facts(&folder, &without_codes(STATIONS).replace("中央,ちゅうおう", "中央公園,ちゅうおうこうえん"));
    fs::write(folder.join("lines.csv"), lines.replace("中央", "中央公園")).unwrap();
    let second = import();
    assert_eq!(second.code, 0, "{}", second.err);
    assert_eq!(code("中央公園"), before);
    assert!(fs::read_to_string(&network).unwrap().contains("formerly = [\"中央\"]"));
}

#[test]
fn what_is_wrong_is_told_with_file_and_line_and_nothing_is_overwritten() {
    let home = tempfile::tempdir().unwrap();
    facts(&home.path().join("town"), &STATIONS.replace("35.72,139.62", "north,139.62"));
    let (town, network) = (home.path().join("town").display().to_string(), home.path().join("town.toml"));
    // A network of another format: --forget replaces it.
    let kept = "format = 9\n";
    fs::write(&network, kept).unwrap();
    let output = network.display().to_string();
    let wrong = run(home.path(), &["map", "import", "csv", &town, "--forget", "--output", &output], &[]);
    assert!(wrong.code == 1 && wrong.err.contains("stations.csv:5:"), "{}", wrong.err);
    assert_eq!(fs::read_to_string(&network).unwrap(), kept);

    let broken = run(home.path(), &["map", "build", &output, "--output", &output], &[]);
    assert!(broken.code == 1 && broken.err.contains("town.toml:1:"), "{}", broken.err);
    assert_eq!(fs::read_to_string(&network).unwrap(), kept);
}

#[test]
fn no_input_and_no_other_file_is_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).display().to_string();
    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    facts(&home.path().join("town"), STATIONS);
    let (town, network) = (path("town"), path("town.toml"));
    let imported = run(home.path(), &["map", "import", "csv", &town, "--output", &network], &[]);
    assert_eq!(imported.code, 0, "{}", imported.err);

    // By another way to the same file too.
    for output in [network.clone(), path("town/../town.toml")] {
        let built = run(home.path(), &["map", "build", &network, "--output", &output], &[]);
        assert!(built.code == 1 && built.err.contains("the output is the input"), "{}", built.err);
    }
    assert_eq!(
        run(home.path(), &["map", "import", "csv", &town, "--output", &network], &[]).code,
        0,
        "a network still"
    );
    // The layout for another language would be the network.
    fs::copy(&network, path("map.en.toml")).unwrap();
    let (from, to) = (path("map.en.toml"), path("map.toml"));
    let built = run(home.path(), &["map", "build", &from, "--output", &to, "--languages"], &[]);
    assert!(built.code == 1 && built.err.contains("map.en.toml: the output is the input"), "{}", built.err);
    assert!(!Path::new(&to).exists(), "nothing is written");
    // A file that is no map: another network.
    let built = run(home.path(), &["map", "build", &network, "--output", &from], &[]);
    assert!(built.code == 1 && built.err.contains("map.en.toml: this file exists and is no map"), "{}", built.err);
    assert_eq!(read("map.en.toml"), read("town.toml"));
    // A map may be built again.
    for _ in 0..2 {
        let built = run(home.path(), &["map", "build", &network, "--output", &to], &[]);
        assert_eq!(built.code, 0, "{}", built.err);
    }
    let map = read("map.toml");
    let imported = run(home.path(), &["map", "import", "csv", &town, "--forget", "--output", &to], &[]);
    assert!(imported.code == 1 && imported.err.contains("this file exists and is no network"), "{}", imported.err);
    assert_eq!(read("map.toml"), map);

    for file in ["stations.csv", "lines.csv"] {
        let (before, output) = (read(&format!("town/{file}")), path(&format!("town/{file}")));
        let arguments = ["map", "import", "csv", &town, "--id", "town", "--forget", "--output", &output];
        let imported = run(home.path(), &arguments, &[]);
        assert!(imported.code == 1 && imported.err.contains("the output is the input"), "{}", imported.err);
        assert_eq!(read(&format!("town/{file}")), before);
    }
    // Beside them there is room.
    let inside = path("town/town.toml");
    let imported = run(home.path(), &["map", "import", "csv", &town, "--output", &inside], &[]);
    assert_eq!(imported.code, 0, "{}", imported.err);

    let feed = home.path().join("feed");
    fs::create_dir(&feed).unwrap();
    let stops = "stop_id,stop_name,stop_lat,stop_lon\na,A,50,8\nb,B,50.1,8\n";
    let files = [
        ("stops.txt", stops),
        ("routes.txt", "route_id,route_short_name,route_type\nX,X,1\n"),
        ("trips.txt", "route_id,trip_id\nX,1\n"),
        ("stop_times.txt", "trip_id,stop_id,stop_sequence\n1,a,1\n1,b,2\n"),
    ];
    for (file, text) in files {
        fs::write(feed.join(file), text).unwrap();
    }
    let (feed, output) = (path("feed"), path("feed/stops.txt"));
    let arguments = ["map", "import", "gtfs", &feed, "--id", "city", "--forget", "--output", &output];
    let imported = run(home.path(), &arguments, &[]);
    assert!(imported.code == 1 && imported.err.contains("stops.txt: the output is the input"), "{}", imported.err);
    assert_eq!(read("feed/stops.txt"), stops);
}

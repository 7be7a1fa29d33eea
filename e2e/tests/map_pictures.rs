//! Pictures of maps: railmapData as a caller sees it, and the tiles of the pages.

use std::{fmt::Write as _, fs, thread};

use image::RgbImage;
use kaisatsu_e2e::{Answer, Backend, Database, Server, http, make_key};
use resvg::usvg;
use serde_json::{Value, json};

/// The most pixels of a PNG.
const LIMIT: &str = "the picture is too large: a PNG has at most 16777216 pixels, width × height × scale × scale; ask \
     for a window with \
                     x, y, width and height, a smaller scale, or format=svg";

struct Scene {
    server: Server,
    key: String,
    _maps: tempfile::TempDir,
    _database: Database,
}

impl Scene {
    /// A server with the map of Tokyo, a small one and a huge one.
    fn new() -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let key = make_key(&database, "tests");
        let maps = tempfile::tempdir().unwrap();
        fs::write(maps.path().join("small.toml"), map("small", 300, 200, 1)).unwrap();
        fs::write(maps.path().join("huge.toml"), map("huge", 20_000, 20_000, 9_000)).unwrap();
        let server = Server::start(&database, &["--maps", &maps.path().display().to_string()]);
        Self { server, key, _maps: maps, _database: database }
    }

    fn target(&self, query: &str) -> String {
        format!("/route_service/v1/railmapData?APIKEY={}&{query}", self.key)
    }

    fn get(&self, query: &str) -> Answer {
        self.server.get(&self.target(query))
    }

    fn picture(&self, query: &str) -> RgbImage {
        let answer = self.get(query);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")), "{query}");
        image::load_from_memory(&answer.body).unwrap().to_rgb8()
    }
}

/// A map with stations in rows, each with its name below its mark, and a line through each row.
fn map(id: &str, width: u32, height: u32, count: u32) -> String {
    let mut text =
        format!("format = 1\nid = \"{id}\"\nname = \"{id}\"\nwidth = {width}\nheight = {height}\ncentre = 1\n");
    for row in (1..=count).collect::<Vec<_>>().chunks(100).filter(|row| row.len() > 1) {
        writeln!(text, "[[line]]\ncode = {}\nname = \"線\"\ncolor = \"#e60012\"\nstations = [{row:?}]", row[0])
            .unwrap();
    }
    for at in 0..count {
        let (x, y) = (40 + at % 100 * 190, 40 + at / 100 * 200);
        writeln!(
            text,
            "[[station]]\ncode = {}\nname = \"停車場{at}\"\nyomi = \"えき\"\nlat = 35.0\nlon = 139.0\nmarks = [\
             {{ shape = \"rect\", x = {}, y = {}, width = 80, height = 16, text = true }},\
             {{ shape = \"circle\", x = {x}, y = {y}, r = 5 }}]",
            at + 1,
            x + 10,
            y + 8
        )
        .unwrap();
    }
    text
}

fn number(value: &Value) -> i64 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn a_picture_has_the_size_of_its_window_times_its_scale() {
    let scene = Scene::new();
    for (query, size) in [
        ("id=small", (300, 200)),
        ("id=small&scale=3", (900, 600)),
        ("id=small&x=100&y=50", (200, 150)),
        ("id=small&x=-100", (400, 200)),
        ("id=tokyo&x=500&y=500&width=500&height=500", (500, 500)),
        ("id=tokyo&width=1&height=1&scale=2", (2, 2)),
        ("id=tokyo&x=-2147483648&y=2147483647&width=10&height=20", (10, 20)),
        ("id=small&stationName=%E9%AB%98&surprise=1", (300, 200)),
    ] {
        assert_eq!(scene.picture(query).dimensions(), size, "{query}");
        let drawing = scene.get(&format!("{query}&format=svg"));
        assert_eq!((drawing.status, drawing.header("content-type")), (200, Some("image/svg+xml;charset=UTF-8")));
        let tree = usvg::Tree::from_str(&drawing.text(), &usvg::Options::default()).unwrap();
        let (width, height) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
        assert!((width - f64::from(size.0)).abs() < 0.01 && (height - f64::from(size.1)).abs() < 0.01, "{query}");
    }
    let whole = scene.get("id=huge&format=svg");
    assert!(whole.status == 200 && usvg::Tree::from_str(&whole.text(), &usvg::Options::default()).is_ok());
}

#[test]
fn headers_and_what_a_caller_has_already() {
    let scene = Scene::new();
    let target = scene.target("id=tokyo&x=2000&y=1500&width=300&height=200");
    let plain = scene.server.get(&target);
    let mark = plain.header("etag").unwrap();
    assert!(mark.starts_with('"') && mark.len() == 34, "{mark}");
    for (name, value) in [
        ("cache-control", "private, max-age=300"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ("access-control-allow-origin", "*"),
    ] {
        assert_eq!(plain.header(name), Some(value), "{name}");
    }
    assert_eq!(scene.server.get(&target).body, plain.body);
    let head = http::request(scene.server.address, "HEAD", &target, "");
    assert_eq!((head.status, head.body.len(), head.header("etag")), (200, 0, Some(mark)));
    assert_eq!(head.header("content-length"), Some(plain.body.len().to_string().as_str()));
    for known in [mark.to_owned(), format!("W/{mark}"), format!("\"other\", {mark}"), "*".to_owned()] {
        let again = http::request(scene.server.address, "GET", &target, &format!("If-None-Match: {known}\r\n"));
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(mark)), "{known}");
        assert_eq!(again.header("cache-control"), Some("private, max-age=300"));
    }
    let other = http::request(scene.server.address, "GET", &target, "If-None-Match: \"other\"\r\n");
    assert_eq!(other.status, 200);
    // Nobody learns anything without a key, and whatever changes the picture changes the mark.
    let stranger = target.replace(&scene.key, "kst_nobody");
    assert_eq!(http::request(scene.server.address, "GET", &stranger, "If-None-Match: *\r\n").status, 401);
    for change in ["&scale=2", "&scale=0.5", "&format=svg", "&format=pdf", "&style=dark", "&course=1130208,1130101"] {
        assert_ne!(scene.server.get(&format!("{target}{change}")).header("etag"), Some(mark), "{change}");
    }
    assert_ne!(scene.server.get(&target.replace("x=2000", "x=2001")).header("etag"), Some(mark));
    assert_eq!(http::request(scene.server.address, "POST", &target, "Content-Length: 0\r\n").status, 405);
}

#[test]
fn every_wrong_parameter_is_named() {
    let scene = Scene::new();
    let range = "must be from 1 to 500";
    let empty = "the window is empty: x must be less than 300 and y less than 200 on this map, unless width and \
         height are given";
    for (query, status, message) in [
        ("x=1", 400, "query parameter id is missing"),
        ("id=", 400, "query parameter id is empty; leave it out or give it a value"),
        ("id=small&id=small", 400, "query parameter id is given more than once"),
        ("id=nowhere", 404, "there is no map of that id; railmapList lists the maps"),
        ("id=small&width=0&height=5", 400, &format!("query parameter width {range}")),
        ("id=small&width=5&height=501", 400, &format!("query parameter height {range}")),
        ("id=small&width=5", 400, "query parameter height is missing; it is required when width is given"),
        ("id=small&height=5", 400, "query parameter width is missing; it is required when height is given"),
        (
            "id=small&x=1.5",
            400,
            "query parameter x must be a whole number from -2147483648 to 2147483647, in the digits 0-9",
        ),
        ("id=small&y=2147483648", 400, "query parameter y must be from -2147483648 to 2147483647"),
        ("id=small&scale=0", 400, "query parameter scale must be from 0.1 to 3"),
        ("id=small&scale=4", 400, "query parameter scale must be from 0.1 to 3"),
        ("id=small&scale=x", 400, "query parameter scale must be a number from 0.1 to 3, such as 2 or 0.25"),
        ("id=small&format=jpeg", 400, "query parameter format must be png, svg or pdf"),
        ("id=small&format=PNG", 400, "query parameter format must be png, svg or pdf"),
        ("id=small&style=blue", 400, "query parameter style must be light or dark"),
        ("id=small&x=300", 400, empty),
        ("id=small&y=200&format=svg", 400, empty),
        ("id=huge", 400, LIMIT),
        ("id=huge&scale=3", 400, LIMIT),
        ("id=small&x=-2147483648&y=-2147483648&scale=3", 400, LIMIT),
        (
            "id=small&x=-2147483648&y=0&format=svg",
            400,
            "the window is 2147483948 by 200; a picture has at most 200000 map units on a side: give x and y that are \
             on the map, or width and height",
        ),
    ] {
        let answer = scene.get(query);
        let error = json!({"code": format!("W{status}"), "Message": message});
        assert_eq!((answer.status, &answer.json()["ResultSet"]["Error"]), (status, &error), "{query}");
        assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
    }
}

/// Where the ink of letters is inside a part of a picture: the share of its pixels, and the middle of what it covers.
fn ink(picture: &RgbImage, is_dark: bool) -> (f64, (f64, f64)) {
    let is_ink = |[r, g, b]: [u8; 3]| {
        let sum = u32::from(r) + u32::from(g) + u32::from(b);
        if is_dark { sum > 520 } else { sum < 300 }
    };
    let places: Vec<(u32, u32)> =
        picture.enumerate_pixels().filter(|(.., pixel)| is_ink(pixel.0)).map(|(x, y, _)| (x, y)).collect();
    let middle = |places: Vec<u32>| {
        let (low, high) = (places.iter().min().copied().unwrap_or(0), places.iter().max().copied().unwrap_or(0));
        f64::from(low + high + 1) / 2.0
    };
    let share = f64::from(u32::try_from(places.len()).unwrap()) / f64::from(picture.width() * picture.height());
    let (across, down) = (places.iter().map(|(x, _)| *x).collect(), places.iter().map(|(_, y)| *y).collect());
    (share, (middle(across), middle(down)))
}

#[test]
fn a_name_is_drawn_where_railmap_detail_says() {
    let scene = Scene::new();
    let detail = scene.server.get(&format!("/route_service/v1/railmapDetail?APIKEY={}&id=tokyo", scene.key)).json();
    let points = detail["ResultSet"]["RailMap"]["Point"].as_array().unwrap();
    let (mut looked, mut centred) = (0, 0);
    for (at, point) in points.iter().enumerate().step_by(points.len() / 40) {
        let marks = point["MarkCoordinates"].as_array().unwrap();
        let Some(rect) = marks.iter().find(|mark| mark["isText"] == "true") else { continue };
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(&rect[name]));
        let style = if at % 2 == 0 { "light" } else { "dark" };
        let window = |x, y, width, height| {
            scene.picture(&format!("id=tokyo&x={x}&y={y}&width={width}&height={height}&style={style}"))
        };
        // The rect alone is the same pixels as the rect in a larger window.
        let alone = window(x, y, width, height);
        let around = window(x - 20, y - 20, width + 40, height + 40);
        let inside = image::imageops::crop_imm(&around, 20, 20, alone.width(), alone.height()).to_image();
        let differs =
            alone.pixels().zip(inside.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 40));
        let name = &point["Station"]["Name"];
        assert!(differs.count() * 50 < alone.pixels().len(), "{name}: a window shows the same map");
        let (share, (across, down)) = ink(&alone, style == "dark");
        assert!(share > 0.03, "{name} in {style}: {share}");
        looked += 1;
        let (from, to) = (f64::from(alone.width()) / 2.0, f64::from(alone.height()) / 2.0);
        centred += u32::from((across - from).abs() <= 3.0 && (down - to).abs() <= 3.0);
    }
    assert!(looked >= 40 && centred * 10 >= looked * 9, "{centred} of {looked} names fill their rect");
}

#[test]
fn both_styles_differ_and_neither_is_empty() {
    let scene = Scene::new();
    let tokyo = scene.server.get(&format!("/route_service/v1/railmapList?APIKEY={}&id=tokyo", scene.key)).json();
    let mark = &tokyo["ResultSet"]["RailMap"][0]["Point"][0]["MarkCoordinates"][0];
    let window = format!("id=tokyo&x={}&y={}&width=500&height=400", number(&mark["x"]) - 250, number(&mark["y"]) - 200);
    let brightness = |picture: &RgbImage| {
        let sum: u64 = picture.pixels().flat_map(|pixel| pixel.0).map(u64::from).sum();
        sum / (3 * u64::from(picture.width() * picture.height()))
    };
    let (light, dark) = (scene.picture(&window), scene.picture(&format!("{window}&style=dark")));
    assert_eq!(light, scene.picture(&format!("{window}&style=light&format=png&scale=1")));
    assert!(brightness(&light) > 180 && brightness(&dark) < 90, "{} {}", brightness(&light), brightness(&dark));
    let colors = |picture: &RgbImage| picture.pixels().copied().collect::<std::collections::HashSet<_>>().len();
    assert!(colors(&light) > 50 && colors(&dark) > 50);
}

#[test]
fn too_many_at_once_are_told_to_come_back_and_the_rest_goes_on() {
    let scene = Scene::new();
    let places = thread::available_parallelism().unwrap().get() + 32;
    let statuses: Vec<Answer> = thread::scope(|scope| {
        let askers: Vec<_> = (0..places + 60)
            .map(|at| {
                let scene = &scene;
                scope.spawn(move || scene.get(&format!("id=huge&x=19300&y={}", 19_300 - at)))
            })
            .collect();
        // Meanwhile everything else is answered.
        for _ in 0..20 {
            let detail = format!("/route_service/v1/railmapDetail?APIKEY={}&id=small&stationCode=1", scene.key);
            assert_eq!(scene.server.get(&detail).status, 200);
        }
        askers.into_iter().map(|asker| asker.join().unwrap()).collect()
    });
    let (drawn, refused): (Vec<_>, Vec<_>) = statuses.iter().partition(|answer| answer.status == 200);
    assert!(drawn.len() >= places && !refused.is_empty(), "{} drawn, {} refused", drawn.len(), refused.len());
    for answer in refused {
        let error =
            json!({"code": "W503", "Message": "the server has all the pictures it can draw; try again shortly"});
        assert_eq!((answer.status, &answer.json()["ResultSet"]["Error"]), (503, &error));
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    assert_eq!(scene.get("id=small&scale=2").status, 200, "afterwards there is room again");
    assert!(scene.server.get("/metrics").text().contains("kaisatsu_pictures_refused_total"));
}

#[test]
fn tiles_never_change_and_wrong_addresses_lead_nowhere() {
    let scene = Scene::new();
    for id in ["tokyo", "small", "huge"] {
        let data = scene.server.get(&format!("/map/{id}/data.json")).json();
        let (tag, levels) = (data["tag"].as_str().unwrap(), data["levels"].as_i64().unwrap());
        let side = |z: i64| 256 << (levels - 1 - z);
        for z in 0..levels {
            // The last tile of each level, which goes past the edge of the map.
            let last = |axis: &str| (data[axis].as_i64().unwrap() - 1) / side(z);
            let (x, y) = (last("width"), last("height"));
            for style in ["light", "dark"] {
                let target = format!("/map/{id}/{tag}/{style}/{z}/{x}/{y}.png");
                let tile = scene.server.get(&target);
                assert_eq!((tile.status, tile.header("content-type")), (200, Some("image/png")), "{target}");
                assert_eq!(image::load_from_memory(&tile.body).unwrap().to_rgb8().dimensions(), (512, 512));
                assert_eq!(tile.header("cache-control"), Some("public, max-age=31536000, immutable"));
                let known = format!("If-None-Match: {}\r\n", tile.header("etag").unwrap());
                assert_eq!(http::request(scene.server.address, "GET", &target, &known).status, 304);
            }
            for (x, y) in [(x + 1, y), (x, y + 1)] {
                assert_eq!(scene.server.get(&format!("/map/{id}/{tag}/light/{z}/{x}/{y}.png")).status, 404);
            }
        }
        for wrong in [
            format!("{tag}/light/{levels}/0/0.png"),
            format!("{tag}/light/0/0/0.jpg"),
            format!("{tag}/light/0/0/0"),
            format!("{tag}/light/0/00/0.png"),
            format!("{tag}/light/-1/0/0.png"),
            format!("{tag}/light/0/0/%30.png0"),
            format!("{tag}/blue/0/0/0.png"),
            format!("{tag}/light/0/0/99999999999999999999.png"),
            "00000000000000000000000000000000/light/0/0/0.png".to_owned(),
        ] {
            let answer = scene.server.get(&format!("/map/{id}/{wrong}"));
            let expected = (404, Some("text/plain; charset=utf-8"));
            assert_eq!((answer.status, answer.header("content-type")), expected, "{wrong}");
        }
    }
    let metrics = scene.server.get("/metrics").text();
    assert!(metrics.contains("kaisatsu_http_requests_total{operation=\"/map/tiles\",status=\"304\"}"), "{metrics}");
}

//! The pages of maps as a person uses them, in a real browser.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use kaisatsu_e2e::{Backend, Browser, Database, Screen, Server, http};
use serde_json::Value;

/// All tiles in sight are there, and nothing moves.
const READY: &str = "document.getElementById('map').dataset.state === 'ready'";

struct Scene {
    server: Server,
    browser: Browser,
    base: String,
    _database: Database,
}

impl Scene {
    fn new(screen: &Screen, address: &str) -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let server = Server::start(&database, &[]);
        let base = format!("http://{}", server.address);
        let browser = Browser::open(screen);
        let mut scene = Self { server, browser, base, _database: database };
        scene.go(address);
        scene
    }

    fn go(&mut self, address: &str) {
        self.browser.go(&format!("{}{address}", self.base));
        self.browser.wait(READY);
    }

    fn station(&self, name: &str) -> Value {
        let data = self.server.get("/map/tokyo/data.json").json();
        data["stations"].as_array().unwrap().iter().find(|station| station["name"] == name).unwrap().clone()
    }

    /// The station that is shown first.
    fn centre(&self) -> Value {
        let data = self.server.get("/map/tokyo/data.json").json();
        data["stations"][usize::try_from(data["centre"].as_u64().unwrap()).unwrap()].clone()
    }

    /// Where the camera is: x, y, scale.
    fn view(&mut self) -> [f64; 3] {
        let text = self.browser.look("document.getElementById('map').dataset.view");
        let numbers: Vec<f64> = text.as_str().unwrap().split(',').map(|number| number.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    }

    /// Where the middle of a shape is on the screen.
    fn on_screen(&mut self, shape: &Value) -> (f64, f64) {
        let [x, y, scale] = self.view();
        let middle = self.browser.look("[innerWidth / 2, innerHeight / 2]");
        let number = |at: usize| shape[at].as_f64().unwrap();
        let place = |axis: usize, camera: f64| {
            (number(axis) + number(axis + 2) / 2.0 - camera) * scale + middle[axis].as_f64().unwrap()
        };
        (place(0, x), place(1, y))
    }

    /// Empties the search box and types into it.
    fn search(&mut self, text: &str) {
        self.browser.look("document.getElementById('find').focus(), document.getElementById('find').select()");
        self.browser.write(text);
        self.browser.wait("!document.getElementById('found').hidden");
    }

    /// Waits for the panel of a station, with its answer.
    fn panel(&mut self, code: &Value) -> Value {
        let open = format!("document.getElementById('panel').dataset.code === '{code}'");
        self.browser.wait(&format!("{open} && !document.getElementById('panel').hidden"));
        self.browser.wait("document.getElementById('panel-json').textContent.startsWith('{')");
        self.browser.wait(READY);
        let shown = self.browser.look("document.getElementById('panel-json').textContent");
        serde_json::from_str(shown.as_str().unwrap()).unwrap()
    }

    fn nothing_went_wrong(&mut self) {
        let troubles = self.browser.troubles(&self.base);
        assert!(troubles.is_empty(), "{troubles:#?}");
    }
}

fn code_of(answer: &Value) -> String {
    answer["ResultSet"]["RailMap"]["Point"][0]["Station"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn a_station_is_found_by_name_kana_code_and_former_name() {
    let mut scene = Scene::new(&Screen::DESK, "/map/tokyo");
    scene.browser.keep("desk.png");
    let koenji = scene.station("高円寺");
    let oshiage = scene.station("とうきょうスカイツリー");
    for (text, station) in [
        ("高円寺", &koenji),
        ("こうえんじ", &koenji),
        ("コウエンジ", &koenji),
        ("1131215", &koenji),
        ("ﾄｳｷｮｳｽｶｲﾂﾘｰ", &oshiage),
        ("業平橋", &oshiage),
    ] {
        scene.search(text);
        let first = scene.browser.look("document.querySelector('#found [aria-selected=true] strong').textContent");
        assert_eq!(first, station["name"], "{text}");
        if text == "こうえんじ" {
            scene.browser.keep("desk-search.png");
        }
        scene.browser.press("Enter");
        assert_eq!(code_of(&scene.panel(&station["code"])), station["code"].to_string(), "{text}");
        let [x, y, scale] = scene.view();
        let (left, top) = (station["boxes"][0][0].as_f64().unwrap(), station["boxes"][0][1].as_f64().unwrap());
        assert!((x - left).abs() < 400.0 && (y - top).abs() < 100.0 && scale >= 1.0, "{text}: {x} {y} {scale}");
        let hash = scene.browser.wait("location.hash.startsWith('#station=') && location.hash");
        assert!(hash.as_str().unwrap().starts_with(&format!("#station={}&at=", station["code"])), "{hash}");
    }
    // An address with a station that is not there says so.
    scene.go("/map/tokyo#station=99");
    scene.browser.wait("document.getElementById('trouble').textContent === 'That station is not on this map.'");
    // By keys: the second suggestion, and back to the first.
    scene.search("新宿");
    let rows = scene.browser.look("[...document.querySelectorAll('#found strong')].map((row) => row.textContent)");
    assert_eq!(rows[0], "新宿", "{rows}");
    scene.browser.press("ArrowDown");
    assert_eq!(scene.browser.look("document.querySelector('#found [aria-selected=true] strong').textContent"), rows[1]);
    scene.browser.press("ArrowUp");
    scene.browser.press("Enter");
    let shinjuku = scene.station("新宿");
    scene.panel(&shinjuku["code"]);
    assert_eq!(scene.browser.look("document.getElementById('panel-lines').children.length > 4"), true);
    scene.browser.keep("desk-panel.png");
    scene.nothing_went_wrong();
}

#[test]
fn the_panel_shows_what_the_api_answers() {
    let mut scene = Scene::new(&Screen::DESK, "/map/tokyo");
    let out = scene.server.out();
    let key =
        out.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').find(|word| word.starts_with("kst_")).unwrap();
    let tokyo = scene.centre();
    // A click on the mark, then on the name, with a click beside everything between them.
    let count = tokyo["boxes"].as_array().unwrap().len();
    for shape in [&tokyo["boxes"][0], &tokyo["boxes"][count - 1]] {
        let place = scene.on_screen(shape);
        scene.browser.click(place);
        let shown = scene.panel(&tokyo["code"]);
        for gcs in ["wgs84", "tokyo"] {
            scene.browser.look(&format!("document.querySelector('[data-gcs={gcs}]').click()"));
            let shown = scene.browser.look("document.getElementById('panel-json').textContent");
            let curl = scene.browser.look("document.getElementById('panel-curl').textContent");
            let target = curl.as_str().unwrap().split('"').nth(1).unwrap().replace("$APIKEY", key);
            let answer = scene.server.get(target.strip_prefix(&scene.base).unwrap()).json();
            assert_eq!(serde_json::from_str::<Value>(shown.as_str().unwrap()).unwrap(), answer, "{gcs}");
        }
        assert_eq!(code_of(&shown), tokyo["code"].to_string());
        scene.browser.press("Escape");
        scene.browser.wait("document.getElementById('panel').hidden");
        scene.browser.wait(READY);
    }
    scene.nothing_went_wrong();
}

#[test]
fn wheel_keys_buttons_and_mouse_move_the_map() {
    let mut scene = Scene::new(&Screen::DESK, "/map/tokyo");
    let before = scene.view();
    // What is below the pointer stays there.
    let (at, middle) = ((900.0, 300.0), (640.0, 400.0));
    let below = |[x, y, scale]: [f64; 3]| (x + (at.0 - middle.0) / scale, y + (at.1 - middle.1) / scale);
    scene.browser.wheel(at, -240.0);
    scene.browser.wait("Number(document.getElementById('map').dataset.view.split(',')[2]) > 1");
    scene.browser.wait(READY);
    let closer = scene.view();
    assert!(closer[2] > before[2]);
    let (was, is) = (below(before), below(closer));
    assert!((was.0 - is.0).abs() < 0.5 && (was.1 - is.1).abs() < 0.5, "{was:?} {is:?}");

    scene.browser.look("document.getElementById('map').focus()");
    scene.browser.press("ArrowRight");
    scene.browser.wait(READY);
    let moved = scene.view();
    assert!(((moved[0] - closer[0]) * closer[2] - 80.0).abs() < 1.0);
    scene.browser.press("-");
    scene
        .browser
        .wait(&format!("Number(document.getElementById('map').dataset.view.split(',')[2]) < {}", closer[2] / 1.4));
    scene.browser.wait(READY);

    let before = scene.view();
    scene.browser.drag((600.0, 500.0), (500.0, 450.0));
    scene.browser.wait(READY);
    let after = scene.view();
    assert!((after[0] - before[0]) * before[2] >= 99.0 && (after[1] - before[1]) * before[2] >= 49.0);

    scene.browser.look("document.getElementById('whole').click()");
    let data = scene.server.get("/map/tokyo/data.json").json();
    let scale = "Number(document.getElementById('map').dataset.view.split(',')[2])";
    let (width, height) = (&data["width"], &data["height"]);
    scene.browser.wait(&format!("{scale} * {width} <= innerWidth && {scale} * {height} <= innerHeight"));
    scene.browser.wait(READY);
    scene.browser.keep("desk-whole.png");
    // The address keeps the place, and leads back to it.
    let place =
        format!("Math.abs(Number(location.hash.split(',').at(-1)) - {}) < 0.001 && location.hash", scene.view()[2]);
    let (view, hash) = (scene.view(), scene.browser.wait(&place));
    scene.browser.go("about:blank");
    scene.go(&format!("/map/tokyo{}", hash.as_str().unwrap()));
    let again = scene.view();
    assert!((0..3).all(|at| (again[at] - view[at]).abs() < 1.0), "{view:?} {again:?}");
    scene.nothing_went_wrong();
}

#[test]
fn a_line_can_be_highlighted_and_the_style_chosen() {
    let mut scene = Scene::new(&Screen { is_dark: true, ..Screen::DESK }, "/map/tokyo");
    assert!(scene.browser.requests().iter().any(|url| url.contains("/dark/")), "as the person prefers");
    assert!(!scene.browser.requests().iter().any(|url| url.contains("/light/")));
    scene.browser.keep("desk-dark.png");
    scene.browser.look("document.getElementById('lines-button').click()");
    let line = "[...document.querySelectorAll('#lines li button')].find((row) => row.dataset.code === '11302')";
    scene.browser.look(&format!("{line}.click()"));
    scene.browser.wait(READY);
    assert_eq!(scene.browser.look(&format!("{line}.getAttribute('aria-pressed')")), "true");
    scene.browser.keep("desk-line-dark.png");
    scene.browser.look("document.getElementById('style').click()");
    scene.browser.wait("document.documentElement.dataset.style === 'light'");
    scene.browser.wait(READY);
    assert!(scene.browser.requests().iter().any(|url| url.contains("/light/")));
    scene.browser.keep("desk-line.png");
    // The choice is remembered; a preference changes nothing any more.
    scene.go("/map/tokyo");
    assert_eq!(scene.browser.look("document.documentElement.dataset.style"), "light");
    scene.nothing_went_wrong();
}

#[test]
fn on_a_phone_in_japanese() {
    let mut scene = Scene::new(&Screen::PHONE, "/map/tokyo");
    scene.browser.keep("phone.png");
    assert_eq!(scene.browser.look("document.documentElement.lang"), "ja");
    assert_eq!(scene.browser.look("document.getElementById('find').placeholder"), "駅名・かな・駅コード");
    // Two fingers apart: closer.
    let before = scene.view();
    let fingers = |apart: f64| vec![(195.0 - apart, 400.0), (195.0 + apart, 400.0)];
    scene.browser.touch(&[fingers(40.0), fingers(60.0), fingers(80.0)]);
    scene.browser.wait(READY);
    let closer = scene.view();
    assert!((closer[2] / before[2] - 2.0).abs() < 0.1, "{before:?} {closer:?}");
    // A tap on a station.
    let tokyo = scene.centre();
    let place = scene.on_screen(&tokyo["boxes"][0]);
    scene.browser.touch(&[vec![place]]);
    assert_eq!(code_of(&scene.panel(&tokyo["code"])), tokyo["code"].to_string());
    scene.browser.keep("phone-panel.png");
    assert_eq!(scene.browser.look("document.documentElement.scrollWidth <= innerWidth"), true, "nothing sticks out");
    scene.browser.look("document.querySelector('#panel .close').click()");
    scene.browser.look("document.getElementById('lines-button').click()");
    scene.browser.keep("phone-lines.png");
    let line = "document.querySelector('#lines [data-code=\"11302\"]')";
    scene.browser.look(&format!("{line}.click()"));
    scene.browser.wait("document.getElementById('lines').hidden");
    scene.browser.wait(READY);
    scene.browser.keep("phone-line.png");
    scene.nothing_went_wrong();
}

#[test]
fn a_map_that_is_replaced_is_seen_without_loading_the_page_again() {
    let small = |name: &str, x: i32| {
        format!(
            "format = 1\nid = \"small\"\nname = \"<b>small</b>\"\nwidth = 900\nheight = 600\ncentre = 1\n[[station]]\ncode = 1\n\
             name = \"{name}\"\nyomi = \"えき\"\ntranslation = \"Ō-machi\"\nlat = 35.0\nlon = 139.0\nmarks = [\
             {{ shape = \"rect\", x = {x}, y = 310, width = 90, height = 16, text = true }},\
             {{ shape = \"circle\", x = {x}, y = 300, r = 5 }}]\n"
        )
    };
    let mut scene = Scene::new(&Screen::DESK, "/map/tokyo");
    let file = scene.server.maps().join("small.toml");
    std::fs::write(&file, small("<i>一</i>", 400)).unwrap();
    scene.server.signal("-HUP");
    kaisatsu_e2e::eventually("the map is there", || (scene.server.get("/map/small").status == 200).then_some(()));
    scene.go("/map/small#station=1");
    assert_eq!(scene.browser.look("document.title"), "<i>一</i> – <b>small</b>");
    assert_eq!(scene.browser.look("document.getElementById('panel-name').textContent"), "<i>一</i>");
    assert_eq!(scene.browser.look("document.querySelector('h1').textContent"), "<b>small</b>");
    // Latin letters are found without their accents and hyphens.
    scene.search("omachi");
    assert_eq!(scene.browser.look("document.querySelector('#found small').textContent"), "えき · Ō-machi");
    scene.nothing_went_wrong();
    std::fs::write(&file, small("二", 500)).unwrap();
    scene.server.signal("-HUP");
    let replaced = || scene.server.get("/map/small/data.json").text().contains('二').then_some(());
    kaisatsu_e2e::eventually("the map is replaced", replaced);
    // Tiles that are not there yet are asked for, and the old ones are gone.
    scene.browser.look("document.getElementById('style').click()");
    scene.browser.wait("document.getElementById('panel-name').textContent === '二'");
    scene.browser.wait(READY);
}

#[test]
fn pages_without_a_browser() {
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    let list = server.get("/map");
    assert!(list.status == 200 && list.text().contains("href=\"/map/tokyo\"") && list.text().contains("東京"));
    assert!(server.get("/").text().contains("href=\"/map\""));
    let page = server.get("/map/tokyo");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'"));
    for (name, value) in
        [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("cache-control", "no-cache")]
    {
        assert_eq!(page.header(name), Some(value));
    }
    assert_eq!(page.header("access-control-allow-origin"), None, "a page of ours only");
    for part in ["/map", "/map/tokyo", "/map/tokyo/data.json", "/map/tokyo/station/1131215.json", "/map-assets/page.js"]
    {
        let whole = server.get(part);
        assert_eq!(whole.status, 200, "{part}");
        let mark = whole.header("etag").unwrap();
        let again = http::request(server.address, "GET", part, &format!("If-None-Match: {mark}\r\n"));
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(mark)), "{part}");
    }
    for none in [
        "/map/nowhere",
        "/map/TOKYO",
        "/map/%ff",
        "/map/nowhere/data.json",
        "/map/tokyo/station/1.json",
        "/map/tokyo/station/01131215.json",
        "/map/tokyo/station/1131215",
        "/map-assets/../Cargo.toml",
        "/map-assets/page.html",
    ] {
        let answer = server.get(none);
        assert_eq!((answer.status, answer.header("content-type")), (404, Some("text/plain; charset=utf-8")), "{none}");
    }
    assert_eq!(http::request(server.address, "POST", "/map/tokyo", "Content-Length: 0\r\n").status, 405);
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("kaisatsu_http_requests_total{operation=\"/map\",status=\"200\"}"), "{metrics}");
    assert!(!metrics.contains("nowhere"));

    let without = Server::start(&database, &["--map-pages", "false"]);
    for gone in ["/map", "/map/tokyo", "/map/tokyo/data.json", "/map-assets/page.js"] {
        assert_eq!(without.get(gone).status, 404, "{gone}");
    }
    assert!(!without.get("/").text().contains("/map"));
}

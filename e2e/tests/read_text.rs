//! `text/read` as a caller sees it: lines in reading order, where they are, and what becomes of verdicts on them.

use std::{io::Cursor, path::Path, thread};

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use kaisatsu_e2e::{Answer, Backend, Database, Server, eventually, http, make_key, on_every_backend, pictures, run};
use serde_json::{Value, json};

on_every_backend![verdicts_on_lines_are_stored_and_counted];

const SIGN: [&str; 3] = ["東京駅八重洲口", "Exit 4 to Nihombashi", "新宿三丁目"];

/// Where a point of a picture is in the same picture turned.
type Place = fn((f64, f64)) -> (f64, f64);

fn start(backend: Backend, args: &[&str]) -> (Database, String, Server) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, args);
    (database, key, server)
}

fn target(key: &str) -> String {
    format!("/imageRecognition/v1/text/read?APIKEY={key}")
}

/// A picture drawn with the typeface of the maps.
fn drawn(name: &str) -> RgbImage {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    image::open(file).unwrap().to_rgb8()
}

fn png(image: &RgbImage) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

fn read(server: &Server, key: &str, fields: &[(&str, &[u8])]) -> Value {
    let answer = server.post_form(&target(key), fields);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["candidates"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap()).collect()
}

fn corners(line: &Value) -> [(f64, f64); 4] {
    let corners = line["corners"].as_array().unwrap().iter();
    let corners: Vec<_> =
        corners.map(|corner| (corner["x"].as_f64().unwrap(), corner["y"].as_f64().unwrap())).collect();
    corners.try_into().unwrap()
}

/// The picture turned to the right by some degrees around its middle, on its own background.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places within a small picture")]
fn turned(image: &RgbImage, degrees: f64) -> RgbImage {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (x_mid, y_mid) = (f64::from(image.width()) / 2.0, f64::from(image.height()) / 2.0);
    RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let (x, y) = (f64::from(x) - x_mid, f64::from(y) - y_mid);
        let (x, y) = (x * cos + y * sin + x_mid, y * cos - x * sin + y_mid);
        let inside = x >= 0.0 && y >= 0.0 && x < f64::from(image.width()) && y < f64::from(image.height());
        if inside { *image.get_pixel(x as u32, y as u32) } else { *image.get_pixel(0, 0) }
    })
}

#[test]
fn lines_are_read_in_order_with_their_places() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    let answer = read(&server, &key, &[("image", &png(&drawn("sign.png")))]);
    assert_eq!(texts(&answer), SIGN);
    assert_eq!((&answer["width"], &answer["height"]), (&json!(640), &json!(300)));
    assert_eq!(answer["recognitionId"].as_str().unwrap().len(), 36);
    // Where each was drawn: left, top, height of the typeface.
    for (line, (left, top, size)) in answer["candidates"].as_array().unwrap().iter().zip([
        (40.0, 40.0, 48.0),
        (40.0, 130.0, 36.0),
        (40.0, 210.0, 40.0),
    ]) {
        assert!(line["score"].as_f64().unwrap() > 0.8 && line["vertical"] == false, "{line}");
        assert!(line["itemId"].as_str().unwrap().starts_with("itm_"), "{line}");
        let [a, b, c, d] = corners(line);
        assert!((a.0 - left).abs() < 25.0 && a.1 > top - 20.0 && c.1 < top + size * 1.5 + 20.0, "{line}");
        assert!(b.0 > a.0 + 150.0 && c.1 > a.1 && d.0 < a.0 + 25.0, "clockwise from the upper left: {line}");
    }
    // A heading, then columns from right to left.
    let answer = read(&server, &key, &[("image", &png(&drawn("columns.png")))]);
    assert_eq!(texts(&answer), ["出口案内", "上野公園", "浅草雷門"]);
    let vertical: Vec<bool> =
        answer["candidates"].as_array().unwrap().iter().map(|line| line["vertical"].as_bool().unwrap()).collect();
    assert_eq!(vertical, [false, true, true]);
    // A little askew, to either side: the corners are askew too.
    for degrees in [-6.0, 6.0] {
        let answer = read(&server, &key, &[("image", &png(&turned(&drawn("sign.png"), degrees)))]);
        assert_eq!(texts(&answer), SIGN, "{degrees}");
        let [a, b, ..] = corners(&answer["candidates"][0]);
        let slope = (b.1 - a.1).atan2(b.0 - a.0).to_degrees();
        assert!((slope - degrees).abs() < 2.0, "{degrees}: {slope}");
    }
    // Real letters, photographed.
    let box_of_tea = read(&server, &key, &[("image", &pictures::photo("page.png"))]);
    assert!(!texts(&box_of_tea).is_empty(), "a photographed page has text: {box_of_tea}");
}

#[test]
fn a_page_on_its_side_or_upside_down_is_read_from_its_own_top() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    let upright = DynamicImage::ImageRgb8(drawn("sign.png"));
    let plain = read(&server, &key, &[("image", &png(&upright.to_rgb8()))]);
    let turns: [(DynamicImage, Place); 3] = [
        (upright.rotate90(), |(x, y)| (300.0 - y, x)),
        (upright.rotate180(), |(x, y)| (640.0 - x, 300.0 - y)),
        (upright.rotate270(), |(x, y)| (y, 640.0 - x)),
    ];
    for (turned, place) in turns {
        let answer = read(&server, &key, &[("image", &png(&turned.to_rgb8()))]);
        assert_eq!(texts(&answer), SIGN, "{} × {}", turned.width(), turned.height());
        for line in 0..SIGN.len() {
            assert_eq!(answer["candidates"][line]["vertical"], false);
            // The same corners in the same order: each line begins at its own upper left.
            for (seen, upright) in
                corners(&answer["candidates"][line]).into_iter().zip(corners(&plain["candidates"][line]))
            {
                let wanted = place(upright);
                let near = (seen.0 - wanted.0).abs() < 6.0 && (seen.1 - wanted.1).abs() < 6.0;
                assert!(near, "line {line}: {seen:?} instead of {wanted:?}");
            }
        }
    }
}

#[test]
fn corners_are_in_pixels_of_the_file_as_sent() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    // The file lies on its side, and its tag says so: people see it upright.
    let upright = DynamicImage::ImageRgb8(drawn("sign.png"));
    let jpeg = |image: &DynamicImage, orientation: u8| {
        let mut file = Vec::new();
        image.to_rgb8().write_with_encoder(image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, 92)).unwrap();
        let tag =
            [&b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"[..], &[orientation], &[0; 6]].concat();
        let length = u16::try_from(tag.len() + 2).unwrap().to_be_bytes();
        [&file[..2], &[0xff, 0xe1], &length, &tag, &file[2..]].concat()
    };
    let plain = read(&server, &key, &[("image", &jpeg(&upright, 1))]);
    let sideways = read(&server, &key, &[("image", &jpeg(&upright.rotate270(), 6))]);
    assert_eq!((texts(&plain), texts(&sideways)), (SIGN.to_vec(), SIGN.to_vec()));
    assert_eq!((&sideways["width"], &sideways["height"]), (&json!(300), &json!(640)));
    for line in 0..SIGN.len() {
        let seen = corners(&plain["candidates"][line]);
        let sent = corners(&sideways["candidates"][line]);
        for ((x, y), (file_x, file_y)) in seen.into_iter().zip(sent) {
            // A point at (x, y) of the upright picture lies at (y, 640 - x) of the file.
            assert!((file_x - y).abs() < 4.0 && (file_y - (640.0 - x)).abs() < 4.0, "{line}: {sent:?}");
        }
    }
}

#[test]
fn pictures_without_text_and_of_any_shape_are_answered() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    for (width, height) in [(1, 1), (3, 3), (1, 5000), (5000, 1), (6000, 40), (40, 6000), (300, 200)] {
        let plain = RgbImage::from_pixel(width, height, Rgb([200, 210, 190]));
        let answer = read(&server, &key, &[("image", &png(&plain))]);
        assert_eq!(answer["candidates"], json!([]), "{width} × {height}");
        assert_eq!((&answer["width"], &answer["height"]), (&json!(width), &json!(height)));
    }
    // A lone word on a large plain ground is found at a smaller size.
    let (word, mut ground) = (drawn("sign.png"), RgbImage::from_pixel(4000, 3000, Rgb([248; 3])));
    let word = image::imageops::crop_imm(&word, 0, 190, 640, 90).to_image();
    image::imageops::replace(&mut ground, &image::imageops::thumbnail(&word, 427, 60), 1600, 1340);
    assert_eq!(texts(&read(&server, &key, &[("image", &png(&ground))])), [SIGN[2]]);
    // Small letters on a large page are read.
    let (sign, mut page) = (drawn("sign.png"), RgbImage::from_pixel(3000, 2000, Rgb([248; 3])));
    image::imageops::replace(&mut page, &sign, 2100, 1500);
    let answer = read(&server, &key, &[("image", &png(&page))]);
    assert_eq!(texts(&answer), SIGN);
    let [a, _, c, _] = corners(&answer["candidates"][0]);
    assert!(a.0 > 2100.0 && a.1 > 1500.0 && c.0 < 2740.0 && c.1 < 1620.0, "{answer}");
}

#[test]
fn a_language_narrows_what_is_read_and_an_unknown_one_is_refused() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    let sign = png(&drawn("sign.png"));
    assert_eq!(texts(&read(&server, &key, &[("image", &sign), ("language", b"ja")])), SIGN);
    let english = read(&server, &key, &[("image", &sign), ("language", b"en")]);
    assert_eq!(texts(&english), [SIGN[1]], "lines in other scripts are left out");
    let in_query = server.post_form(&format!("{}&language=en", target(&key)), &[("image", &sign)]);
    assert_eq!(texts(&in_query.json()), [SIGN[1]]);

    let told = "must be ja or en; leave it out for all characters";
    let refused = |answer: Answer, code: &str, message: String| {
        let expected = json!({"error": {"code": code, "message": format!("text/read: {message}")}});
        assert_eq!((answer.status, answer.json()), (400, expected));
    };
    for word in ["fr", "JA", "ja-JP", "japanese"] {
        let answer = server.post_form(&target(&key), &[("image", &sign), ("language", word.as_bytes())]);
        refused(answer, "106", format!("body field language {told}"));
        let answer = server.post_form(&format!("{}&language={word}", target(&key)), &[("image", &sign)]);
        refused(answer, "104", format!("query parameter language {told}"));
    }
    let empty = server.post_form(&format!("{}&language=", target(&key)), &[("image", &sign)]);
    refused(empty, "104", "query parameter language is empty; leave it out or give it a value".to_owned());
    refused(
        server.post_form(&target(&key), &[]),
        "106",
        "body field image is missing; it carries the picture".to_owned(),
    );
    let answer = server.post_form(&target(&key), &[("image", b"no image")]);
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (400, Some("105")));
    let answer = http::post(server.address, &target(&key), "text/plain", b"");
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (415, Some("105")));
    let answer = server.post_form("/imageRecognition/v1/text/read", &[("image", &sign)]);
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (401, Some("116")));
    let answer = server.get(&target(&key));
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST,OPTIONS")));
}

#[test]
fn all_engine_threads_read_and_a_full_queue_is_answered_with_503() {
    let args = ["--engine-threads", "2", "--engine-waiting", "1"];
    let (_database, key, server) = start(Backend::Sqlite, &args);
    let sign = png(&drawn("sign.png"));
    let answers: Vec<Answer> = thread::scope(|scope| {
        let ask = || server.post_form(&target(&key), &[("image", &sign)]);
        let asking: Vec<_> = (0..9).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    let (read, refused): (Vec<&Answer>, Vec<&Answer>) = answers.iter().partition(|answer| answer.status == 200);
    assert!(read.len() >= 2 && !refused.is_empty(), "{} read, {} refused", read.len(), refused.len());
    assert!(read.iter().all(|answer| texts(&answer.json()) == SIGN));
    assert!(refused.iter().all(|answer| answer.status == 503 && answer.header("retry-after").is_some()));
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("kaisatsu_engine_inference_seconds_count{task=\"readText\"}"), "{metrics}");
    let models = server.get(&format!("/imageRecognition/v1/models?APIKEY={key}")).json();
    assert_eq!(models["tasks"][4]["task"], "textReading");
    assert_eq!(models["tasks"][4]["models"][0]["usable"], true);
}

#[test]
fn without_its_model_reading_reports_why() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &[]);
    eventually("it is ready all the same", || (server.get("/readyz").status == 200).then_some(()));
    let answer = server.post_form(&target(&key), &[("image", &png(&drawn("sign.png")))]);
    let told = "text/read: model 'text' is not installed on this server; the server's operator finds more in its log";
    assert_eq!((answer.status, answer.json()), (503, json!({"error": {"code": "501", "message": told}})));
}

fn verdicts_on_lines_are_stored_and_counted(backend: Backend) {
    let (database, key, server) = start(backend, &[]);
    let sign = png(&drawn("sign.png"));
    let answer = read(&server, &key, &[("image", &sign)]);
    let (recognition, item) = (answer["recognitionId"].as_str().unwrap(), &answer["candidates"][2]["itemId"]);
    let operation = |operation: &str| format!("/imageRecognition/v1/{operation}?APIKEY={key}");
    let rate = |item: &str, valid: bool, body: &str| {
        let query = format!("&recognitionId={recognition}&itemId={item}&isValid={valid}");
        let target = format!("{}{query}", operation("feedbackToCandidate"));
        http::post(server.address, &target, "application/json", body.as_bytes()).status
    };
    assert_eq!(rate(item.as_str().unwrap(), false, r#"{"comment":"新宿三丁目駅"}"#), 204);
    assert_eq!(rate("itm_nothing", true, "{}"), 404);
    let whole = format!("{}&recognitionId={recognition}&isValid=true", operation("feedback"));
    assert_eq!(http::post(server.address, &whole, "", b"").status, 204);

    // Nothing is learned of it: the same picture is read as before, with the same scores.
    let again = read(&server, &key, &[("image", &sign)]);
    assert_eq!(texts(&again), texts(&answer));
    let scores = |answer: &Value| -> Vec<Value> {
        answer["candidates"].as_array().unwrap().iter().map(|line| line["score"].clone()).collect()
    };
    assert_eq!(scores(&again), scores(&answer));
    let explained = format!("{}&recognitionId={recognition}", operation("explain"));
    let explained = server.get(&explained).json();
    assert_eq!((&explained["task"], &explained["model"]), (&json!("readText"), &json!("text")));
    assert_eq!(explained["candidates"][2]["name"], SIGN[2]);

    // The correction is with the line, for who trains a reader.
    let home = tempfile::tempdir().unwrap();
    let listed = run(home.path(), &["feedback", "list", "--database", &database.address], &[]);
    assert!(listed.code == 0 && listed.out.contains("新宿三丁目駅"), "{} {}", listed.out, listed.err);
    let totals = server.get(&operation("feedbackTotals")).text();
    assert!(totals.contains(SIGN[2]), "{totals}");
    // The metrics count it without what was read.
    let metrics = server.get("/metrics").text();
    let counted = "kaisatsu_feedback_total{task=\"readText\",model=\"text\",candidate=\"lines\",valid=\"false\"} 1";
    assert!(metrics.contains(counted) && !metrics.contains(SIGN[2]), "{metrics}");
}

//! Requests as the apps of hosted gateways send them, and what those apps read of the answers, in their order and
//! without asking whether it is there.

use std::fs;

use kaisatsu_e2e::{
    Answer, Backend, Database, Server, User, eventually, http, make_key, make_key_with_scope,
    pictures::{photo, picture},
    run,
};
use serde_json::{Value, json};

const RECOGNITION: &str = "/imageRecognition/v1";
const ROUTE_MAP: &str = "/route_service/v1";

struct Gateway {
    database: Database,
    key: String,
    server: Server,
}

impl Gateway {
    fn with_models() -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let key = make_key(&database, "app");
        let server = Server::start_with_models(&database, &[]);
        Self { database, key, server }
    }

    fn with_maps() -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let key = make_key(&database, "app");
        let server = Server::start(&database, &[]);
        Self { database, key, server }
    }

    fn get(&self, target: &str) -> Value {
        let answer = self.server.get(&format!("{target}&APIKEY={}", self.key));
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        answer.json()
    }

    fn post(&self, target: &str, kind: &str, body: &[u8]) -> Answer {
        http::post(self.server.address, target, kind, body)
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("{field} of {value}"))
}

fn number(value: &Value, field: &str) -> f64 {
    text(value, field).parse().unwrap_or_else(|_| panic!("{field} of {value}"))
}

/// A form as a library of an app makes it: every field is a file.
fn form_of_files(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head = format!(
            "--kaisatsu-e2e\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}.jpg\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(value);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--kaisatsu-e2e--\r\n");
    body
}

#[test]
fn a_bare_photograph_is_recognised_and_its_details_are_read() {
    let gateway = Gateway::with_models();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("catalogue.csv");
    let rows = "id,category,name,image,imageUrl,url,maker,brand,releaseDate\n\
                box,food,Bars in a box,box.png,https://example.org/box.png,https://example.org/box,A maker,Bars,\
                2014-03-01\n\
                wall,book,Walls,graf1.png,,,,,\n";
    fs::write(&file, rows).unwrap();
    let photos = std::env::var("KAISATSU_TEST_PHOTOS").unwrap();
    let models = std::env::var("KAISATSU_TEST_MODELS").unwrap();
    let command = |args: &[&str]| {
        run(home.path(), &[&["--models", &models, "--database", &gateway.database.address][..], args].concat(), &[])
    };
    let imported = command(&["catalogue", "import", file.to_str().unwrap(), "--pictures", &photos]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    // The operator learns which items would surprise such an app.
    assert_eq!(
        command(&["catalogue", "list", "--missing"]).out,
        "ITEM  MISSING\nwall  maker, brand, releaseDate, imageUrl, sites[0].url\n"
    );
    let scene = photo("box_in_scene.png");
    for (recog, most) in [("product-all", 1), ("food", 5), ("product-all", 3)] {
        let target = format!("{RECOGNITION}/recognize?APIKEY={}&recog={recog}&numOfCandidates={most}", gateway.key);
        let answer = eventually("the catalogue is taken up", || {
            let answer = gateway.post(&target, "application/octet-stream", &scene);
            assert_eq!(answer.status, 200, "{}", answer.text());
            Some(answer.json()).filter(|answer| answer["candidates"][0].is_object())
        });
        assert!(answer["candidates"].as_array().unwrap().len() <= most);
        let first = &answer["candidates"][0];
        let detail = &first["detail"];
        let read = ["itemName", "maker", "brand", "releaseDate"].map(|field| text(detail, field));
        assert_eq!(read, ["Bars in a box", "A maker", "Bars", "2014-03-01"]);
        assert_eq!(text(first, "imageUrl"), "https://example.org/box.png");
        assert_eq!(text(&first["sites"][0], "url"), "https://example.org/box");
    }
    let target = format!("{RECOGNITION}/recognize?APIKEY={}&recog=book&numOfCandidates=1", gateway.key);
    assert_eq!(gateway.post(&target, "application/octet-stream", &scene).json()["candidates"], json!([]));
}

#[test]
fn a_model_is_asked_for_by_name_and_three_candidates_are_read() {
    let gateway = Gateway::with_models();
    let target = format!("{RECOGNITION}/concept/classify/?APIKEY={}", gateway.key);
    let (cup, cat) = (photo("coffee.png"), photo("chelsea.png"));
    let read = |answer: &Answer| -> Vec<(String, f64)> {
        assert_eq!(answer.status, 200, "{}", answer.text());
        let answer = answer.json();
        assert!(!text(&answer, "jobId").is_empty());
        let candidate = |at: usize| {
            let candidate = &answer["candidates"][at];
            (text(candidate, "tag").to_owned(), candidate["score"].as_f64().expect("a score"))
        };
        (0..3).map(candidate).collect()
    };
    for (model, image) in [("food", &cup), ("animal", &cat), ("general", &cat)] {
        let as_field = gateway.server.post_form(&target, &[("image", image), ("modelName", model.as_bytes())]);
        let first = read(&as_field);
        assert!(first[0].1 >= first[1].1 && first[1].1 >= first[2].1, "{first:?}");
        let files = form_of_files(&[("modelName", model.as_bytes()), ("image", image)]);
        assert_eq!(read(&gateway.post(&target, http::FORM, &files)), first, "modelName as a file");
        let in_query = format!("{target}&modelName={model}");
        assert_eq!(read(&gateway.server.post_form(&in_query, &[("image", image)])), first, "modelName in the query");
    }
    // Every name that such apps ask for is answered, or the answer says what an operator can do about it.
    for model in ["food", "scene", "flower", "kinoko", "fashion_type"] {
        let answer = gateway.server.post_form(&target, &[("image", &cup), ("modelName", model.as_bytes())]);
        assert_eq!(answer.status, 200, "{model}: {}", answer.text());
        assert!(answer.json()["candidates"].is_array());
    }
    for model in ["fashion_color", "fashion_style", "fashion_pattern"] {
        let answer = gateway.server.post_form(&target, &[("image", &cup), ("modelName", model.as_bytes())]);
        let error = answer.json()["error"].clone();
        assert_eq!((answer.status, text(&error, "code")), (400, "109"), "{error}");
        assert!(text(&error, "message").contains("food"), "it lists what there is: {error}");
    }
}

#[test]
fn a_view_with_an_opinion_has_three_candidates() {
    let gateway = Gateway::with_models();
    let target = format!("{RECOGNITION}/concept/classify/?APIKEY={}", gateway.key);
    let photographs = ["coffee.png", "chelsea.png", "motorcycle_left.png", "rocket.jpg", "astronaut.png", "grass.png"];
    let mut answered = 0;
    for model in ["general", "food", "plant", "flower", "animal", "vehicle", "scene", "kinoko", "fashion_type"] {
        for photograph in photographs {
            let form = [("image", &photo(photograph)[..]), ("modelName", model.as_bytes())];
            let answer = gateway.server.post_form(&target, &form).json();
            let count = answer["candidates"].as_array().unwrap().len();
            assert!(count == 0 || count >= 3, "{model}, {photograph}: {answer}");
            answered += usize::from(count > 0);
        }
    }
    assert!(answered > photographs.len(), "{answered}");
}

#[test]
fn objects_are_detected_in_a_form() {
    let gateway = Gateway::with_models();
    let target = format!("{RECOGNITION}/objectDetection/detect/?APIKEY={}", gateway.key);
    let files = form_of_files(&[("image", &photo("chelsea.png")), ("modelName", b"coco")]);
    let answer = gateway.post(&target, http::FORM, &files);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let first = &answer.json()["candidates"][0];
    assert_eq!(text(first, "tag"), "cat");
    assert!(["xMin", "yMin", "xMax", "yMax", "score"].iter().all(|field| first[field].is_number()), "{first}");
}

/// The app of a museum: it uploads, makes a dataset of all that it uploaded, asks for its state, recognises with it,
/// and deletes it, all under a name of its own.
#[test]
fn a_dataset_of_the_whole_storage_area_goes_by_the_callers_own_name() {
    let gateway = Gateway::with_models();
    let user = User::named(&gateway.server, &gateway.key, "museum");
    let create = |body: Value| user.call("userCategory/createDataSet", &body);
    let told = |answer: &Answer| {
        let error = answer.json()["error"].clone();
        (answer.status, text(&error, "code").to_owned(), text(&error, "message").to_owned())
    };
    let nothing = told(&create(json!({"name": "rooms", "from": "storage"})));
    assert_eq!((nothing.0, nothing.1.as_str()), (400, "106"), "{nothing:?}");
    assert!(nothing.2.contains("no image with a tag"), "{nothing:?}");

    for (class, label) in [("1", "east wing"), ("4", "west wing")] {
        for shot in 0..4 {
            let query = format!("&label={}&name={class}-{shot}.jpg", http::encode(label));
            let target = format!("{}{query}", user.target("userCategory/uploadImage"));
            let answer = gateway.post(&target, "application/octet-stream", &picture(class, &shot.to_string()));
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!((text(&answer.json(), "tag"), text(&answer.json(), "imageId").is_empty()), (label, false));
        }
    }
    let untagged = gateway.post(&user.target("userCategory/uploadImage"), "image/jpeg", &picture("2", "0"));
    assert_eq!(untagged.status, 200);
    // What another user stores stays out of it.
    let other = User::named(&gateway.server, &gateway.key, "someone else");
    let _ = other.upload(&picture("3", "0"), "elsewhere");
    // The label in a form, as a field or in the query.
    for (shot, query, fields) in [("1", "", vec![("label", &b"here"[..])]), ("2", "&label=here", Vec::new())] {
        let target = format!("{}{query}", other.target("userCategory/uploadImage"));
        let image = picture("3", shot);
        let answer = gateway.server.post_form(&target, &[vec![("image", &image[..])], fields].concat());
        assert_eq!((answer.status, text(&answer.json(), "tag")), (200, "here"), "{}", answer.text());
    }

    let made = create(json!({"name": "rooms", "from": "storage"}));
    assert_eq!((made.status, text(&made.json(), "state")), (202, "queued"), "{}", made.text());
    assert_eq!(made.json()["warnings"][0]["code"], "untaggedImages", "{}", made.text());
    let state = |name: &str, value: &str| {
        let target = user.target("userCategory/getDataSet");
        gateway.server.get(&format!("{target}&{name}={value}&limit=2"))
    };
    let ready = eventually("the dataset is ready", || {
        let answer = state("name", "rooms");
        assert_eq!(answer.status, 200, "{}", answer.text());
        Some(answer.json()).filter(|set| set["state"] == "ready")
    });
    assert_eq!((text(&ready, "name"), &ready["progress"]["total"]), ("rooms", &json!(8)));
    assert_eq!(ready["images"].as_array().map(Vec::len), Some(2));
    let rest = gateway.server.get(&format!(
        "{}&name=rooms&cursor={}",
        user.target("userCategory/getDataSet"),
        text(&ready, "nextCursor")
    ));
    assert_eq!(rest.json()["images"].as_array().map(Vec::len), Some(6), "{}", rest.text());
    for (name, value) in [("dataSetId", "rooms"), ("dataSetId", text(&ready, "dataSetId"))] {
        assert_eq!(state(name, value).json()["dataSetId"], ready["dataSetId"]);
    }
    let seen = user.ask("concept/classify", "rooms", &picture("4", "9"));
    assert_eq!(text(&seen.json()["candidates"][0], "tag"), "west wing", "{}", seen.text());
    let alike = user.ask("similarImage/search", "rooms", &picture("1", "2"));
    assert_eq!(text(&alike.json()["candidates"][0], "tag"), "east wing", "{}", alike.text());

    // The name is the dataset's alone, and its user's.
    let again = told(&create(json!({"name": "rooms", "from": "storage"})));
    assert_eq!((again.0, again.1.as_str()), (400, "106"), "{again:?}");
    assert!(again.2.contains("body field name is that of another dataset"), "{again:?}");
    assert_eq!(other.call("userCategory/getDataSet", &json!({"name": "rooms"})).status, 404);
    assert_eq!(other.call("userCategory/deleteDataSet", &json!({"name": "rooms"})).status, 404);

    assert_eq!(user.call("userCategory/deleteDataSet", &json!({"name": "rooms"})).status, 204);
    assert_eq!(state("name", "rooms").status, 404);
    assert_eq!(user.call("userCategory/deleteDataSet", &json!({"name": "rooms"})).status, 404);
    assert_eq!(create(json!({"name": "rooms", "from": "storage"})).status, 202, "the name is free again");
    assert_eq!(user.call("userCategory/deleteDataSet", &json!({"dataSetId": "rooms"})).status, 204);
    let left = user.call("userCategory/listImages", &json!({})).json();
    assert_eq!(left["images"].as_array().map(Vec::len), Some(9), "the storage area outlives its datasets");
}

#[test]
fn a_dataset_is_asked_for_by_an_unambiguous_name_only() {
    let gateway = Gateway::with_models();
    let user = User::named(&gateway.server, &gateway.key, "museum");
    let image = user.upload(&picture("1", "0"), "a");
    let create = |body: Value| user.call("userCategory/createDataSet", &body);
    for _ in 0..2 {
        assert_eq!(create(json!({"name": "twice", "images": [{"imageId": image}]})).status, 202);
    }
    let code = |answer: &Answer| (answer.status, answer.json()["error"]["code"].as_str().unwrap().to_owned());
    let bad = |code: &str| (400, code.to_owned());
    assert_eq!(code(&user.call("userCategory/getDataSet", &json!({"name": "twice"}))), bad("106"));
    assert_eq!(code(&user.call("userCategory/deleteDataSet", &json!({"dataSetId": "twice"}))), bad("106"));
    for body in [
        json!({"name": "x", "from": "elsewhere"}),
        json!({"name": "x", "from": "storage", "images": [{"imageId": image}]}),
        json!({"name": "x"}),
    ] {
        assert_eq!(code(&create(body.clone())), bad("106"), "{body}");
    }
    let both = json!({"name": "twice", "dataSetId": "dts_1"});
    assert_eq!(code(&user.call("userCategory/getDataSet", &both)), bad("106"));
    let get = |query: &str| gateway.server.get(&format!("{}{query}", user.target("userCategory/getDataSet")));
    assert_eq!(code(&get("")), bad("103"));
    assert_eq!(code(&get("&name=a&dataSetId=b")), bad("104"));
    assert_eq!(code(&get("&name=a&limit=1001")), bad("111"));
    assert_eq!(code(&get("&name=nothing")), (404, "301".to_owned()));
    let wrong = http::request(gateway.server.address, "PUT", &user.target("userCategory/getDataSet"), "");
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET,HEAD,POST,OPTIONS")));
}

#[test]
fn a_random_station_of_tokyo_is_drawn() {
    let gateway = Gateway::with_maps();
    let ask = |offset: usize| {
        gateway.get(&format!("{ROUTE_MAP}/station?type=train&prefectureCode=13&limit=1&offset={offset}"))
    };
    let max = number(&ask(1)["ResultSet"], "max");
    assert!(max > 300.0, "{max}");
    let found = ask(37);
    let point = &found["ResultSet"]["Point"][0];
    assert_eq!(found["ResultSet"]["Point"].as_array().map(Vec::len), Some(1), "one is an array too");
    assert!(!text(&point["Station"], "Name").is_empty() && number(&point["Station"], "code") > 0.0);
    assert!((35.0..36.5).contains(&number(&point["GeoPoint"], "lati_d")), "numbers are strings");
    assert!((138.5..140.5).contains(&number(&point["GeoPoint"], "longi_d")));
    assert_eq!(text(&point["Prefecture"], "code"), "13");
}

#[test]
fn a_way_is_searched_between_names_and_coordinates() {
    let gateway = Gateway::with_maps();
    let (shinjuku, tokyo, ueno) = (http::encode("新宿"), http::encode("東京"), http::encode("上野"));
    for query in [
        format!("from={shinjuku}&to={tokyo}"),
        format!("viaList={shinjuku}:{ueno}&sort=transfer"),
        format!("viaList={shinjuku}:{tokyo}:{ueno}&sort=transfer"),
        format!("from=35.66,139.60&to={tokyo}"),
        format!("from={shinjuku}&to=35.7138,139.7770&gcs=wgs84"),
        "viaList=35.66,139.60:35.68,139.77&sort=transfer".to_owned(),
    ] {
        let answer = gateway.get(&format!("{ROUTE_MAP}/searchCourse?{query}"));
        let courses = answer["ResultSet"]["Course"].as_array().unwrap_or_else(|| panic!("{query}: {answer}"));
        let route = &courses[0]["Route"];
        let minutes: f64 = ["timeOnBoard", "timeWalk", "timeOther"].iter().map(|field| number(route, field)).sum();
        assert!(minutes > 1.0 && number(route, "transferCount") >= 0.0, "{query}: {route}");
        let (points, lines) = (route["Point"].as_array().unwrap(), route["Line"].as_array().unwrap());
        assert_eq!(points.len(), lines.len() + 1, "{query}: always arrays, with a line between two points");
        for point in points {
            assert!(!text(&point["Station"], "Name").is_empty());
        }
        for line in lines {
            assert!(!text(line, "Name").is_empty() && number(line, "timeOnBoard") >= 0.0, "{line}");
        }
    }
}

/// A key that anybody can read in an app recognises and searches, and issues no tokens.
#[test]
fn a_key_in_the_source_of_an_app_is_a_restricted_one() {
    let gateway = Gateway::with_models();
    let key = make_key_with_scope(&gateway.database, "in an app", "restricted");
    eventually("the key is known", || {
        (gateway.server.get(&format!("{ROUTE_MAP}/railmapList?APIKEY={key}")).status == 200).then_some(())
    });
    let target = format!("{RECOGNITION}/concept/classify/?APIKEY={key}&modelName=food");
    assert_eq!(gateway.server.post_form(&target, &[("image", &photo("coffee.png"))]).status, 200);
    let target = format!("{RECOGNITION}/userCategory/getToken?APIKEY={key}");
    let refused = gateway.post(&target, "application/json", br#"{"userId":"1"}"#);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("201")));
}

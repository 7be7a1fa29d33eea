//! Models of single things: taught from photographs of each, verified by geometry, with a place as a hint.

use std::{fs, path::Path};

use kaisatsu_e2e::{
    Backend, Database, Run, Server, eventually, http, make_key, models_with,
    pictures::{Pictures, photo},
    run,
};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Gateway {
    _database: Database,
    key: String,
    server: Server,
}

impl Gateway {
    fn start(models: &Path, args: &[&str]) -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let key = make_key(&database, "tests");
        let server = Server::start(&database, &[&["--models", models.to_str().unwrap()], args].concat());
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
        Self { _database: database, key, server }
    }

    fn ask(&self, image: &[u8], more: &str) -> Value {
        let target = format!("/imageRecognition/v1/concept/classify?APIKEY={}&modelName=landmark{more}", self.key);
        let answer = self.server.post_form(&target, &[("image", image)]);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    fn listed(&self) -> Value {
        let models = self.server.get(&format!("/imageRecognition/v1/models?APIKEY={}", self.key)).json();
        let models = models["tasks"][0]["models"].as_array().unwrap().clone();
        models.into_iter().find(|model| model["name"] == "landmark").expect("landmark is listed")
    }
}

fn some_models() -> TempDir {
    models_with(&["general", "general-lcnet", "general-joined", "local-features"])
}

fn kaisatsu(models: &Path, args: &[&str]) -> Run {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &[&["--models", models.to_str().unwrap()], args].concat(), &[])
}

/// A folder with a photograph of each of four things.
fn sights() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let things = [("wall", "graf1.png"), ("town", "leuvenA.jpg"), ("box", "box.png"), ("cup", "coffee.png")];
    for (name, file) in things {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join(file), photo(file)).unwrap();
    }
    folder
}

fn first(answer: &Value) -> (&str, f64) {
    let candidate = &answer["candidates"][0];
    (candidate["tag"].as_str().unwrap_or("nothing"), candidate["score"].as_f64().unwrap_or(0.0))
}

#[test]
fn a_server_without_photographs_of_sights_says_how_to_teach_them() {
    let models = some_models();
    let gateway = Gateway::start(models.path(), &[]);
    let entry = gateway.listed();
    assert_eq!(entry["usable"], false);
    let how = "kaisatsu models teach landmark FOLDER --instances";
    assert!(entry["description"].as_str().unwrap().contains(how), "{entry}");
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={}&modelName=landmark", gateway.key);
    let refused = gateway.server.post_form(&target, &[("image", &photo("coffee.png"))]);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!("109")));
    assert!(refused.text().contains(how), "{}", refused.text());
}

#[test]
fn things_are_known_by_their_geometry_and_nothing_else_is() {
    let (models, sights) = (some_models(), sights());
    let teach = ["models", "teach", "landmark", sights.path().to_str().unwrap(), "--instances"];
    let taught = kaisatsu(models.path(), &teach);
    assert_eq!((taught.code, taught.out.as_str()), (0, "model 'landmark': 4 things from 4 photographs\n"));
    assert_eq!(kaisatsu(models.path(), &teach).code, 0, "it may be taught again");
    let gateway = Gateway::start(models.path(), &[]);
    assert_eq!((&gateway.listed()["usable"], &gateway.listed()["tags"]), (&json!(true), &json!(4)));

    // The wall is seen from the side, the town is darker, and the box is half hidden.
    for (photograph, name) in [("graf3.png", "wall"), ("leuvenB.jpg", "town"), ("box_in_scene.png", "box")] {
        let answer = gateway.ask(&photo(photograph), "");
        assert_eq!(first(&answer).0, name, "{photograph}: {answer}");
        let scores: Vec<f64> =
            answer["candidates"].as_array().unwrap().iter().map(|one| one["score"].as_f64().unwrap()).collect();
        assert!(scores[0] > 0.9 && scores.len() == 4, "others follow: {answer}");
        assert!(scores[1..].iter().all(|score| *score < 0.1) && scores.is_sorted_by(|a, b| a >= b), "{answer}");
        assert_eq!((&answer["candidates"][0]["sites"], answer["candidates"][0].get("GeoPoint")), (&json!([]), None));
    }
    for photograph in ["rocket.jpg", "astronaut.png", "chelsea.png", "motorcycle_left.png", "grass.png", "page.png"] {
        let answer = gateway.ask(&photo(photograph), "");
        assert_eq!(answer["candidates"], json!([]), "{photograph}: nothing known");
    }
    let one = gateway.ask(&photo("graf3.png"), "&numOfCandidates=1");
    assert_eq!(one["candidates"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_rejected_thing_is_not_answered_again() {
    let (models, sights) = (some_models(), sights());
    let teach = ["models", "teach", "landmark", sights.path().to_str().unwrap(), "--instances"];
    assert_eq!(kaisatsu(models.path(), &teach).code, 0);
    let gateway = Gateway::start(models.path(), &[]);
    let (image, mut score) = (photo("box_in_scene.png"), 2.0);
    for _ in 0..3 {
        let answer = gateway.ask(&image, "");
        let Some(item) = answer["candidates"][0]["itemId"].as_str() else { break };
        assert!(first(&answer).1 <= score, "{answer}");
        score = first(&answer).1;
        let target = format!(
            "/imageRecognition/v1/feedbackToCandidate?APIKEY={}&recognitionId={}&itemId={item}&isValid=false",
            gateway.key,
            answer["recognitionId"].as_str().unwrap()
        );
        assert_eq!(http::post(gateway.server.address, &target, "application/json", b"{}").status, 204);
        eventually("the verdict acts", || (first(&gateway.ask(&image, "")).1 < score).then_some(()));
    }
}

/// A table as a knowledge base gives it. The town is in Leuven, the wall somewhere in Tokyo.
fn table(folder: &Path, address: &str) -> String {
    for file in ["leuvenA.jpg", "graf1.png"] {
        fs::write(folder.join(file), photo(file)).unwrap();
    }
    let file = folder.join("sights.csv");
    let rows = format!(
        "name,name_ja,latitude,longitude,pictures,page,licence\n\
         Town,町,50.8798,4.7005,leuvenA.jpg|{address},https://example.org/town,CC BY-SA 4.0\n\
         Wall,壁,35.6586,139.7454,graf1.png,https://example.org/wall,\n\
         Nowhere,,120,0,graf1.png,,\n"
    );
    fs::write(&file, rows).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_table_is_fetched_once_and_places_are_hints() {
    let (models, folder, pictures) = (some_models(), tempfile::tempdir().unwrap(), Pictures::start());
    let file = table(folder.path(), &pictures.url("/picture/1/0"));
    let teach = ["models", "teach", "landmark", &file, "--instances"];
    let denied = kaisatsu(models.path(), &teach);
    assert!(denied.err.contains("left out: http://127.0.0.1"), "the rules of fetching hold: {}", denied.err);
    assert!(denied.err.contains(":4: the coordinates are no place on the earth"), "{}", denied.err);
    assert_eq!(pictures.asked().len(), 0);
    for _ in 0..2 {
        let taught = kaisatsu(models.path(), &[&teach[..], &["--fetch-allow", "127.0.0.1"]].concat());
        assert_eq!(taught.code, 0, "{}", taught.err);
        assert!(taught.out.starts_with("model 'landmark': 2 things from "), "{}", taught.out);
    }
    assert_eq!(pictures.asked().values().sum::<usize>(), 1, "what is there is not fetched again");

    let gateway = Gateway::start(models.path(), &[]);
    let image = photo("leuvenB.jpg");
    let answer = gateway.ask(&image, "&language=ja&gcs=wgs84");
    let town = &answer["candidates"][0];
    assert_eq!(first(&answer).0, "町");
    assert_eq!(
        (&town["GeoPoint"]["lati_d"], &town["GeoPoint"]["gcs"]),
        (&json!("50.87980"), &json!("wgs84")),
        "{town}"
    );
    assert_eq!(town["sites"][0]["url"], "https://example.org/town");
    assert_eq!((&town["sites"][0]["title"], &town["sites"][0]["licence"]), (&json!("Town"), &json!("CC BY-SA 4.0")));

    let near = gateway.ask(&image, "&lati_d=50.88&longi_d=4.70&gcs=wgs84");
    let far = gateway.ask(&image, "&lati_d=35.6586&longi_d=139.7454&gcs=wgs84");
    assert_eq!((first(&near).0, first(&far).0), ("Town", "Town"), "geometry decides, wherever the camera was");
    assert!(first(&near).1 > first(&far).1 && first(&far).1 > 0.9, "{near} {far}");
    let elsewhere = gateway.ask(&photo("rocket.jpg"), "&lati_d=50.88&longi_d=4.70&gcs=wgs84");
    assert_eq!(elsewhere["candidates"], json!([]), "a place alone is no evidence");
    for (query, code) in
        [("&lati_d=50", "103"), ("&lati_d=50&longi_d=x", "104"), ("&lati_d=95&longi_d=1", "111"), ("&gcs=moon", "104")]
    {
        let target = format!("/imageRecognition/v1/concept/classify?APIKEY={}&modelName=landmark{query}", gateway.key);
        let refused = gateway.server.post_form(&target, &[("image", &image)]);
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(code)), "{query}");
    }
    the_position_of_a_file_is_used_where_it_is_allowed(models.path(), &gateway, &image);
}

/// The photograph with the position of Tokyo in its EXIF data.
fn taken_in_tokyo(jpeg: &[u8]) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x01\x88\x25\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0\0\x04".to_vec();
    tiff.extend(b"\0\x01\0\x02\0\0\0\x02N\0\0\0\0\x02\0\x05\0\0\0\x03\0\0\0\x50");
    tiff.extend(b"\0\x03\0\x02\0\0\0\x02E\0\0\0\0\x04\0\x05\0\0\0\x03\0\0\0\x68\0\0\0\0");
    for number in [35u32, 39, 31, 139, 44, 43] {
        tiff.extend(number.to_be_bytes());
        tiff.extend(1u32.to_be_bytes());
    }
    let length = u16::try_from(tiff.len() + 8).unwrap();
    [&jpeg[..2], b"\xff\xe1", &length.to_be_bytes(), b"Exif\0\0", &tiff, &jpeg[2..]].concat()
}

fn the_position_of_a_file_is_used_where_it_is_allowed(models: &Path, usual: &Gateway, image: &[u8]) {
    let located = taken_in_tokyo(image);
    let plain = first(&usual.ask(image, "")).1;
    assert!((first(&usual.ask(&located, "")).1 - plain).abs() < 1e-9, "it is private unless the operator allows it");
    let allowed = Gateway::start(models, &["--exif-position", "true"]);
    let answer = allowed.ask(&located, "");
    assert!(first(&answer).0 == "Town" && first(&answer).1 < plain, "{answer}");
    let said = first(&allowed.ask(&located, "&lati_d=50.88&longi_d=4.70&gcs=wgs84")).1;
    assert!(said > first(&answer).1, "what the caller says comes first: {said}");
}

//! A large dataset is built while the process that builds it is killed again and again.

use std::{collections::BTreeMap, time::Duration};

use kaisatsu_e2e::{Backend, Database, Seed, Server, User, eventually, make_key, models_with, pictures::Pictures, run};
use serde_json::{Value, json};

/// How many images are fetched at the same time.
const FETCHES: usize = 6;

#[test]
fn a_build_of_2000_images_survives_10_kills_with_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    survive(Backend::Sqlite, &format!("file:{}", folder.path().display()), 2_000, 10);
}

#[test]
fn a_build_of_300_images_survives_4_kills_with_s3() {
    let server = std::env::var("KAISATSU_TEST_S3").unwrap_or_else(|_| {
        panic!("this test needs an S3 server: run it through `tools/with-s3 cargo test …`, or `make test`")
    });
    let blobs = server.replacen('?', &format!("/crash-{}?", std::process::id()), 1);
    survive(Backend::Postgres, &blobs, 300, 4);
}

/// The address and the expected outcome of an image, by its number: one in twenty is bad, in one of four ways.
fn image(pictures: &Pictures, number: usize) -> (String, &'static str) {
    let (path, outcome) = match (number % 20 == 7).then_some(number / 20 % 4) {
        Some(0) => (format!("/missing?{number}"), "notFound"),
        Some(1) => ("/text".to_owned(), "notAnImage"),
        Some(2) => ("/large".to_owned(), "tooLarge"),
        Some(_) => (format!("/away?http://10.0.0.1/{number}"), "denied"),
        None => (format!("/picture/{}/{number}", number % 10), "fetched"),
    };
    (pictures.url(&path), outcome)
}

fn survive(backend: Backend, blobs: &str, count: usize, kills: usize) {
    let mut seed = Seed::new();
    let database = Database::fresh(backend);
    let (key, pictures, models) = (make_key(&database, "one"), Pictures::start(), models_with(&["general"]));
    // The credentials of the S3 server are in the environment, which the binary does not inherit here.
    let secrets: Vec<(String, String)> = std::env::vars().filter(|(name, _)| name.starts_with("AWS_")).collect();
    let secrets: Vec<(&str, &str)> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let (place, models, fetches) =
        (pictures.address.to_string(), models.path().display().to_string(), FETCHES.to_string());
    let args = [
        "--blobs",
        blobs,
        "--models",
        &models,
        "--fetch-allow",
        &place,
        "--job-lease",
        "1s",
        "--fetches",
        &fetches,
        "--max-image-bytes",
        "2000000",
    ];
    let start = || Server::start_with(&database, &args, &secrets);
    let ready = |server: &Server| {
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    };
    let server = start();
    ready(&server);
    let mut user = User::named(&server, &key, "u");
    let expected: Vec<(String, &str)> = (0..count).map(|number| image(&pictures, number)).collect();
    let images: Vec<Value> = expected
        .iter()
        .enumerate()
        .map(|(at, (url, _))| json!({"url": url, "tag": format!("wave {}", at % 10)}))
        .collect();
    let id = user.create(&images);

    // Dropping a server kills it. That happens at random times: mostly during the build, sometimes before it begins.
    drop(server);
    let mut seen = 0;
    for _ in 1..kills {
        let server = start();
        if seed.below(8) != 0 {
            ready(&server);
        }
        std::thread::sleep(Duration::from_millis(seed.below(3_000)));
        drop(server);
    }
    let server = start();
    ready(&server);
    user = user.on(&server);
    let progress = || user.call("userCategory/getDataSet", &json!({"dataSetId": id, "limit": 0})).json();
    // The build may take long, as long as it makes progress.
    loop {
        let (state, done) = eventually("the build makes progress", || {
            let told = progress();
            let done = told["progress"]["done"].as_u64().unwrap();
            (done > seen || told["state"] == "ready").then(|| (told["state"].clone(), done))
        });
        seen = done;
        if state == "ready" {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }

    let mut outcomes: Vec<(String, String)> = Vec::new();
    let mut cursor = Value::Null;
    while outcomes.len() < count {
        let page =
            user.call("userCategory/getDataSet", &json!({"dataSetId": id, "limit": 1000, "cursor": cursor})).json();
        cursor = page["nextCursor"].clone();
        let text = |image: &Value, name: &str| image[name].as_str().unwrap().to_owned();
        outcomes.extend(
            page["images"].as_array().unwrap().iter().map(|image| (text(image, "url"), text(image, "outcome"))),
        );
    }
    let wrong: Vec<_> =
        outcomes.iter().zip(&expected).filter(|(is, should)| (&*is.0, &*is.1) != (&*should.0, should.1)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, outcome) in &expected {
        *counts.entry(outcome).or_default() += 1;
    }
    let told = progress();
    for (outcome, count) in &counts {
        assert_eq!(told["progress"][outcome], json!(count), "{outcome}");
    }
    assert_eq!(told["health"]["images"], json!(counts["fetched"]));

    // Only images that were being processed when the server was killed are fetched again.
    let asked = pictures.asked();
    let again: usize = asked.iter().filter(|(path, _)| path.starts_with("/picture/")).map(|(_, times)| times - 1).sum();
    assert!(again <= kills * FETCHES * 2, "{again} images were fetched again");
    let home = tempfile::tempdir().unwrap();
    let checked = run(home.path(), &["check", "--deep", "--database", &database.address, "--blobs", blobs], &secrets);
    assert!(checked.code == 0 && checked.out.contains("all is well"), "{}{}", checked.out, checked.err);
}

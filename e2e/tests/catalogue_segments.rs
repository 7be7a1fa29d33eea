//! A catalogue in segments on the storage is recognised as it was in memory, also by servers that begin with segments.

use std::{fs, path::PathBuf};

use kaisatsu_e2e::{Backend, Database, Server, eventually, http, make_key, run};
use serde_json::{Value, json};

/// What the catalogue has, and photographs of three of its things and of none.
const ITEMS: [(&str, &str); 4] =
    [("box", "box.png"), ("graffiti", "graf1.png"), ("town", "leuvenA.jpg"), ("cat", "chelsea.png")];
const PHOTOGRAPHS: [&str; 4] = ["box_in_scene.png", "graf3.png", "leuvenB.jpg", "rocket.jpg"];

fn photos() -> PathBuf {
    std::env::var("KAISATSU_TEST_PHOTOS").expect("`make test` sets KAISATSU_TEST_PHOTOS").into()
}

fn candidates(server: &Server, key: &str, photograph: &str) -> Vec<Value> {
    let target = format!("/imageRecognition/v1/recognize?APIKEY={key}");
    let picture = fs::read(photos().join(photograph)).unwrap();
    let answer = http::post(server.address, &target, "application/octet-stream", &picture);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["candidates"].as_array().unwrap().clone()
}

/// The items in memory or in segments, by the metric.
fn items(server: &Server, place: &str) -> Option<f64> {
    let metrics = server.get("/metrics").text();
    let line = format!("kaisatsu_catalogue_items{{place=\"{place}\"}} ");
    metrics.lines().find_map(|found| found.strip_prefix(&line)?.parse().ok())
}

fn all_in_segments(server: &Server) -> Option<()> {
    (items(server, "segments") == Some(4.0) && items(server, "memory") == Some(0.0)).then_some(())
}

#[test]
fn answers_are_the_same_from_segments_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    compare(Backend::Sqlite, &format!("file:{}", folder.path().display()));
}

#[test]
#[ignore = "needs PostgreSQL and an S3 server; `make test` runs it"]
fn answers_are_the_same_from_segments_on_s3() {
    let server = std::env::var("KAISATSU_TEST_S3").expect("an S3 server: run it through tools/with-s3");
    compare(Backend::Postgres, &server.replacen('?', &format!("/segments-{}?", std::process::id()), 1));
}

fn compare(backend: Backend, blobs: &str) {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::fresh(backend));
    let (key, models) = (make_key(&database, "tests"), std::env::var("KAISATSU_TEST_MODELS").unwrap());
    // The credentials of the S3 server are in the environment, which the binary does not inherit here.
    let secrets: Vec<(String, String)> = std::env::vars().filter(|(name, _)| name.starts_with("AWS_")).collect();
    let secrets: Vec<(&str, &str)> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let start = |segment: &str| {
        let args = ["--models", &models, "--blobs", blobs, "--catalogue-segment", segment];
        Server::start_with(&database, &args, &secrets)
    };
    let command = |args: &[&str]| {
        let settings = ["--models", &models, "--database", &database.address, "--blobs", blobs];
        run(home.path(), &[&settings[..], args].concat(), &secrets)
    };
    let rows = ITEMS.map(|(id, picture)| format!("{id},food,{id},{picture}\n")).concat();
    let file = home.path().join("catalogue.csv");
    fs::write(&file, format!("id,category,name,image\n{rows}")).unwrap();
    let imported = command(&["catalogue", "import", file.to_str().unwrap(), "--pictures", photos().to_str().unwrap()]);
    assert_eq!((imported.code, imported.out.as_str()), (0, "4 items added, 0 were there, 0 rows left out\n"));

    let server = start("0");
    eventually("the catalogue is taken up", || (items(&server, "memory") == Some(4.0)).then_some(()));
    let in_memory = PHOTOGRAPHS.map(|photograph| without_ids(candidates(&server, &key, photograph)));
    assert_eq!(in_memory[0][0]["detail"]["id"], "box", "{in_memory:?}");
    assert!(in_memory[3].is_empty(), "{in_memory:?}");
    drop(server);

    let server = start("2");
    eventually("segments are written", || all_in_segments(&server));
    // One that begins with segments, and reads nothing else.
    let another = start("2");
    eventually("segments are opened", || all_in_segments(&another));
    for server in [&server, &another] {
        for (photograph, expected) in PHOTOGRAPHS.iter().zip(&in_memory) {
            assert_eq!(&without_ids(candidates(server, &key, photograph)), expected, "{photograph}");
        }
    }
    assert_eq!(command(&["catalogue", "remove", "box", "--yes"]).out, "1 item removed\n");
    for server in [&server, &another] {
        assert_eq!(candidates(server, &key, PHOTOGRAPHS[0]), [] as [Value; 0], "removed, in a segment or not");
    }
    let checked = command(&["check", "--deep"]);
    assert_eq!(checked.code, 0, "{checked:?}");
}

/// Candidates without what is new in each recognition.
fn without_ids(mut candidates: Vec<Value>) -> Vec<Value> {
    for candidate in &mut candidates {
        candidate["itemId"] = json!(null);
    }
    candidates
}

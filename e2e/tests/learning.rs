//! The effect of feedback as a caller sees it: at once, for whom it should act, and until it is revoked.

use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, http, make_key, models_with, on_every_backend, pictures::picture, run,
};
use serde_json::{Value, json};

on_every_backend![
    a_verdict_acts_at_once_on_every_replica_and_is_revoked_to_the_bit,
    feedback_of_one_application_affects_no_other_and_that_of_three_does,
    feedback_acts_on_detections_images_and_items_too,
    harmful_feedback_is_held_and_reported,
    answers_are_the_same_however_little_is_in_memory,
    of_two_concurrent_verdicts_one_remains,
    feedback_and_the_deletion_of_its_dataset_do_not_deadlock,
];

const BASE: &str = "/imageRecognition/v1";

fn photo(name: &str) -> Vec<u8> {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS").expect("`make test` sets KAISATSU_TEST_PHOTOS");
    fs::read(PathBuf::from(folder).join(name)).unwrap()
}

fn start(database: &Database, models: &[&str], args: &[&str]) -> Server {
    let models = models_with(models).keep().display().to_string();
    let server = Server::start(database, &[&["--models", &models], args].concat());
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    server
}

fn classify(server: &Server, key: &str, image: &[u8]) -> Value {
    let answer = server.post_form(&format!("{BASE}/concept/classify?APIKEY={key}"), &[("image", image)]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Rates one candidate.
fn rate(server: &Server, key: &str, answer: &Value, candidate: usize, valid: bool) {
    let (recognition, item) = (&answer["recognitionId"], &answer["candidates"][candidate]["itemId"]);
    let (recognition, item) = (recognition.as_str().unwrap(), item.as_str().unwrap());
    let query = format!("APIKEY={key}&recognitionId={recognition}&itemId={item}&isValid={valid}");
    let rated = http::post(server.address, &format!("{BASE}/feedbackToCandidate?{query}"), "", b"");
    assert_eq!(rated.status, 204, "{}", rated.text());
}

/// The candidates with their scores, to the bit.
fn scores(answer: &Value) -> Vec<(String, u64)> {
    let one = |candidate: &Value| {
        let name = ["tagId", "tag", "imageId"].iter().find_map(|field| candidate[field].as_str()).unwrap_or_default();
        (name.to_owned(), candidate["score"].as_f64().unwrap().to_bits())
    };
    answer["candidates"].as_array().unwrap().iter().map(one).collect()
}

fn score_of(answer: &Value, tag: &str) -> f64 {
    let candidates = answer["candidates"].as_array().unwrap();
    candidates.iter().find(|candidate| candidate["tag"] == tag).map_or(0.0, |one| one["score"].as_f64().unwrap())
}

fn feedback(database: &Database, words: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let done = run(home.path(), &[&["--database", &database.address, "feedback"], words].concat(), &[]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    done.out
}

fn a_verdict_acts_at_once_on_every_replica_and_is_revoked_to_the_bit(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let mut server = start(&database, &["general"], &[]);
    let replica = start(&database, &["general"], &[]);
    let (cat, coffee) = (photo("chelsea.png"), photo("coffee.png"));
    let (first, other) = (classify(&server, &key, &cat), classify(&server, &key, &coffee));
    assert_eq!(scores(&classify(&server, &key, &cat)), scores(&first), "without feedback nothing moves");

    // The caller rates the first candidate as wrong and the second as right: the next request ranks them so.
    rate(&server, &key, &first, 0, false);
    rate(&server, &key, &first, 1, true);
    let learned = classify(&server, &key, &cat);
    assert_eq!(learned["candidates"][0]["tag"], "tiger cat", "{learned}");
    assert!(score_of(&learned, "Egyptian cat") < score_of(&first, "Egyptian cat"));
    let sum: f64 = learned["candidates"].as_array().unwrap().iter().map(|one| one["score"].as_f64().unwrap()).sum();
    assert!(sum <= 1.0 + 1e-5, "{sum}");
    let far = classify(&server, &key, &coffee);
    assert_eq!(far["candidates"][0]["tag"], other["candidates"][0]["tag"], "what is far stays");
    eventually("the replica follows", || (scores(&classify(&replica, &key, &cat)) == scores(&learned)).then_some(()));

    // The explanation, over HTTP and for the operator.
    let id = learned["recognitionId"].as_str().unwrap();
    let told = server.get(&format!("{BASE}/explain?APIKEY={key}&recognitionId={id}")).json();
    assert_eq!((&told["task"], &told["model"]), (&json!("classify"), &json!("general")));
    let egyptian = told["candidates"].as_array().unwrap().iter().find(|one| one["name"] == "Egyptian cat").unwrap();
    assert_eq!(egyptian["baseScore"], first["candidates"][0]["score"]);
    assert_eq!(egyptian["movedBy"][0]["recognitionId"], first["recognitionId"]);
    assert_eq!(egyptian["movedBy"][0]["isValid"], false);
    assert!(egyptian["movedBy"][0]["by"].as_f64().unwrap() < -1.0, "{egyptian}");
    assert!(feedback(&database, &["explain", id]).contains("Egyptian cat"));
    let other_key = make_key(&database, "two");
    assert_eq!(server.get(&format!("{BASE}/explain?APIKEY={other_key}&recognitionId={id}")).status, 404);

    // The totals, over time.
    let totals = server.get(&format!("{BASE}/feedbackTotals?APIKEY={key}&interval=hour")).json();
    assert_eq!(totals["totals"].as_array().unwrap().len(), 2, "{totals}");
    let precision: Vec<&Value> = totals["totals"].as_array().unwrap().iter().map(|total| &total["precision"]).collect();
    assert!(precision.contains(&&json!(0.0)) && precision.contains(&&json!(1.0)), "{totals}");
    for bad in ["interval=year", "since=yesterday", "until=2026-13-01"] {
        assert_eq!(server.get(&format!("{BASE}/feedbackTotals?APIKEY={key}&{bad}")).status, 400, "{bad}");
    }
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("kaisatsu_feedback_total{task=\"classify\",model=\"general\",candidate="), "{metrics}");
    assert!(metrics.contains("kaisatsu_engine_memory_seconds"));

    // A later verdict replaces the earlier one, and what was learned survives a kill.
    rate(&server, &key, &first, 0, true);
    rate(&server, &key, &first, 0, false);
    assert_eq!(scores(&classify(&server, &key, &cat)), scores(&learned));
    server.signal("-KILL");
    server.wait();
    let server = start(&database, &["general"], &[]);
    assert_eq!(scores(&classify(&server, &key, &cat)), scores(&learned));

    // Revoked, to the bit, on every replica.
    assert!(feedback(&database, &["revoke", "--app", "one", "--yes"]).contains("2 verdicts revoked"));
    for replica in [&server, &replica] {
        eventually("the scores are restored", || {
            (scores(&classify(replica, &key, &cat)) == scores(&first)).then_some(())
        });
    }
}

fn feedback_of_one_application_affects_no_other_and_that_of_three_does(backend: Backend) {
    let database = Database::fresh(backend);
    let keys: Vec<String> = ["a", "b", "c", "d"].iter().map(|name| make_key(&database, name)).collect();
    let server = start(&database, &["general"], &[]);
    let cat = photo("chelsea.png");
    let before = classify(&server, &keys[3], &cat);
    for key in &keys[..2] {
        for _ in 0..3 {
            let answer = classify(&server, key, &cat);
            for candidate in 0..5 {
                rate(&server, key, &answer, candidate, false);
            }
        }
    }
    assert_eq!(scores(&classify(&server, &keys[3], &cat)), scores(&before), "two are not enough");
    let third = classify(&server, &keys[2], &cat);
    rate(&server, &keys[2], &third, 0, false);
    let after = classify(&server, &keys[3], &cat);
    assert!(score_of(&after, "Egyptian cat") < score_of(&before, "Egyptian cat"), "three agree: {after}");
    let id = after["recognitionId"].as_str().unwrap();
    let told = server.get(&format!("{BASE}/explain?APIKEY={}&recognitionId={id}", keys[3])).json();
    let named: Vec<&Value> =
        told["candidates"].as_array().unwrap().iter().flat_map(|one| one["movedBy"].as_array().unwrap()).collect();
    assert!(!named.is_empty() && named.iter().all(|by| by["recognitionId"].is_null()), "nobody's ids are told: {told}");
    feedback(&database, &["revoke", "--app", "c", "--yes"]);
    eventually("two again", || (scores(&classify(&server, &keys[3], &cat)) == scores(&before)).then_some(()));
}

fn feedback_acts_on_detections_images_and_items_too(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let server = start(&database, &["general", "coco", "local-features"], &[]);

    // An object in a picture.
    let detect = || {
        let target = format!("{BASE}/objectDetection/detect?APIKEY={key}&minScore=0.3");
        server.post_form(&target, &[("image", &photo("coffee.png"))]).json()
    };
    let before = detect();
    let cup = before["candidates"].as_array().unwrap().iter().position(|one| one["tag"] == "cup").unwrap();
    rate(&server, &key, &before, cup, false);
    let (was, is) = (score_of(&before, "cup"), score_of(&detect(), "cup"));
    assert!(is < was * 0.8, "{was} {is}");
    rate(&server, &key, &before, cup, true);
    let after = detect();
    assert!(score_of(&after, "cup") > was);
    let seen = |answer: &Value| answer["candidates"].as_array().unwrap().len();
    assert_eq!(seen(&after), seen(&before), "boxes that show nothing stay where they were: {after}");

    // A dataset: its tags, and its images.
    let user = User::named(&server, &key, "user");
    let images: Vec<Value> = (0..4)
        .map(|class| json!({"imageId": user.upload(&picture(&class.to_string(), "1"), &format!("wave {class}"))}))
        .collect();
    let set = user.create(&images);
    assert_eq!(user.built(&set)["state"], "ready");
    for (operation, field) in [("concept/classify", "tag"), ("similarImage/search", "imageId")] {
        let asked = picture("2", "9");
        let first = user.ask(operation, &set, &asked).json();
        let (wrong, right) = (&first["candidates"][0][field], &first["candidates"][1][field]);
        for _ in 0..3 {
            let answer = user.ask(operation, &set, &asked).json();
            let place = |wanted: &Value| {
                answer["candidates"].as_array().unwrap().iter().position(|one| one[field] == *wanted).unwrap()
            };
            rate(&server, &key, &answer, place(wrong), false);
            rate(&server, &key, &answer, place(right), true);
        }
        let learned = user.ask(operation, &set, &asked).json();
        assert_eq!(learned["candidates"][0][field], *right, "{operation}: {first} {learned}");
        let all: Vec<f64> =
            learned["candidates"].as_array().unwrap().iter().map(|one| one["score"].as_f64().unwrap()).collect();
        assert!(all.iter().all(|score| (0.0..=1.0).contains(score)) && all.is_sorted_by(|a, b| a >= b), "{all:?}");
    }

    // An item of the catalogue.
    let home = tempfile::tempdir().unwrap();
    let rows = "id,category,name,image\ngraffiti,book,Walls,graf1.png\n";
    fs::write(home.path().join("catalogue.csv"), rows).unwrap();
    let photos = std::env::var("KAISATSU_TEST_PHOTOS").unwrap();
    let (file, models) = (home.path().join("catalogue.csv"), std::env::var("KAISATSU_TEST_MODELS").unwrap());
    let words = ["catalogue", "import", file.to_str().unwrap(), "--pictures", &photos, "--models", &models];
    let imported = run(home.path(), &[&words[..], &["--database", &database.address]].concat(), &[]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    let recognize = || {
        let target = format!("{BASE}/recognize?APIKEY={key}");
        http::post(server.address, &target, "application/octet-stream", &photo("graf3.png")).json()
    };
    let before = eventually("the catalogue is followed", || {
        let answer = recognize();
        (!answer["candidates"].as_array().unwrap().is_empty()).then_some(answer)
    });
    rate(&server, &key, &before, 0, false);
    let after = recognize();
    let score = |answer: &Value| answer["candidates"][0]["score"].as_f64().unwrap_or(0.0);
    assert!(score(&after) < score(&before), "{before} {after}");
}

fn harmful_feedback_is_held_and_reported(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let server = start(&database, &["general"], &[]);
    let folder = std::env::var("KAISATSU_TEST_PHOTOS").unwrap();
    let mut names: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut photos: Vec<Vec<u8>> = names.iter().map(|name| fs::read(name).unwrap()).collect();
    photos.retain(|photo| {
        let answer = server.post_form(&format!("{BASE}/concept/classify?APIKEY={key}"), &[("image", photo)]);
        answer.status == 200 && answer.json()["candidates"].as_array().unwrap().len() > 1
    });
    assert!(photos.len() >= 8, "{}", photos.len());
    photos.truncate(8);
    let tags: Vec<[String; 2]> = photos
        .iter()
        .map(|photo| {
            let answer = classify(&server, &key, photo);
            [0, 1].map(|place: usize| answer["candidates"][place]["tag"].as_str().unwrap().to_owned())
        })
        .collect();
    let all = || -> Vec<_> { photos.iter().map(|photo| scores(&classify(&server, &key, photo))).collect() };
    // Twice, everything is confirmed; then, twice, the right candidate is rated wrong and another one right.
    for photo in photos.iter().chain(&photos) {
        rate(&server, &key, &classify(&server, &key, photo), 0, true);
    }
    assert!(!feedback(&database, &["list", "--limit", "500"]).contains("held"), "confirmations do no harm");
    let confirmed = all();
    for (photo, [right, wrong]) in photos.iter().zip(&tags).chain(photos.iter().zip(&tags)) {
        let answer = classify(&server, &key, photo);
        let candidates = answer["candidates"].as_array().unwrap();
        let place = |tag: &String| candidates.iter().position(|candidate| candidate["tag"] == **tag);
        // A rejected candidate may be gone the second time.
        for (tag, is_valid) in [(wrong, true), (right, false)] {
            if let Some(place) = place(tag) {
                rate(&server, &key, &answer, place, is_valid);
            }
        }
    }
    let held = feedback(&database, &["held", "--json"]);
    let first: Value = serde_json::from_str(held.lines().next().unwrap_or_default()).unwrap_or_default();
    assert!(first["worse"].as_i64().unwrap_or(0) >= 5, "{held}");
    assert!(feedback(&database, &["list", "--limit", "500"]).contains("held"));
    assert!(server.log().contains("feedback is held back"));
    assert!(server.get("/metrics").text().contains("kaisatsu_feedback_held_total"));
    // The verdicts that were not held are too few to judge.
    let all_of_them = feedback(&database, &["export"]);
    let standing = |word: &str| all_of_them.matches(&format!(r#""standing":"{word}""#)).count();
    let (held, active) = (standing("held"), standing("active"));
    assert!(held >= 16 && active <= 16 + 14, "{held} {active}");
    feedback(&database, &["revoke", "--app", "one", "--since", "1h", "--yes"]);
    eventually("nothing is left", || (all() != confirmed).then_some(()));
}

/// A server that has memory for the verdicts on one model answers as one that has memory for all.
fn answers_are_the_same_however_little_is_in_memory(backend: Backend) {
    let database = Database::fresh(backend);
    let keys: Vec<String> = ["a", "b", "c", "d"].iter().map(|name| make_key(&database, name)).collect();
    let roomy = start(&database, &["general", "coco"], &[]);
    let narrow = start(&database, &["general", "coco"], &["--feedback-memory", "0"]);
    let coffee = photo("coffee.png");
    let ask = |server: &Server, key: &str, operation: &str| {
        let answer = server.post_form(&format!("{BASE}/{operation}?APIKEY={key}"), &[("image", &coffee)]);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let operations = ["concept/classify", "objectDetection/detect"];
    let before = operations.map(|operation| scores(&ask(&roomy, &keys[0], operation)));
    // Three of the four agree, on either server in turn.
    for (turn, key) in keys[..3].iter().enumerate() {
        for operation in operations {
            let server = [&roomy, &narrow][turn % 2];
            let answer = ask(server, key, operation);
            rate(server, key, &answer, 0, false);
            rate(server, key, &answer, 1, true);
        }
    }
    let compare = |what: &str| {
        for key in &keys {
            for operation in operations {
                eventually(what, || {
                    let both = [&roomy, &narrow].map(|server| scores(&ask(server, key, operation)));
                    (both[0] == both[1]).then_some(())
                });
            }
        }
    };
    compare("both have followed all verdicts");
    let all = operations.map(|operation| scores(&ask(&narrow, &keys[3], operation)));
    assert!(all[0] != before[0] && all[1] != before[1], "for who gave none, too");
    feedback(&database, &["revoke", "--app", "b", "--yes"]);
    eventually("two are not enough", || {
        let now = operations.map(|operation| scores(&ask(&narrow, &keys[3], operation)));
        (now == before).then_some(())
    });
    compare("both have followed the revocation");
    let metric = |server: &Server, name: &str| -> f64 {
        let metrics = server.get("/metrics").text();
        let line = metrics.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap_or_default();
        line.rsplit(' ').next().and_then(|value| value.parse().ok()).unwrap_or(-1.0)
    };
    assert_eq!(metric(&roomy, "kaisatsu_feedback_sources").to_bits(), 2.0_f64.to_bits());
    assert!(metric(&roomy, "kaisatsu_feedback_memory_bytes") > 1_000.0);
    assert_eq!(metric(&roomy, "kaisatsu_feedback_memory_limit_bytes").to_bits(), 268_435_456.0_f64.to_bits());
    assert_eq!(metric(&roomy, "kaisatsu_feedback_loads_total").to_bits(), 2.0_f64.to_bits());
    assert!(metric(&narrow, "kaisatsu_feedback_loads_total") > 2.0);
    assert!(metric(&narrow, "kaisatsu_feedback_dropped_total") > 0.0);
    let told = |server: &Server| {
        let answer = ask(server, &keys[0], operations[0]);
        let id = answer["recognitionId"].as_str().unwrap().to_owned();
        server.get(&format!("{BASE}/explain?APIKEY={}&recognitionId={id}", keys[0])).json()["candidates"][0].clone()
    };
    assert_eq!(told(&roomy)["movedBy"], told(&narrow)["movedBy"]);
}

fn of_two_concurrent_verdicts_one_remains(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let server = start(&database, &["general"], &[]);
    let coffee = photo("coffee.png");
    let answer = classify(&server, &key, &coffee);
    let before = scores(&answer);
    thread::scope(|scope| {
        for turn in 0..16 {
            let (server, key, answer) = (&server, &key, &answer);
            scope.spawn(move || rate(server, key, answer, 0, turn % 2 == 0));
        }
    });
    let last = feedback(&database, &["export"]);
    assert_eq!(last.lines().count(), 1, "{last}");
    let valid = serde_json::from_str::<Value>(&last).unwrap()["isValid"] == true;
    let now = classify(&server, &key, &coffee);
    assert_ne!(scores(&now), before);
    // The stored verdict is the one in effect.
    rate(&server, &key, &answer, 0, valid);
    assert_eq!(scores(&classify(&server, &key, &coffee)), scores(&now));
}

fn feedback_and_the_deletion_of_its_dataset_do_not_deadlock(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let server = start(&database, &["general"], &[]);
    let user = User::named(&server, &key, "user");
    let images: Vec<Value> =
        (0..4).map(|n| json!({"imageId": user.upload(&picture(&n.to_string(), "1"), &format!("wave {n}"))})).collect();
    for _ in 0..3 {
        let set = user.create(&images);
        assert_eq!(user.built(&set)["state"], "ready");
        let answers: Vec<Value> =
            (0..8).map(|n| user.ask("concept/classify", &set, &picture("1", &n.to_string())).json()).collect();
        let gone = Arc::new(AtomicBool::new(false));
        let statuses: BTreeSet<u16> = thread::scope(|scope| {
            let raters: Vec<_> = answers
                .iter()
                .map(|answer| {
                    let (server, key, gone) = (&server, &key, Arc::clone(&gone));
                    scope.spawn(move || {
                        let (id, item) = (answer["recognitionId"].as_str(), answer["candidates"][0]["itemId"].as_str());
                        let query = format!("recognitionId={}&itemId={}&isValid=true", id.unwrap(), item.unwrap());
                        let target = format!("{BASE}/feedbackToCandidate?APIKEY={key}&{query}");
                        let mut seen = BTreeSet::new();
                        // Once more after the deletion: then there is nothing left to rate.
                        while !gone.load(Ordering::Acquire) {
                            seen.insert(http::post(server.address, &target, "", b"").status);
                        }
                        assert_eq!(http::post(server.address, &target, "", b"").status, 404);
                        seen
                    })
                })
                .collect();
            assert_eq!(user.delete(&set), 204);
            gone.store(true, Ordering::Release);
            raters.into_iter().flat_map(|rater| rater.join().unwrap()).collect()
        });
        assert!(statuses.is_subset(&BTreeSet::from([204, 404])), "{statuses:?}");
        assert_eq!(feedback(&database, &["export", "--model", &set]), "");
    }
}

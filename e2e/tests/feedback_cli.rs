//! Feedback on the command line: listing, exporting, counting and revoking it.

use std::{fs, path::PathBuf, process::Stdio};

use kaisatsu_e2e::{Backend, Database, Run, Server, binary, http, make_key, models_with, on_every_backend, run};
use serde_json::{Value, json};

on_every_backend![
    verdicts_are_listed_searched_exported_and_revoked,
    a_recognition_and_what_was_held_are_explained,
    wrong_arguments_are_reported,
];

fn feedback(database: &Database, args: &[&str]) -> Run {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &[&["feedback"], args, &["--database", &database.address]].concat(), &[])
}

/// Standard output of a successful run.
fn told(database: &Database, args: &[&str]) -> String {
    let run = feedback(database, args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    run.out
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn coffee() -> Vec<u8> {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS");
    let folder: PathBuf = folder.expect("KAISATSU_TEST_PHOTOS is not set; `make test` sets it").into();
    fs::read(folder.join("coffee.png")).unwrap()
}

fn classify(server: &Server, key: &str) -> Value {
    let answer =
        server.post_form(&format!("/imageRecognition/v1/concept/classify?APIKEY={key}"), &[("image", &coffee())]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Rates a candidate, or the whole result.
fn rate(server: &Server, key: &str, answer: &Value, place: Option<usize>, valid: bool, comment: Option<&str>) {
    let mut query = format!("APIKEY={key}&recognitionId={}&isValid={valid}", answer["recognitionId"].as_str().unwrap());
    let operation = match place {
        Some(place) => {
            query = format!("{query}&itemId={}", answer["candidates"][place]["itemId"].as_str().unwrap());
            "feedbackToCandidate"
        }
        None => "feedback",
    };
    let body = comment.map(|comment| json!({"comment": comment}).to_string()).unwrap_or_default();
    let target = format!("/imageRecognition/v1/{operation}?{query}");
    let rated = http::post(server.address, &target, "application/json", body.as_bytes());
    assert_eq!(rated.status, 204, "{}", rated.text());
}

fn start(database: &Database) -> (tempfile::TempDir, Server) {
    let models = models_with(&["general"]);
    let folder = models.path().to_str().unwrap().to_owned();
    let server = Server::start(database, &["--models", &folder, "--keep-pictures", "true"]);
    kaisatsu_e2e::eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    (models, server)
}

fn verdicts_are_listed_searched_exported_and_revoked(backend: Backend) {
    let database = Database::fresh(backend);
    let (one, two) = (make_key(&database, "one"), make_key(&database, "two"));
    let (_models, server) = start(&database);
    let (first, second) = (classify(&server, &one), classify(&server, &two));
    rate(&server, &one, &first, Some(0), true, Some("100% right,\nso it is"));
    rate(&server, &one, &first, Some(1), false, None);
    rate(&server, &one, &first, None, true, Some("誰かの注釈"));
    rate(&server, &two, &second, Some(0), false, Some("No Espresso"));

    // Listings: one line each, the newest last.
    let list = told(&database, &["list"]);
    let heads: Vec<&str> = list.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["RATED", "APPLICATION", "TASK", "MODEL", "CANDIDATE", "VERDICT", "STANDING", "COMMENT"]);
    let rows: Vec<&str> = list.lines().skip(1).collect();
    assert_eq!(rows.len(), 4, "{list}");
    assert!(rows[0].contains("100% right, so it is") && rows[0].contains("espresso"), "{list}");
    assert!(rows[2].contains("the whole result") && rows[2].contains("誰かの注釈"), "{list}");
    assert!(rows[3].contains("two") && rows[3].contains("false") && rows[3].contains("active"), "{list}");
    let recognition = first["recognitionId"].as_str().unwrap();
    let (item, subject) = (&first["candidates"][0]["itemId"], &first["candidates"][0]["tagId"]);
    for (args, count) in [
        (&["--app", "one"][..], 3),
        (&["--recognition", recognition], 3),
        (&["--item", item.as_str().unwrap()], 1),
        (&["--item", subject.as_str().unwrap()], 2),
        (&["--model", "general"], 4),
        (&["--model", "another"], 0),
        (&["--search", "espresso"], 1),
        (&["--search", "100%"], 1),
        (&["--search", "%"], 1),
        (&["--search", "_"], 0),
        (&["--search", "注釈"], 1),
        (&["--comments"], 3),
        (&["--comments", "--app", "one"], 2),
        (&["--since", "1h"], 4),
        (&["--until", "1h"], 0),
        (&["--since", "2020-01-01", "--until", "2020-01-02T00:00:00Z"], 0),
        (&["--limit", "1"], 1),
    ] {
        let list = told(&database, &[&["list"], args].concat());
        assert_eq!(list.lines().count() - 1, count, "{args:?}: {list}");
    }
    assert!(told(&database, &["list", "--limit", "1"]).contains("No Espresso"), "the newest ones");

    exported(&database, &first, recognition);

    // Counting.
    let totals: Value = serde_json::from_str(&told(&database, &["totals", "--json"])).unwrap();
    let totals = totals.as_array().unwrap();
    assert_eq!(totals.len(), 2, "not the whole result: {totals:?}");
    let own = totals.iter().find(|total| total["subject"] == *subject).unwrap();
    assert_eq!((&own["valid"], &own["invalid"], &own["precision"]), (&json!(1), &json!(1), &json!(0.5)));
    let table = told(&database, &["totals", "--app", "two", "--span", "1h"]);
    let row: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(
        (row[1], row[2], &row[4..]),
        ("general", subject.as_str().unwrap(), &["0", "1", "0.000"][..]),
        "{table}"
    );

    // Revoking.
    let those = ["revoke", "--app", "one", "--since", "1h"];
    let dry = told(&database, &[&those[..], &["--dry-run"]].concat());
    assert_eq!(dry, "3 verdicts would be revoked\n");
    let asked = feedback(&database, &those);
    assert!(asked.code == 1 && asked.err.contains("--yes"), "{asked:?}");
    let those = [&those[..], &["--yes"]].concat();
    assert_eq!(lines(&told(&database, &["list", "--json", "--app", "one"])).len(), 3);
    assert_eq!(told(&database, &those), "3 verdicts revoked; replicas follow within a second\n");
    assert_eq!(told(&database, &those), "0 verdicts revoked; replicas follow within a second\n");
    assert_eq!(told(&database, &["list", "--app", "one"]).matches("revoked").count(), 3);
    assert_eq!(told(&database, &["totals", "--json", "--app", "one"]), "[]\n");
    // A new verdict counts again.
    rate(&server, &one, &first, Some(0), true, None);
    assert_eq!(told(&database, &["list", "--app", "one"]).matches("revoked").count(), 2);
}

/// An export of the four verdicts above.
fn exported(database: &Database, first: &Value, recognition: &str) {
    let folder = tempfile::tempdir().unwrap();
    let pictures = folder.path().join("new/pictures");
    let export = lines(&told(database, &["export", "--pictures", pictures.to_str().unwrap()]));
    assert_eq!(export.len(), 4);
    let own = &export[0];
    for (field, expected) in [
        ("recognitionId", &first["recognitionId"]),
        ("itemId", &first["candidates"][0]["itemId"]),
        ("subject", &first["candidates"][0]["tagId"]),
        ("application", &json!("one")),
        ("task", &json!("classify")),
        ("model", &json!("general")),
        ("isValid", &json!(true)),
        ("comment", &json!("100% right,\nso it is")),
        ("standing", &json!("active")),
        ("picture", &json!(format!("{recognition}.png"))),
    ] {
        assert_eq!(&own[field], expected, "{field}");
    }
    let score = |value: &Value| value["score"].as_f64().unwrap();
    assert!((score(own) - score(&first["candidates"][0])).abs() < 1e-4, "{own}");
    assert!(own["baseScore"].is_null() || own["baseScore"].is_number());
    assert!(own["ratedAt"].as_str().unwrap().ends_with('Z') && own["recognisedAt"].as_str().unwrap().ends_with('Z'));
    let candidates = own["candidates"].as_array().unwrap();
    assert_eq!((candidates.len(), &candidates[1]["itemId"]), (5, &first["candidates"][1]["itemId"]));
    assert_eq!(
        (&export[2]["itemId"], &export[2]["name"], &export[2]["score"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    // A picture of each recognition, once, as it was sent.
    let mut names: Vec<_> = fs::read_dir(&pictures).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 2);
    assert_eq!(fs::read(pictures.join(format!("{recognition}.png"))).unwrap(), coffee());

    let without = lines(&told(database, &["export", "--search", "espresso"]));
    assert_eq!((without.len(), &without[0]["application"], &without[0]["picture"]), (1, &json!("two"), &Value::Null));
    // The reader closes standard output early.
    let mut child = std::process::Command::new(binary())
        .args(["feedback", "export", "--database", &database.address])
        .env_clear()
        .env("HOME", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
}

fn a_recognition_and_what_was_held_are_explained(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    assert_eq!(told(&database, &["held"]).lines().count(), 1, "only the heads");
    database.run(
        "INSERT INTO recognition (id, application_id, task, model, created_at, expires_at, items) \
         SELECT 'moved', id, 'classify', 'general', 0, 9000000000000000, \
         '[{\"id\":\"a\",\"subject\":\"s\",\"name\":\"cat\",\"score\":0.75,\"base\":0.5,\"moved\":[\
         {\"of\":\"before\",\"item\":\"b\",\"valid\":true,\"by\":0.375},{\"valid\":false,\"by\":-0.125}]},\
         {\"id\":\"c\",\"subject\":\"t\",\"name\":\"dog\",\"score\":0.25}]' FROM application WHERE deleted_at IS NULL",
    );
    let text = told(&database, &["explain", "moved"]);
    let expected = "classify by general for one, 1970-01-01T00:00:00Z\n\
                    0.750  cat, 0.500 without feedback\n\
                    \x20      +0.375 true  recognition before candidate b\n\
                    \x20      -0.125 false other applications\n\
                    0.250  dog\n";
    assert_eq!(text, expected);
    let json: Value = serde_json::from_str(&told(&database, &["explain", "moved", "--json"])).unwrap();
    assert_eq!((&json["application"], &json["candidates"][1]["baseScore"]), (&json!("one"), &json!(0.25)));
    let moved = json!([
        {"recognitionId": "before", "itemId": "b", "isValid": true, "by": 0.375},
        {"recognitionId": null, "itemId": null, "isValid": false, "by": -0.125},
    ]);
    assert_eq!(json["candidates"][0]["movedBy"], moved);

    database.run(
        "INSERT INTO feedback_report (at, application_id, task, model, held, judged, better, worse) \
         SELECT 0, id, 'classify', 'general', 7, 40, 1, 9 FROM application WHERE deleted_at IS NULL",
    );
    database.run(
        "INSERT INTO feedback_report (at, task, model, held, judged, better, worse) \
         VALUES (1000000, 'detect', 'coco', 2, 30, 0, 5)",
    );
    let held = lines(&told(&database, &["held", "--json"]));
    assert_eq!((&held[0]["application"], &held[0]["at"]), (&Value::Null, &json!("1970-01-01T00:00:01Z")));
    assert_eq!((&held[1]["application"], &held[1]["held"], &held[1]["worse"]), (&json!("one"), &json!(7), &json!(9)));
    let table = told(&database, &["held"]);
    assert!(table.lines().nth(1).unwrap().contains("(what acts for all)"), "{table}");
    assert!(!table.contains(&key));
}

fn wrong_arguments_are_reported(backend: Backend) {
    let database = Database::fresh(backend);
    if backend == Backend::Sqlite {
        let run = feedback(&database, &["list"]);
        assert!(run.code == 2 && run.err.contains("there is no database"), "{}", run.err);
    }
    let _key = make_key(&database, "one");
    let which = "say which verdicts are to be revoked, with one or more of --app, --item, --model, --recognition, \
         --since \
                 and --until";
    let app = "there is no application named 'none'; `kaisatsu app list` lists them";
    for (args, code, sentence) in [
        (&["revoke"][..], 2, which),
        (&["revoke", "--search", "a", "--comments", "--dry-run"], 2, which),
        (&["list", "--app", "none"], 1, app),
        (&["revoke", "--app", "none"], 1, app),
        (&["explain", "nothing"], 1, "there is no recognition nothing"),
        (&["list", "--since", "yesterday"], 2, "or how long ago, such as 2h"),
        (&["list", "--item", ""], 2, "--item"),
        (&["totals", "--span", "0s"], 2, "a span of time is longer than nothing"),
        (&["export", "--pictures", "/dev/null/none"], 1, "/dev/null/none"),
    ] {
        let run = feedback(&database, args);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{args:?}: {}", run.err);
        assert!(run.err.contains(sentence), "{args:?}: {}", run.err);
    }
}

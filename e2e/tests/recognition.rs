//! Image recognition as a caller sees it: answers for real photographs, feedback, and what is stored.

use std::{fs, path::PathBuf, thread};

use kaisatsu_e2e::{Answer, Backend, Database, Server, User, eventually, http, make_key, on_every_backend};
use serde_json::{Value, json};

on_every_backend![
    photographs_are_recognised,
    feedback_is_taken_and_its_rules_hold,
    a_recognition_survives_a_kill,
    recognitions_are_deleted_when_they_expire,
];

const JSON: &str = "application/json;charset=UTF-8";

fn photo(name: &str) -> Vec<u8> {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS");
    let folder: PathBuf = folder.expect("KAISATSU_TEST_PHOTOS is not set; `make test` sets it").into();
    fs::read(folder.join(name)).unwrap()
}

fn start(backend: Backend, args: &[&str]) -> (Database, String, Server) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, args);
    (database, key, server)
}

fn target(operation: &str, key: &str) -> String {
    format!("/imageRecognition/v1/{operation}?APIKEY={key}")
}

fn classify(server: &Server, key: &str, fields: &[(&str, &[u8])]) -> Answer {
    server.post_form(&target("concept/classify", key), fields)
}

fn tags(answer: &Value) -> Vec<&str> {
    answer["candidates"].as_array().unwrap().iter().map(|candidate| candidate["tag"].as_str().unwrap()).collect()
}

fn photographs_are_recognised(backend: Backend) {
    let (_database, key, server) = start(backend, &[]);
    let (cat, coffee) = (photo("chelsea.png"), photo("coffee.png"));

    let answer = classify(&server, &key, &[("image", &cat)]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json;charset=UTF-8"));
    let answer = answer.json();
    assert_eq!(answer["recognitionId"], answer["jobId"]);
    assert_eq!(answer["recognitionId"].as_str().unwrap().len(), 36);
    assert_eq!(tags(&answer)[..3], ["Egyptian cat", "tiger cat", "tabby"]);
    assert_eq!(tags(&answer).len(), 5, "the best five unless another number is asked for");
    let best = &answer["candidates"][0];
    assert!((best["score"].as_f64().unwrap() - 0.829).abs() < 2e-3, "{best}");
    assert_eq!(best["tagId"], "n02124075");

    // Another number, language and model; in the form or in the query.
    let fields: [(&str, &[u8]); 4] =
        [("image", &coffee), ("numOfCandidates", b"2"), ("language", b"ja"), ("modelName", b"general-fast")];
    assert_eq!(tags(&classify(&server, &key, &fields).json())[0], "エスプレッソ");
    let in_query = format!("{}&numOfCandidates=1&language=ja", target("concept/classify", &key));
    assert_eq!(tags(&server.post_form(&in_query, &[("image", &coffee)]).json()), ["エスプレッソ"]);

    let answer = server.post_form(&target("objectDetection/detect", &key), &[("image", &coffee), ("minScore", b"0.3")]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!((&answer["width"], &answer["height"]), (&json!(600), &json!(400)));
    let cup = answer["candidates"].as_array().unwrap().iter().find(|candidate| candidate["tag"] == "cup").unwrap();
    assert!((cup["score"].as_f64().unwrap() - 0.915).abs() < 3e-3, "{cup}");
    for (side, expected) in [("xMin", 168.4), ("yMin", 16.8), ("xMax", 425.5), ("yMax", 301.5)] {
        assert!((cup[side].as_f64().unwrap() - expected).abs() < 1.0, "{cup}");
    }

    let models = server.get(&target("models", &key)).json();
    assert_eq!(models["tasks"][0]["task"], "categoryRecognition");
    assert_eq!(models["tasks"][0]["models"][0]["name"], "general");
    assert_eq!(models["tasks"][1]["models"][0]["usable"], true);
}

#[test]
fn the_query_is_checked_before_the_body_and_no_answer_repeats_a_key() {
    let (_database, key, server) = start(Backend::Sqlite, &[]);
    let (most, tag) = ("query parameter numOfCandidates must be from 1 to", "query parameter tag must have 1 to");
    for (operation, words, status, code, told) in [
        ("concept/classify", "&numOfCandidates=0", 400, "111", most),
        ("concept/classify", "&numOfCandidates=0&dataSetId=x", 401, "117", "query parameter token is missing"),
        ("objectDetection/detect", "&numOfCandidates=0", 400, "111", most),
        ("objectDetection/detect", "&minScore=2", 400, "111", "query parameter minScore must be from 0 to 1"),
        ("similarImage/search", "&numOfCandidates=0", 400, "111", most),
        ("concept/classify", "&language=x", 400, "104", "query parameter language must be a language code"),
        ("userCategory/uploadImage", "&token=TOKEN&tag=LONG", 400, "104", tag),
        ("concept/classify", "", 415, "105", "the Content-Type must be multipart/form-data"),
    ] {
        let token = User::named(&server, &key, "somebody").token;
        let words = words.replace("TOKEN", &token).replace("LONG", &"x".repeat(101));
        let target = format!("{}{words}", target(operation, &key));
        let answer = http::post(server.address, &target, "text/plain", b"hello");
        let error = &answer.json()["error"];
        assert_eq!((answer.status, error["code"].as_str()), (status, Some(code)), "{words}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{operation}: {told}")), "{message}");
    }
    let astray = format!("{}&modelName={key}", target("concept/classify", &key));
    let answer = server.post_form(&astray, &[("image", &photo("coffee.png"))]);
    let told = answer.text();
    assert!(answer.status == 400 && told.contains("there is no model '…' for this operation"), "{told}");
    eventually("it is logged", || server.log().contains("there is no model '…'").then_some(()));
    assert!(!told.contains(&key) && !server.log().contains(&key), "{told}");
}

fn feedback_is_taken_and_its_rules_hold(backend: Backend) {
    let (database, key, server) = start(backend, &[]);
    let other = make_key(&database, "another");
    let answer = classify(&server, &key, &[("image", &photo("coffee.png"))]).json();
    let recognition = answer["recognitionId"].as_str().unwrap();
    let item = answer["candidates"][0]["itemId"].as_str().unwrap();
    let second = classify(&server, &key, &[("image", &photo("coffee.png"))]).json();
    let foreign = second["candidates"][0]["itemId"].as_str().unwrap();

    let one = |query: &str| format!("/imageRecognition/v1/feedbackToCandidate?APIKEY={key}{query}");
    let whole = |query: &str| format!("/imageRecognition/v1/feedback?APIKEY={key}{query}");
    let rated = format!("&recognitionId={recognition}&itemId={item}&isValid=true");

    // Every allowed form of a body; the last verdict counts.
    for body in ["", "{}", " ", r#"{"comment":"合っています"}"#, r#"{"comment":null}"#, r#"{"other":1}"#] {
        for kind in [JSON, "application/json"] {
            let answer = http::post(server.address, &one(&rated), kind, body.as_bytes());
            assert_eq!((answer.status, answer.text()), (204, String::new()), "{body}");
            assert_eq!((answer.header("content-type"), answer.header("content-length")), (None, None));
        }
    }
    assert_eq!(http::post(server.address, &one(&rated), "", b"").status, 204);
    assert_eq!(http::post(server.address, &one(&rated.replace("true", "false")), JSON, b"{}").status, 204);
    let all = format!("&recognitionId={recognition}&isValid=false");
    assert_eq!(http::post(server.address, &whole(&all), JSON, b"").status, 204);

    let no_recognition = "there is no such recognition of this application; recognitionId is what a recognition \
                          answered with, and is kept for a limited time";
    let no_item = "the recognition has no such candidate; itemId is what the same recognition answered with";
    let long = format!(r#"{{"comment":"{}"}}"#, "字".repeat(2001));
    let exact = format!(r#"{{"comment":"{}"}}"#, "字".repeat(2000));
    assert_eq!(http::post(server.address, &one(&rated), JSON, exact.as_bytes()).status, 204);
    let huge = format!(r#"{{"comment":"{}"}}"#, "a".repeat(70_000));
    let table: Vec<(String, &str, &str, u16, &str, &str)> = vec![
        (format!("&itemId={item}&isValid=true"), JSON, "{}", 400, "103", "query parameter recognitionId is missing"),
        (
            format!("&recognitionId={recognition}&isValid=true"),
            JSON,
            "{}",
            400,
            "103",
            "query parameter itemId is missing",
        ),
        (
            format!("&recognitionId={recognition}&itemId={item}"),
            JSON,
            "{}",
            400,
            "103",
            "query parameter isValid is missing",
        ),
        (rated.replace("true", "TRUE"), JSON, "{}", 400, "104", "query parameter isValid must be true or false"),
        (rated.replace("true", "1"), JSON, "{}", 400, "104", "query parameter isValid must be true or false"),
        (
            rated.replace("true", ""),
            JSON,
            "{}",
            400,
            "104",
            "query parameter isValid is empty; leave it out or give it a value",
        ),
        (format!("{rated}&isValid=true"), JSON, "{}", 400, "104", "query parameter isValid is given more than once"),
        (rated.replace(recognition, "00000000-0000-4000-8000-000000000000"), JSON, "{}", 404, "301", no_recognition),
        (rated.replace(item, foreign), JSON, "{}", 404, "301", no_item),
        (rated.replace(item, "nothing"), JSON, "{}", 404, "301", no_item),
        (rated.clone(), JSON, "{", 400, "105", "the body is not JSON in UTF-8"),
        (rated.clone(), JSON, "[]", 400, "105", "the body must be a JSON object"),
        (rated.clone(), JSON, r#"{"comment":5}"#, 400, "106", "body field comment must be a string"),
        (
            rated.clone(),
            JSON,
            &long,
            400,
            "106",
            "body field comment must be at most 2000 characters, none of them NUL",
        ),
        (
            rated.clone(),
            JSON,
            r#"{"comment":"a\u0000b"}"#,
            400,
            "106",
            "body field comment must not contain the character NUL",
        ),
        (rated.clone(), JSON, &huge, 413, "119", "the body is too large: at most 65536 bytes are taken"),
        (rated.clone(), "text/plain", "{}", 415, "105", "the Content-Type must be application/json;charset=UTF-8"),
        (rated.clone(), "", "{}", 415, "105", "the Content-Type must be application/json;charset=UTF-8"),
    ];
    for (query, kind, body, status, code, message) in table {
        let answer = http::post(server.address, &one(&query), kind, body.as_bytes());
        let expected = json!({"error": {"code": code, "message": format!("feedbackToCandidate: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{query} {}", &body[..body.len().min(60)]);
        assert_eq!(answer.header("content-type"), Some(JSON));
    }
    // A recognition of another application does not exist for this one.
    let stolen = format!("/imageRecognition/v1/feedbackToCandidate?APIKEY={other}{rated}");
    assert_eq!(http::post(server.address, &stolen, JSON, b"{}").status, 404);
    let stolen = format!("/imageRecognition/v1/feedback?APIKEY={other}{all}");
    assert_eq!(http::post(server.address, &stolen, JSON, b"{}").status, 404);
}

fn a_recognition_survives_a_kill(backend: Backend) {
    let (database, key, mut server) = start(backend, &[]);
    let answer = classify(&server, &key, &[("image", &photo("coffee.png"))]).json();
    server.signal("-KILL");
    server.wait();
    let server = Server::start(&database, &[]);
    let (recognition, item) = (&answer["recognitionId"], &answer["candidates"][4]["itemId"]);
    let (recognition, item) = (recognition.as_str().unwrap(), item.as_str().unwrap());
    let query = format!("feedbackToCandidate?APIKEY={key}&recognitionId={recognition}&itemId={item}&isValid=true");
    let rated = http::post(server.address, &format!("/imageRecognition/v1/{query}"), "", b"");
    assert_eq!(rated.status, 204, "{}", rated.text());
}

fn recognitions_are_deleted_when_they_expire(backend: Backend) {
    let (_database, key, server) = start(backend, &["--keep-recognitions", "1s"]);
    let answer = classify(&server, &key, &[("image", &photo("coffee.png"))]).json();
    let recognition = answer["recognitionId"].as_str().unwrap();
    let query = format!("/imageRecognition/v1/feedback?APIKEY={key}&recognitionId={recognition}&isValid=true");
    eventually("the recognition is forgotten", || {
        (http::post(server.address, &query, "", b"").status == 404).then_some(())
    });
}

#[test]
fn without_models_the_rest_works_and_recognition_reports_why() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &[]);
    eventually("it is ready all the same", || (server.get("/readyz").status == 200).then_some(()));
    let answer = classify(&server, &key, &[("image", &photo("coffee.png"))]);
    let told = "concept/classify: model 'general' is not installed on this server; the server's operator finds more in \
                its log";
    assert_eq!((answer.status, answer.json()), (503, json!({"error": {"code": "501", "message": told}})));
    assert!(answer.header("retry-after").is_some());
    assert!(server.log().contains("`kaisatsu models install` installs"), "{}", server.log());
    let map = server.get(&format!("/route_service/v1/railmapDetail?APIKEY={key}&id=tokyo&width=5&height=5"));
    assert_eq!(map.status, 200);
}

/// A model folder of links to the installed files, so that one of them can be damaged.
fn linked_models() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let installed: PathBuf = std::env::var("KAISATSU_TEST_MODELS").unwrap().into();
    for name in ["runtime", "general", "general-fast", "coco"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        for file in fs::read_dir(installed.join(name)).unwrap() {
            let file = file.unwrap();
            std::os::unix::fs::symlink(file.path(), folder.path().join(name).join(file.file_name())).unwrap();
        }
    }
    folder
}

#[test]
fn a_damaged_model_disables_only_itself() {
    let models = linked_models();
    let damaged = models.path().join("general/model.onnx");
    fs::remove_file(&damaged).unwrap();
    fs::write(&damaged, b"not a network").unwrap();
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--models", models.path().to_str().unwrap()]);
    eventually("it is ready all the same", || (server.get("/readyz").status == 200).then_some(()));
    let coffee = photo("coffee.png");
    assert_eq!(classify(&server, &key, &[("image", &coffee)]).status, 503);
    assert_eq!(classify(&server, &key, &[("image", &coffee), ("modelName", b"general-fast")]).status, 200);
    assert_eq!(server.post_form(&target("objectDetection/detect", &key), &[("image", &coffee)]).status, 200);
    assert!(server.log().contains("model.onnx is damaged or another file"), "{}", server.log());
}

#[test]
fn a_full_queue_is_answered_with_503() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, &["--engine-threads", "1", "--engine-waiting", "1"]);
    let coffee = photo("coffee.png");
    let answers: Vec<Answer> = thread::scope(|scope| {
        let ask = || classify(&server, &key, &[("image", &coffee)]);
        let asking: Vec<_> = (0..12).map(|_| scope.spawn(ask)).collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    let refused: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 503).collect();
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 503)));
    assert!(!refused.is_empty() && refused.len() < 12, "{} of 12", refused.len());
    assert!(refused.iter().all(|answer| answer.header("retry-after") == Some("1")));
    assert_eq!(classify(&server, &key, &[("image", &coffee)]).status, 200, "and then it works again");
    let metrics = server.get("/metrics").text();
    for name in ["kaisatsu_engine_queue_seconds", "kaisatsu_engine_decode_seconds", "kaisatsu_engine_inference_seconds"]
    {
        assert!(metrics.contains(&format!("{name}_count{{task=\"classify\"}}")), "{metrics}");
    }
    assert!(metrics.contains("kaisatsu_engine_requests 0"), "{metrics}");
}

#[test]
fn a_caller_who_hangs_up_leaves_the_queue() {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, &["--engine-threads", "1", "--engine-waiting", "3"]);
    let body = http::form(&[("image", &photo("coffee.png"))]);
    for _ in 0..3 {
        for _ in 0..4 {
            let mut connection = http::Connection::open(server.address);
            let head = format!("Content-Type: {}\r\nContent-Length: {}\r\n", http::FORM, body.len());
            connection.request("POST", &target("concept/classify", &key), &head);
            connection.send(&body);
            // Dropped here, before the answer.
        }
    }
    eventually("all places are free", || {
        server.get("/metrics").text().contains("kaisatsu_engine_requests 0").then_some(())
    });
    assert_eq!(classify(&server, &key, &[("image", &photo("coffee.png"))]).status, 200);
}

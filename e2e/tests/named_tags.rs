//! "It is actually …": feedback that names any tag of the vocabulary that answered.

use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, http, make_key, models_with, on_every_backend,
    pictures::{photo, picture},
    run,
};
use serde_json::{Value, json};

on_every_backend![
    a_tag_that_is_no_candidate_is_confirmed_and_answered_from_then_on,
    what_a_gate_or_a_dataset_does_not_answer_is_named_too,
    tags_that_mean_nothing_are_refused,
];

const BASE: &str = "/imageRecognition/v1";

fn start(database: &Database, models: &[&str]) -> Server {
    let models = models_with(models).keep().display().to_string();
    let server = Server::start(database, &["--models", &models]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    server
}

fn classify(server: &Server, key: &str, name: &str, model: &str, most: usize) -> Value {
    let target = format!("{BASE}/concept/classify?APIKEY={key}");
    let (image, most) = (photo(name), most.to_string());
    let fields: [(&str, &[u8]); 3] =
        [("image", &image), ("modelName", model.as_bytes()), ("numOfCandidates", most.as_bytes())];
    let answer = server.post_form(&target, &fields);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Says what the image of an answer shows.
fn say(server: &Server, key: &str, answer: &Value, valid: bool, tag: &str) -> http::Answer {
    let recognition = answer["recognitionId"].as_str().unwrap();
    let target = format!("{BASE}/feedback?APIKEY={key}&recognitionId={recognition}&isValid={valid}");
    http::post(server.address, &target, "application/json", json!({"tag": tag}).to_string().as_bytes())
}

fn confirm(server: &Server, key: &str, answer: &Value, tag: &str) {
    let said = say(server, key, answer, true, tag);
    assert_eq!(said.status, 204, "{}", said.text());
}

/// The candidates with their scores, to the bit.
fn scores(answer: &Value) -> Vec<(String, u64)> {
    let one = |one: &Value| (one["tag"].as_str().unwrap().to_owned(), one["score"].as_f64().unwrap().to_bits());
    answer["candidates"].as_array().unwrap().iter().map(one).collect()
}

fn place(answer: &Value, tag: &str) -> Option<usize> {
    answer["candidates"].as_array().unwrap().iter().position(|one| one["tag"] == tag)
}

fn a_tag_that_is_no_candidate_is_confirmed_and_answered_from_then_on(backend: Backend) {
    let database = Database::fresh(backend);
    let (key, other) = (make_key(&database, "one"), make_key(&database, "two"));
    let mut server = start(&database, &["general", "animal"]);
    let replica = start(&database, &["general", "animal"]);
    let first = classify(&server, &key, "chelsea.png", "general", 50);
    assert_eq!(place(&first, "teapot"), None, "{first}");

    // By its Japanese name; as a confirmation it rates nothing else.
    let tags = server.get(&format!("{BASE}/models/general/tags?APIKEY={key}&text=teapot&language=ja")).json();
    let (name, id) = (tags["tags"][0]["tag"].as_str().unwrap(), tags["tags"][0]["tagId"].as_str().unwrap());
    assert!(!name.is_ascii(), "{tags}");
    confirm(&server, &key, &first, name);
    let once = classify(&server, &key, "chelsea.png", "general", 5);
    let at = place(&once, "teapot").unwrap_or_else(|| panic!("{once}"));
    assert!(at > 0 && once["candidates"][at]["score"].as_f64().unwrap() > 0.03, "{once}");
    assert_eq!(scores(&classify(&server, &other, "chelsea.png", "general", 50)), scores(&first), "nobody else's");
    let far = classify(&server, &key, "coffee.png", "general", 5);
    assert_eq!(place(&far, "teapot"), None, "what is unlike it is not answered so: {far}");

    // The whole result was wrong as well: then it comes first.
    let target = format!(
        "{BASE}/feedback?APIKEY={key}&recognitionId={}&isValid=false",
        first["recognitionId"].as_str().unwrap()
    );
    assert_eq!(http::post(server.address, &target, "", b"").status, 204);
    let learned = classify(&server, &key, "chelsea.png", "general", 5);
    assert_eq!(place(&learned, "teapot"), Some(0), "{learned}");
    let told = server
        .get(&format!("{BASE}/explain?APIKEY={key}&recognitionId={}", learned["recognitionId"].as_str().unwrap()))
        .json();
    assert_eq!(told["candidates"][0]["movedBy"][0]["recognitionId"], first["recognitionId"], "{told}");
    assert!(told["candidates"][0]["baseScore"].as_f64().unwrap() < 0.001, "{told}");
    eventually("the replica follows", || {
        (scores(&classify(&replica, &key, "chelsea.png", "general", 5)) == scores(&learned)).then_some(())
    });
    // A view learns with the model that it is a view of, and shows its own tags alone.
    let view = classify(&server, &key, "chelsea.png", "animal", 5);
    assert_eq!(place(&view, "teapot"), None, "{view}");
    confirm(&server, &key, &view, "goldfish");
    let view = classify(&server, &key, "chelsea.png", "animal", 5);
    assert!(place(&view, "goldfish").is_some(), "{view}");

    // It is counted, listed, and survives a kill.
    let totals = server.get(&format!("{BASE}/feedbackTotals?APIKEY={key}")).json();
    let subjects: Vec<&str> =
        totals["totals"].as_array().unwrap().iter().map(|one| one["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects.len(), 2, "{totals}");
    assert!(subjects.contains(&id), "{totals}");
    let before = scores(&classify(&server, &key, "chelsea.png", "general", 50));
    server.signal("-KILL");
    server.wait();
    let server = start(&database, &["general", "animal"]);
    assert_eq!(scores(&classify(&server, &key, "chelsea.png", "general", 50)), before);

    // It can be taken back, by a verdict and by the operator: to the bit.
    let said = say(&server, &key, &first, false, "teapot");
    assert_eq!(said.status, 204, "{}", said.text());
    assert_eq!(place(&classify(&server, &key, "chelsea.png", "general", 5), "teapot"), None);
    let home = tempfile::tempdir().unwrap();
    let revoke = ["--database", &database.address, "feedback", "revoke", "--app", "one", "--yes"];
    let revoked = run(home.path(), &revoke, &[]);
    assert_eq!(revoked.code, 0, "{}", revoked.err);
    for one in [&server, &replica] {
        eventually("the scores are restored", || {
            (scores(&classify(one, &key, "chelsea.png", "general", 50)) == scores(&first)).then_some(())
        });
    }
}

fn what_a_gate_or_a_dataset_does_not_answer_is_named_too(backend: Backend) {
    let database = Database::fresh(backend);
    let key = make_key(&database, "one");
    let server = start(&database, &["general", "food"]);
    let none = classify(&server, &key, "chelsea.png", "food", 5);
    assert_eq!(none["candidates"], json!([]), "a cat is no dish");
    confirm(&server, &key, &none, "Sushi");
    let dish = classify(&server, &key, "chelsea.png", "food", 5);
    assert_eq!(place(&dish, "Sushi"), Some(0), "{dish}");
    assert_eq!(classify(&server, &key, "rocket.jpg", "food", 5)["candidates"], json!([]), "a rocket is no dish");

    let user = User::named(&server, &key, "user");
    let images: Vec<Value> = (0..24)
        .map(|number| {
            let (class, seed) = ((number % 4).to_string(), (number / 4).to_string());
            json!({"imageId": user.upload(&picture(&class, &seed), &format!("wave {class}"))})
        })
        .collect();
    let set = user.create(&images);
    assert_eq!(user.built(&set)["state"], "ready");
    let asked = picture("2", "99");
    let first = user.ask("concept/classify", &set, &asked).json();
    let last = first["candidates"].as_array().unwrap().last().unwrap()["tag"].as_str().unwrap().to_owned();
    let score = |answer: &Value| answer["candidates"][place(answer, &last).unwrap()]["score"].as_f64().unwrap();
    confirm(&server, &key, &first, &last);
    let learned = user.ask("concept/classify", &set, &asked).json();
    assert!(score(&learned) > score(&first) + 0.02, "{first} {learned}");
    let unknown = say(&server, &key, &first, true, "wave 9");
    assert_eq!(unknown.status, 400);
    assert!(unknown.text().contains("the dataset has no tag 'wave 9'; getDataSet lists"), "{}", unknown.text());
}

fn tags_that_mean_nothing_are_refused(backend: Backend) {
    let database = Database::fresh(backend);
    let (key, other) = (make_key(&database, "one"), make_key(&database, "two"));
    let server = start(&database, &["general", "coco"]);
    let answer = classify(&server, &key, "chelsea.png", "general", 5);
    let refused = |said: http::Answer, told: &str| {
        let body = said.json();
        assert_eq!((said.status, &body["error"]["code"]), (400, &json!("106")), "{body}");
        assert!(body["error"]["message"].as_str().unwrap().contains(told), "{body}");
    };
    let unknown = "model 'general' has no tag 'zzz'; models/general/tags lists its tags";
    refused(say(&server, &key, &answer, true, "zzz"), unknown);
    refused(say(&server, &key, &answer, false, "teapot"), "'teapot' was not answered, so there is nothing to reject");
    refused(say(&server, &key, &answer, true, " "), "body field tag must be 1 to 200 characters");
    assert_eq!(say(&server, &other, &answer, true, "teapot").status, 404, "of another application");

    // With a candidate, both must agree.
    let (recognition, item) = (&answer["recognitionId"], &answer["candidates"][0]["itemId"]);
    let (recognition, item) = (recognition.as_str().unwrap(), item.as_str().unwrap());
    let rate = |valid: bool, tag: &str| {
        let query = format!("APIKEY={key}&recognitionId={recognition}&itemId={item}&isValid={valid}");
        let body = json!({"tag": tag}).to_string();
        http::post(server.address, &format!("{BASE}/feedbackToCandidate?{query}"), "application/json", body.as_bytes())
    };
    let name = answer["candidates"][0]["tag"].as_str().unwrap();
    refused(rate(true, "teapot"), &format!("body field tag is 'teapot', and the candidate is '{name}'"));
    assert_eq!(rate(true, name).status, 204);
    assert_eq!(say(&server, &key, &answer, false, name).status, 204, "a candidate may be named to reject it");
    let totals = server.get(&format!("{BASE}/feedbackTotals?APIKEY={key}")).json();
    assert_eq!(totals["totals"].as_array().unwrap().len(), 1, "one verdict on one candidate: {totals}");

    let target = format!("{BASE}/objectDetection/detect?APIKEY={key}");
    let boxes = server.post_form(&target, &[("image", &photo("coffee.png"))]).json();
    let told =
        "body field tag goes with an answer of concept/classify; rate a candidate of this recognition by its itemId";
    refused(say(&server, &key, &boxes, true, "cup"), told);
}

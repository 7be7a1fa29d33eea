//! Requests with an `Idempotency-Key`: sent again they do nothing more, whatever happened to the first one.

use std::{thread, time::Duration};

use kaisatsu_e2e::{
    Answer, Backend, Database, Seed, Server, User, eventually, http, make_key_with_scope, models_with,
    on_every_backend, pictures::picture,
};
use serde_json::{Value, json};
use tempfile::TempDir;

on_every_backend![
    a_repeated_request_is_answered_as_the_first_time,
    a_key_belongs_to_one_request_of_one_caller,
    requests_at_the_same_time_create_one_dataset,
    a_request_that_was_cut_off_creates_one_dataset,
];

const JSON: &str = "application/json";

struct Fixture {
    database: Database,
    models: TempDir,
    key: String,
}

impl Fixture {
    fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        let key = make_key_with_scope(&database, "one", "operator");
        Self { database, models: models_with(&["general", "local-features"]), key }
    }

    fn start(&self, blobs: &TempDir) -> Server {
        let (blobs, models) = (format!("file:{}", blobs.path().display()), self.models.path().display().to_string());
        let server = Server::start(&self.database, &["--blobs", &blobs, "--models", &models]);
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
        server
    }

    fn target(&self, operation: &str, query: &str) -> String {
        format!("/imageRecognition/v1/{operation}?APIKEY={}{query}", self.key)
    }
}

/// A POST with an `Idempotency-Key`.
fn post(server: &Server, target: &str, key: &str, kind: &str, body: &[u8]) -> Answer {
    let mut connection = http::Connection::open(server.address);
    send(&mut connection, target, key, kind, body);
    connection.answer(false).expect("an answer")
}

fn send(connection: &mut http::Connection, target: &str, key: &str, kind: &str, body: &[u8]) {
    let length = body.len();
    let headers = format!("Content-Type: {kind}\r\nContent-Length: {length}\r\nIdempotency-Key: {key}\r\n");
    connection.request("POST", target, &headers);
    connection.send(body);
}

/// The same answer, once given and once replayed.
fn assert_replayed(first: &Answer, again: &Answer) {
    assert!((200..300).contains(&first.status), "{}", first.text());
    assert_eq!((first.status, first.text()), (again.status, again.text()));
    assert_eq!(first.header("content-type"), again.header("content-type"));
    assert_eq!((first.header("idempotent-replayed"), again.header("idempotent-replayed")), (None, Some("true")));
}

fn error(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
}

fn data_sets(user: &User) -> usize {
    let listed = user.call("userCategory/listDataSets", &json!({"limit": 1000}));
    assert_eq!(listed.status, 200, "{}", listed.text());
    listed.json()["dataSets"].as_array().unwrap().len()
}

/// The body of a createDataSet of two stored images.
fn dataset_of(user: &User, name: &str) -> Vec<u8> {
    let image = |class: &str| json!({"imageId": user.upload(&picture(class, "1"), &format!("wave {class}"))});
    json!({"name": name, "images": [image("0"), image("1")]}).to_string().into_bytes()
}

fn a_repeated_request_is_answered_as_the_first_time(backend: Backend) {
    let (fixture, blobs) = (Fixture::new(backend), tempfile::tempdir().unwrap());
    let servers = [fixture.start(&blobs), fixture.start(&blobs)];
    let user = User::named(&servers[0], &fixture.key, "u");
    let (wave, other) = (picture("0", "1"), picture("1", "1"));
    // Another boundary: what a form says counts, not its bytes.
    let again = |body: &[u8]| -> Vec<u8> {
        let at: Vec<usize> = (0..body.len()).filter(|at| body[*at..].starts_with(b"kaisatsu-e2e")).collect();
        let mut body = body.to_vec();
        for at in &at {
            body[*at..*at + 12].copy_from_slice(b"another-e2e-");
        }
        body
    };
    let both = |target: &str, kind: &str, body: &[u8]| -> Value {
        let first = post(&servers[0], target, "k-1", kind, body);
        let (kind, body) = match kind {
            http::FORM => ("multipart/form-data; boundary=another-e2e-", again(body)),
            other => (other, body.to_vec()),
        };
        // Another replica knows it too.
        assert_replayed(&first, &post(&servers[1], target, "k-1", kind, &body));
        if first.body.is_empty() { Value::Null } else { first.json() }
    };

    let uploaded =
        both(&user.target("userCategory/uploadImage"), http::FORM, &http::form(&[("image", &wave), ("tag", b"wave")]));
    assert_eq!(uploaded["tag"], "wave");
    let created = post(&servers[0], &user.target("userCategory/createDataSet"), "k-2", JSON, &dataset_of(&user, "a"));
    let replayed = post(&servers[1], &user.target("userCategory/createDataSet"), "k-2", JSON, &dataset_of(&user, "a"));
    assert_replayed(&created, &replayed);
    assert_eq!((created.status, data_sets(&user)), (202, 1));
    // A replay is what was answered, also when it is not so any more.
    let id = created.json()["dataSetId"].as_str().unwrap().to_owned();
    assert_eq!(user.delete(&id), 204);
    let replayed = post(&servers[0], &user.target("userCategory/createDataSet"), "k-2", JSON, &dataset_of(&user, "a"));
    assert_replayed(&created, &replayed);
    assert_eq!(data_sets(&user), 0);

    // The operator's key is of no user, and so are these keys.
    let fields: &[(&str, &[u8])] = &[("id", b"tea"), ("category", b"food"), ("name", b"Tea"), ("image", &other)];
    let item = both(&fixture.target("catalogue/items", ""), http::FORM, &http::form(fields));
    assert_eq!(item["id"], "tea");
    let fields: &[(&str, &[u8])] = &[("collection", b"waves"), ("imageId", b"1"), ("image", &other)];
    let target = fixture.target("similarImage/collections", "");
    let first = post(&servers[0], &target, "k-3", http::FORM, &http::form(fields));
    assert_replayed(&first, &post(&servers[1], &target, "k-3", http::FORM, &http::form(fields)));
    assert_eq!(first.json()["images"], 1);

    let seen = servers[0].post_form(&fixture.target("concept/classify", ""), &[("image", &wave)]).json();
    let (recognition, item) = (&seen["recognitionId"], &seen["candidates"][0]["itemId"]);
    let target = |verdict: &str| {
        let query = format!("&recognitionId={}&isValid={verdict}", recognition.as_str().unwrap());
        fixture.target("feedback", &query)
    };
    let first = post(&servers[0], &target("false"), "k-4", JSON, b"{}");
    assert_eq!((first.status, first.body.len()), (204, 0));
    assert_replayed(&first, &post(&servers[1], &target("false"), "k-4", JSON, b"{}"));
    let candidate =
        format!("&recognitionId={}&itemId={}&isValid=true", recognition.as_str().unwrap(), item.as_str().unwrap());
    let target = fixture.target("feedbackToCandidate", &candidate);
    let first = post(&servers[0], &target, "k-5", JSON, br#"{"comment": "yes"}"#);
    assert_replayed(&first, &post(&servers[0], &target, "k-5", JSON, br#"{"comment": "yes"}"#));
}

fn a_key_belongs_to_one_request_of_one_caller(backend: Backend) {
    let (fixture, blobs) = (Fixture::new(backend), tempfile::tempdir().unwrap());
    let server = fixture.start(&blobs);
    let [one, two] = ["one", "two"].map(|name| User::named(&server, &fixture.key, name));
    let create = |user: &User, key: &str, body: &[u8]| {
        post(&server, &user.target("userCategory/createDataSet"), key, JSON, body)
    };
    let (a, b) = (dataset_of(&one, "a"), dataset_of(&one, "b"));
    assert_eq!(create(&one, "k", &a).status, 202);
    let reused = create(&one, "k", &b);
    assert_eq!(error(&reused), (409, "104".to_owned()), "{}", reused.text());
    assert_eq!(reused.header("retry-after"), None, "waiting does not help");
    let other = post(&server, &one.target("userCategory/uploadImage"), "k", "image/png", &picture("0", "1"));
    assert_eq!(error(&other), (409, "104".to_owned()), "nor does it mean another operation");
    // Another user's key is another key.
    let theirs = create(&two, "k", &dataset_of(&two, "a"));
    assert_eq!((theirs.status, theirs.header("idempotent-replayed")), (202, None));
    assert_eq!((data_sets(&one), data_sets(&two)), (1, 1));

    // What is refused has no effect, and the key stays free.
    let nothing = json!({"name": "a", "images": [{"imageId": "img_nothing", "tag": "x"}]}).to_string();
    assert_eq!(error(&create(&one, "free", nothing.as_bytes())), (404, "301".to_owned()));
    let created = create(&one, "free", &b);
    assert_eq!((created.status, created.header("idempotent-replayed")), (202, None));

    for bad in ["", "two words", "é", &"a".repeat(256)] {
        assert_eq!(error(&create(&one, bad, &a)), (400, "104".to_owned()), "{bad:?}");
    }
    assert_eq!(error(&create(&one, "a\r\nIdempotency-Key: b", &a)), (400, "104".to_owned()), "given twice");
    assert_eq!(one.call("userCategory/getDataSet", &json!({"dataSetId": "x"})).status, 404);
}

fn requests_at_the_same_time_create_one_dataset(backend: Backend) {
    let (fixture, blobs) = (Fixture::new(backend), tempfile::tempdir().unwrap());
    let servers = [fixture.start(&blobs), fixture.start(&blobs)];
    let user = User::named(&servers[0], &fixture.key, "u");
    let (body, target) = (dataset_of(&user, "a"), user.target("userCategory/createDataSet"));
    let answers: Vec<Answer> = thread::scope(|scope| {
        let ask = |number: usize| post(&servers[number % 2], &target, "k", JSON, &body);
        let asking: Vec<_> = (0..12).map(|number| scope.spawn(move || ask(number))).collect();
        asking.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    let (done, waiting): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 202);
    assert!(done.iter().all(|answer| answer.text() == done[0].text()), "{answers:?}");
    assert_eq!(done.iter().filter(|answer| answer.header("idempotent-replayed").is_none()).count(), 1, "{answers:?}");
    for answer in waiting {
        assert_eq!(error(answer), (409, "202".to_owned()), "{}", answer.text());
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    assert_eq!(data_sets(&user), 1);
}

/// The client hangs up, or the server is killed, at a random moment. Whoever asks again gets the one dataset.
fn a_request_that_was_cut_off_creates_one_dataset(backend: Backend) {
    let mut seed = Seed::new();
    let (fixture, blobs) = (Fixture::new(backend), tempfile::tempdir().unwrap());
    let mut server = fixture.start(&blobs);
    let mut user = User::named(&server, &fixture.key, "u");
    let (body, target) = (dataset_of(&user, "a"), user.target("userCategory/createDataSet"));
    let keys: Vec<String> = (0..12).map(|number| format!("k-{number}")).collect();
    for (number, key) in keys.iter().enumerate() {
        let mut connection = http::Connection::open(server.address);
        send(&mut connection, &target, key, JSON, &body);
        thread::sleep(Duration::from_micros(seed.below(15_000)));
        if number % 4 == 3 {
            drop(server); // kills it
            server = fixture.start(&blobs);
            user = user.on(&server);
        }
        drop(connection);
    }
    for key in &keys {
        // A lease that a killed server left behind ends after seconds.
        let created = eventually("the request is answered", || {
            let answer = post(&server, &target, key, JSON, &body);
            assert!([202, 409].contains(&answer.status), "{}", answer.text());
            (answer.status == 202).then_some(answer)
        });
        assert_replayed_like(&created, &post(&server, &target, key, JSON, &body));
    }
    assert_eq!(data_sets(&user), keys.len());
}

fn assert_replayed_like(first: &Answer, again: &Answer) {
    assert_eq!((first.status, first.text()), (again.status, again.text()));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

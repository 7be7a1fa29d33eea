//! A database that says nothing, or that is stopped under a running server: how callers see it, and what comes after.

use std::time::Duration;

use kaisatsu_e2e::{
    Answer, Backend, ConsoleClient, Database, DatabaseProxy, Server, User, eventually, http, make_key, models_with,
    pictures::picture,
};
use tempfile::TempDir;

/// A server with a model behind a proxy that stands for its database.
struct Fixture {
    proxy: DatabaseProxy,
    key: String,
    server: Server,
    _folders: (TempDir, TempDir),
}

impl Fixture {
    fn start(args: &[&str]) -> Self {
        Self::with_models(&["general"], args)
    }

    fn with_models(models: &[&str], args: &[&str]) -> Self {
        let mut database = Database::fresh(Backend::Postgres);
        let key = make_key(&database, "one");
        let (proxy, blobs, models) =
            (DatabaseProxy::before(&database), tempfile::tempdir().unwrap(), models_with(models));
        database.address.clone_from(&proxy.address);
        let (to, from) = (format!("file:{}", blobs.path().display()), models.path().display().to_string());
        let server = Server::start(&database, &[&["--blobs", &to, "--models", &from], args].concat());
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
        Self { proxy, key, server, _folders: (blobs, models) }
    }

    fn map(&self) -> u16 {
        self.server.get(&format!("/route_service/v1/railmapList?APIKEY={}", self.key)).status
    }

    fn classify(&self) -> Answer {
        self.recognise("concept/classify")
    }

    fn recognise(&self, operation: &str) -> Answer {
        let target = format!("/imageRecognition/v1/{operation}?APIKEY={}", self.key);
        self.server.post_form(&target, &[("image", &picture("3", "1"))])
    }

    /// Rates the first candidate of an answer.
    fn rate(&self, answer: &Answer) -> Answer {
        let answer = answer.json();
        let (id, item) =
            (answer["recognitionId"].as_str().unwrap(), answer["candidates"][0]["itemId"].as_str().unwrap());
        let target = format!(
            "/imageRecognition/v1/feedbackToCandidate?APIKEY={}&recognitionId={id}&itemId={item}&isValid=true",
            self.key
        );
        http::post(self.server.address, &target, "", b"")
    }
}

/// Asserts that an answer is a 503 that names its cause and says when to try again.
fn is_unavailable(answer: &Answer, cause: &str) {
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.text().contains(cause), "{}", answer.text());
    assert!(answer.header("retry-after").is_some_and(|wait| wait.parse::<u32>().unwrap() > 0), "{:?}", answer.headers);
}

#[test]
fn a_server_ends_while_its_database_is_silent() {
    let mut fixture = Fixture::start(&["--shutdown-drain", "0s"]);
    fixture.proxy.fall_silent();
    // Connections are in use, and no statement on them is answered.
    std::thread::sleep(Duration::from_secs(2));
    fixture.server.signal("-TERM");
    assert_eq!(fixture.server.wait(), Some(0));
}

#[test]
fn requests_end_at_the_time_limit_while_the_database_is_silent_and_succeed_when_it_speaks_again() {
    let fixture = Fixture::start(&["--request-timeout", "1s", "--rate-limit", "1000", "--daily-requests", "1000"]);
    let user = User::named(&fixture.server, &fixture.key, "u");
    let photo = picture("3", "1");

    fixture.proxy.fall_silent();
    is_unavailable(&user.send("userCategory/uploadImage", &[("image", &photo)]), "within 1s");
    assert_eq!(fixture.map(), 200, "route maps need no database, and limits do not change that");

    fixture.proxy.come_back();
    eventually("an upload succeeds", || {
        let answer = user.send("userCategory/uploadImage", &[("image", &photo)]);
        (answer.status == 200).then_some(())
    });
}

#[test]
fn without_a_database_every_refusal_names_its_cause() {
    let fixture = Fixture::start(&[]);
    let user = User::named(&fixture.server, &fixture.key, "u");
    let rated = fixture.classify();
    assert_eq!((rated.status, rated.header("x-recognition-saved")), (200, None), "{}", rated.text());

    fixture.proxy.go_away();
    assert_eq!(fixture.map(), 200);
    is_unavailable(&fixture.classify(), "the database does not answer");
    is_unavailable(&fixture.rate(&rated), "the database does not answer");
    is_unavailable(&user.send("userCategory/uploadImage", &[("image", &picture("3", "1"))]), "the database");
    let stranger = fixture.server.get("/route_service/v1/railmapList?APIKEY=kst_never_seen");
    is_unavailable(&stranger, "because the database does not answer");
    let console = ConsoleClient::stranger(&fixture.server).sign_in("a@example.org", "a long enough password");
    is_unavailable(&console, "the database does not answer");

    fixture.proxy.come_back();
    eventually("recognition answers again", || (fixture.classify().status == 200).then_some(()));
    assert_eq!(fixture.rate(&rated).status, 204);
}

#[test]
fn with_the_setting_recognition_answers_without_a_database_where_nothing_needs_it() {
    let fixture = Fixture::with_models(&["general", "coco", "text"], &["--unsaved-answers", "true"]);
    let user = User::named(&fixture.server, &fixture.key, "u");

    fixture.proxy.go_away();
    let is_unsaved = |answer: &Answer| {
        assert_eq!((answer.status, answer.header("x-recognition-saved")), (200, Some("false")), "{}", answer.text());
    };
    let answer = fixture.classify();
    is_unsaved(&answer);
    assert!(!answer.json()["candidates"].as_array().unwrap().is_empty());
    for operation in ["objectDetection/detect", "text/read"] {
        let answer = fixture.recognise(operation);
        is_unsaved(&answer);
        assert!(answer.json()["recognitionId"].is_string(), "{operation}: {}", answer.text());
    }
    is_unavailable(&fixture.rate(&answer), "the database does not answer");
    let search = user.send("similarImage/search", &[("image", &picture("3", "1")), ("dataSetId", b"dts_none")]);
    is_unavailable(&search, "the database does not answer");

    fixture.proxy.fall_silent();
    let answer = fixture.classify();
    is_unsaved(&answer);

    fixture.proxy.come_back();
    let saved = eventually("recognitions are saved again", || {
        let answer = fixture.classify();
        (answer.status == 200 && answer.header("x-recognition-saved").is_none()).then_some(answer)
    });
    assert_eq!(fixture.rate(&saved).status, 204);
    assert_eq!(fixture.rate(&answer).status, 404, "what was not saved cannot be rated");
    let metrics = fixture.server.get("/metrics").text();
    let unsaved = metrics.lines().find_map(|line| line.strip_prefix("kaisatsu_recognitions_unsaved_total "));
    assert!(unsaved.is_some_and(|count| count.parse::<u32>().unwrap() >= 2), "{metrics}");
}

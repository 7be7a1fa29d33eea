//! Users' datasets as an application sees them: built from addresses and stored images, used, and deleted.

use std::thread;

use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, make_key, models_with, on_every_backend,
    pictures::{Pictures, picture},
    run,
};
use serde_json::{Value, json};
use tempfile::TempDir;

on_every_backend![
    a_dataset_is_built_used_and_deleted,
    every_image_has_its_outcome,
    a_dataset_can_be_deleted_while_it_is_built_or_searched,
    a_dataset_that_cannot_be_built_reports_why,
    both_replicas_use_a_dataset_and_see_its_deletion,
    a_dataset_gets_the_vectors_of_a_better_model,
    a_deleted_image_is_never_shown_again,
];

/// A database, a storage and a web server of pictures for a server.
struct Fixture {
    database: Database,
    blobs: TempDir,
    models: TempDir,
    pictures: Pictures,
    key: String,
}

impl Fixture {
    fn new(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        let key = make_key(&database, "one");
        let (blobs, models) = (tempfile::tempdir().unwrap(), models_with(&["general"]));
        Self { database, blobs, models, pictures: Pictures::start(), key }
    }

    fn storage(&self) -> String {
        format!("file:{}", self.blobs.path().display())
    }

    fn start(&self, further: &[&str]) -> Server {
        let (blobs, models, place) =
            (self.storage(), self.models.path().display().to_string(), self.pictures.address.to_string());
        let usual = ["--blobs", &blobs, "--models", &models, "--fetch-allow", &place, "--job-lease", "1s"];
        let server = Server::start(&self.database, &[&usual, further].concat());
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
        server
    }

    fn wave(&self, class: u32, number: u32) -> Value {
        json!({"url": self.pictures.url(&format!("/picture/{class}/{number}")), "tag": format!("wave {class}")})
    }

    /// The output of `kaisatsu check`, once deletions are finished.
    fn check(&self) -> String {
        let home = tempfile::tempdir().unwrap();
        let checked = run(
            home.path(),
            &["check", "--deep", "--database", &self.database.address, "--blobs", &self.storage()],
            &[],
        );
        assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
        checked.out
    }

    fn files(&self) -> usize {
        fn count(folder: &std::path::Path) -> usize {
            let entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
            entries.iter().map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
        }
        count(self.blobs.path())
    }
}

fn a_dataset_is_built_used_and_deleted(backend: Backend) {
    let fixture = Fixture::new(backend);
    let server = fixture.start(&[]);
    let user = User::named(&server, &fixture.key, "山田");
    let mut images: Vec<Value> =
        (0..3).flat_map(|class| (0..6).map(move |number| (class, number))).map(|(c, n)| fixture.wave(c, n)).collect();
    let stored = user.upload(&picture("0", "77"), "wave 0");
    images.push(json!({"imageId": stored}));
    // The same picture under another tag, which the report must mention.
    images.push(json!({"url": fixture.pictures.url("/picture/1/3"), "tag": "wave 2"}));
    let id = user.create(&images);

    let early = user.ask("concept/classify", &id, &picture("1", "50"));
    assert!([409, 200].contains(&early.status), "{}", early.text());
    if early.status == 409 {
        assert_eq!(early.json()["error"]["code"], "202");
        assert!(early.header("retry-after").is_some());
    }
    let built = user.built(&id);
    assert_eq!(built["state"], "ready", "{built}");
    assert_eq!((&built["progress"]["total"], &built["progress"]["fetched"]), (&json!(20), &json!(20)));
    assert_eq!(built["images"].as_array().unwrap().len(), 20);
    assert_eq!(built["images"][18]["imageId"], json!(stored));
    let health = &built["health"];
    // Waves of one class are nearly one picture. What they say of fresh ones may be unknown.
    assert!(health["leaveOneOut"]["accuracy"].as_f64().is_none_or(|accuracy| accuracy > 0.8), "{health}");
    let copies = &health["nearDuplicates"][0];
    assert_eq!((&copies["sameBytes"], &copies["tags"]), (&json!(true), &json!(["wave 1", "wave 2"])));
    assert!(["nearestMean", "linearProbe"].contains(&health["method"].as_str().unwrap()));

    let seen = user.ask("concept/classify", &id, &picture("1", "50"));
    assert_eq!(seen.status, 200, "{}", seen.text());
    assert_eq!(seen.json()["candidates"][0]["tag"], "wave 1");
    let alike = user.ask("similarImage/search", &id, &picture("0", "77")).json();
    assert_eq!(alike["candidates"][0]["imageId"], json!(stored));
    assert!(alike["candidates"][0]["score"].as_f64().unwrap() > 0.999);
    let found = alike["candidates"][1]["imageId"].as_str().unwrap();
    let small = server.get(&format!("{}&imageId={found}&size=thumbnail", user.target("userCategory/getImage")));
    assert_eq!((small.status, small.header("content-type")), (200, Some("image/jpeg")));

    // Feedback works as for any recognition.
    let (recognition, item) = (&alike["recognitionId"], &alike["candidates"][0]["itemId"]);
    let rate = format!(
        "{}&recognitionId={}&itemId={}&isValid=true",
        user.target("feedbackToCandidate"),
        recognition.as_str().unwrap(),
        item.as_str().unwrap()
    );
    let rated = || kaisatsu_e2e::http::post(server.address, &rate, "application/json", b"{}").status;
    assert_eq!(rated(), 204);

    let deleted = user.call("userCategory/deleteDataSet", &json!({"dataSetId": id}));
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    assert!(deleted.headers.iter().all(|(name, _)| !name.starts_with("content-")), "{:?}", deleted.headers);
    // Kills the server.
    drop(server);
    let server = fixture.start(&[]);
    let user = user.on(&server);
    for operation in ["concept/classify", "similarImage/search"] {
        let answer = user.ask(operation, &id, &picture("1", "50"));
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!("301")));
    }
    for operation in ["userCategory/getDataSet", "userCategory/deleteDataSet"] {
        let answer = user.call(operation, &json!({"dataSetId": id}));
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (404, &json!("301")));
    }
    assert_eq!(user.call("userCategory/listDataSets", &json!({})).json()["dataSets"], json!([]));
    let gone = kaisatsu_e2e::http::post(
        server.address,
        &rate.replace("isValid=true", "isValid=false"),
        "application/json",
        b"{}",
    );
    assert_eq!(gone.status, 404, "what was recognised with it went too");
    assert_eq!(server.get(&format!("{}&imageId={found}", user.target("userCategory/getImage"))).status, 404);
    assert_eq!(
        server.get(&format!("{}&imageId={stored}", user.target("userCategory/getImage"))).status,
        200,
        "the storage area outlives it"
    );
    eventually("the storage is reclaimed", || (fixture.files() == 1).then_some(()));
    assert!(fixture.check().contains("all is well"));
}

fn every_image_has_its_outcome(backend: Backend) {
    let fixture = Fixture::new(backend);
    let other = Pictures::start();
    let server = fixture.start(&["--max-image-bytes", "2000000", "--fetch-timeout", "1s"]);
    let user = User::named(&server, &fixture.key, "u");
    let url = |path: &str| fixture.pictures.url(path);
    let expected = [
        (url("/picture/0/1"), "fetched"),
        (url("/picture/0/2"), "fetched"),
        (url("/picture/1/1"), "fetched"),
        (url("/picture/1/2"), "fetched"),
        (url("/picture/1/3"), "fetched"),
        (url("/picture/1/4"), "fetched"),
        (url("/picture/1/5"), "fetched"),
        (url(&format!("/away?{}", url("/picture/1/6"))), "fetched"),
        (url("/away?/picture/1/7"), "fetched"),
        (url("/picture/0/3"), "fetched"),
        (url("/missing"), "notFound"),
        (url("/gone"), "notFound"),
        (url("/large"), "tooLarge"),
        (url("/text"), "notAnImage"),
        (url("/silent"), "timedOut"),
        (url("/broken"), "failed"),
        (other.url("/picture/0/1"), "denied"),
        (url(&format!("/away?{}", other.url("/picture/0/1"))), "denied"),
        ("http://169.254.169.254/latest/meta-data".to_owned(), "denied"),
        ("file:///etc/passwd".to_owned(), "denied"),
    ];
    let images: Vec<Value> =
        expected.iter().enumerate().map(|(n, (url, _))| json!({"url": url, "tag": format!("t{}", n % 2)})).collect();
    let built = user.built(&user.create(&images));
    assert_eq!(built["state"], "ready", "{built}");
    for (image, (url, outcome)) in built["images"].as_array().unwrap().iter().zip(&expected) {
        assert_eq!((image["url"].as_str().unwrap(), image["outcome"].as_str().unwrap()), (url.as_str(), *outcome));
        assert_eq!(image["detail"].as_str().unwrap().is_empty(), *outcome == "fetched", "{image}");
    }
    assert_eq!(built["progress"]["denied"], 4);
    assert_eq!(built["progress"]["done"], 20);
    assert!(other.asked().is_empty(), "a machine inside that is not allowed hears nothing");
    let asked = fixture.pictures.asked();
    assert_eq!((asked["/silent"], asked["/broken"], asked["/missing"]), (3, 3, 1), "what may pass is tried again");
    assert!(fixture.check().contains("all is well"));
}

fn a_dataset_can_be_deleted_while_it_is_built_or_searched(backend: Backend) {
    let fixture = Fixture::new(backend);
    let server = fixture.start(&[]);
    let user = User::named(&server, &fixture.key, "u");
    // During its build.
    let many: Vec<Value> = (0..120).map(|number| fixture.wave(number % 2, number)).collect();
    let id = user.create(&many);
    eventually("it is being built", || (user.dataset(&id)["progress"]["done"].as_u64()? > 5).then_some(()));
    let deletions: Vec<u16> = thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| user.delete(&id))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(deletions.iter().filter(|status| **status == 204).count(), 1, "{deletions:?}");
    assert_eq!(deletions.iter().filter(|status| **status == 404).count(), 7, "{deletions:?}");
    assert_eq!(user.call("userCategory/getDataSet", &json!({"dataSetId": id})).status, 404);

    // During searches.
    let id = user.create(&many[..8]);
    assert_eq!(user.built(&id)["state"], "ready");
    let asked = picture("1", "9");
    thread::scope(|scope| {
        let searches: Vec<_> = (0..10)
            .map(|_| {
                scope.spawn(|| (0..10).map(|_| user.ask("similarImage/search", &id, &asked).status).collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(user.delete(&id), 204);
        assert_eq!(user.ask("similarImage/search", &id, &asked).status, 404, "after the answer, never again");
        let answers: Vec<u16> = searches.into_iter().flat_map(|search| search.join().unwrap()).collect();
        assert!(answers.iter().all(|status| [200, 404].contains(status)), "{answers:?}");
        assert!(answers.contains(&404));
    });
    eventually("the storage is reclaimed", || (fixture.files() == 0).then_some(()));
    assert!(fixture.check().contains("0 files of 0 bytes"));
}

fn a_dataset_that_cannot_be_built_reports_why(backend: Backend) {
    let fixture = Fixture::new(backend);
    let server = fixture.start(&["--user-data-sets", "3", "--data-set-images", "5"]);
    let user = User::named(&server, &fixture.key, "u");
    let create = |body: Value| {
        let answer = user.call("userCategory/createDataSet", &body);
        (answer.status, answer.json()["error"]["code"].as_str().unwrap_or_default().to_owned(), answer.text())
    };
    let fine = fixture.wave(0, 1);
    for (body, status, code, told) in [
        (json!({"images": [fine]}), 400, "106", "name is missing"),
        (json!({"name": "", "images": [fine]}), 400, "106", "name must have 1 to 200"),
        (json!({"name": "x"}), 400, "106", "images is missing"),
        (json!({"name": "x", "images": {}}), 400, "106", "images must be a list"),
        (json!({"name": "x", "images": []}), 400, "106", "images is empty"),
        (json!({"name": "x", "images": ["x"]}), 400, "106", "images[0] must be an object"),
        (json!({"name": "x", "images": [fine, {"tag": "x"}]}), 400, "106", "images[1] must have either url or imageId"),
        (
            json!({"name": "x", "images": [{"url": "http://a.example/", "imageId": "x", "tag": "x"}]}),
            400,
            "106",
            "either",
        ),
        (json!({"name": "x", "images": [{"url": "http://a.example/"}]}), 400, "106", "images[0].tag is missing"),
        (json!({"name": "x", "images": [{"url": "no address", "tag": "x"}]}), 400, "106", "images[0].url"),
        (json!({"name": "x", "images": [{"url": 5, "tag": "x"}]}), 400, "106", "images[0].url must be a string"),
        (json!({"name": "x", "images": [{"url": "http://a.example/", "tag": " "}]}), 400, "106", "images[0].tag"),
        (json!({"name": "x", "images": [fine, fine, fine, fine, fine, fine]}), 400, "110", "may have 5"),
        (json!({"name": "x", "images": [{"imageId": "img_none", "tag": "x"}]}), 404, "301", "images[0].imageId"),
        (json!({"name": "x", "images": [{"url": "http://10.0.0.1/x", "tag": "x"}]}), 403, "201", "none of the images"),
        (json!({"name": "x", "images": [{"url": "http://localhost/x", "tag": "x"}]}), 403, "201", "from localhost:"),
        (json!({"name": "x", "images": [{"url": "http://localhost./x", "tag": "x"}]}), 403, "201", "from localhost.:"),
        (json!({"name": "x", "images": [{"url": "http://a.example/\u{0}", "tag": "x"}]}), 400, "106", "images[0].url"),
        (json!([1]), 400, "105", "must be a JSON object"),
    ] {
        let answer = create(body);
        assert_eq!((answer.0, answer.1.as_str()), (status, code), "{}", answer.2);
        assert!(answer.2.contains(told), "{}", answer.2);
        assert!(answer.2.contains("userCategory/createDataSet: "), "{}", answer.2);
    }
    let nul = user.call("userCategory/getDataSet", &json!({"dataSetId": "dts_\u{0}"}));
    assert_eq!((nul.status, &nul.json()["error"]["code"]), (400, &json!("106")));
    for (operation, body) in [
        ("getDataSet", json!({"dataSetId": ""})),
        ("getDataSet", json!({"name": ""})),
        ("deleteDataSet", json!({"dataSetId": ""})),
        ("undoDataSet", json!({"dataSetId": ""})),
        ("updateDataSet", json!({"dataSetId": "", "name": "y"})),
        ("deleteImage", json!({"imageId": ""})),
    ] {
        let empty = user.call(&format!("userCategory/{operation}"), &body);
        assert_eq!((empty.status, &empty.json()["error"]["code"]), (400, &json!("106")), "{operation} {body}");
        assert!(empty.text().contains(" is empty"), "{}", empty.text());
    }
    let nul = server.get(&format!("{}&imageId=%00", user.target("userCategory/getImage")));
    assert_eq!((nul.status, &nul.json()["error"]["code"]), (400, &json!("104")));
    // Half of the images must be usable.
    let text = json!({"url": fixture.pictures.url("/text"), "tag": "text"});
    let failed = user.built(&user.create(&[fine.clone(), text.clone(), text.clone()]));
    assert_eq!((failed["state"].as_str(), failed["progress"]["fetched"].as_u64()), (Some("failed"), Some(1)));
    assert!(failed["reason"].as_str().unwrap().contains("1 of 3 images"), "{failed}");
    let answer = user.ask("concept/classify", failed["dataSetId"].as_str().unwrap(), &picture("0", "1"));
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!("106")), "{}", answer.text());
    // A dataset with a single tag is for searching only, and says so at creation.
    let one = user.call("userCategory/createDataSet", &json!({"name": "x", "images": [fine]})).json();
    let told = "all images have the same tag: the dataset can be searched with similarImage/search, but \
                concept/classify needs two tags or more to tell apart";
    assert_eq!(one["warnings"], json!([{"code": "oneTag", "message": told}]), "{one}");
    assert_eq!(user.delete(one["dataSetId"].as_str().unwrap()), 204);
    let two = user.call("userCategory/createDataSet", &json!({"name": "x", "images": [fine, text]})).json();
    assert_eq!(two.as_object().unwrap().len(), 2, "there is nothing to say of two tags: {two}");
    assert_eq!(user.delete(two["dataSetId"].as_str().unwrap()), 204);
    let single = user.built(&user.create(&[fine.clone(), text]));
    let id = single["dataSetId"].as_str().unwrap();
    assert_eq!(single["state"], "ready", "{single}");
    assert_eq!(single["warnings"][0]["code"], "oneTag", "{single}");
    assert_eq!(
        user.ask("similarImage/search", id, &picture("0", "1")).json()["candidates"].as_array().unwrap().len(),
        1
    );
    let answer = user.ask("concept/classify", id, &picture("0", "1"));
    assert!(answer.status == 400 && answer.text().contains("single tag"), "{}", answer.text());
    // This server allows three datasets.
    let third = user.create(std::slice::from_ref(&fine));
    let full = create(json!({"name": "x", "images": [fine]}));
    assert_eq!((full.0, full.1.as_str()), (403, "203"), "{}", full.2);
    assert!(full.2.contains("a user may have 3; delete one with deleteDataSet"), "{}", full.2);
    let list = user.call("userCategory/listDataSets", &json!({"limit": 2})).json();
    assert_eq!(list["dataSets"].as_array().unwrap().len(), 2);
    let rest = user.call("userCategory/listDataSets", &json!({"limit": 2, "cursor": list["nextCursor"]})).json();
    assert_eq!((&rest["dataSets"][0]["dataSetId"], &rest["nextCursor"]), (&json!(third), &Value::Null));
    assert_eq!(user.call("userCategory/listDataSets", &json!({"cursor": "x"})).status, 400);
    assert_eq!(user.call("userCategory/listDataSets", &json!({"limit": 0})).json()["error"]["code"], "111");
}

fn a_deleted_image_is_never_shown_again(backend: Backend) {
    let fixture = Fixture::new(backend);
    let server = fixture.start(&[]);
    let user = User::named(&server, &fixture.key, "u");
    let (kept, gone) = (picture("0", "1"), picture("1", "2"));
    let upload = |image: &[u8], tag: &str, name: &str| {
        let fields = [("image", image), ("tag", tag.as_bytes()), ("name", name.as_bytes())];
        user.send("userCategory/uploadImage", &fields).json()["imageId"].as_str().unwrap().to_owned()
    };
    let (kept_id, gone_id) = (upload(&kept, "wave 0", "波 0.png"), upload(&gone, "wave 1", "wave 1.png"));
    let stored = |id: &str| json!({"imageId": id});
    let names = |set: &Value| -> Vec<Value> {
        set["images"].as_array().unwrap().iter().map(|image| image["name"].clone()).collect()
    };
    let set = user.built(&user.create(&[stored(&kept_id), stored(&gone_id), fixture.wave(2, 1)]));
    let id = set["dataSetId"].as_str().unwrap();
    let get = |image: &str, rest: &str| {
        let target = format!("{}&imageId={image}{rest}", user.target("userCategory/getImage"));
        server.get(&target).status
    };
    let fetched = set["images"][2]["imageId"].as_str().unwrap().to_owned();
    assert_eq!((get(&gone_id, ""), get(&fetched, "")), (200, 200));
    assert_eq!(names(&set), [json!("波 0.png"), json!("wave 1.png"), Value::Null], "as the storage area has them");
    assert!(set["images"].as_array().unwrap().iter().all(|image| image.get("deleted").is_none()), "{set}");

    assert_eq!(user.call("userCategory/deleteImage", &stored(&gone_id)).status, 204);
    assert_eq!((get(&gone_id, ""), get(&gone_id, "&size=thumbnail")), (404, 404), "although the dataset uses it");
    assert_eq!((get(&kept_id, ""), get(&fetched, "&size=thumbnail")), (200, 200));
    let set = user.dataset(id);
    let deleted: Vec<_> = set["images"].as_array().unwrap().iter().map(|image| &image["deleted"]).collect();
    assert_eq!(deleted, [&Value::Null, &json!(true), &Value::Null], "the dataset says so");
    assert_eq!(names(&set), [json!("波 0.png"), Value::Null, Value::Null]);
    let found = user.ask("similarImage/search", id, &gone).json();
    assert_eq!(found["candidates"][0]["imageId"], json!(gone_id), "and still knows it: {found}");
    // The same bytes again are another image.
    let again = user.upload(&gone, "wave 1");
    assert_ne!(again, gone_id);
    assert_eq!((get(&again, ""), get(&gone_id, "")), (200, 404));
    let refused = user.call("userCategory/createDataSet", &json!({"name": "x", "images": [stored(&gone_id)]}));
    assert_eq!(refused.status, 404, "nothing new is made of it: {}", refused.text());
}

fn both_replicas_use_a_dataset_and_see_its_deletion(backend: Backend) {
    let fixture = Fixture::new(backend);
    let (one, two) = (fixture.start(&[]), fixture.start(&[]));
    let here = User::named(&one, &fixture.key, "u");
    let there = here.on(&two);
    // Whichever replica builds it, both can use it.
    let id = here.create(&(0..12).map(|number| fixture.wave(number % 3, number)).collect::<Vec<_>>());
    assert_eq!(there.built(&id)["state"], "ready");
    let asked = picture("2", "50");
    for user in [&here, &there] {
        assert_eq!(user.ask("concept/classify", &id, &asked).json()["candidates"][0]["tag"], "wave 2");
    }
    // Both replicas have it in memory; after one deletes it, the other does not find it.
    assert_eq!(there.delete(&id), 204);
    for operation in ["concept/classify", "similarImage/search"] {
        assert_eq!(here.ask(operation, &id, &asked).status, 404);
    }
    assert_eq!(here.delete(&id), 404);
    let images: u64 = [&one, &two].iter().map(|server| images_processed(server)).sum();
    assert_eq!(images, 12, "no image was looked at twice");
    eventually("the storage is reclaimed", || (fixture.files() == 0).then_some(()));
}

/// How many images of datasets a server has processed.
fn images_processed(server: &Server) -> u64 {
    let page = server.get("/metrics").text();
    let line = page.lines().find_map(|line| line.strip_prefix("kaisatsu_dataset_images_total{outcome=\"fetched\"} "));
    line.map_or(0, |count| count.parse().unwrap())
}

/// A dataset that was made with one network goes on answering, and has the joined vectors some time after the second
/// network was installed. One that was rated keeps its vectors, because its verdicts have them too.
fn a_dataset_gets_the_vectors_of_a_better_model(backend: Backend) {
    let mut fixture = Fixture::new(backend);
    let (id, rated) = {
        let server = fixture.start(&[]);
        let user = User::named(&server, &fixture.key, "u");
        let images: Vec<Value> = (0..4).map(|number| fixture.wave(number % 2, number)).collect();
        let ids = (user.create(&images), user.create(&images));
        for id in [&ids.0, &ids.1] {
            assert_eq!(user.built(id)["model"], "general");
        }
        let seen = user.ask("concept/classify", &ids.1, &picture("1", "50")).json();
        let rate = format!(
            "{}&recognitionId={}&itemId={}&isValid=true",
            user.target("feedbackToCandidate"),
            seen["recognitionId"].as_str().unwrap(),
            seen["candidates"][0]["itemId"].as_str().unwrap()
        );
        assert_eq!(kaisatsu_e2e::http::post(server.address, &rate, "application/json", b"{}").status, 204);
        ids
    };
    fixture.models = models_with(&["general", "general-lcnet", "general-joined"]);
    let server = fixture.start(&[]);
    let user = User::named(&server, &fixture.key, "u");
    let replaced = || {
        let seen = user.ask("concept/classify", &id, &picture("1", "50"));
        // Read while the vectors were being replaced: it is to be asked again.
        assert!([200, 409].contains(&seen.status), "{}", seen.text());
        assert!(seen.status == 409 || seen.json()["candidates"][0]["tag"] == "wave 1", "{}", seen.text());
        (user.built(&id)["model"] == "general-joined").then_some(())
    };
    eventually("the dataset has joined vectors", replaced);
    assert_eq!(user.ask("concept/classify", &id, &picture("0", "51")).json()["candidates"][0]["tag"], "wave 0");
    assert_eq!(user.ask("similarImage/search", &id, &picture("0", "51")).json()["candidates"][0]["tag"], "wave 0");
    assert_eq!(user.built(&rated)["model"], "general");
    assert_eq!(user.ask("concept/classify", &rated, &picture("0", "51")).json()["candidates"][0]["tag"], "wave 0");
}

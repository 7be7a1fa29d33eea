//! Datasets that are changed: the old version answers until the new one is ready, and the last change can be undone.

use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, make_key, models_with, on_every_backend, pictures::picture, run,
};
use serde_json::{Value, json};
use tempfile::TempDir;

on_every_backend![
    a_change_makes_a_version_that_can_be_undone,
    changes_add_up_while_a_version_is_built,
    a_version_that_fails_leaves_the_dataset_as_it_was,
    a_wrong_change_is_refused_and_changes_nothing,
];

struct Fixture {
    server: Server,
    user: User,
    /// The ids of the images of two tags, five each.
    images: Vec<String>,
    dataset: String,
    database: Database,
    blobs: TempDir,
    _models: TempDir,
}

impl Fixture {
    fn new(backend: Backend) -> Self {
        let (database, blobs, models) =
            (Database::fresh(backend), tempfile::tempdir().unwrap(), models_with(&["general"]));
        let key = make_key(&database, "one");
        let (storage, folder) = (format!("file:{}", blobs.path().display()), models.path().display().to_string());
        // No address is allowed, so that images with one are refused.
        let server = Server::start(&database, &["--blobs", &storage, "--models", &folder]);
        eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
        let user = User::named(&server, &key, "u");
        let mut images = Vec::new();
        for class in ["0", "1"] {
            for number in 0..5 {
                images.push(user.upload(&picture(class, &number.to_string()), &format!("wave {class}")));
            }
        }
        let named: Vec<Value> = images.iter().map(|id| json!({"imageId": id})).collect();
        let dataset = user.create(&named);
        assert_eq!(user.built(&dataset)["state"], "ready");
        Self { server, user, images, dataset, database, blobs, _models: models }
    }

    /// Sends a change; returns the status and the answer.
    fn update(&self, change: Value) -> (u16, Value) {
        let mut body = change;
        body["dataSetId"] = json!(self.dataset);
        let answer = self.user.call("userCategory/updateDataSet", &body);
        (answer.status, answer.json())
    }

    /// Waits until no version is being built.
    fn updated(&self) -> Value {
        eventually("the new version is ready", || {
            let set = self.user.dataset(&self.dataset);
            set["update"].is_null().then_some(set)
        })
    }

    fn undo(&self) -> (u16, Value) {
        let answer = self.user.call("userCategory/undoDataSet", &json!({"dataSetId": self.dataset}));
        (answer.status, answer.json())
    }

    fn best(&self, class: &str) -> Value {
        let answer = self.user.ask("concept/classify", &self.dataset, &picture(class, "50"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["candidates"][0]["tag"].clone()
    }
}

fn tags(set: &Value) -> Vec<&str> {
    set["images"].as_array().unwrap().iter().map(|image| image["tag"].as_str().unwrap()).collect()
}

fn a_change_makes_a_version_that_can_be_undone(backend: Backend) {
    let fixture = Fixture::new(backend);
    let (user, images) = (&fixture.user, &fixture.images);
    let before = user.dataset(&fixture.dataset);
    assert!(before["version"].is_null() && before["update"].is_null(), "{before}");
    assert_eq!(fixture.undo().0, 404, "nothing has changed yet");

    let third = user.upload(&picture("2", "1"), "wave 2");
    let (status, answer) = fixture.update(json!({
        "name": "waves",
        "add": [{"imageId": third}, {"imageId": user.upload(&picture("2", "2"), "x"), "tag": "wave 2"}],
        "remove": [images[0]],
        "renameTags": [{"from": "wave 1", "to": "ripple"}],
        "retag": [{"imageId": images[1], "tag": "ripple"}],
    }));
    assert_eq!((status, &answer["name"], &answer["state"]), (202, &json!("waves"), &json!("ready")), "{answer}");
    assert!(["queued", "building"].contains(&answer["update"]["state"].as_str().unwrap()), "{answer}");
    assert_eq!(answer["update"]["progress"]["total"], 11);

    let after = fixture.updated();
    assert_eq!((&after["version"], &after["progress"]["fetched"]), (&json!(2), &json!(11)), "{after}");
    let expected = ["ripple", "wave 0", "wave 0", "wave 0", "ripple", "ripple", "ripple", "ripple", "ripple"];
    assert_eq!(tags(&after)[..9], expected);
    assert_eq!(tags(&after)[9..], ["wave 2", "wave 2"]);
    assert_eq!(after["health"]["images"], 11);
    assert_eq!((fixture.best("1"), fixture.best("2")), (json!("ripple"), json!("wave 2")));

    // Undone at once, and done again.
    let (status, undone) = fixture.undo();
    assert_eq!((status, &undone["version"], &undone["state"]), (200, &json!(1), &json!("ready")), "{undone}");
    assert_eq!(tags(&user.dataset(&fixture.dataset)), tags(&before));
    assert_eq!(fixture.best("1"), "wave 1");
    assert_eq!(fixture.undo().1["version"], 2);
    assert_eq!(fixture.best("1"), "ripple");

    // A third version: the first one goes, with the images that only it had, and undoing ends at the second.
    assert_eq!(fixture.update(json!({"remove": [images[2]]})).0, 202);
    assert_eq!(fixture.updated()["version"], 3);
    assert_eq!(fixture.undo().1["version"], 2);
    let listed = user.call("userCategory/listDataSets", &json!({})).json();
    assert_eq!(listed["dataSets"].as_array().unwrap().len(), 1, "versions are no datasets of their own");

    assert_eq!(user.delete(&fixture.dataset), 204);
    let home = tempfile::tempdir().unwrap();
    let storage = format!("file:{}", fixture.blobs.path().display());
    eventually("what is left is consistent", || {
        let address = &fixture.database.address;
        let checked = run(home.path(), &["check", "--deep", "--database", address, "--blobs", &storage], &[]);
        (checked.code == 0).then_some(())
    });
    assert_eq!(fixture.server.get("/readyz").status, 200);
}

fn changes_add_up_while_a_version_is_built(backend: Backend) {
    let fixture = Fixture::new(backend);
    for image in &fixture.images[..3] {
        let (status, answer) = fixture.update(json!({"retag": [{"imageId": image, "tag": "wave 1"}]}));
        assert_eq!(status, 202, "{answer}");
    }
    let after = fixture.updated();
    assert_eq!(tags(&after)[..5], ["wave 1", "wave 1", "wave 1", "wave 0", "wave 0"]);
    // A change that is not ready yet is undone by dropping it.
    let version = after["version"].clone();
    assert_eq!(fixture.update(json!({"remove": fixture.images[5..]})).0, 202);
    let undone = fixture.undo().1;
    if undone["version"] == version {
        assert!(undone["update"].is_null(), "{undone}");
        assert_eq!(user_total(&fixture), 10);
    }
}

fn user_total(fixture: &Fixture) -> u64 {
    fixture.user.dataset(&fixture.dataset)["progress"]["total"].as_u64().unwrap()
}

fn a_version_that_fails_leaves_the_dataset_as_it_was(backend: Backend) {
    let fixture = Fixture::new(backend);
    // Addresses of this machine may not be fetched: with twelve of them, fewer than half of the images are usable.
    let denied: Vec<Value> =
        (0..12).map(|n| json!({"url": format!("http://127.0.0.1:9/{n}.jpg"), "tag": "wave 0"})).collect();
    let mut add = denied;
    add.push(json!({"imageId": fixture.images[0], "tag": "wave 0"}));
    let (status, answer) = fixture.update(json!({ "add": add }));
    assert_eq!(status, 202, "{answer}");
    let failed = eventually("the version fails", || {
        let set = fixture.user.dataset(&fixture.dataset);
        (set["update"]["state"] == "failed").then_some(set)
    });
    assert!(failed["update"]["reason"].is_string(), "{failed}");
    assert_eq!((&failed["state"], &failed["progress"]["total"]), (&json!("ready"), &json!(10)));
    assert_eq!(fixture.best("1"), "wave 1");
    // The next change begins from what answers, not from what failed.
    assert_eq!(fixture.update(json!({"confirm": [fixture.images[0]]})).0, 202);
    assert_eq!(fixture.updated()["progress"]["total"], 10);
}

fn a_wrong_change_is_refused_and_changes_nothing(backend: Backend) {
    let fixture = Fixture::new(backend);
    let image = &fixture.images[0];
    let cases = [
        (json!({}), 400, "106", "at least one of them"),
        (json!({"remove": ["img_none"]}), 404, "301", "'img_none'"),
        (json!({"remove": "all"}), 400, "106", "remove"),
        (json!({"remove": [1]}), 400, "106", "remove[0]"),
        (json!({"remove": fixture.images}), 400, "106", "no image would be left"),
        (json!({"remove": [image], "retag": [{"imageId": image, "tag": "x"}]}), 400, "106", "only be in one"),
        (json!({"retag": [{"imageId": image}]}), 400, "106", "retag[0].tag"),
        (json!({"renameTags": [{"from": "wave 9", "to": "x"}]}), 404, "301", "'wave 9'"),
        (json!({"renameTags": [{"from": "wave 1"}]}), 400, "106", "renameTags[0].to"),
        (json!({"add": [{"imageId": "img_none", "tag": "x"}]}), 404, "301", "add[0].imageId"),
        (json!({"add": [{"url": "https://example.org/a.jpg"}]}), 400, "106", "add[0].tag"),
        (json!({"name": ""}), 400, "106", "name"),
    ];
    for (change, status, code, told) in cases {
        let (found, answer) = fixture.update(change.clone());
        assert_eq!((found, &answer["error"]["code"]), (status, &json!(code)), "{change}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(told), "{change}: {answer}");
    }
    let set = fixture.user.dataset(&fixture.dataset);
    assert!(set["update"].is_null() && set["version"].is_null(), "{set}");
    assert_eq!(set["progress"]["total"], 10);
}

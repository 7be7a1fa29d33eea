//! What an operator adds: trained models, and collections for similar image search.

use std::{
    fs,
    path::{Path, PathBuf},
};

use image::{DynamicImage, ImageFormat};
use kaisatsu_e2e::{Answer, Backend, Database, Server, eventually, make_key, on_every_backend, run};
use serde_json::json;

on_every_backend![similar_images_are_found_and_removed_ones_never_again];

fn installed() -> PathBuf {
    std::env::var("KAISATSU_TEST_MODELS").expect("`make test` sets KAISATSU_TEST_MODELS").into()
}

fn photo(name: &str) -> DynamicImage {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS").expect("`make test` sets KAISATSU_TEST_PHOTOS");
    image::open(Path::new(&folder).join(name)).unwrap()
}

/// Several views of each photograph, in a folder named after it.
fn views(folder: &Path, names: &[&str], count: u32) {
    for name in names {
        let (image, class) = (photo(name), folder.join(name.split('.').next().unwrap()));
        fs::create_dir_all(&class).unwrap();
        for view in 0..count {
            let (width, height) = (image.width() * 7 / 10, image.height() * 7 / 10);
            let (x, y) = (image.width() * view / 10 / count * 3, image.height() * (view % 3) / 10);
            let cut = image.crop_imm(x, y, width, height);
            cut.to_rgb8().save_with_format(class.join(format!("{view}.png")), ImageFormat::Png).unwrap();
        }
    }
}

fn bytes(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// A model folder of links to the installed models, so that more can be added to it.
fn own_models() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["runtime", "general", "coco"] {
        std::os::unix::fs::symlink(installed().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

#[test]
fn the_runtime_keeps_no_record_of_the_machine() {
    let server = Server::start_with_models(&Database::fresh(Backend::Sqlite), &[]);
    let made = fs::read_dir(server.home()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut made: Vec<_> = made.map(|name| name.to_string_lossy().into_owned()).collect();
    made.sort();
    assert_eq!(made, [".local", "err", "out"], "ONNX Runtime makes .cache/Microsoft for its telemetry");
}

#[test]
fn a_model_is_trained_from_a_folder_in_one_command() {
    let (home, models) = (tempfile::tempdir().unwrap(), own_models());
    let photos = home.path().join("photos");
    views(&photos, &["chelsea.png", "coffee.png", "rocket.jpg"], 6);
    fs::write(photos.join("coffee/notes.txt"), "not a photograph").unwrap();
    fs::create_dir(photos.join("bowls")).unwrap();
    let flag = ["--models", models.path().to_str().unwrap()];

    let taught = run(home.path(), &[&flag[..], &["models", "teach", "things", photos.to_str().unwrap()]].concat(), &[]);
    assert_eq!(taught.code, 0, "{}", taught.err);
    assert!(taught.out.starts_with("model 'things': 3 classes from 18 photographs, by "), "{}", taught.out);
    assert!(taught.out.contains("leave-one-out accuracy: 100.0% (18 of 18)"), "{}", taught.out);
    assert!(taught.err.contains("notes.txt: the bytes are not an image"), "{}", taught.err);
    assert!(taught.err.contains("bowls: there is no photograph in it"), "{}", taught.err);
    let listed = run(home.path(), &[&flag[..], &["models", "list"]].concat(), &[]);
    assert!(listed.out.contains("things") && listed.out.contains("EfficientNet-Lite2"), "{}", listed.out);
    let checked = run(home.path(), &[&flag[..], &["models", "check"]].concat(), &[]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    // What it runs on depends on the processor.
    let lines: Vec<_> = checked.out.lines().map(|line| line.split(", runs on ").next().unwrap()).collect();
    assert_eq!(lines, ["coco: ok", "general: ok", "things: ok"], "{}", checked.out);

    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &flag);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}&modelName=things");
    let answer = server.post_form(&target, &[("image", &bytes(&photo("chelsea.png")))]).json();
    assert_eq!(answer["candidates"][0]["tag"], "chelsea", "{answer}");
    assert!(answer["candidates"][0]["score"].as_f64().unwrap() > 0.8, "{answer}");
    // A picture that resembles no training picture gets none of the classes.
    let answer = server.post_form(&target, &[("image", &bytes(&photo("text.png")))]).json();
    assert_eq!(answer["candidates"].as_array().map(Vec::len), Some(0), "{answer}");
}

#[test]
fn a_model_that_cannot_be_trained_reports_why() {
    let (home, models) = (tempfile::tempdir().unwrap(), own_models());
    let flag = ["--models", models.path().to_str().unwrap()];
    let photos = home.path().join("photos");
    views(&photos, &["coffee.png"], 2);
    let teach = |name: &str, folder: &Path| {
        run(home.path(), &[&flag[..], &["models", "teach", name, folder.to_str().unwrap()]].concat(), &[])
    };
    let one = teach("things", &photos);
    assert_eq!(one.code, 1);
    assert!(one.err.contains("expected a folder for each class, two or more"), "{}", one.err);
    let missing = teach("things", Path::new("/nonexistent"));
    assert!(missing.code == 1 && missing.err.contains("/nonexistent"), "{}", missing.err);
    let taken = teach("general", &photos);
    assert!(taken.code == 1 && taken.err.contains("choose another name"), "{}", taken.err);
    assert_eq!(teach("../x", &photos).code, 2);
    let damaged = models.path().join("broken");
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("model.toml"), "name = \"broken\"").unwrap();
    let checked = run(home.path(), &[&flag[..], &["models", "check"]].concat(), &[]);
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("broken: model.toml: missing field `task`"), "{}", checked.out);
}

fn similar_images_are_found_and_removed_ones_never_again(backend: Backend) {
    let home = tempfile::tempdir().unwrap();
    let database = Database::fresh(backend);
    let key = make_key(&database, "tests");
    let photos = home.path().join("photos");
    views(&photos, &["chelsea.png", "coffee.png", "rocket.jpg", "astronaut.png"], 4);
    let models = installed();
    let flags = ["--models", models.to_str().unwrap(), "--database", &database.address];
    let command = |args: &[&str]| run(home.path(), &[&flags[..], args].concat(), &[]);
    // Two replicas, started before there is a collection.
    let replicas = [Server::start_with_models(&database, &[]), Server::start_with_models(&database, &[])];
    let target = format!("/imageRecognition/v1/similarImage/search?APIKEY={key}");
    let cat = bytes(&photo("chelsea.png"));
    let search = |server: &Server| server.post_form(&target, &[("image", &cat), ("collection", b"things")]);
    let unknown = search(&replicas[0]);
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["message"], "similarImage/search: there is no collection 'things'");

    let import = ["collection", "import", "things", photos.to_str().unwrap(), "--url-prefix", "https://example.org/"];
    let imported = command(&import);
    assert_eq!(
        (imported.code, imported.out.as_str()),
        (0, "collection 'things': 16 images added, 0 were there, 0 left out\n"),
        "{}",
        imported.err
    );
    let again = command(&import);
    assert_eq!(again.out, "collection 'things': 0 images added, 16 were there, 0 left out\n");

    for server in &replicas {
        let filled = |answer: Answer| answer.status == 200 && answer.json()["candidates"] != serde_json::json!([]);
        eventually("the replica has taken it up", || filled(search(server)).then_some(()));
        let answer = search(server).json();
        let found = answer["candidates"].as_array().unwrap();
        assert_eq!(found.len(), 10, "{answer}");
        assert!(found[..4].iter().all(|image| image["tag"] == "chelsea"), "{answer}");
        assert_eq!(found[0]["imageUrl"], format!("https://example.org/{}", found[0]["imageId"].as_str().unwrap()));
        let scores: Vec<f64> = found.iter().map(|image| image["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] > 0.8, "{scores:?}");
        let ids = |answer: &serde_json::Value| {
            let list = answer["candidates"].as_array().unwrap();
            list.iter().map(|image| image["imageId"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&search(server).json()), ids(&answer), "the same question has the same answer");
    }
    let best = search(&replicas[0]).json()["candidates"][0]["imageId"].as_str().unwrap().to_owned();
    let removed = command(&["collection", "remove", "things", &best, "--yes"]);
    assert_eq!((removed.code, removed.out.as_str()), (0, "1 image removed\n"), "{}", removed.err);
    for server in &replicas {
        let answer = search(server).json();
        assert!(answer["candidates"].as_array().unwrap().iter().all(|image| image["imageId"] != *best), "{answer}");
    }
    let listed = command(&["collection", "list"]);
    assert!(listed.out.contains("things  15      general"), "{}", listed.out);
    let page = command(&["collection", "list", "things", "--limit", "10", "--json"]);
    let after = page.err.split_whitespace().skip_while(|word| *word != "--after").nth(1).unwrap();
    let rest = command(&["collection", "list", "things", "--after", after, "--json"]);
    assert_eq!((page.out.lines().count(), rest.out.lines().count(), rest.err.as_str()), (10, 5, ""));
    let image: serde_json::Value = serde_json::from_str(rest.out.lines().next().unwrap()).unwrap();
    let id = image["imageId"].as_str().unwrap();
    assert_eq!(image["imageUrl"], format!("https://example.org/{id}"));
    assert_eq!(id.split('/').next(), image["tag"].as_str());
    assert!(command(&["collection", "list", "things"]).out.starts_with("IMAGE "));
    let none = command(&["collection", "list", "nothing"]);
    assert!(none.code == 1 && none.err.contains("there is no collection 'nothing'"), "{}", none.err);

    // A dataset belongs to a user, and its token is checked first.
    let answer = replicas[0].post_form(&target, &[("image", &cat), ("dataSetId", b"x")]);
    assert_eq!((answer.status, answer.json()["error"]["code"].as_str()), (401, Some("117")));
    let answer = replicas[0].post_form(&target, &[("image", &cat)]);
    let told = "similarImage/search: body field collection or dataSetId is missing; collection names a public \
                collection (there is things), and dataSetId a dataset of the user's, which userCategory/listDataSets \
                lists";
    assert_eq!((answer.status, answer.json()["error"].clone()), (400, json!({"code": "106", "message": told})));
}

//! `kaisatsu models teach --extends`: an operator's classes beside those of an installed model, in one answer.

use std::{fs, io::Cursor};

use image::{ImageFormat, imageops::FilterType};
use kaisatsu_e2e::{Backend, Database, Run, Server, eventually, http, make_key, models_with, pictures::photo, run};
use serde_json::Value;

const TAUGHT: [(&str, &str); 2] = [("our wall", "brick.png"), ("our path", "gravel.png")];

/// A part of a photograph, of another place, size and direction for each number.
fn part(name: &str, number: u32) -> Vec<u8> {
    let whole = image::load_from_memory(&photo(name)).unwrap();
    let side = 90 + number * 29 % 160;
    let (x, y) = (number * 97 % (whole.width() - side), number * 61 % (whole.height() - side));
    let crop = whole.crop_imm(x, y, side, side);
    let turned = match number % 4 {
        0 => crop,
        1 => crop.rotate90(),
        2 => crop.rotate180(),
        _ => crop.fliph(),
    };
    let mut file = Cursor::new(Vec::new());
    turned.resize_exact(224, 224, FilterType::Triangle).to_rgb8().write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

struct Folders {
    home: tempfile::TempDir,
    models: tempfile::TempDir,
}

impl Folders {
    /// Twenty pictures of each class.
    fn new() -> Self {
        let installed = ["general", "general-lcnet", "general-joined", "food", "general-food", "animal"];
        let (home, models) = (tempfile::tempdir().unwrap(), models_with(&installed));
        for (name, original) in TAUGHT {
            let folder = home.path().join("photos").join(name);
            fs::create_dir_all(&folder).unwrap();
            for number in 0..20 {
                fs::write(folder.join(format!("{number}.png")), part(original, number)).unwrap();
            }
        }
        Self { home, models }
    }

    fn teach(&self, name: &str, extends: &str) -> Run {
        let (models, photos) = (self.models.path().to_str().unwrap(), self.home.path().join("photos"));
        let teach = ["--models", models, "models", "teach", name, photos.to_str().unwrap(), "--extends", extends];
        run(self.home.path(), &teach, &[])
    }
}

fn classify(server: &Server, key: &str, image: &[u8], language: &str) -> Value {
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}&language={language}");
    let answer = server.post_form(&target, &[("image", image), ("modelName", b"ours")]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[test]
fn taught_classes_and_those_of_the_model_are_answered_together() {
    let folders = Folders::new();
    let taught = folders.teach("ours", "food");
    assert_eq!(taught.code, 0, "{}{}", taught.out, taught.err);
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--models", folders.models.path().to_str().unwrap()]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));

    for (name, original) in TAUGHT {
        let seen = classify(&server, &key, &part(original, 77), "en");
        assert_eq!(seen["candidates"][0]["tag"], name, "{seen}");
        assert!(seen["candidates"][0]["score"].as_f64().unwrap() > 0.5, "{seen}");
    }
    let drink = classify(&server, &key, &photo("coffee.png"), "ja");
    let best = drink["candidates"][0]["tag"].as_str().unwrap();
    assert!(!best.is_ascii(), "a drink of the model, in Japanese: {drink}");
    assert!(classify(&server, &key, &photo("chelsea.png"), "en")["candidates"].as_array().unwrap().is_empty());

    let tags = |name: &str, text: &str| {
        let query = format!("/imageRecognition/v1/models/{name}/tags?APIKEY={key}&text={text}&limit=1");
        server.get(&query).json()
    };
    let count = |model: &str| {
        let models = server.get(&format!("/imageRecognition/v1/models?APIKEY={key}")).json();
        let models = models["tasks"][0]["models"].as_array().unwrap().clone();
        models.iter().find(|one| one["name"] == model).unwrap()["tags"].as_u64().unwrap()
    };
    assert_eq!(count("ours"), count("food") + 2);
    assert_eq!(tags("ours", "our%20wall")["tags"][0]["tag"], "our wall");
    assert_eq!(tags("ours", "ramen")["tags"], tags("food", "ramen")["tags"]);

    let rated = classify(&server, &key, &part("brick.png", 78), "en");
    let (recognition, item) = (&rated["recognitionId"], &rated["candidates"][0]["itemId"]);
    let (recognition, item) = (recognition.as_str().unwrap(), item.as_str().unwrap());
    let query = format!("APIKEY={key}&recognitionId={recognition}&itemId={item}&isValid=true");
    let target = format!("/imageRecognition/v1/feedbackToCandidate?{query}");
    assert_eq!(http::post(server.address, &target, "", b"").status, 204);
}

#[test]
fn what_cannot_be_extended_is_refused_before_anything_is_taught() {
    let folders = Folders::new();
    for (extends, reason) in [("nothing", "there is no classifier 'nothing'"), ("animal", "there is no classifier")] {
        let refused = folders.teach("ours", extends);
        assert!(refused.code != 0 && refused.err.contains(reason), "{extends}: {}", refused.err);
        assert!(!folders.models.path().join("ours").exists());
    }
    let twice = folders.home.path().join("photos/Jianbing");
    fs::create_dir(&twice).unwrap();
    fs::write(twice.join("0.png"), part("grass.png", 0)).unwrap();
    let refused = folders.teach("ours", "food");
    assert!(refused.code != 0 && refused.err.contains("'food' has a class 'Jianbing' already"), "{}", refused.err);
    fs::remove_dir_all(&twice).unwrap();
    // With so few photographs nobody can say what is none of the classes.
    for (name, _) in TAUGHT {
        for number in 3..20 {
            fs::remove_file(folders.home.path().join("photos").join(name).join(format!("{number}.png"))).unwrap();
        }
    }
    let few = folders.teach("ours", "food");
    assert!(few.code != 0 && few.err.contains("eight photographs or more"), "{}", few.err);
}

//! A dataset takes the vectors that tell its tags apart best.

use std::{fs, io::Cursor, path::Path};

use image::{ImageFormat, Rgb, RgbImage};
use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, make_key, models_with, onnx::Onnx, pictures::photo, run,
};
use serde_json::json;

/// Different photographs, so that none is a near-duplicate of another.
const PHOTOS: [&str; 16] = [
    "astronaut.png",
    "box.png",
    "brick.png",
    "camera.png",
    "chelsea.png",
    "clock_motion.png",
    "coffee.png",
    "coins.png",
    "graf1.png",
    "grass.png",
    "gravel.png",
    "horse.png",
    "hubble_deep_field.jpg",
    "leuvenA.jpg",
    "motorcycle_left.png",
    "rocket.jpg",
];

/// A photograph in grey, with a tint that hardly anybody sees.
fn tinted(name: &str, tint: [u8; 3]) -> Vec<u8> {
    let grey = image::load_from_memory(&photo(name)).unwrap().thumbnail_exact(96, 96).to_luma8();
    let image = RgbImage::from_fn(96, 96, |x, y| Rgb(tint.map(|more| grey.get_pixel(x, y).0[0].min(250) + more)));
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

const TAGS: [(&str, [u8; 3]); 2] = [("warm", [3, 0, 0]), ("cold", [0, 0, 3])];

/// A network of the name `food` that knows nothing but tints, and the ensemble that joins it to the usual vectors.
fn install_tints(models: &Path) {
    let network = Onnx::default()
        .input("input", &[0, 3, 32, 32])
        .weights("difference", &[3, 2], &[100.0, -100.0, 0.0, 0.0, -100.0, 100.0])
        .weights("same", &[2, 2], &[1.0, 0.0, 0.0, 1.0])
        .node("GlobalAveragePool", &["input"], "mean", &[])
        .node("Flatten", &["mean"], "colour", &[])
        .node("MatMul", &["colour", "difference"], "signed", &[])
        .node("Relu", &["signed"], "features", &[])
        .node("MatMul", &["features", "same"], "logits", &[])
        .output("logits", &[0, 2])
        .output("features", &[0, 2]);
    let home = tempfile::tempdir().unwrap();
    let (file, labels) = (home.path().join("food.onnx"), home.path().join("labels.txt"));
    fs::write(&file, network.file()).unwrap();
    fs::write(&labels, "warm\ncold\n").unwrap();
    let (file, labels) = (file.to_str().unwrap(), labels.to_str().unwrap());
    let add = ["models", "add", file, "--task", "classify", "--labels", labels, "--name", "food"];
    let scale = ["--mean", "127.5", "--std", "127.5"];
    let added = run(home.path(), &[&["--models", models.to_str().unwrap()][..], &add, &scale].concat(), &[]);
    assert_eq!(added.code, 0, "{} {}", added.out, added.err);

    let food = fs::read_to_string(models.join("food/model.toml")).unwrap();
    let weights = food.split("[weights]").nth(1).and_then(|rest| rest.split("sha256 = \"").nth(1)).unwrap();
    let sha256 = weights.split('"').next().unwrap();
    let joined = fs::read_to_string(models.join("general-joined/model.toml")).unwrap();
    let joined = joined.replace("\"general-joined\"", "\"general-food\"");
    fs::create_dir(models.join("general-food")).unwrap();
    let member = format!("\n[[members]]\nmodel = \"food\"\nsha256 = \"{sha256}\"\nnormalise = \"root\"\n");
    fs::write(models.join("general-food/model.toml"), joined + &member).unwrap();
}

#[test]
fn a_dataset_takes_the_vectors_of_the_network_that_sees_its_differences() {
    let models = models_with(&["general", "general-lcnet", "general-joined"]);
    install_tints(models.path());
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--models", models.path().to_str().unwrap()]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let user = User::named(&server, &key, "painter");
    for (tag, tint) in TAGS {
        for name in PHOTOS {
            let _ = user.upload(&tinted(name, tint), tag);
        }
    }
    let made = user.call("userCategory/createDataSet", &json!({"name": "tints", "from": "storage"}));
    assert_eq!(made.status, 202, "{}", made.text());
    let set = eventually("it takes the vectors that suit it", || {
        let set = user.call("userCategory/getDataSet", &json!({"name": "tints", "limit": 0})).json();
        (set["model"] == "general-food").then_some(set)
    });
    assert_eq!(set["state"], "ready", "it answers all the while");
    assert!(set["health"]["leaveOneOut"]["accuracy"].as_f64().unwrap() > 0.9, "{set}");
    for (tag, tint) in TAGS {
        let seen = user.ask("concept/classify", "tints", &tinted("moon.png", tint)).json();
        assert_eq!(seen["candidates"][0]["tag"], tag, "{seen}");
    }
}

/// A wide picture: a photograph in the middle, and at both ends the ground that its tag is about, which the centre of
/// the picture does not show.
fn on_ground(middle: &str, ground: &str) -> Vec<u8> {
    let open = |name: &str, width| image::load_from_memory(&photo(name)).unwrap().thumbnail_exact(width, 160).to_rgb8();
    let (middle, ground) = (open(middle, 160), open(ground, 160));
    let picture = RgbImage::from_fn(480, 160, |x, y| match x {
        160..320 => *middle.get_pixel(x - 160, y),
        _ => *ground.get_pixel(x % 160, y),
    });
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}

const GROUNDS: [(&str, &str); 2] = [("on text", "page.png"), ("in space", "moon.png")];

#[test]
fn a_dataset_sees_whole_pictures_where_their_centres_do_not_tell_its_tags_apart() {
    let models = models_with(&["general", "general-lcnet", "general-joined", "general-whole", "general-both"]);
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start(&database, &["--models", models.path().to_str().unwrap()]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let user = User::named(&server, &key, "painter");
    for (tag, ground) in GROUNDS {
        for name in PHOTOS {
            let _ = user.upload(&on_ground(name, ground), tag);
        }
    }
    let made = user.call("userCategory/createDataSet", &json!({"name": "grounds", "from": "storage"}));
    assert_eq!(made.status, 202, "{}", made.text());
    // Some 180 runs of two networks, which one patience may not suffice for.
    eventually("it is built", || {
        let set = user.call("userCategory/getDataSet", &json!({"name": "grounds", "limit": 0})).json();
        (set["state"] == "ready").then_some(())
    });
    let set = eventually("it takes the vectors that suit it", || {
        let set = user.call("userCategory/getDataSet", &json!({"name": "grounds", "limit": 0})).json();
        ["general-whole", "general-both"].iter().any(|name| set["model"] == *name).then_some(set)
    });
    assert_eq!(set["state"], "ready", "it answers all the while");
    assert!(set["health"]["leaveOneOut"]["accuracy"].as_f64().unwrap() > 0.9, "{set}");
    for (tag, ground) in GROUNDS {
        let seen = user.ask("concept/classify", "grounds", &on_ground("retina.jpg", ground)).json();
        assert_eq!(seen["candidates"][0]["tag"], tag, "{seen}");
    }
}

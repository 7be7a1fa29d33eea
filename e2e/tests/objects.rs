//! Object recognition as a caller and an operator see it: a catalogue is imported, and its items are recognised.

use std::{
    fs,
    path::{Path, PathBuf},
};

use image::{DynamicImage, ImageFormat, imageops::FilterType};
use kaisatsu_e2e::{Answer, Backend, Database, Run, Server, eventually, http, make_key, on_every_backend, run};
use serde_json::{Value, json};

on_every_backend![items_are_recognised_by_their_looks_and_by_their_barcodes];

/// The lines 吾輩は猫である and 新潮文庫 定価 649円, as print.
const CAT: &[u8] = include_bytes!("../../crates/vision/tests/data/lines.png");

/// The columns 人間失格 and 太宰治, as print.
const HUMAN: &[u8] = include_bytes!("../../crates/vision/tests/data/columns.png");

/// The bars of 9784101010014.
const ISBN: &[u8] = include_bytes!("data/isbn.png");

fn photos() -> PathBuf {
    std::env::var("KAISATSU_TEST_PHOTOS").expect("`make test` sets KAISATSU_TEST_PHOTOS").into()
}

fn catalogue(folder: &Path) -> PathBuf {
    let file = folder.join("catalogue.csv");
    let rows = "id,category,name,image,barcode,url,author\n\
                box,food,Bars in a box,box.png,,https://example.org/box,\n\
                graffiti,book,\"Walls, a picture book\",graf1.png,,,\n\
                town,dvd,A town,leuvenA.jpg,,,\n\
                cat,game,The cat,chelsea.png,,,\n\
                cup,food,Espresso,coffee.png|gone.png,4901234567894,,\n\
                neko,book,吾輩は猫である,,4-10-101001-3,,夏目漱石\n\
                broken,book,No picture of this name,nothing.png,,,\n\
                unknown,car,A car,box.png,,,\n";
    fs::write(&file, rows).unwrap();
    file
}

fn recognize(server: &Server, key: &str, more: &str, image: &[u8]) -> Answer {
    let target = format!("/imageRecognition/v1/recognize?APIKEY={key}{more}");
    http::post(server.address, &target, "application/octet-stream", image)
}

fn first(answer: &Value) -> (&str, &str) {
    let candidate = &answer["candidates"][0];
    (candidate["detail"]["id"].as_str().unwrap_or("none"), candidate["evidence"]["kind"].as_str().unwrap_or("none"))
}

fn png(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn items_are_recognised_by_their_looks_and_by_their_barcodes(backend: Backend) {
    let home = tempfile::tempdir().unwrap();
    let database = Database::fresh(backend);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, &[]);
    let empty = recognize(&server, &key, "", ISBN);
    assert_eq!((empty.status, empty.json()["candidates"].as_array().map(Vec::len)), (200, Some(0)));

    let file = catalogue(home.path());
    let (photos, models) = (photos(), std::env::var("KAISATSU_TEST_MODELS").unwrap());
    let command = |args: &[&str]| {
        run(home.path(), &[&["--models", &models, "--database", &database.address][..], args].concat(), &[])
    };
    let import = ["catalogue", "import", file.to_str().unwrap(), "--pictures", photos.to_str().unwrap()];
    let imported = command(&import);
    assert_eq!((imported.code, imported.out.as_str()), (0, "6 items added, 0 were there, 2 rows left out\n"));
    let name = file.display();
    assert!(imported.err.contains(&format!("{name}:8: picture nothing.png: No such file")), "{}", imported.err);
    let without =
        format!("{name}:6: picture gone.png: No such file or directory (os error 2); the item is kept without it");
    assert!(imported.err.contains(&without), "{}", imported.err);
    assert!(imported.err.contains(&format!("{name}:9: category is 'car' and must be one of")), "{}", imported.err);
    assert_eq!(command(&import).out, "0 items added, 6 were there, 2 rows left out\n", "it can be run again");
    assert_eq!(
        command(&["catalogue", "count"]).out,
        "CATEGORY  ITEMS\nbook      2\ndvd       1\nfood      2\ngame      1\n"
    );

    let page = command(&["catalogue", "list", "--limit", "4", "--json"]);
    let items =
        |page: &Run| -> Vec<Value> { page.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect() };
    assert_eq!(items(&page).len(), 4);
    let all = command(&["catalogue", "list", "--json"]);
    let neko = items(&all).into_iter().find(|item| item["id"] == "neko").unwrap();
    assert_eq!((&neko["category"], &neko["barcodes"]), (&json!("book"), &json!(["9784101010014"])));
    assert_eq!(neko["detail"]["author"], "夏目漱石");
    let after = page.err.split_whitespace().skip_while(|word| *word != "--after").nth(1).unwrap();
    // The name that the command had before.
    let rest = command(&["catalog", "list", "--json", "--after", after]);
    assert_eq!((items(&rest).len(), rest.err.as_str()), (2, ""), "none twice, none left out");
    let games = command(&["catalogue", "list", "--category", "game"]).out;
    assert_eq!(games.lines().count(), 2, "{games}");
    assert!(games.starts_with("ID "), "{games}");

    // Barcodes are looked up in the database; every server adds the descriptors to its index within a second.
    let box_in_scene = fs::read(photos.join("box_in_scene.png")).unwrap();
    eventually("the catalogue is taken up", || {
        (first(&recognize(&server, &key, "", &box_in_scene).json()) == ("box", "looks")).then_some(())
    });
    let answer = recognize(&server, &key, "", ISBN).json();
    assert_eq!(answer["candidates"][0]["evidence"]["barcode"], "9784101010014");
    assert_eq!(
        answer["candidates"][0]["detail"],
        json!({"itemName": "吾輩は猫である", "id": "neko", "author": "夏目漱石"})
    );

    // The box is half hidden in a scene; the wall is seen from the side; the town is darker.
    for (photo, item) in [("box_in_scene.png", "box"), ("graf3.png", "graffiti"), ("leuvenB.jpg", "town")] {
        let answer = recognize(&server, &key, "", &fs::read(photos.join(photo)).unwrap());
        assert_eq!(answer.status, 200, "{}", answer.text());
        let answer = answer.json();
        assert_eq!(first(&answer), (item, "looks"), "{photo}: {answer}");
        assert!(answer["candidates"][0]["evidence"]["inliers"].as_u64().unwrap() >= 20, "{photo}: {answer}");
        assert!(answer["candidates"][0]["score"].as_f64().unwrap() >= 0.9, "{photo}: {answer}");
    }
    let scene = image::open(photos.join("box_in_scene.png")).unwrap();
    let answer = recognize(&server, &key, "", &png(&scene.rotate90())).json();
    assert_eq!(first(&answer), ("box", "looks"), "a photograph that lies on its side: {answer}");
    let place = &answer["candidates"][0]["evidence"];
    assert!(place["xMax"].as_f64().unwrap() <= 384.0 && place["yMax"].as_f64().unwrap() <= 512.0, "{answer}");
    let corners = answer["candidates"][0]["corners"].as_array().unwrap();
    assert!(corners.len() == 4 && corners.iter().all(|corner| corner["x"].is_number() && corner["y"].is_number()));
    // The box stands about the middle of the scene.
    let middle = |at: &str| corners.iter().map(|corner| corner[at].as_f64().unwrap()).sum::<f64>() / 4.0;
    assert!((100.0..300.0).contains(&middle("x")) && (100.0..400.0).contains(&middle("y")), "{answer}");
    // Things that are in no catalogue are no candidates.
    for photo in ["rocket.jpg", "astronaut.png", "motorcycle_left.png", "page.png"] {
        let answer = recognize(&server, &key, "", &fs::read(photos.join(photo)).unwrap()).json();
        assert_eq!(answer["candidates"], json!([]), "{photo}");
    }
    // One category only.
    assert_eq!(first(&recognize(&server, &key, "&recog=food", &box_in_scene).json()).0, "box");
    assert_eq!(recognize(&server, &key, "&recog=book", &box_in_scene).json()["candidates"], json!([]));

    // Feedback works on a candidate of this function too.
    let answer = recognize(&server, &key, "", &box_in_scene).json();
    let (recognition, item) = (&answer["recognitionId"], &answer["candidates"][0]["itemId"]);
    let rated = format!(
        "/imageRecognition/v1/feedbackToCandidate?APIKEY={key}&recognitionId={}&itemId={}&isValid=true",
        recognition.as_str().unwrap(),
        item.as_str().unwrap()
    );
    assert_eq!(http::post(server.address, &rated, "", b"").status, 204);

    assert_eq!(command(&["catalogue", "remove", "box", "--yes"]).out, "1 item removed\n");
    assert_eq!(recognize(&server, &key, "", &box_in_scene).json()["candidates"], json!([]), "at once");
    bad_requests(&server, &key);
}

/// Two books of the same design: nearly all features of one are on the other as well, and the title decides.
#[test]
fn of_two_editions_in_one_design_the_printed_title_decides() {
    let home = tempfile::tempdir().unwrap();
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let cover = |title: &[u8]| {
        let mut cover =
            image::open(photos().join("motorcycle_left.png")).unwrap().resize(900, 900, FilterType::Triangle);
        let title = image::load_from_memory(title).unwrap().resize(400, 260, FilterType::CatmullRom);
        image::imageops::overlay(&mut cover, &title, 30, 30);
        cover
    };
    for (file, title) in [("cat.png", CAT), ("human.png", HUMAN)] {
        cover(title).save(home.path().join(file)).unwrap();
    }
    let file = home.path().join("books.csv");
    fs::write(&file, "id,category,name,image\ncat,book,吾輩は猫である,cat.png\nhuman,book,人間失格,human.png\n")
        .unwrap();
    let models = std::env::var("KAISATSU_TEST_MODELS").unwrap();
    let import = ["--models", &models, "--database", &database.address, "catalogue", "import", file.to_str().unwrap()];
    assert_eq!(run(home.path(), &import, &[]).code, 0);

    let server = Server::start_with_models(&database, &[]);
    for (title, id, text) in [(CAT, "cat", "吾輩は猫である"), (HUMAN, "human", "人間失格")] {
        let photograph = cover(title).resize(700, 700, FilterType::Triangle).brighten(-25).blur(0.7);
        let answer = recognize(&server, &key, "", &png(&photograph)).json();
        assert_eq!(answer["candidates"].as_array().map(Vec::len), Some(2), "{answer}");
        assert_eq!(first(&answer), (id, "looks"), "{answer}");
        assert_eq!(answer["candidates"][0]["evidence"]["matchedText"], text, "{answer}");
        let score = |at: usize| answer["candidates"][at]["score"].as_f64().unwrap();
        assert!(score(0) > 0.9 && score(1) < score(0) - 0.1, "{answer}");
    }
}

fn bad_requests(server: &Server, key: &str) {
    for (more, kind, status, code, message) in [
        (
            "&recog=car",
            "image/png",
            400,
            "104",
            "query parameter recog must be one of product-all, book, cd, dvd, game, software, food",
        ),
        ("&numOfCandidates=51", "image/png", 400, "111", "query parameter numOfCandidates must be from 1 to 50"),
        (
            "",
            "text/plain",
            415,
            "105",
            "the Content-Type must be application/octet-stream or image/*; the body is the image itself",
        ),
        ("", "image/jpeg", 400, "105", "the image is empty: it has no bytes"),
    ] {
        let target = format!("/imageRecognition/v1/recognize?APIKEY={key}{more}");
        let answer = http::post(server.address, &target, kind, b"");
        let expected = json!({"error": {"code": code, "message": format!("recognize: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{more} {kind}");
    }
}

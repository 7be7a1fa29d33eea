//! Thumbnails of collections and of the catalogue: who gets them, how browsers keep them, and when they are erased.

use std::{fs, path::Path};

use kaisatsu_e2e::{
    Answer, Backend, Database, Server, eventually, http, make_key, make_key_with_scope, models_with, on_every_backend,
    pictures::{photo, picture},
    run,
};
use serde_json::Value;

on_every_backend![
    an_image_of_a_collection_has_a_thumbnail_as_long_as_it_is_there,
    an_item_has_a_thumbnail_of_its_first_picture,
];

fn server(database: &Database, blobs: &Path, models: &[&str]) -> Server {
    let models = models_with(models);
    let flags = ["--models", &models.path().display().to_string(), "--blobs", &format!("file:{}", blobs.display())];
    let server = Server::start(database, &flags);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    server
}

fn with_key(address: &Value, key: &str) -> String {
    format!("{}&APIKEY={key}", address.as_str().unwrap_or_else(|| panic!("an address: {address}")))
}

fn size_of(thumbnail: &Answer) -> (u32, u32) {
    assert_eq!((thumbnail.status, thumbnail.header("content-type")), (200, Some("image/jpeg")));
    let seen = image::load_from_memory(&thumbnail.body).unwrap();
    (seen.width(), seen.height())
}

/// The files in a folder and the folders in it.
fn files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.map(|entry| entry.unwrap().path()).map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
}

fn an_image_of_a_collection_has_a_thumbnail_as_long_as_it_is_there(backend: Backend) {
    let (database, blobs, home) =
        (Database::fresh(backend), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = server(&database, blobs.path(), &["general"]);
    let (operator, other) = (make_key_with_scope(&database, "museum", "operator"), make_key(&database, "visitor"));
    let collections = format!("/imageRecognition/v1/similarImage/collections?APIKEY={operator}");
    let add = |id: &str, url: &str, file: &[u8]| {
        let fields: &[(&str, &[u8])] =
            &[("collection", b"waves"), ("imageId", id.as_bytes()), ("imageUrl", url.as_bytes()), ("image", file)];
        let added = server.post_form(&collections, fields);
        assert_eq!(added.status, 200, "{}", added.text());
    };
    add("0/1 é.jpg", "https://example.org/0/1 é.jpg", &photo("coffee.png"));
    add("0/2.jpg", "https://example.org/2", &picture("0", "2"));
    let list = format!("/imageRecognition/v1/similarImage/collections/images?APIKEY={operator}&collection=waves");
    let listed = server.get(&list).json()["images"].clone();
    assert_eq!(listed[0]["imageUrl"], "https://example.org/0/1%20%C3%A9.jpg", "a valid address");

    // Whoever may search the collection gets the thumbnails of what is found.
    let search = || {
        let target = format!("/imageRecognition/v1/similarImage/search?APIKEY={other}&collection=waves&minScore=0");
        server.post_form(&target, &[("image", &photo("coffee.png"))]).json()["candidates"].clone()
    };
    let found = search();
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    assert_eq!(found[0]["thumbnailUrl"], listed[0]["thumbnailUrl"]);
    let address = with_key(&found[0]["thumbnailUrl"], &other);
    let thumbnail = server.get(&address);
    assert_eq!(size_of(&thumbnail), (256, 171), "the shape of the photograph");
    assert_eq!(thumbnail.header("cache-control"), Some("private, max-age=3600"));
    let plain = address.split("&version=").next().unwrap();
    let plain = server.get(&format!("{plain}&APIKEY={other}"));
    assert_eq!((plain.status, plain.header("cache-control")), (200, Some("private, no-cache")));
    let etag = format!("If-None-Match: {}\r\n", thumbnail.header("etag").unwrap());
    let again = http::request(server.address, "GET", &address, &etag);
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(server.get(found[0]["thumbnailUrl"].as_str().unwrap()).status, 401, "not without a key");

    // Another picture under the same id has another address; the first one is erased from the storage.
    add("0/1 é.jpg", "https://example.org/1", &picture("7", "1"));
    let replaced = server.get(&list).json()["images"][0]["thumbnailUrl"].clone();
    assert_ne!(replaced, listed[0]["thumbnailUrl"]);
    assert_ne!(server.get(&with_key(&replaced, &other)).body, thumbnail.body);
    eventually("the first one is erased", || (files(blobs.path()) == 2).then_some(()));
    check(&database, blobs.path(), home.path(), 2);

    let removed = http::request(server.address, "DELETE", &format!("{collections}&collection=waves"), "");
    assert_eq!(removed.status, 204);
    assert_eq!(server.get(&address).status, 404);
    eventually("both are erased", || (files(blobs.path()) == 0).then_some(()));
    check(&database, blobs.path(), home.path(), 0);

    let message = |query: &str| {
        let refused = server.get(&format!("/imageRecognition/v1/thumbnail?APIKEY={other}{query}"));
        (refused.status, refused.json()["error"]["message"].as_str().unwrap().to_owned())
    };
    let missing = "thumbnail: query parameter id, or collection with imageId, is missing";
    assert_eq!(message(""), (400, missing.to_owned()));
    assert_eq!(message("&collection=waves"), (400, "thumbnail: query parameter imageId is missing".to_owned()));
    assert_eq!(message("&id=x&imageId=y").0, 400);
    assert_eq!(message("&id=x").0, 404);
}

/// `kaisatsu check` finds the thumbnails, and nothing wrong with them.
fn check(database: &Database, blobs: &Path, home: &Path, expected: usize) {
    let flags = ["--database", &database.address, "--blobs", &format!("file:{}", blobs.display())];
    let checked = run(home, &[&flags[..], &["check", "--deep"]].concat(), &[]);
    let counted = format!("in the storage, {expected} images in the database\nall is well\n");
    assert!(checked.code == 0 && checked.out.ends_with(&counted), "{}", checked.out);
}

fn an_item_has_a_thumbnail_of_its_first_picture(backend: Backend) {
    let (database, blobs) = (Database::fresh(backend), tempfile::tempdir().unwrap());
    let server = server(&database, blobs.path(), &["local-features"]);
    let (operator, other) = (make_key_with_scope(&database, "shop", "operator"), make_key(&database, "visitor"));
    let items = format!("/imageRecognition/v1/catalogue/items?APIKEY={operator}");
    let fields: &[(&str, &[u8])] = &[
        ("id", b"box"),
        ("category", b"food"),
        ("name", b"Box"),
        ("image", &photo("box.png")),
        ("image", &photo("coffee.png")),
    ];
    let added = server.post_form(&items, fields);
    assert_eq!(added.status, 200, "{}", added.text());
    let address = with_key(&added.json()["thumbnailUrl"], &other);
    let (width, height) = size_of(&server.get(&address));
    let first = image::load_from_memory(&photo("box.png")).unwrap();
    assert_eq!(width.max(height), 256);
    assert_eq!(width > height, first.width() > first.height(), "the first picture");
    let target = format!("/imageRecognition/v1/recognize?APIKEY={other}");
    let found = http::post(server.address, &target, "image/png", &photo("box_in_scene.png")).json();
    let found = &found["candidates"][0];
    assert_eq!(found["thumbnailUrl"], added.json()["thumbnailUrl"]);
    // An item that is known by its barcode only has none.
    let fields: &[(&str, &[u8])] =
        &[("id", b"tea"), ("category", b"food"), ("name", b"Tea"), ("barcode", b"4901234567894")];
    assert!(server.post_form(&items, fields).json().get("thumbnailUrl").is_none());

    let removed = http::request(server.address, "DELETE", &format!("{items}&id=box"), "");
    assert_eq!((removed.status, server.get(&address).status), (204, 404));
    eventually("it is erased", || (files(blobs.path()) == 0).then_some(()));
}

/// What is imported on the command line has thumbnails too; what an older version imported gets them when it is
/// imported again, and works without.
#[test]
fn imports_make_thumbnails_and_a_backup_has_them() {
    let (database, home) = (Database::fresh(Backend::Sqlite), tempfile::tempdir().unwrap());
    let (photos, data) = (home.path().join("photos"), home.path().join("data"));
    fs::create_dir_all(photos.join("cups")).unwrap();
    fs::write(photos.join("cups/a b.png"), photo("coffee.png")).unwrap();
    fs::write(photos.join("box.png"), photo("box.png")).unwrap();
    fs::write(photos.join("items.csv"), "id,category,name,image\nbox,food,Box,box.png\n").unwrap();
    let models = models_with(&["general", "local-features"]);
    let (models, blobs) = (models.path().display().to_string(), format!("file:{}", data.join("blobs").display()));
    let flags = ["--models", &models, "--database", &database.address, "--blobs", &blobs];
    let command = |args: &[&str]| {
        let ran = run(home.path(), &[&flags[..], args].concat(), &[]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        ran.out
    };
    let (folder, list) = (photos.join("cups").display().to_string(), photos.join("items.csv").display().to_string());
    let collection = ["collection", "import", "cups", &folder, "--url-prefix", "https://example.org/"];
    command(&collection);
    assert_eq!(command(&["catalogue", "import", &list]), "1 item added, 0 were there, 0 rows left out\n");
    assert_eq!(command(&["catalogue", "import", &list]), "0 items added, 1 were there, 0 rows left out\n");
    assert_eq!(files(&data.join("blobs")), 2);
    let copy = home.path().join("copy");
    assert!(command(&["backup", copy.to_str().unwrap()]).ends_with("checked: all is well\n"));
    assert_eq!(files(&copy.join("images")), 2);

    // As it was before thumbnails were kept.
    database.run("UPDATE collection_image SET thumbnail = NULL; UPDATE catalogue_item SET thumbnail = NULL");
    database.run("UPDATE blob SET state = 'loose'");
    let server = Server::start(&database, &flags[..2].iter().chain(&flags[4..]).copied().collect::<Vec<_>>());
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let key = make_key_with_scope(&database, "shop", "operator");
    let item = || server.get(&format!("/imageRecognition/v1/catalogue/items?APIKEY={key}")).json()["items"][0].clone();
    let image = || {
        let target = format!("/imageRecognition/v1/similarImage/collections/images?APIKEY={key}&collection=cups");
        server.get(&target).json()["images"][0].clone()
    };
    assert!(item().get("thumbnailUrl").is_none() && image().get("thumbnailUrl").is_none());
    assert_eq!(image()["imageUrl"], "https://example.org/a%20b.png");
    eventually("the bytes are erased", || (files(&data.join("blobs")) == 0).then_some(()));
    assert_eq!(command(&["catalogue", "import", &list]), "1 item added, 0 were there, 0 rows left out\n");
    command(&[&collection[..], &["--again"]].concat());
    for address in [&item()["thumbnailUrl"], &image()["thumbnailUrl"]] {
        assert_eq!(server.get(&with_key(address, &key)).status, 200);
    }
    assert!(command(&["check", "--deep"]).ends_with("2 images in the database\nall is well\n"));
}

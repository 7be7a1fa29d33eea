//! Every kind of image file that a caller may send, valid or not, and the exact answer to each.

mod formats;
mod orientation;
mod refusals;
mod sizes;

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, codecs::jpeg::JpegEncoder};
use kaisatsu_e2e::{
    Answer, Backend, Database, Server, User, eventually, http, make_key, make_key_with_scope, pictures::picture,
};

fn photo(name: &str) -> Vec<u8> {
    let folder = std::env::var("KAISATSU_TEST_PHOTOS").expect("`make test` sets KAISATSU_TEST_PHOTOS");
    std::fs::read(std::path::Path::new(&folder).join(name)).unwrap()
}

fn start(args: &[&str]) -> (Database, String, Server) {
    let database = Database::fresh(Backend::Sqlite);
    let key = make_key(&database, "tests");
    let server = Server::start_with_models(&database, args);
    (database, key, server)
}

fn coffee() -> DynamicImage {
    image::load_from_memory(&photo("coffee.png")).unwrap()
}

fn written(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

fn jpeg(image: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.to_rgb8().write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, 92)).unwrap();
    bytes
}

/// Sends a picture to every function that takes one; each answer with its operation.
fn ask_everything(server: &Server, key: &str, image: &[u8]) -> Vec<(&'static str, Answer)> {
    let user = User::named(server, key, "u");
    let recognized = http::post(server.address, &user.target("recognize"), "application/octet-stream", image);
    let form = |operation| (operation, user.send(operation, &[("image", image)]));
    vec![
        ("recognize", recognized),
        form("concept/classify"),
        form("objectDetection/detect"),
        form("userCategory/uploadImage"),
        ("similarImage/search", user.send("similarImage/search", &[("image", image), ("collection", b"waves")])),
    ]
}

/// Adds a collection `waves` with an image, as an operator.
fn fill_collection(database: &Database, server: &Server) {
    let operator = make_key_with_scope(database, "operator", "operator");
    let target = format!("/imageRecognition/v1/similarImage/collections?APIKEY={operator}");
    let fields: &[(&str, &[u8])] = &[("collection", b"waves"), ("imageId", b"1"), ("image", &picture("1", "1"))];
    assert_eq!(server.post_form(&target, fields).status, 200);
    let key = make_key(database, "tests");
    let target = format!("/imageRecognition/v1/similarImage/search?APIKEY={key}");
    let fields: &[(&str, &[u8])] = &[("collection", b"waves"), ("image", &picture("1", "1"))];
    eventually("the collection is known", || (server.post_form(&target, fields).status == 200).then_some(()));
}

fn ask(server: &Server, key: &str, image: &[u8]) -> Answer {
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={key}&numOfCandidates=1");
    server.post_form(&target, &[("image", image)])
}

//! The catalogue and the collections over HTTP, as an operator and everybody else see them.

use kaisatsu_e2e::{
    Answer, Backend, Database, Server, eventually, http, make_key, make_key_with_scope, models_with, on_every_backend,
    pictures::{photo, picture},
    run,
};
use serde_json::{Value, json};

on_every_backend![
    items_are_added_listed_recognised_and_removed,
    collections_are_filled_listed_searched_and_removed,
    a_key_does_what_its_scope_allows,
];

const ITEMS: &str = "catalogue/items";
const COLLECTIONS: &str = "similarImage/collections";

/// The bars of 9784101010014.
const ISBN: &[u8] = include_bytes!("data/isbn.png");

/// A caller with a key.
struct Caller<'a> {
    server: &'a Server,
    key: String,
}

impl Caller<'_> {
    fn target(&self, operation: &str, query: &str) -> String {
        format!("/imageRecognition/v1/{operation}?APIKEY={}{query}", self.key)
    }

    fn get(&self, operation: &str, query: &str) -> Answer {
        self.server.get(&self.target(operation, query))
    }

    fn post(&self, operation: &str, fields: &[(&str, &[u8])]) -> Answer {
        self.server.post_form(&self.target(operation, ""), fields)
    }

    fn delete(&self, operation: &str, query: &str) -> Answer {
        http::request(self.server.address, "DELETE", &self.target(operation, query), "")
    }

    fn recognise(&self, image: &[u8]) -> Value {
        let answer = http::post(self.server.address, &self.target("recognize", ""), "image/png", image);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["candidates"].clone()
    }

    /// All pages of a list, each of two rows.
    fn all(&self, operation: &str, query: &str, rows: &str) -> Vec<Value> {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(operation, &format!("{query}&limit=2{cursor}"));
            assert_eq!(page.status, 200, "{}", page.text());
            let page = page.json();
            assert!(page[rows].as_array().unwrap().len() <= 2, "{page}");
            seen.extend(page[rows].as_array().unwrap().clone());
            let Some(next) = page["nextCursor"].as_str() else { return seen };
            cursor = format!("&cursor={next}");
        }
    }
}

fn server(database: &Database, models: &[&str]) -> Server {
    let models = models_with(models);
    let server = Server::start(database, &["--models", &models.path().display().to_string()]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    server
}

fn error(answer: &Answer) -> (u16, String, String) {
    let error = &answer.json()["error"];
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    (answer.status, text("code"), text("message"))
}

fn items_are_added_listed_recognised_and_removed(backend: Backend) {
    let database = Database::fresh(backend);
    let replicas = [server(&database, &["local-features"]), server(&database, &["local-features"])];
    let callers =
        replicas.each_ref().map(|server| Caller { server, key: make_key_with_scope(&database, "shop", "operator") });
    let [here, there] = &callers;
    let (pack, scene) = (photo("box.png"), photo("box_in_scene.png"));
    assert_eq!(here.get(ITEMS, "").json(), json!({"items": []}));

    let added = here.post(
        ITEMS,
        &[
            ("id", b"box"),
            ("category", b"food"),
            ("name", "箱".as_bytes()),
            ("maker", b"A maker"),
            ("url", b"https://example.org/box"),
            ("image", &pack),
        ],
    );
    assert_eq!(added.status, 200, "{}", added.text());
    let thumbnail = added.json()["thumbnailUrl"].clone();
    assert!(thumbnail.as_str().unwrap().starts_with("/imageRecognition/v1/thumbnail?id=box&version="), "{thumbnail}");
    let item = json!({
        "id": "box", "thumbnailUrl": thumbnail,
        "category": "food", "name": "箱", "barcodes": [], "pictures": 1, "imageUrl": "",
        "detail": {"itemName": "箱", "id": "box", "maker": "A maker"},
        "sites": [{"url": "https://example.org/box", "title": "箱", "imageUrl": ""}],
    });
    assert_eq!(added.json(), item);
    for (id, code) in [("neko", "4-10-101001-3"), ("tea", "4901234567894")] {
        let fields: &[(&str, &[u8])] =
            &[("id", id.as_bytes()), ("category", b"book"), ("name", id.as_bytes()), ("barcode", code.as_bytes())];
        assert_eq!(here.post(ITEMS, fields).status, 200);
    }
    // Every replica lists it at once, and recognises it within a second.
    let ids = |caller: &Caller<'_>, query: &str| -> Vec<String> {
        caller.all(ITEMS, query, "items").iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    for caller in &callers {
        assert_eq!(ids(caller, ""), ["box", "neko", "tea"]);
        assert_eq!(ids(caller, "&category=book"), ["neko", "tea"]);
        assert_eq!(ids(caller, "&barcode=9784101010014"), ["neko"]);
        assert_eq!(ids(caller, "&barcode=5"), [""; 0]);
        assert_eq!(caller.get(ITEMS, "&id=box").json()["items"], json!([item]));
        if caller.server.address == there.server.address {
            eventually("it is recognised", || (!caller.recognise(&scene)[0].is_null()).then_some(()));
        }
        assert_eq!(caller.recognise(&scene)[0]["detail"]["maker"], "A maker", "at once where it was added");
        assert_eq!(caller.recognise(ISBN)[0]["detail"]["id"], "neko");
    }
    // The same id again replaces it.
    let fields: &[(&str, &[u8])] =
        &[("id", b"neko"), ("category", b"book"), ("name", b"Kokoro"), ("barcode", b"9784101010014")];
    assert_eq!(here.post(ITEMS, fields).json()["name"], "Kokoro");
    assert_eq!(ids(here, ""), ["box", "neko", "tea"]);

    let neither = "catalogue/items: query parameter id or barcode is missing";
    assert_eq!(error(&here.delete(ITEMS, "")), (400, "103".to_owned(), neither.to_owned()));
    assert_eq!(error(&here.delete(ITEMS, "&id=a&barcode=5")).1, "104");
    let gone = here.delete(ITEMS, "&id=box");
    assert_eq!((gone.status, gone.body.len()), (204, 0));
    let missing = "catalogue/items: there is no such item in the catalogue";
    for query in ["&id=box", "&barcode=4902102072618"] {
        assert_eq!(error(&here.delete(ITEMS, query)), (404, "301".to_owned(), missing.to_owned()));
    }
    assert_eq!(there.recognise(&scene), json!([]), "at once, on every replica");
    assert_eq!(there.delete(ITEMS, "&barcode=410101001X").status, 404);
    assert_eq!(there.delete(ITEMS, "&barcode=978-4-10-101001-4").status, 204);
    assert_eq!(here.recognise(ISBN), json!([]));
    assert_eq!(ids(here, ""), ["tea"]);
    bad_items(here);
}

fn bad_items(caller: &Caller<'_>) {
    let nothing =
        "body field image or barcode is missing: there is neither a picture nor a barcode to know the item by";
    let categories = "must be one of book, cd, dvd, game, software, food";
    let (named, code) =
        ([("id", &b"x"[..]), ("category", b"book"), ("name", b"x")], ("barcode", &b"4901234567894"[..]));
    let with = |more: &[(&'static str, &'static [u8])]| [&named[..], more].concat();
    for (fields, code, message) in [
        (vec![], "106", "body field category is missing".to_owned()),
        (named[1..].iter().copied().chain([code]).collect(), "106", "body field id is missing".to_owned()),
        (with(&[]), "106", nothing.to_owned()),
        (
            vec![("id", b"x"), ("category", b"car"), ("name", b"x")],
            "106",
            format!("body field category is 'car' and {categories}"),
        ),
        (with(&[("barcode", b"49")]), "106", "body field barcode '49' has a wrong check digit or length".to_owned()),
        (with(&[("name", b"y")]), "106", "body field name is given more than once".to_owned()),
        (
            with(&[("sites", b"x")]),
            "106",
            "body field sites must be a list of objects with url, title and imageUrl, in JSON".to_owned(),
        ),
        (
            with(&[("image", b"no picture")]),
            "105",
            "the bytes are not an image in a format we read; send JPEG, PNG, GIF, BMP, TIFF or WebP".to_owned(),
        ),
        (with(&[("image", ISBN), ("image", b"")]), "105", "image 2: the image is empty: it has no bytes".to_owned()),
        (with(&[("image", ISBN); 17]), "110", "an item has at most 16 pictures; image is given more often".to_owned()),
    ] {
        let answer = caller.post(ITEMS, &fields);
        assert_eq!(error(&answer), (400, code.to_owned(), format!("catalogue/items: {message}")));
    }
    let plain = http::post(caller.server.address, &caller.target(ITEMS, ""), "image/png", ISBN);
    assert_eq!((plain.status, error(&plain).1.as_str()), (415, "105"));
    for (query, code) in [("&limit=0", "111"), ("&limit=x", "104"), ("&cursor=%20", "104"), ("&id=", "104")] {
        assert_eq!(error(&caller.get(ITEMS, query)).1, code, "{query}");
    }
}

fn collections_are_filled_listed_searched_and_removed(backend: Backend) {
    let database = Database::fresh(backend);
    let replicas = [server(&database, &["general"]), server(&database, &["general"])];
    let callers =
        replicas.each_ref().map(|server| Caller { server, key: make_key_with_scope(&database, "museum", "operator") });
    let [here, there] = &callers;
    assert_eq!(here.get(COLLECTIONS, "").json(), json!({"collections": []}));
    let add = |collection: &str, class: &str, number: &str| {
        let (id, file) = (format!("{class}/{number}.jpg"), picture(class, number));
        let url = format!("https://example.org/{id}");
        let fields: &[(&str, &[u8])] = &[
            ("collection", collection.as_bytes()),
            ("imageId", id.as_bytes()),
            ("tag", class.as_bytes()),
            ("imageUrl", url.as_bytes()),
            ("image", &file),
        ];
        here.post(COLLECTIONS, fields)
    };
    let first = add("waves-1", "0", "1");
    assert_eq!(first.status, 200, "{}", first.text());
    let first = first.json();
    assert_eq!(
        (&first["collection"], &first["images"], &first["modelName"]),
        (&json!("waves-1"), &json!(1), &json!("general"))
    );
    for number in ["2", "3"] {
        assert_eq!(add("waves-1", "0", number).status, 200);
    }
    assert_eq!(add("waves-1", "0", "3").json()["images"], 3, "the same id again replaces it");
    let script: &[(&str, &[u8])] =
        &[("collection", b"waves-1"), ("imageId", b"x"), ("imageUrl", b"javascript:alert(1)"), ("image", b"")];
    let rule = "similarImage/collections: body field imageUrl must be an address that begins with http:// or https://";
    assert_eq!(error(&here.post(COLLECTIONS, script)), (400, "106".to_owned(), rule.to_owned()));
    for name in ["b", "c"] {
        assert_eq!(add(name, "4", "1").status, 200);
    }
    let names: Vec<_> = here.all(COLLECTIONS, "", "collections").iter().map(|one| one["collection"].clone()).collect();
    assert_eq!(names, ["waves-1", "b", "c"]);
    let images = here.all("similarImage/collections/images", "&collection=waves-1", "images");
    assert_eq!(images.len(), 3);
    let address = images[0]["thumbnailUrl"].as_str().unwrap();
    assert!(address.starts_with("/imageRecognition/v1/thumbnail?collection=waves-1&imageId=0/1.jpg&version="));
    let url = "https://example.org/0/1.jpg";
    assert_eq!(images[0], json!({"imageId": "0/1.jpg", "imageUrl": url, "tag": "0", "thumbnailUrl": address}));

    let search = |caller: &Caller<'_>| {
        let target = caller.target("similarImage/search", "");
        caller.server.post_form(&target, &[("image", &picture("0", "1")), ("collection", b"waves-1")])
    };
    let best = |answer: Answer| answer.json()["candidates"][0]["imageId"].as_str().map(str::to_owned);
    assert_eq!(best(search(here)).as_deref(), Some("0/1.jpg"), "at once where it was added");
    eventually("it is found", || (best(search(there)).as_deref() == Some("0/1.jpg")).then_some(()));
    assert_eq!(here.delete(COLLECTIONS, "&collection=waves-1&imageId=0%2F1.jpg").status, 204);
    for caller in &callers {
        assert_ne!(best(search(caller)).as_deref(), Some("0/1.jpg"), "at once, on every replica");
    }
    let gone = here.delete(COLLECTIONS, "&collection=waves-1&imageId=0%2F1.jpg");
    let told = "similarImage/collections: the collection has no such image; imageId is what it was added with";
    assert_eq!(error(&gone), (404, "301".to_owned(), told.to_owned()));

    // A removed collection is gone, and one of the same name begins anew.
    assert_eq!(here.delete(COLLECTIONS, "&collection=waves-1").status, 204);
    let told = "similarImage/collections: there is no collection 'waves-1'";
    assert_eq!(error(&there.delete(COLLECTIONS, "&collection=waves-1")), (404, "301".to_owned(), told.to_owned()));
    assert_eq!(there.all(COLLECTIONS, "", "collections").len(), 2);
    assert_eq!(search(here).status, 404, "at once where it was removed");
    eventually("it is unknown", || (search(there).status == 404).then_some(()));
    assert_eq!(add("waves-1", "0", "9").json()["images"], 1);
    for caller in &callers {
        if caller.server.address == there.server.address {
            eventually("it is found", || (best(search(caller)).as_deref() == Some("0/9.jpg")).then_some(()));
        }
        assert_eq!(best(search(caller)).as_deref(), Some("0/9.jpg"), "at once where it was added");
        assert_eq!(search(caller).json()["candidates"].as_array().unwrap().len(), 1);
    }
    // The command line sees the same.
    let home = tempfile::tempdir().unwrap();
    let listed = run(home.path(), &["collection", "list", "--database", &database.address], &[]);
    assert_eq!(
        listed.out,
        "NAME     IMAGES  MODEL    VECTORS\nb        1       general  memory\nc        1       general  memory\n\
         waves-1  1       general  memory\n"
    );
    bad_collection_images(here);
}

fn bad_collection_images(caller: &Caller<'_>) {
    let image = picture("0", "1");
    let name = ("collection", &b"waves-1"[..]);
    let id = ("imageId", &b"x"[..]);
    let rule = "body field collection must have 1 to 64 letters, digits, '-' and '_'";
    for (fields, code, message) in [
        (vec![id, ("image", &image[..])], "106", "body field collection is missing"),
        (vec![("collection", b"a b"), id, ("image", &image)], "106", rule),
        (vec![name, ("image", &image)], "106", "body field imageId is missing"),
        (vec![name, id], "106", "body field image is missing; it carries the picture"),
        (
            vec![name, id, ("modelName", b"other"), ("image", &image)],
            "106",
            "body field modelName must be 'general' or absent: collection 'waves-1' has vectors of that model",
        ),
        (
            vec![("collection", b"new"), id, ("modelName", b"other"), ("image", &image)],
            "109",
            "there is no model 'other' for this operation; there is general",
        ),
        (vec![name, id, ("image", b"")], "105", "the image is empty: it has no bytes"),
        (
            vec![name, ("imageId", b"a\nb"), ("image", &image)],
            "106",
            "body field imageId must have at most 1000 characters, and no control characters",
        ),
    ] {
        let answer = caller.post(COLLECTIONS, &fields);
        assert_eq!(error(&answer), (400, code.to_owned(), format!("similarImage/collections: {message}")));
    }
    assert_eq!(error(&caller.delete(COLLECTIONS, "")).1, "103");
    assert_eq!(error(&caller.get("similarImage/collections/images", "")).1, "103");
    assert_eq!(error(&caller.get("similarImage/collections/images", "&collection=none")).0, 404);
    let wrong = http::request(caller.server.address, "PUT", &caller.target(COLLECTIONS, ""), "");
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("GET,HEAD,POST,DELETE,OPTIONS")));
}

fn a_key_does_what_its_scope_allows(backend: Backend) {
    let database = Database::fresh(backend);
    let server = server(&database, &["general"]);
    let caller = |scope: &str| Caller { server: &server, key: make_key_with_scope(&database, "app", scope) };
    for (scope, issues, operates) in [("restricted", 403, 403), ("standard", 200, 403), ("operator", 200, 200)] {
        let caller = caller(scope);
        let user = json!({"userId": "u"}).to_string();
        let token = http::post(
            server.address,
            &caller.target("userCategory/getToken", ""),
            "application/json",
            user.as_bytes(),
        );
        assert_eq!(token.status, issues, "{scope}: {}", token.text());
        for operation in [ITEMS, COLLECTIONS] {
            assert_eq!(caller.get(operation, "").status, operates, "{scope}: {operation}");
            let removed = caller.delete(operation, "&id=x&collection=x");
            assert_eq!(removed.status, if operates == 200 { 404 } else { 403 }, "{scope}: {}", removed.text());
        }
        let classified = caller.post("concept/classify", &[("image", &picture("0", "1"))]);
        assert_eq!(classified.status, 200, "{scope}: {}", classified.text());
        assert_eq!(server.get(&format!("/route_service/v1/railmapList?APIKEY={}", caller.key)).status, 200);
        // What names tags and recognitions of others is not for a key that others can read.
        let recognition = format!("&recognitionId={}", classified.json()["recognitionId"].as_str().unwrap());
        assert_eq!(caller.get("explain", &recognition).status, issues, "{scope}");
        assert_eq!(caller.get("feedbackTotals", "").status, issues, "{scope}");
    }
    let refused = caller("standard").post(ITEMS, &[]);
    let told = "catalogue/items: a key of the scope standard may not manage the catalogue and the collections; \
                `kaisatsu key create --scope operator` makes one that may";
    assert_eq!(error(&refused), (403, "201".to_owned(), told.to_owned()));
    // A restricted key uses a token that the application's server got.
    let standard = caller("standard");
    let user = kaisatsu_e2e::User::named(&server, &standard.key, "u");
    let restricted = kaisatsu_e2e::User { key: caller("restricted").key, ..user };
    let _ = restricted.upload(&picture("0", "1"), "wave");

    // A successor has the scope of the key that it replaces.
    let home = tempfile::tempdir().unwrap();
    let kaisatsu = |args: &[&str]| run(home.path(), &[args, &["--database", &database.address]].concat(), &[]);
    let operator = caller("operator");
    let listed = kaisatsu(&["key", "list", "--json"]).out;
    let rows: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let own = rows.iter().find(|row| operator.key.ends_with(row["hint"].as_str().unwrap())).unwrap();
    assert_eq!(own["scope"], "operator");
    let successor = kaisatsu(&["key", "rotate", own["id"].as_str().unwrap()]);
    let successor = Caller { server: &server, key: successor.out.trim().to_owned() };
    assert_eq!(successor.get(ITEMS, "").status, 200);
    let wrong = kaisatsu(&["key", "create", "--app", "app", "--scope", "root"]);
    assert!(wrong.code != 0 && wrong.err.contains("restricted, standard or operator"), "{}", wrong.err);
}

/// The body is judged before anything is looked for: what is wrong with it is said first.
#[test]
fn similar_search_judges_the_body_first_and_says_what_is_missing() {
    let database = Database::fresh(Backend::Sqlite);
    let server = server(&database, &["general"]);
    let caller = Caller { server: &server, key: make_key(&database, "app") };
    let user = kaisatsu_e2e::User::named(&server, &caller.key, "u");
    let image = picture("0", "1");
    let empty = "body field collection or dataSetId is missing; collection names a public collection (there is none \
                 yet), and dataSetId a dataset of the user's, which userCategory/listDataSets lists";
    let neither = "body field image or text is missing; image carries a picture, and text says what one should show";
    let unread = "the bytes are not an image in a format we read; send JPEG, PNG, GIF, BMP, TIFF or WebP";
    for (fields, status, code, message) in [
        (&[("image", &image[..])][..], 400, "106", empty),
        (&[], 400, "106", neither),
        (&[("collection", b"none")], 400, "106", neither),
        (&[("collection", b"none"), ("image", b"no picture")], 400, "105", unread),
        (&[("dataSetId", b"none"), ("image", b"no picture")], 400, "105", unread),
        (&[("collection", b"none"), ("image", b"")], 400, "105", "the image is empty: it has no bytes"),
        (&[("collection", b"none"), ("text", b"a cat")], 404, "301", "there is no collection 'none'"),
        (&[("collection", b"none"), ("image", &image)], 404, "301", "there is no collection 'none'"),
    ] {
        let answer = user.send("similarImage/search", fields);
        assert_eq!(error(&answer), (status, code.to_owned(), format!("similarImage/search: {message}")));
    }
    let classified = user.send("concept/classify", &[("dataSetId", b"none"), ("image", b"no picture")]);
    assert_eq!(error(&classified).1, "105");
}

//! The image storage area as an application sees it.

use kaisatsu_e2e::{
    Backend, Database, Server, User, eventually, http, make_key, models_with, on_every_backend, pictures::picture,
};
use serde_json::{Value, json};

on_every_backend![
    images_are_stored_listed_shown_and_deleted,
    an_image_may_be_the_body_itself,
    a_user_has_no_more_than_allowed
];

fn server(database: &Database, blobs: &str, further: &[&str]) -> Server {
    let models = models_with(&["general"]);
    let models = models.path().display().to_string();
    let server = Server::start(database, &[&["--blobs", blobs, "--models", &models], further].concat());
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    server
}

fn images_are_stored_listed_shown_and_deleted(backend: Backend) {
    let (database, folder) = (Database::fresh(backend), tempfile::tempdir().unwrap());
    let key = make_key(&database, "one");
    let blobs = format!("file:{}", folder.path().display());
    let first = server(&database, &blobs, &[]);
    let user = User::named(&first, &key, "u");
    let photo = picture("3", "1");
    let fields: &[(&str, &[u8])] = &[("image", &photo), ("tag", "三毛猫".as_bytes()), ("name", b"mike.jpg")];
    let kept = user.send("userCategory/uploadImage", fields).json();
    assert_eq!((&kept["width"], &kept["height"]), (&json!(320), &json!(240)));
    assert_eq!(kept["sha256"].as_str().unwrap().len(), 64);
    let again = user.send("userCategory/uploadImage", &[("image", &photo)]).json();
    assert_eq!(again["imageId"], kept["imageId"], "the same bytes are kept once");
    for number in 2..7 {
        let _ = user.upload(&picture("3", &number.to_string()), "x");
    }
    // Acknowledged images survive a kill.
    drop(first);
    let second = server(&database, &blobs, &[]);
    let user = user.on(&second);

    let mut seen: Vec<Value> = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = user.call("userCategory/listImages", &json!({"limit": 4, "cursor": cursor})).json();
        seen.extend(page["images"].as_array().unwrap().clone());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), 6);
    let one = &seen[0];
    assert_eq!((&one["tag"], &one["name"], &one["bytes"]), (&json!("三毛猫"), &json!("mike.jpg"), &json!(photo.len())));
    assert!(one["createdAt"].as_str().unwrap().ends_with('Z'));

    let id = one["imageId"].as_str().unwrap();
    let get = |rest: &str| second.get(&format!("{}{rest}", user.target("userCategory/getImage")));
    let whole = get(&format!("&imageId={id}"));
    assert_eq!((whole.status, whole.header("content-type")), (200, Some("image/jpeg")));
    assert!(whole.body == photo);
    let mark = format!("If-None-Match: {}\r\n", whole.header("etag").unwrap());
    let target = format!("{}&imageId={id}", user.target("userCategory/getImage"));
    let known = http::request(second.address, "GET", &target, &mark);
    assert_eq!((known.status, known.body.len()), (304, 0));
    let small = get(&format!("&imageId={id}&size=thumbnail"));
    let looked = image::load_from_memory(&small.body).unwrap();
    assert_eq!((looked.width(), looked.height()), (256, 192));
    assert_eq!(whole.header("cache-control"), Some("private, no-cache"));
    assert_eq!(small.header("cache-control"), Some("private, max-age=600"), "a page of them is not asked for again");
    assert_eq!(get(&format!("&imageId={id}&size=huge")).json()["error"]["code"], "104");
    assert_eq!(get("").json()["error"]["code"], "103");

    let delete = |id: &str| user.call("userCategory/deleteImage", &json!({"imageId": id}));
    let gone = delete(id);
    assert_eq!((gone.status, gone.body.len()), (204, 0));
    assert_eq!((delete(id).status, &delete(id).json()["error"]["code"]), (404, &json!("301")));
    let known = format!("If-None-Match: {}\r\n", small.header("etag").unwrap());
    for (size, mark) in [("", mark), ("&size=thumbnail", known)] {
        assert_eq!(get(&format!("&imageId={id}{size}")).status, 404);
        let asked = http::request(second.address, "GET", &format!("{target}{size}"), &mark);
        assert_eq!(asked.status, 404, "whoever has it is not told that it is still there: {size}");
    }
    assert_eq!((delete("").status, &delete("").json()["error"]["code"]), (400, &json!("106")));
    assert_eq!(user.call("userCategory/deleteImage", &json!({})).json()["error"]["code"], "106");
    let wrong = user.send("userCategory/uploadImage", &[("image", b"this is no picture")]);
    assert_eq!((wrong.status, &wrong.json()["error"]["code"]), (400, &json!("105")));
    let wrong = user.send("userCategory/uploadImage", &[("image", &photo), ("tag", b" x")]);
    assert_eq!(wrong.json()["error"]["code"], "106");
    assert_eq!(user.send("userCategory/uploadImage", &[("tag", b"x")]).json()["error"]["code"], "106");
    // Released bytes can be uploaded again.
    assert_eq!(user.send("userCategory/uploadImage", &[("image", &photo)]).status, 200);
}

fn an_image_may_be_the_body_itself(backend: Backend) {
    let (database, folder) = (Database::fresh(backend), tempfile::tempdir().unwrap());
    let key = make_key(&database, "one");
    let blobs = format!("file:{}", folder.path().display());
    let server = server(&database, &blobs, &["--max-image-bytes", "100000"]);
    let user = User::named(&server, &key, "u");
    let photo = picture("3", "1");
    let send = |query: &str, kind: &str, body: &[u8]| {
        http::post(server.address, &format!("{}{query}", user.target("userCategory/uploadImage")), kind, body)
    };
    let form = user.send("userCategory/uploadImage", &[("image", &photo)]).json();
    let listed = || {
        let list = user.call("userCategory/listImages", &json!({})).json();
        let one = &list["images"][0];
        (one["tag"].as_str().unwrap().to_owned(), one["name"].as_str().unwrap().to_owned())
    };
    assert_eq!((form.get("tag"), form.get("name")), (None, None), "nobody has said");
    // The same bytes are the same image. What was said of it first stays, and every answer repeats it.
    for (kind, query, tag, name) in [
        ("application/octet-stream", "&label=%E4%B8%89%E6%AF%9B%E7%8C%AB", "三毛猫", None),
        ("image/jpeg", "&tag=mike&name=mike.jpg", "三毛猫", Some("mike.jpg")),
        ("image/*; charset=binary", "&name=neko", "三毛猫", Some("mike.jpg")),
        ("image/jpeg", "", "三毛猫", Some("mike.jpg")),
    ] {
        let kept = send(query, kind, &photo);
        let mut expected = form.clone();
        expected["tag"] = json!(tag);
        if let Some(name) = name {
            expected["name"] = json!(name);
        }
        assert_eq!((kept.status, kept.json()), (200, expected), "{kind}");
        assert_eq!(listed(), (tag.to_owned(), name.unwrap_or_default().to_owned()));
    }
    let kinds = "the Content-Type must be multipart/form-data, with the picture in the field image, or \
                 application/octet-stream or image/*, with the picture as the body";
    let tag_rule = "must have 1 to 100 characters, no control characters, and no space at either end";
    let large = vec![7; 100_001];
    for (kind, query, body, status, code, message) in [
        ("image/png", "", &b""[..], 400, "105", "the image is empty: it has no bytes".to_owned()),
        (
            "image/png",
            "&tag=",
            &photo,
            400,
            "104",
            "query parameter tag is empty; leave it out or give it a value".into(),
        ),
        ("image/png", "&label=+x", &photo, 400, "104", format!("query parameter label {tag_rule}")),
        (
            "image/png",
            "&label=x&tag=x",
            &photo,
            400,
            "104",
            "query parameter label says the same thing as tag; leave one out".into(),
        ),
        ("image/png", "", &large, 413, "119", "the image is too large: at most 100000 bytes are taken".into()),
        ("application/json", "", b"{}", 415, "105", kinds.into()),
        ("", "", &photo, 415, "105", kinds.into()),
        ("", "&tag=", &photo, 400, "104", "query parameter tag is empty; leave it out or give it a value".into()),
    ] {
        let answer = send(query, kind, body);
        let expected = json!({"error": {"code": code, "message": format!("userCategory/uploadImage: {message}")}});
        assert_eq!((answer.status, answer.json()), (status, expected), "{kind} {query}");
    }
    // A form takes its tag from the query too, as before, and knows no label.
    let target = format!("{}&label=other", user.target("userCategory/uploadImage"));
    assert_eq!(server.post_form(&target, &[("image", &photo)]).status, 200);
    assert_eq!(listed().0, "三毛猫");
}

fn a_user_has_no_more_than_allowed(backend: Backend) {
    let (database, folder) = (Database::fresh(backend), tempfile::tempdir().unwrap());
    let key = make_key(&database, "one");
    let blobs = format!("file:{}", folder.path().display());
    let (one, two, three) = (picture("1", "1"), picture("1", "2"), picture("1", "3"));
    let bytes = (one.len() + two.len() + 10).to_string();
    let server = server(&database, &blobs, &["--user-images", "2", "--user-bytes", &bytes]);
    let user = User::named(&server, &key, "u");
    let first = user.upload(&one, "x");
    let _ = user.upload(&two, "x");
    let full = user.send("userCategory/uploadImage", &[("image", &three)]);
    let used_up =
        |message: &str| json!({"error": {"code": "203", "message": format!("userCategory/uploadImage: {message}")}});
    let told = format!(
        "the user's space is used up: images and datasets may have {bytes} bytes together; delete images with \
         deleteImage, or datasets with deleteDataSet"
    );
    assert_eq!((full.status, full.json()), (403, used_up(&told)));
    assert_eq!(full.header("retry-after"), None, "waiting does not help");
    let roomy = self::server(&database, &blobs, &["--user-images", "2"]);
    let full = user.on(&roomy).send("userCategory/uploadImage", &[("image", &three)]);
    let told = "the storage area is full: a user may have 2 images; delete some with deleteImage, then upload again";
    assert_eq!((full.status, full.json(), full.header("retry-after")), (403, used_up(told), None));
    assert_eq!(user.upload(&one, "y"), first, "what is there takes no more room");
    // Another user has a separate quota.
    let _ = User::named(&server, &key, "v").upload(&three, "x");
    assert_eq!(user.call("userCategory/deleteImage", &json!({"imageId": first})).status, 204);
    eventually("there is room again", || {
        (user.send("userCategory/uploadImage", &[("image", &three)]).status == 200).then_some(())
    });
}

//! A dataset as a folder of files: the archive that the console offers, and the command line's export.

use std::{fs, path::Path, process::Command};

use kaisatsu_e2e::{
    Backend, ConsoleClient, Database, Server, User,
    console_client::code,
    eventually, models_with, on_every_backend,
    pictures::{Pictures, picture},
    run,
};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

on_every_backend![a_dataset_is_downloaded_as_a_folder];

fn a_dataset_is_downloaded_as_a_folder(backend: Backend) {
    let (database, pictures) = (Database::fresh(backend), Pictures::start());
    let (home, folder) = (tempfile::tempdir().unwrap(), models_with(&["general"]));
    let (blobs, models) = (format!("file:{}/blobs", home.path().display()), folder.path().display().to_string());
    let place = pictures.address.to_string();
    let server = Server::start(&database, &["--blobs", &blobs, "--models", &models, "--fetch-allow", &place]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let operator = ConsoleClient::registered(&server, "operator@example.org", PASSWORD);
    let owner = ConsoleClient::registered(&server, "one@example.org", PASSWORD);
    let (application, key) = owner.application("one's");
    let user = User::named(&server, &key, "u");
    let upload = |image: &[u8], name: &str| {
        let fields = [("image", image), ("name", name.as_bytes())];
        user.send("userCategory/uploadImage", &fields).json()["imageId"].as_str().unwrap().to_owned()
    };
    let ids: Vec<String> = (1..=4).map(|number| upload(&picture("0", &number.to_string()), "../波.JPG")).collect();
    let tagged = |(at, id): (usize, &String)| json!({"imageId": id, "tag": if at == 3 { "a/b" } else { "wave" }});
    let mut images: Vec<Value> = ids.iter().enumerate().map(tagged).collect();
    images.push(json!({"url": pictures.url("/picture/2/7"), "tag": "wave 2"}));
    images.push(json!({"url": pictures.url("/nothing"), "tag": "wave"}));
    let id = user.create(&images);
    let archive = |who: &ConsoleClient| who.get(&format!("applications/{application}/datasets/{id}/archive"));
    let early = archive(&owner);
    assert!(early.status == 200 || code(&early) == (409, "notBuilt".to_owned()), "{}", early.text());
    assert_eq!(user.built(&id)["state"], "ready");
    assert_eq!(user.call("userCategory/deleteImage", &json!({"imageId": ids[1]})).status, 204);

    // Two images of one name are two files; what was deleted or came to nothing is none.
    let expected = [
        ("a_b/_波.jpg", picture("0", "4")),
        ("wave 2/7.jpg", picture("2", "7")),
        ("wave/_波 (2).jpg", picture("0", "3")),
        ("wave/_波.jpg", picture("0", "1")),
    ];
    let found = |folder: &Path| {
        let mut files = Vec::new();
        for inner in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            for file in fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().path()) {
                let path = file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.push((path, fs::read(file).unwrap()));
            }
        }
        files.sort();
        files
    };
    let is_expected = |folder: &Path| {
        let found = found(folder);
        let names: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(names, expected.each_ref().map(|(path, _)| *path));
        assert!(found.iter().zip(&expected).all(|(found, expected)| found.1 == expected.1), "byte for byte");
    };
    for who in [&owner, &operator] {
        let sent = archive(who);
        assert_eq!((sent.status, sent.header("content-type")), (200, Some("application/zip")));
        let name = "attachment; filename=\"dataset.zip\"; filename*=UTF-8''a%20dataset.zip";
        assert_eq!(sent.header("content-disposition"), Some(name));
        let (file, folder) = (home.path().join("set.zip"), home.path().join(&who.csrf));
        fs::write(&file, &sent.body).unwrap();
        // A reader of somebody else's, which compares the checksums.
        let args = ["-m", "zipfile", "-e", file.to_str().unwrap(), folder.to_str().unwrap()];
        assert!(Command::new("python3").args(args).status().unwrap().success());
        is_expected(&folder);
    }
    let folder = home.path().join("exported");
    let export = |id: &str| {
        let args = ["dataset", "export", id, folder.to_str().unwrap(), "--database", &database.address];
        run(home.path(), &[&args[..], &["--blobs", &blobs]].concat(), &[])
    };
    let exported = export(&id);
    assert_eq!(exported.code, 0, "{}", exported.err);
    assert!(exported.out.starts_with("4 images of dataset 'a dataset' in "), "{}", exported.out);
    is_expected(&folder);
    assert!(export(&id).err.contains("is not empty"));

    let stranger = ConsoleClient::registered(&server, "two@example.org", PASSWORD);
    assert_eq!(code(&archive(&stranger)), (404, "notFound".to_owned()), "nobody else's");
    let (other, _) = owner.application("other");
    let elsewhere = owner.get(&format!("applications/{other}/datasets/{id}/archive"));
    assert_eq!(code(&elsewhere), (404, "notFound".to_owned()));
    assert_eq!(code(&archive(&ConsoleClient::stranger(&server))).0, 401);
    assert_eq!(user.delete(&id), 204);
    assert_eq!(code(&archive(&owner)), (404, "notFound".to_owned()));
    assert!(export(&id).err.contains("there is no dataset"), "{}", export(&id).err);
}

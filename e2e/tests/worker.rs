//! Servers that answer, and workers that build: each leaves the other's part alone.

use kaisatsu_e2e::{Backend, Database, Server, User, Worker, eventually, make_key, models_with, pictures::picture};
use serde_json::json;

#[test]
fn a_worker_builds_what_servers_leave() {
    let (database, blobs) = (Database::fresh(Backend::Postgres), tempfile::tempdir().unwrap());
    let models = models_with(&["general"]);
    let stored = format!("file:{}", blobs.path().display());
    let args = ["--models", models.path().to_str().unwrap(), "--blobs", &stored];
    let server = Server::start(&database, &[&args[..], &["--jobs", "false"]].concat());
    eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
    let user = User::named(&server, &make_key(&database, "app"), "u");
    let images: Vec<_> = [("0", "1"), ("0", "2"), ("4", "1"), ("4", "2")]
        .iter()
        .map(|(class, number)| json!({"imageId": user.upload(&picture(class, number), class), "tag": class}))
        .collect();
    let id = user.create(&images);
    // Longer than a server with jobs takes to look for some.
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert_eq!(user.dataset(&id)["state"], "queued", "this server takes no jobs");

    let mut worker = Worker::start(&database, &args);
    eventually("it is built", || (user.dataset(&id)["state"] == "ready").then_some(()));
    let found = user.ask("concept/classify", &id, &picture("4", "3")).json();
    assert_eq!(found["candidates"][0]["tag"], "4", "{found}");
    worker.stop();
}

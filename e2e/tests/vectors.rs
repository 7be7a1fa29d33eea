//! Collections whose vectors are searched in PostgreSQL, as callers and operators see them.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    thread,
};

use kaisatsu_e2e::{
    Backend, Database, Server, eventually, http, make_key_with_scope, models_with, pictures::picture, run,
};

const COLLECTIONS: &str = "similarImage/collections";

/// Images of three kinds.
const IMAGES: [(&str, &str); 9] =
    [("0", "1"), ("0", "2"), ("0", "3"), ("4", "1"), ("4", "2"), ("4", "3"), ("7", "1"), ("7", "2"), ("7", "3")];

struct Replica {
    server: Server,
    key: String,
    _models: tempfile::TempDir,
}

impl Replica {
    fn start(database: &Database, key: &str, args: &[&str]) -> Self {
        let models = models_with(&["general"]);
        let server = Server::start(database, &[&["--models", models.path().to_str().unwrap()], args].concat());
        eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
        Self { server, key: key.to_owned(), _models: models }
    }

    fn target(&self, operation: &str, query: &str) -> String {
        format!("/imageRecognition/v1/{operation}?APIKEY={}{query}", self.key)
    }

    fn add(&self, (class, number): (&str, &str)) {
        let (id, file) = (format!("{class}-{number}"), picture(class, number));
        let fields: &[(&str, &[u8])] =
            &[("collection", b"waves"), ("imageId", id.as_bytes()), ("tag", class.as_bytes()), ("image", &file)];
        let answer = self.server.post_form(&self.target(COLLECTIONS, ""), fields);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    fn delete(&self, id: &str) {
        let target = self.target(COLLECTIONS, &format!("&collection=waves&imageId={id}"));
        assert_eq!(http::request(self.server.address, "DELETE", &target, "").status, 204);
    }

    /// Ids and scores of all images, as they are answered to a picture.
    fn search(&self, (class, number): (&str, &str)) -> Vec<(String, String)> {
        let fields: &[(&str, &[u8])] = &[
            ("image", &picture(class, number)),
            ("collection", b"waves"),
            ("minScore", b"0"),
            ("numOfCandidates", b"20"),
        ];
        let answer = self.server.post_form(&self.target("similarImage/search", ""), fields);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let candidate = |found: &serde_json::Value| (text(&found["imageId"]), text(&found["score"]));
        answer.json()["candidates"].as_array().unwrap().iter().map(candidate).collect()
    }

    fn finds(&self, id: &str, asked: (&str, &str)) -> bool {
        self.search(asked).iter().any(|(found, _)| found == id)
    }

    /// How many images this server finds in a place.
    fn images_in(&self, place: &str) -> Option<u32> {
        let metrics = self.server.get("/metrics").text();
        let name = format!("kaisatsu_collection_images{{place=\"{place}\"}} ");
        metrics.lines().find_map(|line| line.strip_prefix(&name)?.trim().parse().ok())
    }
}

#[test]
fn a_growing_collection_moves_into_the_database_and_answers_as_before() {
    let database = Database::fresh(Backend::Postgres);
    let key = make_key_with_scope(&database, "museum", "operator");
    let args = ["--vectors", "auto", "--vectors-threshold", "8"];
    let replicas = [(); 2].map(|()| Replica::start(&database, &key, &args));
    let [here, there] = &replicas;
    for image in &IMAGES[..7] {
        here.add(*image);
    }
    for replica in &replicas {
        eventually("they are found in memory", || (replica.images_in("memory") == Some(7)).then_some(()));
        assert_eq!(replica.images_in("database"), Some(0));
    }
    let asked = ("0", "9");
    let in_memory = here.search(asked);
    assert_eq!(in_memory.len(), 7);

    for image in &IMAGES[7..] {
        here.add(*image);
    }
    for replica in &replicas {
        eventually("the vectors leave the memory", || {
            ((replica.images_in("database"), replica.images_in("memory")) == (Some(9), Some(0))).then_some(())
        });
    }
    for replica in &replicas {
        let mut in_database = replica.search(asked);
        assert_eq!(in_database.len(), 9);
        in_database.retain(|(id, _)| in_memory.iter().any(|(before, _)| before == id));
        assert_eq!(in_database, in_memory, "the same images, scores and order");
        let own = &replica.search(("4", "2"))[0];
        assert_eq!(own.0, "4-2");
    }

    // From the answer on, a deleted image is never seen again: by searches that begin later, on any replica.
    let (deleted, wrong) = (Mutex::new(HashSet::new()), Mutex::new(Vec::new()));
    let known = || deleted.lock().unwrap_or_else(PoisonError::into_inner).clone();
    thread::scope(|scope| {
        for replica in &replicas {
            scope.spawn(|| {
                while known().len() < 3 {
                    let before = known();
                    let seen = replica.search(asked).into_iter().map(|(id, _)| id);
                    let forbidden = seen.filter(|id| before.contains(id));
                    wrong.lock().unwrap_or_else(PoisonError::into_inner).extend(forbidden);
                }
            });
        }
        for id in ["0-1", "4-1", "7-1"] {
            here.delete(id);
            deleted.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
            assert!(!there.finds(id, asked) && !here.finds(id, asked));
        }
    });
    assert!(wrong.lock().unwrap().is_empty());

    // What is added is found, and a server that starts loads no vectors.
    there.add(("0", "4"));
    eventually("the new one is found", || here.finds("0-4", asked).then_some(()));
    let before = here.search(asked);
    assert_eq!(before.len(), 7);
    drop(replicas);
    let again = Replica::start(&database, &key, &args);
    assert_eq!((again.images_in("memory"), again.search(asked)), (Some(0), before));
}

#[test]
fn a_database_that_cannot_search_vectors_is_refused_where_they_have_to_be_there() {
    let (database, home) = (Database::fresh(Backend::Sqlite), tempfile::tempdir().unwrap());
    let args = ["serve", "--listen", "127.0.0.1:0", "--database", &database.address, "--vectors", "database"];
    let ended = run(home.path(), &args, &[]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("vectors is 'database', but SQLite does not search vectors"), "{}", ended.err);
}

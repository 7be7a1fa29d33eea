//! Backups: of either database and storage, restored into either.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use kaisatsu_e2e::{
    Answer, Backend, ConsoleClient, Database, Run, Server, User, eventually, make_key, make_key_with_scope,
    models_with, pictures::picture, run, spawn,
};
use serde_json::{Value, json};
use tempfile::TempDir;

const PASSWORD: &str = "a long enough password";

/// A database and a storage for images.
struct Place {
    database: Database,
    blobs: String,
    _folder: Option<TempDir>,
}

impl Place {
    /// SQLite and a folder, or PostgreSQL and a part of a bucket of its own.
    fn fresh(backend: Backend, name: &str) -> Self {
        let database = Database::fresh(backend);
        if backend == Backend::Sqlite {
            let folder = tempfile::tempdir().unwrap();
            let blobs = format!("file:{}", folder.path().join("blobs").display());
            return Self { database, blobs, _folder: Some(folder) };
        }
        let bucket = std::env::var("KAISATSU_TEST_S3").expect("an S3 server: run it through tools/with-s3");
        let (bucket, server) = bucket.split_once('?').unwrap();
        let blobs = format!("{bucket}/{name}-{}?{server}", std::process::id());
        Self { database, blobs, _folder: None }
    }

    fn run(&self, args: &[&str]) -> Run {
        let home = tempfile::tempdir().unwrap();
        let place = ["--database", &self.database.address, "--blobs", &self.blobs];
        with_credentials(|environment| run(home.path(), &[args, &place[..]].concat(), environment))
    }

    fn start(&self, models: &TempDir) -> Server {
        let models = models.path().display().to_string();
        let args = ["--blobs", &self.blobs, "--models", &models];
        let server = with_credentials(|environment| Server::start_with(&self.database, &args, environment));
        eventually("it is ready", || (server.get("/readyz").status == 200).then_some(()));
        server
    }
}

/// Calls a function with the credentials of the S3 server, if there is one.
fn with_credentials<T>(call: impl FnOnce(&[(&str, &str)]) -> T) -> T {
    let keys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map(|name| (name, std::env::var(name)));
    let found: Vec<(&str, &str)> =
        keys.iter().filter_map(|(name, value)| Some((*name, value.as_deref().ok()?))).collect();
    call(&found)
}

/// What is asked before and after.
struct Questions {
    key: String,
    operator: String,
    image: String,
}

impl Questions {
    fn fill(place: &Place, server: &Server) -> (Self, Value) {
        let key = make_key(&place.database, "one");
        let operator = make_key_with_scope(&place.database, "museum", "operator");
        let _person = ConsoleClient::registered(server, "one@example.org", PASSWORD);
        let user = User::named(server, &key, "u");
        let images: Vec<String> = ["1", "2", "3"].map(|n| user.upload(&picture("1", n), "cat")).into();
        for number in ["1", "2"] {
            let target = format!("/imageRecognition/v1/similarImage/collections?APIKEY={operator}");
            let name = format!("{number}.jpg");
            let fields: &[(&str, &[u8])] =
                &[("collection", b"waves"), ("imageId", name.as_bytes()), ("image", &picture("0", number))];
            assert_eq!(server.post_form(&target, fields).status, 200);
        }
        let asked = Self { key, operator, image: images[0].clone() };
        let said = asked.ask(server);
        (asked, said)
    }

    fn ask(&self, server: &Server) -> Value {
        let json = |answer: Answer| {
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer.json()
        };
        let user = User::named(server, &self.key, "u");
        let images = json(user.call("userCategory/listImages", &json!({})));
        let collections = format!("/imageRecognition/v1/similarImage/collections/images?APIKEY={}", self.operator);
        let collection = json(server.get(&format!("{collections}&collection=waves")));
        let search = format!("/imageRecognition/v1/similarImage/search?APIKEY={}&collection=waves", self.key);
        let found = json(server.post_form(&search, &[("image", &picture("0", "1"))]));
        let image = server.get(&format!("{}&imageId={}", user.target("userCategory/getImage"), self.image));
        assert_eq!((image.status, image.body == picture("1", "1")), (200, true));
        let mut person = ConsoleClient::stranger(server);
        let session = json(person.sign_in("one@example.org", PASSWORD));
        json!([images, collection, seen(&found), session["account"]])
    }
}

/// What a search has found, without the ids that are new with every search.
fn seen(found: &Value) -> Vec<[Value; 2]> {
    let candidates = found["candidates"].as_array().unwrap().iter();
    candidates.map(|one| [one["imageId"].clone(), one["score"].clone()]).collect()
}

fn backed_up(place: &Place, folder: &Path) -> PathBuf {
    let backup = folder.join("backup");
    let made = place.run(&["backup", backup.to_str().unwrap()]);
    assert_eq!(made.code, 0, "{}{}", made.out, made.err);
    assert!(made.out.contains("5 images") && made.out.ends_with("checked: all is well\n"), "{}", made.out);
    for path in [backup.clone(), backup.join("kaisatsu.db"), backup.join("images")] {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: nobody else may read it", path.display());
    }
    backup
}

/// Backs up a running server of one kind, and restores into the other places: they answer the same.
fn a_backup_is_restored_into_either_place(from: Backend) {
    let (models, folder) = (models_with(&["general"]), tempfile::tempdir().unwrap());
    let place = Place::fresh(from, "from");
    let server = place.start(&models);
    let (asked, said) = Questions::fill(&place, &server);
    let backup = backed_up(&place, folder.path());
    let path = backup.to_str().unwrap();
    drop(server);
    for (backend, name) in [(Backend::Sqlite, "to-sqlite"), (Backend::Postgres, "to-postgres")] {
        let other = Place::fresh(backend, &format!("{from:?}-{name}"));
        let restored = other.run(&["restore", path]);
        assert_eq!(restored.code, 0, "{}{}", restored.out, restored.err);
        assert!(restored.out.ends_with("checked: all is well\n"), "{}", restored.out);
        let checked = other.run(&["check", "--deep"]);
        assert!(checked.code == 0 && checked.out.ends_with("all is well\n"), "{}", checked.out);
        assert_eq!(asked.ask(&other.start(&models)), said, "{backend:?}");
    }
}

#[test]
fn a_backup_of_sqlite_and_a_folder_is_restored_into_either_place() {
    a_backup_is_restored_into_either_place(Backend::Sqlite);
}

#[test]
fn a_backup_of_postgresql_and_a_bucket_is_restored_into_either_place() {
    a_backup_is_restored_into_either_place(Backend::Postgres);
}

fn a_restore_replaces_only_what_it_was_told_to(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::fresh(backend, "kept");
    let server = place.start(&tempfile::tempdir().unwrap());
    let key = make_key(&place.database, "one");
    let _image = User::named(&server, &key, "u").upload(&picture("1", "1"), "cat");
    let backup = folder.path().join("backup").display().to_string();
    assert_eq!(place.run(&["backup", &backup]).code, 0);
    let _later = User::named(&server, &key, "u").upload(&picture("1", "2"), "dog");
    drop(server);
    let refused = place.run(&["restore", &backup]);
    assert!(refused.code == 2 && refused.err.contains("has data and is not overwritten"), "{}", refused.err);
    assert!(place.run(&["check"]).out.contains("2 files"));
    let replaced = place.run(&["restore", &backup, "--yes"]);
    assert_eq!(replaced.code, 0, "{}{}", replaced.out, replaced.err);
    let checked = place.run(&["check", "--deep"]).out;
    assert!(checked.contains("1 file ") && checked.ends_with("all is well\n"), "what came later is gone: {checked}");
    let nothing = place.run(&["restore", folder.path().to_str().unwrap()]);
    assert!(nothing.code == 2 && nothing.err.contains("is no backup"), "{}", nothing.err);
}

#[test]
fn a_restore_replaces_only_what_it_was_told_to_on_sqlite() {
    a_restore_replaces_only_what_it_was_told_to(Backend::Sqlite);
}

#[test]
fn a_restore_replaces_only_what_it_was_told_to_on_postgresql() {
    a_restore_replaces_only_what_it_was_told_to(Backend::Postgres);
}

/// A backup as an older version wrote it.
fn older_backup(folder: &Path) -> PathBuf {
    let backup = folder.join("older");
    std::fs::create_dir_all(backup.join("images")).unwrap();
    let database = Database::in_folder(&backup);
    database.migrate_to(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/store/migrations")), 5);
    database.run("INSERT INTO application (id, name, created_at) VALUES ('app_old', 'the old one', 0)");
    backup
}

fn an_older_backup_is_migrated_and_stays_as_it_is(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let backup = older_backup(folder.path());
    let bytes = std::fs::read(backup.join("kaisatsu.db")).unwrap();
    let place = Place::fresh(backend, "older");
    let restored = place.run(&["restore", backup.to_str().unwrap()]);
    assert_eq!(restored.code, 0, "{}{}", restored.out, restored.err);
    let listed = place.run(&["app", "list"]).out;
    assert!(listed.contains("app_old") && listed.contains("the old one"), "{listed}");
    let server = place.start(&tempfile::tempdir().unwrap());
    let key = make_key(&place.database, "the old one");
    assert_eq!(server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status, 200);
    assert!(std::fs::read(backup.join("kaisatsu.db")).unwrap() == bytes, "a backup is only read");
}

#[test]
fn an_older_backup_is_migrated_on_sqlite() {
    an_older_backup_is_migrated_and_stays_as_it_is(Backend::Sqlite);
}

#[test]
fn an_older_backup_is_migrated_on_postgresql() {
    an_older_backup_is_migrated_and_stays_as_it_is(Backend::Postgres);
}

fn a_backup_that_cannot_be_read_replaces_nothing(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::fresh(backend, "unread");
    let _key = make_key(&place.database, "kept");
    let backup = folder.path().join("newer");
    let path = backup.to_str().unwrap();
    assert_eq!(place.run(&["backup", path]).code, 0);
    Database::in_folder(&backup).claim_to_be_newer();
    let newer = place.run(&["restore", path, "--yes"]);
    assert_eq!(newer.code, 4, "{}{}", newer.out, newer.err);
    assert!(newer.err.contains("version 999, written by a newer Kaisatsu"), "{}", newer.err);
    std::fs::write(backup.join("kaisatsu.db"), "not a database, and longer than its first sixteen bytes").unwrap();
    let damaged = place.run(&["restore", path, "--yes"]);
    assert!(damaged.code == 3 && damaged.err.contains("is not a SQLite database"), "{}", damaged.err);
    assert!(place.run(&["app", "list"]).out.contains("kept"), "as it was");
}

#[test]
fn a_backup_that_cannot_be_read_replaces_nothing_on_sqlite() {
    a_backup_that_cannot_be_read_replaces_nothing(Backend::Sqlite);
}

#[test]
fn a_backup_that_cannot_be_read_replaces_nothing_on_postgresql() {
    a_backup_that_cannot_be_read_replaces_nothing(Backend::Postgres);
}

/// Runs a command to its end, and returns the most memory that it took, in kilobytes.
#[cfg(target_os = "linux")]
fn most_memory(place: &Place, command: &str, backup: &str) -> u64 {
    let (home, mut most) = (tempfile::tempdir().unwrap(), 0);
    let args = [command, backup, "--database", &place.database.address, "--blobs", &place.blobs];
    let mut child = with_credentials(|environment| spawn(home.path(), &args, environment));
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(most).max(most);
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{command}");
            return most;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Rows are passed on as they come: both commands take less memory than the table.
#[test]
#[cfg(target_os = "linux")]
fn a_backup_takes_little_memory_whatever_its_size() {
    let (folder, place) = (tempfile::tempdir().unwrap(), Place::fresh(Backend::Postgres, "large"));
    let key = make_key(&place.database, "one");
    place.database.run(
        "INSERT INTO collection (name, model, model_sha256, created_at) VALUES ('waves', 'm', 'x', 0); \
         INSERT INTO collection_image (collection, image_id, image_url, tag, vector, revision) \
         SELECT 'waves', 'image ' || n, '', '', decode(repeat('00ff', 5000), 'hex'), n \
         FROM generate_series(1, 25000) n",
    );
    let backup = folder.path().join("backup").display().to_string();
    let taken = most_memory(&place, "backup", &backup);
    let size = std::fs::metadata(Path::new(&backup).join("kaisatsu.db")).unwrap().len() / 1024;
    assert!(size > 200_000 && taken < size / 2, "{taken} kB for a database of {size} kB");
    let other = Place::fresh(Backend::Postgres, "large-again");
    let taken = most_memory(&other, "restore", &backup);
    assert!(taken < size / 2, "{taken} kB for a database of {size} kB");
    let server = other.start(&tempfile::tempdir().unwrap());
    assert_eq!(server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status, 200);
}

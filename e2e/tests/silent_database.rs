//! A database that accepts connections and says nothing: how callers see it, and what comes after.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use kaisatsu_e2e::{Backend, Database, Server, User, eventually, make_key, models_with, pictures::picture};

/// A proxy in front of PostgreSQL that can fall silent: it takes what it is sent, and passes nothing on.
struct Proxy {
    address: String,
    silent: Arc<AtomicBool>,
}

impl Proxy {
    fn before(database: &Database) -> Self {
        let authority = database.address.split('@').nth(1).unwrap().split('/').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = database.address.replace(&authority, &listener.local_addr().unwrap().to_string());
        let silent = Arc::new(AtomicBool::new(false));
        let shared = Arc::clone(&silent);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, silent) = (client.unwrap(), Arc::clone(&shared));
                let server = TcpStream::connect(&authority).unwrap();
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let other = Arc::clone(&silent);
                thread::spawn(move || pass_on(from, to, &other));
                thread::spawn(move || pass_on(server, client, &silent));
            }
        });
        Self { address, silent }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, silent: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        while silent.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
fn requests_end_at_the_time_limit_while_the_database_is_silent_and_succeed_when_it_speaks_again() {
    let mut database = Database::fresh(Backend::Postgres);
    let key = make_key(&database, "one");
    let (proxy, folder, models) = (Proxy::before(&database), tempfile::tempdir().unwrap(), models_with(&["general"]));
    database.address.clone_from(&proxy.address);
    let (blobs, models) = (format!("file:{}", folder.path().display()), models.path().display().to_string());
    let server = Server::start(&database, &["--blobs", &blobs, "--models", &models, "--request-timeout", "1s"]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    let user = User::named(&server, &key, "u");
    let photo = picture("3", "1");

    proxy.silent.store(true, Ordering::Relaxed);
    let answer = user.send("userCategory/uploadImage", &[("image", &photo)]);
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.text().contains("within 1s"), "{}", answer.text());
    assert_eq!(answer.header("retry-after"), Some("5"));
    let map = server.get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
    assert_eq!(map.status, 200, "route maps need no database");

    proxy.silent.store(false, Ordering::Relaxed);
    eventually("an upload succeeds", || {
        let answer = user.send("userCategory/uploadImage", &[("image", &photo)]);
        (answer.status == 200).then_some(())
    });
}

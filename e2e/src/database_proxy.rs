//! A proxy in front of PostgreSQL that can fall silent or go away.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    thread,
    time::Duration,
};

use crate::Database;

const PRESENT: u8 = 0;
const SILENT: u8 = 1;
const GONE: u8 = 2;

/// A proxy in front of PostgreSQL.
#[derive(Debug)]
pub struct DatabaseProxy {
    /// The database behind it, at the address of the proxy.
    pub address: String,
    state: Arc<AtomicU8>,
}

impl DatabaseProxy {
    /// A proxy in front of a database on PostgreSQL.
    #[must_use]
    pub fn before(database: &Database) -> Self {
        let authority = database.address.split('@').nth(1).and_then(|rest| rest.split('/').next());
        let authority = authority.expect("an address of PostgreSQL").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = database.address.replace(&authority, &listener.local_addr().expect("an address").to_string());
        let state = Arc::new(AtomicU8::new(PRESENT));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(&authority)) else { continue };
                let (from, to) = (client.try_clone().expect("a copy"), server.try_clone().expect("a copy"));
                let (one, other) = (Arc::clone(&shared), Arc::clone(&shared));
                thread::spawn(move || pass_on(from, to, &one));
                thread::spawn(move || pass_on(server, client, &other));
            }
        });
        Self { address, state }
    }

    /// It takes what it is sent, and passes nothing on: a machine that is lost.
    pub fn fall_silent(&self) {
        self.state.store(SILENT, Ordering::Relaxed);
    }

    /// It closes every connection, new ones too: a server that is stopped.
    pub fn go_away(&self) {
        self.state.store(GONE, Ordering::Relaxed);
    }

    /// It passes on again what it is sent.
    pub fn come_back(&self) {
        self.state.store(PRESENT, Ordering::Relaxed);
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, state: &AtomicU8) {
    // A connection that nothing comes from has to notice that it is closed.
    from.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    let mut buffer = [0; 16 * 1024];
    while state.load(Ordering::Relaxed) != GONE {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => 0,
            Err(_) => break,
        };
        while state.load(Ordering::Relaxed) == SILENT {
            thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

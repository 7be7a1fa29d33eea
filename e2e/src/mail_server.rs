//! A mail server that keeps what it is sent.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::eventually;

/// A mail server on this machine, without TLS.
#[derive(Debug)]
pub struct MailServer {
    address: SocketAddr,
    letters: Arc<Mutex<Vec<Letter>>>,
}

/// An e-mail as it was sent.
#[derive(Debug, Clone)]
pub struct Letter {
    /// The recipient.
    pub to: String,
    /// The text, without headers.
    pub text: String,
}

impl MailServer {
    /// Starts one.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (address, letters) = (listener.local_addr().expect("an address"), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&letters);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || converse(client, &kept));
            }
        });
        Self { address, letters }
    }

    /// The value of the setting `smtp`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Waits for the e-mails to an address until there are `count`, and returns the latest.
    #[must_use]
    pub fn letter(&self, to: &str, count: usize) -> Letter {
        eventually(&format!("e-mail {count} to {to}"), || {
            let letters = self.letters.lock().expect("the letters");
            let mine: Vec<&Letter> = letters.iter().filter(|letter| letter.to == to).collect();
            mine.get(count - 1).copied().cloned()
        })
    }

    /// How many e-mails it was sent.
    #[must_use]
    pub fn count(&self) -> usize {
        self.letters.lock().expect("the letters").len()
    }
}

/// Speaks SMTP with one client.
fn converse(client: TcpStream, kept: &Mutex<Vec<Letter>>) {
    let mut answers = client.try_clone().expect("a copy");
    let mut lines = BufReader::new(client).lines().map_while(Result::ok);
    let mut answer = |text: &str| answers.write_all(format!("{text}\r\n").as_bytes()).is_ok();
    let mut to = String::new();
    if !answer("220 mail.test") {
        return;
    }
    while let Some(line) = lines.next() {
        let command = line.to_ascii_uppercase();
        let answered = if let Some(address) = command.strip_prefix("RCPT TO:<") {
            to = address.split('>').next().unwrap_or_default().to_ascii_lowercase();
            answer("250 OK")
        } else if command == "DATA" {
            let begun = answer("354 go on");
            let letter: Vec<String> = lines.by_ref().take_while(|line| line != ".").collect();
            kept.lock().expect("the letters").push(Letter { to: to.clone(), text: text(&letter.join("\n")) });
            begun && answer("250 OK")
        } else if command == "QUIT" {
            let _ = answer("221 bye");
            return;
        } else {
            answer("250 OK")
        };
        if !answered {
            return;
        }
    }
}

/// The text of an e-mail, which may be quoted-printable: texts in these tests are ASCII.
fn text(letter: &str) -> String {
    let (_, body) = letter.split_once("\n\n").unwrap_or_default();
    body.replace("=\n", "").replace("=3D", "=")
}

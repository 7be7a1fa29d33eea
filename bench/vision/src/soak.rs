//! Thousands of mixed requests at full concurrency: every one is answered, every recognition is kept, memory does not
//! grow.

use std::{
    fs,
    net::SocketAddr,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use kaisatsu_e2e::http::{Answer, Connection, FORM, form};
use serde_json::{Value, json};

/// The operations, and whether they take a form. The last costs as much as all others together.
const OPERATIONS: [(&str, bool); 8] = [
    ("concept/classify", true),
    ("objectDetection/detect", true),
    ("similarImage/search", true),
    ("concept/classify", true),
    ("objectDetection/detect", true),
    ("similarImage/search", true),
    ("concept/classify", true),
    ("recognize", false),
];

/// A recognition and its first candidate, if it has one.
struct Kept {
    recognition: String,
    item: Option<String>,
}

pub(crate) fn run(address: SocketAddr, key: &str, pid: &str, connections: u32, count: u32, files: &[&str]) -> Value {
    let pictures: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("a picture")).collect();
    let (next, kept) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (memory, count) = (Mutex::new(Vec::new()), count as usize);
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let mut connection = Connection::open(address);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    if number.is_multiple_of(count / 20) {
                        let resident = resident(pid);
                        memory.lock().expect("a lock").push((number, resident));
                        eprintln!("{number} of {count}, {resident} MB");
                    }
                    let picture = &pictures[number / OPERATIONS.len() % pictures.len()];
                    let answer = ask(&mut connection, key, OPERATIONS[number % OPERATIONS.len()], picture);
                    kept.lock().expect("a lock").push(recognition(&answer));
                }
            });
        }
    });
    let took = began.elapsed().as_secs_f64();
    let kept = kept.into_inner().expect("a lock");
    let lost = kept.iter().filter(|kept| !is_kept(address, key, kept)).count();
    let mut memory = memory.into_inner().expect("a lock");
    memory.sort_unstable();
    let rate = f64::from(u32::try_from(count).expect("a count")) / took;
    json!({"answered": kept.len(), "lost": lost, "rate": rate, "seconds": took, "megabytes": memory})
}

fn ask(connection: &mut Connection, key: &str, (operation, as_form): (&str, bool), picture: &[u8]) -> Answer {
    let more = if operation.starts_with("similar") { "&collection=soak" } else { "" };
    let body = if as_form { form(&[("image", picture)]) } else { picture.to_vec() };
    let kind = if as_form { FORM } else { "application/octet-stream" };
    let head = format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
    connection.request("POST", &format!("/imageRecognition/v1/{operation}?APIKEY={key}{more}"), &head);
    connection.send(&body);
    let answer = connection.answer(false).expect("an answer");
    assert_eq!(answer.status, 200, "{operation}: {}", answer.text());
    answer
}

fn recognition(answer: &Answer) -> Kept {
    let answer = answer.json();
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let recognition = text(&answer["recognitionId"]).expect("a recognition id");
    Kept { recognition, item: text(&answer["candidates"][0]["itemId"]) }
}

/// Whether a verdict on the first candidate is taken; a recognition without candidates has nothing to lose but its id.
fn is_kept(address: SocketAddr, key: &str, kept: &Kept) -> bool {
    let item = kept.item.as_deref().unwrap_or("itm_0000000000000000");
    let target = format!(
        "/imageRecognition/v1/feedbackToCandidate?APIKEY={key}&recognitionId={}&itemId={item}&isValid=true",
        kept.recognition
    );
    let answer = kaisatsu_e2e::http::post(address, &target, "", b"");
    if kept.item.is_some() { answer.status == 204 } else { !answer.text().contains("recognitionId") }
}

fn resident(pid: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the server's status");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).expect("a number") / 1024
}

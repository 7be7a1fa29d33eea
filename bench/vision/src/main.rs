//! The Rust half of bench/vision; compare.py, soak.py and bench/accuracy call it. Each command prints one line of JSON.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement stops at the first surprise"
)]

mod catalogue;
mod codes;
mod cpu;
mod infer;
mod load;
mod segments;
mod soak;

use std::env;

const USAGE: &str = "bench-vision infer LIBRARY MODEL.onnx THREADS SECONDS NAME=SHAPE … | \
                     bench-vision load ADDRESS TARGET form|body CONNECTIONS SECONDS FILE … | \
                     bench-vision soak ADDRESS KEY PID CONNECTIONS COUNT FILE … | bench-vision codes FILE … | \
                     bench-vision catalogue MODELS COUNT upright|turned KNOWN … ? ASKED=NUMBERS … | \
                     bench-vision segments FOLDER COUNT EACH | bench-vision segments FOLDER";

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let figures = match words[..] {
        ["infer", library, model, threads, seconds, ref inputs @ ..] => {
            infer::run(library, model, number(threads), number(seconds), inputs)
        }
        ["load", address, target, shape, connections, seconds, ref files @ ..] => {
            let address = address.parse().expect("an address");
            load::run(address, target, shape == "form", number(connections), number(seconds), files)
        }
        ["soak", address, key, pid, connections, count, ref files @ ..] => {
            let address = address.parse().expect("an address");
            soak::run(address, key, pid, number(connections), number(count), files)
        }
        ["codes", ref files @ ..] => codes::run(files),
        ["catalogue", models, count, views @ ("upright" | "turned"), ref files @ ..] => {
            let split = files.iter().position(|word| *word == "?").expect("a question mark between known and asked");
            catalogue::run(models, number(count), views, &files[..split], &files[split + 1..])
        }
        ["segments", folder, count, each] => segments::write(folder, number(count), number(each)),
        ["segments", folder] => segments::ask(folder),
        _ => {
            println!("{USAGE}");
            return;
        }
    };
    println!("{figures}");
}

fn number(word: &str) -> u32 {
    word.parse().expect("a number")
}

/// Times in milliseconds and how many there were in a second.
fn figures(mut times: Vec<f64>, took: f64) -> serde_json::Value {
    times.sort_by(f64::total_cmp);
    let count = times.len();
    let rate = f64::from(u32::try_from(count).expect("a count")) / took;
    serde_json::json!({"rate": rate, "p50": times[count / 2], "p99": times[count * 99 / 100], "count": count})
}

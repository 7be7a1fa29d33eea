//! Measures railmapDetail for random 500×500 windows, beside a bare server of the same framework that returns a
//! constant body of the same size. Both run alternately on the same machine, so the ratio is meaningful even if the
//! figures alone are not. It uses the loopback interface only and terminates by itself.
//!
//! ```text
//! make bench
//! ```
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement prints, and stops at a surprise"
)]

mod bare;
mod load;
mod servers;

use load::{Load, Round};
use servers::Running;

/// Rounds of each server, alternating. Many short rounds average out changes in the speed of the machine.
const ROUNDS: usize = 31;
/// Keep-alive connections.
const CONNECTIONS: usize = 32;
/// Seconds of one round.
const SECONDS: u64 = 1;

fn main() {
    if let Some(size) = std::env::args().skip_while(|arg| arg != "--bare").nth(1) {
        return bare::serve(size.parse().expect("a size in bytes"));
    }
    let kaisatsu = servers::kaisatsu();
    let windows = load::random_windows(&kaisatsu.key, kaisatsu.width, kaisatsu.height);
    let size = load::mean_body(kaisatsu.running.address, &windows);
    let bare = servers::bare(size);
    println!("{CONNECTIONS} connections, {ROUNDS} rounds of {SECONDS} s each, mean body {size} bytes\n");

    let measure = |server: &Running| Load { server, requests: &windows }.run(CONNECTIONS, SECONDS);
    // Both servers are warm before the first round.
    let _ = (measure(&bare), measure(&kaisatsu.running));
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plain.push(measure(&bare));
        ours.push(measure(&kaisatsu.running));
    }
    println!("| server | requests/s | p50 µs | p99 µs | server CPU µs/request | resident MB |");
    println!("|---|---|---|---|---|---|");
    row("bare axum, constant body", &plain, &bare);
    row("kaisatsu, random 500×500 windows", &ours, &kaisatsu.running);
    let mut ratios: Vec<f64> = plain.iter().zip(&ours).map(|(bare, own)| own.rate / bare.rate).collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "\nratio of the rates, round by round: median {:.3}, from {:.3} to {:.3}",
        ratios[ROUNDS / 2],
        ratios[0],
        ratios[ROUNDS - 1]
    );
}

fn row(name: &str, rounds: &[Round], server: &Running) {
    let median = |figure: fn(&Round) -> f64| {
        let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    let (rate, p50, p99, cpu) = (median(|r| r.rate), median(|r| r.p50), median(|r| r.p99), median(|r| r.cpu));
    println!("| {name} | {rate:.0} | {p50:.0} | {p99:.0} | {cpu:.1} | {:.1} |", server.resident_mb());
}

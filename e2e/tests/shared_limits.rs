//! Rate limits and quotas of three servers on one PostgreSQL database, with uneven load.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test stops at the first surprise")]

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use kaisatsu_e2e::{Backend, Database, Server, eventually, http::Connection, make_key};

/// Requests that passed and that were refused.
#[derive(Default)]
struct Counts {
    passed: AtomicU32,
    refused: AtomicU32,
}

impl Counts {
    fn passed(&self) -> u32 {
        self.passed.load(Ordering::Relaxed)
    }
}

/// Sends requests one after another until told to stop, or until the server is gone.
fn call(to: SocketAddr, key: &str, pause: Duration, counts: &Counts, stop: &AtomicBool) {
    let mut connection = Connection::open(to);
    let target = format!("/route_service/v1/railmapList?APIKEY={key}");
    while !stop.load(Ordering::Relaxed) {
        connection.request("GET", &target, "");
        let Some(answer) = connection.answer(false) else { return };
        match answer.status {
            200 => counts.passed.fetch_add(1, Ordering::Relaxed),
            429 => {
                assert!(answer.header("retry-after").is_some_and(|wait| wait.parse::<u32>().unwrap() > 0));
                counts.refused.fetch_add(1, Ordering::Relaxed)
            }
            other => panic!("{other}: {}", answer.text()),
        };
        thread::sleep(pause);
    }
}

fn three_servers(database: &Database, args: &[&str]) -> [Server; 3] {
    [(); 3].map(|()| Server::start(database, args))
}

#[test]
fn a_daily_quota_is_kept_within_two_percent_although_a_server_is_killed() {
    const LIMIT: u32 = 3_000;
    let database = Database::fresh(Backend::Postgres);
    let key = make_key(&database, "one");
    let servers = three_servers(&database, &["--daily-requests", &LIMIT.to_string()]);
    let (counts, stop) = (Counts::default(), AtomicBool::new(false));
    thread::scope(|scope| {
        let caller = |server: usize, pause: u64| {
            let (to, key, counts, stop) = (servers[server].address, &key, &counts, &stop);
            scope.spawn(move || call(to, key, Duration::from_millis(pause), counts, stop));
        };
        caller(0, 0);
        caller(0, 0);
        caller(1, 7);
        eventually("the first servers are at work", || (counts.passed() > LIMIT / 10).then_some(()));
        // The third one leases requests, answers some, and is gone with the rest.
        let third = servers[2].get(&format!("/route_service/v1/railmapList?APIKEY={key}"));
        assert_eq!(third.status, 200);
        counts.passed.fetch_add(1, Ordering::Relaxed);
        servers[2].signal("-KILL");
        eventually("the quota is used", || (counts.passed() >= LIMIT - LIMIT / 50).then_some(()));
        let refused = counts.refused.load(Ordering::Relaxed);
        eventually("all are refused", || (counts.refused.load(Ordering::Relaxed) > refused + 500).then_some(()));
        stop.store(true, Ordering::Relaxed);
    });
    eprintln!("{} of {LIMIT} passed", counts.passed());
    assert!(counts.passed() <= LIMIT, "{} of {LIMIT}", counts.passed());
}

/// How exactly a rate is kept is tested with a clock of its own, in `crates/access/tests/shared_limits.rs`: on a busy
/// machine a server may find its database too slow for a moment, and keep the rate by itself.
#[test]
fn a_rate_is_kept_by_all_servers_together() {
    const RATE: u32 = 100;
    let database = Database::fresh(Backend::Postgres);
    let key = make_key(&database, "one");
    let servers = three_servers(&database, &["--rate-limit", &RATE.to_string()]);
    for server in &servers {
        // The first requests open connections to the database.
        assert_eq!(server.get(&format!("/route_service/v1/railmapList?APIKEY={key}")).status, 200);
    }
    let (counts, stop) = ([(); 3].map(|()| Counts::default()), AtomicBool::new(false));
    let began = Instant::now();
    thread::scope(|scope| {
        for (server, pause) in [(0, 2), (0, 2), (1, 2), (2, 300)] {
            let (to, key, counts, stop) = (servers[server].address, &key, &counts[server], &stop);
            scope.spawn(move || call(to, key, Duration::from_millis(pause), counts, stop));
        }
        thread::sleep(Duration::from_secs(10));
        stop.store(true, Ordering::Relaxed);
    });
    let passed = [0, 1, 2].map(|server| counts[server].passed());
    let limit = f64::from(RATE) * (began.elapsed().as_secs_f64() + 1.0);
    let sum: u32 = passed.iter().sum();
    eprintln!("{sum} of {limit:.0} passed: {passed:?}");
    assert!(f64::from(sum) < limit * 1.5, "two servers that are kept busy would let twice as many through: {passed:?}");
    assert!(counts[0].refused.load(Ordering::Relaxed) > 0 && counts[1].refused.load(Ordering::Relaxed) > 0);
    assert!(passed.iter().all(|count| *count > 0), "whoever calls rarely is served: {passed:?}");
}

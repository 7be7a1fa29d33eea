//! Servers that end while their models are being loaded: ONNX Runtime must not be torn down under the threads that use
//! it, which ends a process by a signal instead of with its exit code.

use std::{net::TcpListener, thread, time::Duration};

use kaisatsu_e2e::{Backend, Database, Server, run};

/// What the C library or ONNX Runtime print when they are torn down in use.
const CRASHES: [&str; 5] = ["corrupted", "double free", "terminate called", "onnxruntime", "panicked"];

fn models() -> String {
    std::env::var("KAISATSU_TEST_MODELS").expect("KAISATSU_TEST_MODELS is not set; `make test` sets it")
}

fn assert_clean(log: &str) {
    assert!(CRASHES.iter().all(|crash| !log.contains(crash)), "{log}");
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_server_that_is_stopped_while_it_loads_its_models_exits_with_0() {
    let database = Database::fresh(Backend::Sqlite);
    let mut loading = 0;
    for number in 0..50_u64 {
        let mut server = Server::start(&database, &["--models", &models(), "--shutdown-drain", "0s"]);
        thread::sleep(Duration::from_millis(10 * (number % 25)));
        loading += u32::from(server.get("/readyz").status == 503);
        server.signal("-TERM");
        assert_eq!(server.wait(), Some(0), "{number}: {}", server.log());
        assert_clean(&server.log());
    }
    assert!(loading >= 25, "only {loading} of 50 were still loading");
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_second_signal_while_the_models_are_loaded_ends_the_process_without_a_crash() {
    let database = Database::fresh(Backend::Sqlite);
    for number in 0..10_u64 {
        let mut server = Server::start(&database, &["--models", &models(), "--shutdown-drain", "0s"]);
        thread::sleep(Duration::from_millis(20 * number));
        server.signal("-TERM");
        kaisatsu_e2e::eventually("the shutdown begins", || server.log().contains("shutting down").then_some(()));
        // It may have ended by itself.
        server.signal_if_running("-TERM");
        let code = server.wait();
        assert!(matches!(code, Some(0 | 1)), "{number}: {code:?} {}", server.log());
        assert_clean(&server.log());
    }
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_taken_port_is_an_error_and_no_crash() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for number in 0..10 {
        let home = tempfile::tempdir().unwrap();
        let ended = run(home.path(), &["serve", "--listen", &address, "--models", &models()], &[]);
        assert_eq!(ended.code, 5, "{number}: {}", ended.err);
        assert!(ended.err.contains(&format!("cannot listen on {address}")), "{}", ended.err);
        assert_clean(&ended.err);
    }
}

//! The server speaks TLS by itself, and takes a new certificate without a restart.

use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Command, Stdio},
};

use kaisatsu_e2e::{binary, eventually, run};
use tempfile::TempDir;

/// Makes a certificate of its own for 127.0.0.1, with a name by which it is told from others.
fn certificate(folder: &Path, name: &str) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=IP:127.0.0.1"])
        .arg("-keyout")
        .arg(folder.join("key.pem"))
        .arg("-out")
        .arg(folder.join("cert.pem"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

struct TlsServer {
    child: Child,
    home: TempDir,
    base: String,
}

impl TlsServer {
    fn start(certificates: &Path) -> Self {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let log = File::create(home.path().join("err")).unwrap();
        let child = Command::new(binary())
            .args(["serve", "--listen", "127.0.0.1:0", "--tls-cert"])
            .arg(certificates.join("cert.pem"))
            .arg("--tls-key")
            .arg(certificates.join("key.pem"))
            .env_clear()
            .env("HOME", home.path())
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let base = eventually("the server says where it listens", || {
            let text = fs::read_to_string(&out).unwrap();
            let line = text.lines().find_map(|line| line.trim().strip_prefix("address"))?.trim().to_owned();
            text.contains("curl").then_some(line)
        });
        Self { child, home, base }
    }

    /// What curl gets when it trusts the certificate of a folder, and only that.
    fn get(&self, path: &str, trusted: &Path) -> Result<String, String> {
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--fail", "--include", "--cacert"])
            .arg(trusted.join("cert.pem"))
            .arg(format!("{}{path}", self.base))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_new_certificate_is_taken_without_a_restart() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let live = tempfile::tempdir().unwrap();
    certificate(first.path(), "first");
    certificate(second.path(), "second");
    let install = |from: &Path| {
        for name in ["cert.pem", "key.pem"] {
            fs::copy(from.join(name), live.path().join("new")).unwrap();
            fs::rename(live.path().join("new"), live.path().join(name)).unwrap();
        }
    };
    install(first.path());
    let server = TlsServer::start(live.path());
    assert!(server.base.starts_with("https://127.0.0.1:"), "{}", server.base);
    let answer = server.get("/healthz", first.path()).unwrap();
    assert!(answer.contains("200 OK") && answer.contains("\"status\":\"ok\""), "{answer}");
    assert!(server.get("/healthz", second.path()).is_err(), "it has the first one");

    install(second.path());
    eventually("it has the second one", || server.get("/healthz", second.path()).ok());
    assert!(server.get("/healthz", first.path()).is_err());

    // A file that is no certificate does not replace the one in force.
    fs::write(live.path().join("cert.pem"), "not a certificate").unwrap();
    let log = || fs::read_to_string(server.home.path().join("err")).unwrap();
    eventually("it is logged", || log().contains("the certificate in force stays").then_some(()));
    server.get("/healthz", second.path()).unwrap();

    // Plain HTTP is not answered, and a client that says nothing holds nobody up.
    let address = server.base.trim_start_matches("https://");
    let _silent = std::net::TcpStream::connect(address).unwrap();
    let plain =
        Command::new("curl").args(["--silent", "--max-time", "20", &format!("http://{address}/healthz")]).output();
    assert!(!plain.unwrap().status.success());
    server.get("/healthz", second.path()).unwrap();

    // The command that says how servers are reads it from the database.
    let status = run(server.home.path(), &["status", "--listen", address], &[]);
    assert_eq!(status.code, 0, "{}{}", status.out, status.err);
}

#[test]
fn a_certificate_that_cannot_be_used_is_an_error_of_usage() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    certificate(folder.path(), "one");
    certificate(other.path(), "other");
    let home = tempfile::tempdir().unwrap();
    let (cert, key) = (folder.path().join("cert.pem"), other.path().join("key.pem"));
    let (cert, key) = (cert.display().to_string(), key.display().to_string());
    for (args, told) in [
        (vec!["--tls-cert", cert.as_str()], "TLS needs both --tls-cert and --tls-key"),
        (vec!["--tls-cert", "/nonexistent.pem", "--tls-key", key.as_str()], "/nonexistent.pem: "),
        (vec!["--tls-cert", key.as_str(), "--tls-key", key.as_str()], "there is no certificate in it"),
        (vec!["--tls-cert", cert.as_str(), "--tls-key", key.as_str()], "key.pem: "),
    ] {
        let refused = run(home.path(), &[&["serve", "--listen", "127.0.0.1:0"], args.as_slice()].concat(), &[]);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.err);
        assert!(refused.err.contains(told), "{args:?}: {}", refused.err);
    }
}

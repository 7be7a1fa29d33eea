//! Settings, and starts that fail.

use std::{fs, os::unix::process::CommandExt as _, process::Command};

use kaisatsu_e2e::{Backend, Database, Server, eventually, run};

#[test]
fn settings_come_from_the_file_then_the_environment_then_flags() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("my.toml");
    fs::write(&file, "rate_limit = 1\ncors = \"off\"\nlog = \"warn\"\ndatabase = \"postgres://me:s3cret@db/gate\"\n")
        .unwrap();
    let path = file.display().to_string();
    let config = |args: &[&str], env: &[(&str, &str)]| {
        let shown = run(home.path(), &[&["config"], args].concat(), env);
        assert_eq!(shown.code, 0, "{}", shown.err);
        shown.out
    };
    let plain = config(&[], &[]);
    assert!(plain.contains("rate_limit = \"0\"   # default"), "{plain}");
    let layered = config(
        &["--config", &path, "--log", "debug"],
        &[("KAISATSU_CORS", "*"), ("KAISATSU_LOG", "error"), ("KAISATSU_MAPS", "/srv/maps")],
    );
    for line in [
        "rate_limit = \"1\"   # from the file",
        "cors = \"*\"   # from KAISATSU_CORS",
        "log = \"debug\"   # from --log",
        "maps = \"/srv/maps\"   # from KAISATSU_MAPS",
        "database = \"postgres://me@db:5432/gate\"   # from the file",
    ] {
        assert!(layered.lines().any(|other| other == line), "{line} in {layered}");
    }
    assert!(!layered.contains("s3cret"));

    // The printed settings can be used as a file, and the default path is found.
    let usual = home.path().join(".config/kaisatsu");
    fs::create_dir_all(&usual).unwrap();
    fs::write(usual.join("kaisatsu.toml"), config(&["--rate-limit", "7"], &[])).unwrap();
    assert!(config(&[], &[]).contains("rate_limit = \"7\"   # from the file"));
}

#[test]
fn wrong_settings_are_named_with_their_remedy() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("my.toml");
    let path = file.display().to_string();
    for (text, sentence) in [
        ("listen = \"nowhere\"", "listen: invalid socket address syntax"),
        ("surprise = 1", "surprise: there is no such setting; `kaisatsu config` lists them"),
        ("log = [1]", "log: a setting is a string, a whole number, true or false"),
        (
            "shutdown_grace = \"5\"",
            "shutdown_grace: write a whole number and s, m, h, d or w, such as 30s, 24h or 1h30m",
        ),
        ("database = \"mysql://me:s3cret@h/d\"", "database: 'mysql:' is no kind of database we keep things in"),
        ("cors = \"app.example\"", "cors: 'app.example' is no origin; write *, off, or https://HOST[:PORT]"),
        ("max_connections = 0", "max_connections: 0 is not in 1..=1000000"),
        ("log = ", "line 1: string values must be quoted"),
        ("log = \"info\"\ndatabase = \"postgres://me:s3cret@h/d\nrate_limit = 1", "line 2: "),
    ] {
        fs::write(&file, text).unwrap();
        let shown = run(home.path(), &["config", "--config", &path], &[]);
        assert_eq!(shown.code, 2, "{text}: {}", shown.err);
        assert!(shown.err.starts_with(&format!("kaisatsu: {path}: {sentence}")), "{text}: {}", shown.err);
        assert!(!shown.err.contains("s3cret"), "{}", shown.err);
    }
    fs::write(&file, "database = \"postgres://me:s3cret@h/d\"\nsmtp = \"smtps://me:s3cret@h:465\"").unwrap();
    let help = run(home.path(), &["serve", "--config", &path, "--help"], &[]);
    assert!(help.code == 0 && help.out.contains("--smtp") && !help.out.contains("s3cret"), "{}", help.out);
    let missing = run(home.path(), &["config", "--config", "/nonexistent.toml"], &[]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.starts_with("kaisatsu: /nonexistent.toml: "), "{}", missing.err);
    let flag = run(home.path(), &["serve", "--listen", "nowhere"], &[]);
    assert!(flag.code == 2 && flag.err.contains("--listen <IP:PORT>"), "{}", flag.err);
    let password = run(home.path(), &["serve", "--database", "postgres://me:s3cret@h:x/d"], &[]);
    assert!(password.code == 2 && !password.err.contains("s3cret"), "{}", password.err);
    let variable = run(home.path(), &["serve"], &[("KAISATSU_DATABASE", "mysql://me:s3cret@h/d")]);
    assert!(variable.code == 2 && !variable.err.contains("s3cret"), "{}", variable.err);
}

#[test]
fn a_start_that_cannot_succeed_reports_why_and_ends() {
    let home = tempfile::tempdir().unwrap();
    let serve = |args: &[&str]| run(home.path(), &[&["serve", "--listen", "127.0.0.1:0"], args].concat(), &[]);

    let gone = serve(&["--database", "postgres://me:s3cret@127.0.0.1:1/gate"]);
    assert_eq!(gone.code, 3, "{}", gone.err);
    assert!(gone.err.contains("no server answers there") && !gone.err.contains("s3cret"), "{}", gone.err);

    let file = home.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let folder = serve(&["--data", &file.join("data").display().to_string()]);
    assert_eq!(folder.code, 3, "{}", folder.err);
    assert!(folder.err.contains("Name a folder this user may write to with --data FOLDER"), "{}", folder.err);

    let locked = Database::fresh(Backend::Sqlite);
    let held = fs::File::create(format!("{}.lock", locked.address.trim_start_matches("sqlite:"))).unwrap();
    held.lock().unwrap();
    let waited = serve(&["--database", &locked.address]);
    assert_eq!(waited.code, 3, "{}", waited.err);
    assert!(waited.err.contains("another process holds a lock on it"), "{}", waited.err);
    drop(held);

    let maps = serve(&["--maps", "/nonexistent/maps"]);
    assert_eq!((maps.code, maps.err.trim()), (2, "kaisatsu: --maps: there is no folder /nonexistent/maps"));

    let database = Database::fresh(Backend::Sqlite);
    let running = Server::start(&database, &[]);
    let taken = run(home.path(), &["serve", "--listen", &running.address.to_string()], &[]);
    assert_eq!(taken.code, 5, "{}", taken.err);
    assert!(taken.err.contains("choose another address with --listen"), "{}", taken.err);
    assert!(!taken.out.contains("kst_"), "no key is made for a server that does not start");
    drop(running);

    database.run(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         SELECT 999, 'later', success, checksum, execution_time FROM _sqlx_migrations WHERE version = 1",
    );
    let newer = serve(&["--database", &database.address]);
    assert_eq!(newer.code, 4, "{}", newer.err);
    assert!(newer.err.contains("run the newer Kaisatsu"), "{}", newer.err);
}

/// Root may write anywhere, so this runs as nobody when the tests run as root.
#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let open =
        |path: &std::path::Path, mode| fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode));
    open(home.path(), 0o755).unwrap();
    let folder = home.path().join("data");
    fs::create_dir(&folder).unwrap();
    open(&folder, 0o555).unwrap();
    // The folder of the binary may be closed to others; a copy in an open folder is not.
    let copy = home.path().join("kaisatsu");
    fs::copy(kaisatsu_e2e::binary(), &copy).unwrap();
    open(&copy, 0o755).unwrap();
    let mut command = Command::new(&copy);
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&folder).env_clear();
    let root = fs::metadata("/proc/self").is_ok_and(|facts| std::os::unix::fs::MetadataExt::uid(&facts) == 0);
    if root {
        command.uid(65_534).gid(65_534);
    }
    // A test that starts a program at the same moment keeps the copy open for an instant; then it cannot be executed.
    let refused = eventually("the copy can be run", || match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => None,
        ended => Some(ended.unwrap()),
    });
    let err = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{err}");
    assert!(err.contains("Permission denied") && err.contains("data"), "{err}");
}

/// The reference of all settings in the documentation is the one the program prints.
#[test]
fn the_documentation_lists_the_settings() {
    let home = tempfile::tempdir().unwrap();
    let reference = run(home.path(), &["config", "--reference"], &[]).out;
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md")).unwrap();
    assert!(
        page.contains(&reference),
        "docs/configuration.md should hold what `kaisatsu config --reference` prints:\n{reference}"
    );
}

#[test]
fn a_second_server_on_the_same_sqlite_file_is_refused() {
    let database = Database::fresh(Backend::Sqlite);
    let not_shared = [("KAISATSU_SHARE_SQLITE", "false")];
    let _first = Server::start_with(&database, &[], &not_shared);
    let home = tempfile::tempdir().unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database.address];
    let second = run(home.path(), &serve, &[]);
    assert_eq!((second.code, second.out.as_str()), (3, ""));
    assert!(
        second.err.contains("another server (process ") && second.err.contains("--share-sqlite true"),
        "{}",
        second.err
    );
    let listed = run(home.path(), &["key", "list", "--database", &database.address], &[]);
    assert_eq!(listed.code, 0, "commands run beside a server: {}", listed.err);
}

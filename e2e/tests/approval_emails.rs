//! E-mails about registrations, through a mail server: to operators when somebody waits, and to people once somebody
//! decided, in the console or on the command line.

use kaisatsu_e2e::{Backend, ConsoleClient, Database, MailServer, Server, on_every_backend, run};
use serde_json::json;

on_every_backend![operators_learn_who_waits_and_people_what_was_decided];

const PASSWORD: &str = "a long enough password";

/// Registers somebody, who opens the link in the e-mail.
fn registered(server: &Server, mail: &MailServer, email: &str) {
    let person = ConsoleClient::stranger(server);
    let next = person.call("POST", "accounts", &json!({"email": email, "password": PASSWORD}));
    assert_eq!(next.json(), json!({"next": "confirm"}));
    let letter = mail.letter(email, 1).text;
    let token = letter.split("token=").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(person.call("POST", "account/confirm", &json!({"token": token})).status, 204);
}

fn operators_learn_who_waits_and_people_what_was_decided(backend: Backend) {
    let (database, mail) = (Database::fresh(backend), MailServer::start());
    let url = "https://maps.example.org";
    let server = Server::start(&database, &["--smtp", &mail.url(), "--public-url", url]);
    let mut operator = ConsoleClient::stranger(&server);
    let first = json!({"email": "operator@example.org", "password": PASSWORD});
    assert_eq!(operator.call("POST", "accounts", &first).json(), json!({"next": "signIn"}));
    assert_eq!(operator.sign_in("operator@example.org", PASSWORD).status, 200);

    registered(&server, &mail, "hana@example.org");
    let waits = mail.letter("operator@example.org", 1).text;
    assert!(waits.contains("hana@example.org") && waits.contains(&format!("{url}/console/operator")), "{waits}");
    let accounts = operator.get("operator/accounts").json()["accounts"].as_array().unwrap().clone();
    let id = |email: &str| accounts.iter().find(|one| one["email"] == email).unwrap()["id"].as_str().unwrap();
    let path = format!("operator/accounts/{}", id("hana@example.org"));
    assert_eq!(operator.call("PATCH", &path, &json!({"state": "active"})).status, 200);
    let approved = mail.letter("hana@example.org", 2).text;
    assert!(approved.contains("approved your account") && approved.contains(&format!("{url}/console/sign-in")));

    // The command line sends them too, before it ends.
    let home = tempfile::tempdir().unwrap();
    let command = |command: &[&str], email: &str| {
        let args = ["account", email, "--database", &database.address, "--public-url", url];
        let args = [&args[..1], command, &args[1..]].concat();
        let done = run(home.path(), &args, &[("KAISATSU_SMTP", &mail.url())]);
        assert_eq!(done.code, 0, "{}", done.err);
    };
    for (email, decision, said) in [
        ("kei@example.org", &["approve"][..], "approved your account"),
        ("mio@example.org", &["refuse", "--yes"], "rejected your registration"),
    ] {
        registered(&server, &mail, email);
        let _waits = mail.letter("operator@example.org", if decision == ["approve"] { 2 } else { 3 });
        command(decision, email);
        let letter = mail.letter(email, 2).text;
        assert!(letter.contains(said), "{letter}");
    }
    assert_eq!(mail.count(), 9, "three to each: a link, a notice to the operator, a decision");
}

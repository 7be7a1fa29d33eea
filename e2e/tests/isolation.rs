//! Every operation of users, called by everybody but the owner: the exact answer.

use kaisatsu_e2e::{
    Answer, Backend, Database, Server, User, eventually, http, make_key, models_with, on_every_backend,
    pictures::picture, run,
};
use serde_json::json;

on_every_backend![a_user_cannot_reach_what_belongs_to_another];

/// A request, given what follows the path.
type Call = Box<dyn Fn(&Server, &str) -> Answer>;

/// An operation of a user: its name, and a request for something of the owner's.
struct Operation {
    name: &'static str,
    call: Call,
    /// The status for the owner, and what any other user gets.
    owner: u16,
    stranger: Stranger,
}

/// What a user who is not the owner gets.
#[derive(Clone, Copy)]
enum Stranger {
    /// Not found.
    NotFound,
    /// The user's own list, which is empty.
    OwnList(&'static str),
    /// Success: the operation names nothing of the owner's.
    Fine,
}

fn operations(dataset: &str, image: &str) -> Vec<Operation> {
    let json_call = |name: &'static str, body: serde_json::Value| -> Call {
        Box::new(move |server, query| {
            let target = format!("/imageRecognition/v1/{name}{query}");
            http::post(server.address, &target, "application/json", body.to_string().as_bytes())
        })
    };
    let form_call = |name: &'static str, fields: Vec<(&'static str, Vec<u8>)>| -> Call {
        Box::new(move |server, query| {
            let fields: Vec<(&str, &[u8])> = fields.iter().map(|(name, value)| (*name, value.as_slice())).collect();
            server.post_form(&format!("/imageRecognition/v1/{name}{query}"), &fields)
        })
    };
    let asked = || vec![("image", picture("0", "9")), ("dataSetId", dataset.as_bytes().to_vec())];
    let operation = |name, call, owner, stranger| Operation { name, call, owner, stranger };
    let image_id = image.to_owned();
    let get_image: Call = Box::new(move |server, query| {
        let first = if query.is_empty() { '?' } else { '&' };
        server.get(&format!("/imageRecognition/v1/userCategory/getImage{query}{first}imageId={image_id}"))
    });
    vec![
        operation("concept/classify", form_call("concept/classify", asked()), 200, Stranger::NotFound),
        operation("similarImage/search", form_call("similarImage/search", asked()), 200, Stranger::NotFound),
        operation(
            "userCategory/uploadImage",
            form_call("userCategory/uploadImage", vec![("image", picture("5", "5"))]),
            200,
            Stranger::Fine,
        ),
        operation(
            "userCategory/listImages",
            json_call("userCategory/listImages", json!({})),
            200,
            Stranger::OwnList("images"),
        ),
        operation("userCategory/getImage", get_image, 200, Stranger::NotFound),
        operation(
            "userCategory/createDataSet",
            json_call("userCategory/createDataSet", json!({"name": "x", "images": [{"imageId": image, "tag": "x"}]})),
            202,
            Stranger::NotFound,
        ),
        operation(
            "userCategory/getDataSet",
            json_call("userCategory/getDataSet", json!({"dataSetId": dataset})),
            200,
            Stranger::NotFound,
        ),
        operation(
            "userCategory/listDataSets",
            json_call("userCategory/listDataSets", json!({})),
            200,
            Stranger::OwnList("dataSets"),
        ),
        operation(
            "userCategory/updateDataSet",
            json_call("userCategory/updateDataSet", json!({"dataSetId": dataset, "name": "another"})),
            202,
            Stranger::NotFound,
        ),
        operation(
            "userCategory/undoDataSet",
            json_call("userCategory/undoDataSet", json!({"dataSetId": dataset})),
            404,
            Stranger::NotFound,
        ),
        operation(
            "userCategory/deleteImage",
            json_call("userCategory/deleteImage", json!({"imageId": image})),
            204,
            Stranger::NotFound,
        ),
        operation(
            "userCategory/deleteDataSet",
            json_call("userCategory/deleteDataSet", json!({"dataSetId": dataset})),
            204,
            Stranger::NotFound,
        ),
    ]
}

fn error(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
}

fn a_user_cannot_reach_what_belongs_to_another(backend: Backend) {
    let (database, folder, home) =
        (Database::fresh(backend), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (key, other_key) = (make_key(&database, "one"), make_key(&database, "two"));
    let disabled = make_key(&database, "three");
    let kaisatsu = |args: &[&str]| {
        let done = run(home.path(), &[args, &["--database", &database.address]].concat(), &[]);
        assert_eq!(done.code, 0, "{}", done.err);
    };
    kaisatsu(&["app", "disable", "three"]);
    let models = models_with(&["general"]);
    let (blobs, models) = (format!("file:{}", folder.path().display()), models.path().display().to_string());
    let args = ["--blobs", &blobs, "--models", &models];
    let server = Server::start(&database, &args);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    // A server whose tokens are valid for a second, on the same database.
    let brief = Server::start(&database, &[&args[..], &["--token-lifetime", "1s"]].concat());

    let owner = User::named(&server, &key, "owner");
    let stranger = User::named(&server, &key, "stranger");
    // A user of the same name, of another application.
    let namesake = User::named(&server, &other_key, "owner");
    let expired = User::named(&brief, &key, "owner").on(&server);
    let revoked = User::named(&server, &key, "revoked");
    kaisatsu(&["token", "revoke", "--app", "one", "--user", "revoked", "--yes"]);
    let image = owner.upload(&picture("0", "1"), "zero");
    let other = owner.upload(&picture("1", "1"), "one");
    let set = owner.create(&[json!({"imageId": image}), json!({"imageId": other})]);
    assert_eq!(owner.built(&set)["state"], "ready");
    eventually("the brief token expires", || {
        (expired.call("userCategory/listImages", &json!({})).status == 401).then_some(())
    });

    let query = |key: &str, token: &str| format!("?APIKEY={key}&token={token}");
    for operation in operations(&set, &image) {
        let name = operation.name;
        let call = |query: &str| (operation.call)(&server, query);
        for (who, query, expected) in [
            ("no key", String::new(), (401, "116")),
            ("an unknown key", query("kst_00000000000000000000000000000000", &owner.token), (401, "116")),
            ("a disabled key", query(&disabled, &owner.token), (403, "201")),
            ("no token", format!("?APIKEY={key}"), (401, "117")),
            ("an empty token", query(&key, ""), (401, "117")),
            ("an unknown token", query(&key, "kut_00000000000000000000000000000000"), (401, "117")),
            ("an expired token", query(&key, &expired.token), (401, "117")),
            ("a revoked token", query(&key, &revoked.token), (401, "117")),
            ("a token given twice", format!("{}&token={}", query(&key, &owner.token), owner.token), (401, "117")),
            ("another application's key", query(&other_key, &owner.token), (401, "117")),
            ("another application's token", query(&key, &namesake.token), (401, "117")),
        ] {
            let answer = call(&query);
            assert_eq!(error(&answer), (expected.0, expected.1.to_owned()), "{name} with {who}: {}", answer.text());
            assert!(answer.text().contains(&format!("{name}: ")), "{}", answer.text());
            assert!(!answer.text().contains("kut_") && !answer.text().contains("kst_"), "{}", answer.text());
        }
        for (who, user) in [("another user", &stranger), ("another application's user of that name", &namesake)] {
            let answer = call(&query(&user.key, &user.token));
            match operation.stranger {
                Stranger::NotFound => {
                    assert_eq!(error(&answer), (404, "301".to_owned()), "{name} as {who}: {}", answer.text());
                }
                Stranger::OwnList(list) => {
                    let items = answer.json()[list].as_array().unwrap().clone();
                    assert!(
                        items.iter().all(|item| item["imageId"] != json!(image) && item["dataSetId"] != json!(set))
                    );
                }
                Stranger::Fine => assert_eq!(answer.status, 200, "{name} as {who}: {}", answer.text()),
            }
            // The answer is the same for another user's and for nobody's id, except for the request id.
            if let Stranger::NotFound = operation.stranger {
                let nobody_s =
                    operations("dts_00000000000000000000000000000000", "img_00000000000000000000000000000000");
                let nothing = nobody_s.iter().find(|other| other.name == name).unwrap();
                let nothing = (nothing.call)(&server, &query(&user.key, &user.token));
                assert_eq!((nothing.status, nothing.text()), (answer.status, answer.text()), "{name} as {who}");
            }
        }
        let answer = call(&query(&owner.key, &owner.token));
        assert_eq!(answer.status, operation.owner, "{name} as its owner: {}", answer.text());
    }
    let log = server.log();
    assert!(!log.contains("kut_") && !log.contains("kst_"), "secrets in the log");
}

//! The OpenAPI document says what clients have to know, in a form that generators of clients understand.

use kaisatsu_e2e::{Backend, Database, Server, http, run};
use serde_json::{Value, json};

fn document() -> Value {
    let home = tempfile::tempdir().unwrap();
    let printed = run(home.path(), &["openapi"], &[]);
    assert_eq!(printed.code, 0, "{}", printed.err);
    serde_json::from_str(&printed.out).unwrap()
}

/// Calls `check` with the name, the path and the description of every operation.
fn for_each_operation(document: &Value, mut check: impl FnMut(&str, &str, &Value)) {
    let mut count = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            check(operation["operationId"].as_str().unwrap(), path, operation);
            count += 1;
        }
    }
    assert!(count >= 35, "all operations are there: {count}");
}

/// The schema that a reference names.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

fn is_nullable(schema: &Value) -> bool {
    let kinds = schema["type"].as_array().into_iter().flatten();
    let alternatives = ["oneOf", "anyOf"].into_iter().flat_map(|name| schema[name].as_array().into_iter().flatten());
    kinds.into_iter().any(|kind| kind == "null") || alternatives.into_iter().any(|one| one["type"] == "null")
}

#[test]
fn bytes_are_binary() {
    let document = document();
    let mut binary = Vec::new();
    for_each_operation(&document, |name, _, operation| {
        let request = operation["requestBody"]["content"].as_object().into_iter().flatten();
        let answers = operation["responses"].as_object().unwrap().values();
        let answers = answers.flat_map(|answer| answer["content"].as_object().into_iter().flatten());
        for (media, content) in request.chain(answers) {
            let schema = resolve(&document, &content["schema"]);
            let is_bytes = ["application/octet-stream", "application/pdf"].contains(&media.as_str())
                || media.starts_with("image/") && !media.contains("svg");
            if is_bytes {
                assert_eq!(schema, &json!({"type": "string", "format": "binary"}), "{name} {media}");
                binary.push(name.to_owned());
            } else if media == "multipart/form-data" {
                // An item of the catalogue may have several pictures.
                let image = &schema["properties"]["image"];
                let one = if image["type"] == "array" { &image["items"] } else { image };
                assert_eq!(one["format"], "binary", "{name}");
            }
        }
    });
    binary.sort();
    assert_eq!(binary, ["getImage", "getThumbnail", "railmapData", "railmapData", "recognize", "uploadImage"]);
    assert!(!document.to_string().contains(r#""items":{"format":"int32","minimum":0,"type":"integer"}"#));
}

#[test]
fn what_is_refused_is_not_offered() {
    let document = document();
    for_each_operation(&document, |name, _, operation| {
        let body = &operation["requestBody"];
        for (media, content) in body["content"].as_object().into_iter().flatten() {
            let schema = resolve(&document, &content["schema"]);
            assert!(!is_nullable(&content["schema"]), "{name}: null is no body");
            if media == "multipart/form-data" {
                for (field, schema) in schema["properties"].as_object().unwrap() {
                    assert!(!is_nullable(schema), "{name}: a form has no null, but {field} may be one");
                }
            }
        }
        if name.starts_with("feedback") && name != "feedbackTotals" {
            assert_ne!(body["required"], json!(true), "the body of {name} may be left out");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(!is_nullable(&parameter["schema"]), "{name} {}", parameter["name"]);
        }
    });
}

#[test]
fn numbers_have_ranges_and_words_are_listed() {
    let document = document();
    let mut words = Vec::new();
    for_each_operation(&document, |name, _, operation| {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let (schema, what) = (&parameter["schema"], parameter["name"].as_str().unwrap());
            let is_anywhere = matches!(what, "x" | "y");
            if matches!(schema["type"].as_str(), Some("integer" | "number")) && !is_anywhere {
                assert!(schema["minimum"].is_number(), "{name} {what}");
            }
            if let Some(list) = schema["enum"].as_array() {
                words.push(format!("{name} {what} {}", list.len()));
            }
            assert!(!schema["pattern"].as_str().unwrap_or_default().contains('|'), "{name} {what} is a list of words");
        }
    });
    for expected in [
        "railmapData format 3",
        "railmapData style 2",
        "railmapDetail gcs 2",
        "recognize recog 7",
        "feedbackTotals interval 2",
        "getImage size 2",
        "searchCourse sort 2",
        "station type 6",
    ] {
        assert!(words.iter().any(|word| word == expected), "{expected} in {words:?}");
    }
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["DataSetWire"]["properties"]["state"]["enum"], json!(["queued", "building", "ready", "failed"]));
    assert_eq!(schemas["ImageWire"]["properties"]["outcome"]["enum"].as_array().unwrap().len(), 9);
}

#[test]
fn every_operation_says_where_how_and_what_else_may_come() {
    let document = document();
    assert_eq!(document["servers"][0]["url"], "/");
    for_each_operation(&document, |name, path, operation| {
        let answers = operation["responses"].as_object().unwrap();
        let is_api = path.contains("/v1/");
        for (status, answer) in answers {
            let headers = &answer["headers"];
            let has = |header: &str| resolve(&document, &headers[header])["schema"]["type"].is_string();
            assert!(has("X-Request-Id"), "{name} {status}");
            assert_eq!(has("Retry-After"), ["409", "429", "503"].contains(&status.as_str()), "{name} {status}");
            assert_eq!(has("WWW-Authenticate"), status == "401", "{name} {status}");
            assert_eq!(has("Allow"), status == "405", "{name} {status}");
            let is_read = is_api && document["paths"][path]["get"]["operationId"] == name && name != "railmapDetail";
            assert_eq!(has("ETag"), is_read && ["200", "304"].contains(&status.as_str()), "{name} {status}");
            assert_eq!(answers.contains_key("304"), is_read, "{name}");
        }
        if is_api {
            for status in ["401", "403", "405", "429", "500", "503"] {
                let content = &answers.get(status).unwrap_or_else(|| panic!("{name} has {status}"))["content"];
                let error = if path.starts_with("/imageRecognition") { "RecognitionError" } else { "ErrorAnswer" };
                let schema = &content["application/json;charset=UTF-8"]["schema"]["$ref"];
                assert_eq!(schema, &json!(format!("#/components/schemas/{error}")), "{name} {status}");
            }
        }
    });
}

/// The JSON contents of an operation's answers, each with its status.
fn json_answers(operation: &Value) -> Vec<(&str, &Value)> {
    let answers = operation["responses"].as_object().unwrap().iter();
    let contents = answers.flat_map(|(status, answer)| {
        let contents = answer["content"].as_object().into_iter().flatten();
        contents.map(move |(media, content)| (status.as_str(), media, content))
    });
    contents.filter(|(_, media, _)| media.starts_with("application/json")).map(|(status, _, c)| (status, c)).collect()
}

/// Asserts that a value is what its schema describes, as far as types, words and required properties go.
fn assert_fits(document: &Value, schema: &Value, value: &Value, place: &str) {
    let schema = resolve(document, schema);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        assert_fits(document, part, value, place);
    }
    if let Some(choice) = schema["oneOf"].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null")) {
        return assert_fits(document, choice, value, place);
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place}: {value} is none of {words:?}");
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{place}: {name} is missing in {value}");
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            assert_fits(document, schema, value, &format!("{place}.{name}"));
        }
    }
    let kinds = schema["type"].as_array().map_or_else(|| vec![&schema["type"]], |kinds| kinds.iter().collect());
    let fits = |kind: &&Value| match kind.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("null") => value.is_null(),
        _ => value.is_object() || schema.get("type").is_none(),
    };
    assert!(kinds.iter().any(fits), "{place}: {value} is not of the type {kinds:?}");
    for one in value.as_array().into_iter().flatten().filter(|_| schema.get("items").is_some()) {
        assert_fits(document, &schema["items"], one, &format!("{place}[]"));
    }
}

#[test]
fn every_status_of_every_operation_has_an_example_of_its_own() {
    let document = document();
    for_each_operation(&document, |name, path, operation| {
        for (status, content) in json_answers(operation) {
            let place = format!("{name} {status}");
            let example = content.get("example").unwrap_or_else(|| panic!("{place} has no example"));
            assert_fits(&document, &content["schema"], example, &place);
            assert!(!example.to_string().contains('\u{2026}'), "{place} has a part without an example: {example}");
            let code = example.pointer("/error/code").or_else(|| example.pointer("/ResultSet/Error/code"));
            if path.contains("/v1/") && status >= "400" {
                let code = code.and_then(Value::as_str).unwrap_or_else(|| panic!("{place}: {example}"));
                let description = operation["responses"][status]["description"].as_str().unwrap();
                let groups = description.split("; ").filter_map(|group| group.split_once(':'));
                let codes: Vec<&str> = groups.flat_map(|(codes, _)| codes.split(", ")).collect();
                assert!(codes.contains(&code), "{place}: {code} is none of {description}");
                let missing = example.to_string().contains("is missing");
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let required = parameters.into_iter().any(|one| one["in"] == "query" && one["required"] == true);
                assert!(!missing || required, "{place}: nothing can be missing");
                let told = example.pointer("/error/message").map_or("", |message| message.as_str().unwrap());
                let function = path.split_once("/imageRecognition/v1/");
                let function = function.map(|(_, name)| format!("{}: ", name.split("/{").next().unwrap_or(name)));
                assert!(function.is_none_or(|function| told.starts_with(&function)), "{place}: {told}");
            }
        }
    });
}

#[test]
fn examples_of_errors_are_what_the_server_answers() {
    let document = document();
    let database = Database::fresh(Backend::Sqlite);
    let server = Server::start(&database, &[]);
    for (path, item) in document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.contains("/v1/")) {
        for (method, operation) in item.as_object().unwrap() {
            let example = |status: &str| {
                let answers = json_answers(operation).into_iter();
                answers.filter(|(one, _)| *one == status).map(|(_, content)| content["example"].clone()).next()
            };
            let send = |method: &str, query: &str| {
                http::request(server.address, method, &format!("{path}{query}"), "Content-Length: 0\r\n")
            };
            let refused = send(&method.to_uppercase(), "?APIKEY=unknown");
            assert_eq!((refused.status, Some(refused.json())), (401, example("401")), "{method} {path}");
            let wrong = send("PUT", "");
            assert_eq!((wrong.status, Some(wrong.json())), (405, example("405")), "{method} {path}");
        }
    }
}

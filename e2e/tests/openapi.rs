//! The OpenAPI document says what clients have to know, in a form that generators of clients understand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use kaisatsu_e2e::run;
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

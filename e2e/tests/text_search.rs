//! `similarImage/search` with a text: models whose text encoder makes vectors that are compared with those of pictures.

use std::fs;

use kaisatsu_e2e::{
    Answer, Backend, Database, Run, Server, User, eventually, http, make_key,
    onnx::{Attribute, Onnx},
    operator::{COLOURS, Operator, coloured},
};
use serde_json::{Value, json};

/// Words with a number each; the others are number 0.
const TOKENIZER: &str = r#"{
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "post_processor": null, "decoder": null,
    "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
    "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "red": 1, "green": 2, "blue": 3}}
}"#;

/// The vectors of these tokens. That of an unknown word is short, so that it decides little.
const WORDS: [f32; 12] = [0.1, 0.0, 0.0, 1.0, -1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0, 1.0];

/// The mean colour.
fn pictures() -> Onnx {
    Onnx::default()
        .input("pixel_values", &[0, 3, 8, 8])
        .node("GlobalAveragePool", &["pixel_values"], "mean", &[])
        .node("Flatten", &["mean"], "image_embeds", &[])
        .output("image_embeds", &[0, 3])
}

/// The mean of the vectors of the words.
fn texts() -> Onnx {
    let mean = [("axes", Attribute::Integers(&[1])), ("keepdims", Attribute::Integer(0))];
    Onnx::default()
        .integer_input("input_ids", &[0, 0])
        .weights("words", &[4, 3], &WORDS)
        .node("Gather", &["words", "input_ids"], "each", &[])
        .node("ReduceMean", &["each"], "text_embeds", &mean)
        .output("text_embeds", &[0, 3])
}

/// A vector for each of six tokens. What is filled up looks very red, so that it must have no part in the mean.
fn texts_of_six_tokens() -> Onnx {
    let mut words = WORDS;
    words[..3].copy_from_slice(&[9.0, -9.0, -9.0]);
    Onnx::default()
        .integer_input("input_ids", &[1, 6])
        .weights("words", &[4, 3], &words)
        .node("Gather", &["words", "input_ids"], "last_hidden_state", &[])
        .output("last_hidden_state", &[1, 6, 3])
}

fn operator() -> Operator {
    let operator = Operator::new();
    operator.write("clip.onnx", pictures().file());
    operator.write("text.onnx", texts().file());
    operator.write("six.onnx", texts_of_six_tokens().file());
    operator.write("tokenizer.json", TOKENIZER);
    operator
}

/// Adds the network for pictures.
fn add(operator: &Operator, name: &str, args: &[&str]) -> Run {
    operator.add("clip.onnx", &[&["--task", "embed", "--name", name][..], args].concat())
}

fn collection(operator: &Operator, database: &Database, name: &str, base: &str) {
    let photos = operator.path("photos");
    let import = ["--database", &database.address, "collection", "import", name, &photos, "--base", base];
    let imported = operator.run(&import);
    assert!(imported.code == 0 && imported.out.contains("12 images added"), "{}{}", imported.out, imported.err);
}

struct Caller<'a> {
    server: &'a Server,
    key: String,
}

impl Caller<'_> {
    fn target(&self, query: &str) -> String {
        format!("/imageRecognition/v1/similarImage/search?APIKEY={}{query}", self.key)
    }

    fn search(&self, fields: &[(&str, &[u8])]) -> Answer {
        self.server.post_form(&self.target(""), fields)
    }

    fn found(&self, fields: &[(&str, &[u8])]) -> Value {
        let answer = self.search(fields);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    fn refused(&self, fields: &[(&str, &[u8])]) -> String {
        let answer = self.search(fields);
        assert_eq!(answer.status, 400, "{}", answer.text());
        message(&answer)
    }
}

fn message(answer: &Answer) -> String {
    let error = &answer.json()["error"];
    format!("{} {}", error["code"].as_str().unwrap(), error["message"].as_str().unwrap())
}

/// Tags, or image ids, and scores to the bit.
fn listed(answer: &Value, field: &str) -> Vec<(String, u64)> {
    let one = |candidate: &Value| {
        (candidate[field].as_str().unwrap().to_owned(), candidate["score"].as_f64().unwrap().to_bits())
    };
    answer["candidates"].as_array().unwrap().iter().map(one).collect()
}

fn start(operator: &Operator, database: &Database) -> Server {
    let server = Server::start(database, &["--models", operator.models.path().to_str().unwrap()]);
    eventually("the models are loaded", || (server.get("/readyz").status == 200).then_some(()));
    server
}

#[test]
fn words_find_pictures_that_show_them() {
    let operator = operator();
    let words = ["--text-encoder", "@text.onnx", "--tokenizer", "@tokenizer.json"];
    let added = add(&operator, "open", &words);
    assert_eq!(added.code, 0, "{}", added.err);
    for told in
        ["'input_ids', 512 tokens (", "'text_embeds' [1, 3]: 3 numbers", "\"a photo of a red flower\": a cosine"]
    {
        assert!(added.out.contains(told), "{told}\n{}", added.out);
    }
    // Datasets have the vectors of `general` where `general-joined` is not installed.
    let six = ["--text-encoder", "@six.onnx", "--tokenizer", "@tokenizer.json"];
    let added = add(&operator, "general", &six);
    assert_eq!(added.code, 0, "{}", added.err);
    for told in ["6 tokens, filled up with 0 (as the file says", "[1, 6, 3], pool mean: 3 numbers"] {
        assert!(added.out.contains(told), "{told}\n{}", added.out);
    }
    let database = Database::fresh(Backend::Sqlite);
    collection(&operator, &database, "open", "open");
    collection(&operator, &database, "six", "general");
    let server = start(&operator, &database);
    let caller = Caller { server: &server, key: make_key(&database, "tests") };
    for (colour, _) in COLOURS {
        for (collection, words) in [("open", format!("a {} thing", colour.to_uppercase())), ("six", colour.to_owned())]
        {
            let fields = [("text", words.as_bytes()), ("collection", collection.as_bytes())];
            let found = listed(&caller.found(&fields), "tag");
            let tags: Vec<&str> = found.iter().map(|(tag, _)| tag.as_str()).collect();
            assert_eq!((&tags[..4], tags.len()), (&[colour; 4][..], 10), "{collection}: {found:?}");
        }
    }
    // Without a body at all, and with no default limit of likeness but the caller's own.
    let target = caller.target("&collection=open&text=%20green%20&numOfCandidates=50&minScore=0.5");
    let bare = http::post(server.address, &target, "", b"");
    assert_eq!(bare.status, 200, "{}", bare.text());
    let tags: Vec<String> = listed(&bare.json(), "tag").into_iter().map(|(tag, _)| tag).collect();
    assert_eq!(tags, ["green"; 4]);
    // A text longer than the network takes is cut.
    let long = "green ".repeat(166);
    assert_eq!(caller.found(&[("text", long.as_bytes()), ("collection", b"six")])["candidates"][0]["tag"], "green");

    let user = User::named(&server, &caller.key, "u");
    let images: Vec<Value> = COLOURS
        .iter()
        .flat_map(|(tag, colour)| (40..43).map(|width| json!({"imageId": user.upload(&coloured(*colour, width), tag)})))
        .collect();
    let set = user.create(&images);
    assert_eq!(user.built(&set)["state"], "ready");
    let found = user.send("similarImage/search", &[("text", b"blue"), ("dataSetId", set.as_bytes())]);
    assert_eq!(found.json()["candidates"][0]["tag"], "blue", "{}", found.text());
}

/// Verdicts on what words found teach the search with words, and nothing about pictures.
#[test]
fn feedback_on_words_stays_with_words() {
    let operator = operator();
    let added = add(&operator, "clip", &["--text-encoder", "@text.onnx", "--tokenizer", "@tokenizer.json"]);
    assert_eq!(added.code, 0, "{}", added.err);
    let database = Database::fresh(Backend::Sqlite);
    collection(&operator, &database, "c", "clip");
    let server = start(&operator, &database);
    let caller = Caller { server: &server, key: make_key(&database, "tests") };
    let image = coloured(COLOURS[1].1, 42);
    let (words, pictures) =
        ([("text", &b"green"[..]), ("collection", b"c")], [("image", &image[..]), ("collection", b"c")]);
    let (before, seen) = (caller.found(&words), listed(&caller.found(&pictures), "imageId"));
    let (recognition, rejected) = (before["recognitionId"].as_str().unwrap(), &before["candidates"][0]);
    let target = format!(
        "/imageRecognition/v1/feedbackToCandidate?APIKEY={}&recognitionId={recognition}&itemId={}&isValid=false",
        caller.key,
        rejected["itemId"].as_str().unwrap()
    );
    assert_eq!(http::post(server.address, &target, "", b"").status, 204);
    let after = caller.found(&words);
    let last_of_four = &after["candidates"][3];
    assert_eq!(last_of_four["imageId"], rejected["imageId"], "{after}");
    assert!(last_of_four["score"].as_f64() < rejected["score"].as_f64(), "{after}");
    assert_eq!(listed(&caller.found(&pictures), "imageId"), seen);
}

#[test]
fn what_cannot_be_searched_for_is_told() {
    let operator = operator();
    assert_eq!(add(&operator, "plain", &[]).code, 0);
    assert_eq!(add(&operator, "clip", &["--text-encoder", "@text.onnx", "--tokenizer", "@tokenizer.json"]).code, 0);
    let database = Database::fresh(Backend::Sqlite);
    collection(&operator, &database, "p", "plain");
    collection(&operator, &database, "c", "clip");
    let server = start(&operator, &database);
    let caller = Caller { server: &server, key: make_key(&database, "tests") };
    // `models` says which of them take a text.
    let models = server.get(&format!("/imageRecognition/v1/models?APIKEY={}", caller.key)).json();
    let embedders = models["tasks"].as_array().unwrap().iter().find(|task| task["task"] == "similarImageSearch");
    for model in embedders.unwrap()["models"].as_array().unwrap() {
        let expected = if model["name"] == "clip" { json!(true) } else { Value::Null };
        assert_eq!(model["text"], expected, "{model}");
    }
    let (image, long) = (coloured(COLOURS[0].1, 40), "x".repeat(1001));
    let neither = "body field image or text is missing; image carries a picture, and text says what one should show";
    let length = "body field text must have 1 to 1000 characters, and not only spaces";
    let none = "text cannot be searched for here: the vectors are those of model 'plain', which has no text encoder; \
                the server's operator adds a model that has one with `kaisatsu models add --text-encoder FILE \
                --tokenizer FILE`";
    for (fields, told) in [
        (&[("collection", &b"c"[..])][..], neither),
        (
            &[("collection", b"c"), ("text", b"red"), ("image", &image)],
            "body field text and image exclude each other; leave one out",
        ),
        (&[("collection", b"c"), ("text", b"  ")], length),
        (&[("collection", b"c"), ("text", long.as_bytes())], length),
        (&[("collection", b"p"), ("text", b"red")], none),
    ] {
        assert_eq!(caller.refused(fields), format!("106 similarImage/search: {told}"));
    }
    let target = caller.target("&text=red&collection=c");
    let both = server.post_form(&target, &[("image", &image)]);
    let told = "104 similarImage/search: query parameter text and image exclude each other; leave one out";
    assert_eq!((both.status, message(&both)), (400, told.to_owned()));
    assert_eq!(server.post_form(&target, &[("text", b"red")]).status, 400, "given twice");
    assert_eq!(http::post(server.address, &target, "text/plain", b"red").status, 415);
    assert_eq!(http::post(server.address, &caller.target("&collection=c"), "", b"").status, 415, "no text either");
}

#[test]
fn a_text_encoder_that_does_not_fit_is_named_and_nothing_is_written() {
    let operator = operator();
    let file = |name: &str, onnx: &Onnx| operator.write(name, onnx.file());
    file("wide.onnx", &texts().weights("unused", &[1], &[0.0]).output("each", &[0, 0, 3]));
    let longer = Onnx::default()
        .integer_input("input_ids", &[0, 0])
        .weights("words", &[4, 5], &[0.5; 20])
        .node("Gather", &["words", "input_ids"], "each", &[])
        .output("each", &[0, 0, 5]);
    file("longer.onnx", &longer);
    let refused = |args: &[&str], told: &str| {
        let refused = add(&operator, "mine", args);
        assert_eq!((refused.code, refused.out.as_str()), (1, ""), "{}", refused.err);
        assert!(refused.err.contains(told), "{told}\n{}", refused.err);
        assert!(!operator.models.path().join("mine").exists());
    };
    let json = ["--tokenizer", "@tokenizer.json"];
    let with = |encoder: &'static str, rest: &[&'static str]| [&["--text-encoder", encoder], rest].concat();
    refused(&with("@longer.onnx", &json), "no output of the text encoder is a vector of 3 numbers");
    refused(&with("@clip.onnx", &json), "the text encoder wants the input 'pixel_values'");
    refused(&with("@text.onnx", &["--tokenizer", "@clip.onnx"]), "it is not a tokenizer.json of Hugging Face");
    refused(&[&with("@six.onnx", &json)[..], &["--text-length", "7"]].concat(), "the text encoder takes 6 tokens");
    assert_eq!(add(&operator, "mine", &["--text-encoder", "@text.onnx"]).code, 2, "--tokenizer is missing");
    let first = [&with("@wide.onnx", &json)[..], &["--text-embedding", "each", "--text-pool", "first"]].concat();
    let added = add(&operator, "mine", &first);
    assert!(added.code == 0 && added.out.contains("pool first"), "{}{}", added.out, added.err);

    // A tokenizer that was changed by hand is not used with the old manifest.
    fs::write(operator.models.path().join("mine/tokenizer.json"), TOKENIZER.replace("green", "verde")).unwrap();
    let checked = operator.run(&["models", "check"]);
    assert!(
        checked.code == 1 && checked.out.contains("mine: tokenizer.json is damaged or another file"),
        "{}",
        checked.out
    );
}

//! The models that clients ask for by name: dishes, plants, and views of the default model.

use kaisatsu_e2e::{Backend, Database, Server, eventually, http, make_key, pictures::photo};
use serde_json::{Value, json};

struct Gateway {
    _database: Database,
    key: String,
    server: Server,
}

impl Gateway {
    fn start(args: &[&str]) -> Self {
        let database = Database::fresh(Backend::Sqlite);
        let key = make_key(&database, "tests");
        let server = Server::start_with_models(&database, args);
        Self { _database: database, key, server }
    }

    fn get(&self, operation: &str) -> (u16, Value) {
        let separator = if operation.contains('?') { '&' } else { '?' };
        let answer = self.server.get(&format!("/imageRecognition/v1/{operation}{separator}APIKEY={}", self.key));
        (answer.status, answer.json())
    }

    fn classify(&self, model: &str, photograph: &str, language: &str) -> Vec<(String, f64, String)> {
        let target = format!("/imageRecognition/v1/concept/classify?APIKEY={}&language={language}", self.key);
        let fields: [(&str, &[u8]); 2] = [("image", &photo(photograph)), ("modelName", model.as_bytes())];
        let answer = self.server.post_form(&target, &fields);
        assert_eq!(answer.status, 200, "{model}: {}", answer.text());
        let text = |candidate: &Value, key: &str| candidate[key].as_str().unwrap().to_owned();
        let candidate = |one: &Value| (text(one, "tag"), one["score"].as_f64().unwrap(), text(one, "tagId"));
        answer.json()["candidates"].as_array().unwrap().iter().map(candidate).collect()
    }

    fn model(&self, name: &str) -> Value {
        let (_, models) = self.get("models");
        let models = models["tasks"][0]["models"].as_array().unwrap().clone();
        models.into_iter().find(|model| model["name"] == name).unwrap_or_else(|| panic!("no model {name}"))
    }
}

#[test]
fn dishes_are_named_in_both_languages_and_a_cat_is_none() {
    let gateway = Gateway::start(&[]);
    let drink = gateway.classify("food", "coffee.png", "en");
    assert_eq!(drink.len(), 5, "{drink:?}");
    let in_japanese = gateway.classify("food", "coffee.png", "ja");
    assert_eq!(drink[0].2, in_japanese[0].2);
    assert!(!in_japanese[0].0.is_ascii() && drink[0].0.is_ascii(), "{in_japanese:?}");
    // The network by itself is as sure of a dish in these as in the drink.
    for other in ["chelsea.png", "astronaut.png", "rocket.jpg", "camera.png"] {
        let seen = gateway.classify("food", other, "en");
        assert!(seen.first().is_none_or(|(_, score, _)| *score < 0.1), "{other}: {seen:?}");
    }
    assert!(gateway.classify("food", "chelsea.png", "en").is_empty());
}

#[test]
fn a_picture_without_a_plant_has_no_species() {
    let gateway = Gateway::start(&[]);
    for model in ["plant", "flower"] {
        for other in ["chelsea.png", "coffee.png", "astronaut.png"] {
            assert!(gateway.classify(model, other, "en").is_empty(), "{model}: {other}");
        }
    }
}

#[test]
fn a_view_answers_with_its_part_of_the_vocabulary() {
    let gateway = Gateway::start(&[]);
    let general = gateway.classify("general", "chelsea.png", "en");
    assert_eq!(gateway.classify("animal", "chelsea.png", "en")[0], general[0]);
    assert_eq!(gateway.classify("animal", "chelsea.png", "ja")[0].2, general[0].2);
    for none in ["vehicle", "scene", "kinoko", "fashion_type"] {
        assert!(gateway.classify(none, "chelsea.png", "en").is_empty(), "{none}");
    }
    assert_eq!(gateway.classify("vehicle", "motorcycle_left.png", "en")[0].0, "moped");
    assert!(gateway.classify("animal", "motorcycle_left.png", "en").is_empty());
}

#[test]
fn feedback_on_a_view_teaches_the_model_and_its_views() {
    let gateway = Gateway::start(&[]);
    let target = format!("/imageRecognition/v1/concept/classify?APIKEY={}&modelName=animal", gateway.key);
    let answer = gateway.server.post_form(&target, &[("image", &photo("chelsea.png"))]).json();
    let (recognition, second) = (answer["recognitionId"].as_str().unwrap(), &answer["candidates"][1]);
    let feedback = format!(
        "/imageRecognition/v1/feedbackToCandidate?APIKEY={}&recognitionId={recognition}&itemId={}&isValid=true",
        gateway.key,
        second["itemId"].as_str().unwrap()
    );
    assert_eq!(http::post(gateway.server.address, &feedback, "application/json", b"{}").status, 204);
    let score = second["score"].as_f64().unwrap();
    for model in ["general", "animal"] {
        eventually("the confirmed animal scores higher", || {
            let seen = gateway.classify(model, "chelsea.png", "en");
            let confirmed = seen.iter().find(|(.., id)| *id == second["tagId"])?;
            (confirmed.1 > score + 0.1).then_some(())
        });
    }
}

#[test]
fn models_report_what_they_know_and_load_when_asked() {
    let gateway = Gateway::start(&["--model-idle", "1s"]);
    let (status, models) = gateway.get("models");
    assert_eq!((status, &models["tasks"][0]["models"][0]["name"]), (200, &json!("general")), "the default is first");
    let food = gateway.model("food");
    assert_eq!((&food["tags"], &food["languages"]), (&json!(2023), &json!(["en", "ja"])));
    assert_eq!(
        (&food["input"]["width"], &food["licence"], &food["usable"]),
        (&json!(192), &json!("Apache-2.0"), &json!(true))
    );
    assert!(food["description"].as_str().unwrap().contains("Dishes"), "{food}");
    assert_eq!(gateway.model("kinoko")["tags"], 7);
    assert_eq!(gateway.model("general")["loaded"], true);

    assert_eq!(food["loaded"], false);
    gateway.classify("food", "coffee.png", "en");
    eventually("an unused model leaves memory", || (gateway.model("food")["loaded"] == false).then_some(()));
    assert_eq!(gateway.classify("food", "coffee.png", "en").len(), 5, "and comes back");
}

#[test]
fn the_tags_of_a_model_are_listed_and_searched() {
    let gateway = Gateway::start(&[]);
    let (status, first) = gateway.get("models/food/tags?limit=2");
    assert_eq!((status, &first["max"], &first["offset"]), (200, &json!(2023), &json!(1)));
    let (_, second) = gateway.get("models/food/tags?limit=2&offset=3");
    let ids = |page: &Value| -> Vec<String> {
        page["tags"].as_array().unwrap().iter().map(|tag| tag["tagId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((ids(&first).len(), ids(&second).len()), (2, 2));
    assert!(ids(&first).iter().all(|id| !ids(&second).contains(id)));

    let (_, found) = gateway.get("models/food/tags?text=okonomiyaki&language=ja");
    assert_eq!(found["tags"][0]["tag"], "お好み焼き");
    assert_eq!(found["tags"][0]["names"], json!({"en": "Okonomiyaki", "ja": "お好み焼き"}));
    let (_, found) = gateway.get(&format!("models/food/tags?text={}", "%E3%81%8A%E5%A5%BD%E3%81%BF"));
    assert_eq!(found["tags"][0]["tag"], "Okonomiyaki", "found by its Japanese name");
    let (_, kinoko) = gateway.get("models/kinoko/tags");
    assert_eq!(kinoko["tags"].as_array().unwrap().len(), 7);

    let (status, unknown) = gateway.get("models/sushi/tags");
    assert_eq!((status, &unknown["error"]["code"]), (400, &json!("109")), "{unknown}");
    let (status, wrong) = gateway.get("models/food/tags?limit=0");
    assert_eq!((status, &wrong["error"]["code"]), (400, &json!("111")), "{wrong}");
}

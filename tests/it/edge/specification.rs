//! The gateway's own document against the specification, which `roost_tests::specification` holds in a form written by
//! hand. The frames that every other test receives are checked against it too, where the stream is read.

use roost_platform::events::Event;
use roost_tests::Gateway;
use roost_tests::specification::events::{EVENTS, Field, Holds, Specified, specified};
use roost_tests::specification::routes::{ROUTES, Served};
use serde_json::{Value, json};

async fn document(gateway: &Gateway) -> Value {
    let answer = gateway
        .anonymous()
        .get("/api/openapi.json")
        .expect(200)
        .await;
    answer.body
}

/// The schema without its reference, and without the `null` that stands for absence.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        return resolved(document, target.expect("the reference leads somewhere"));
    }
    let choices = schema["oneOf"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    match choices.iter().find(|choice| choice["type"] != "null") {
        Some(choice) if schema.get("enum").is_none() => resolved(document, choice),
        _ => schema,
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => {
            let names = several.iter().filter_map(Value::as_str);
            names.filter(|name| *name != "null").collect()
        }
        _ => Vec::new(),
    }
}

fn fields_agree(document: &Value, schema: &Value, fields: &[Field], at: &str) {
    let properties = schema["properties"].as_object().expect("an object");
    let mut documented: Vec<&str> = properties.keys().map(String::as_str).collect();
    let mut wanted: Vec<&str> = fields.iter().map(|field| field.name).collect();
    documented.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(documented, wanted, "the fields of {at}");
    for field in fields {
        let at = format!("{at}.{}", field.name);
        let property = &properties[field.name];
        let required = schema["required"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        assert_eq!(
            required.contains(&json!(field.name)),
            field.need.is_required(),
            "{at}: required"
        );
        let default = property.get("default").cloned();
        let same = match (&default, field.need.default()) {
            (Some(is), Some(wanted)) => {
                is.as_f64() == wanted.as_f64() && (is.is_number() || *is == wanted)
            }
            (is, wanted) => is.is_none() && wanted.is_none(),
        };
        assert!(
            same,
            "{at}: the default is {default:?}, specified is {:?}",
            field.need.default()
        );
        let property = resolved(document, property);
        match field.holds {
            Holds::Text | Holds::Time => assert_eq!(types(property), ["string"], "{at}"),
            Holds::Flag => assert_eq!(types(property), ["boolean"], "{at}"),
            Holds::Number => assert_eq!(types(property), ["number"], "{at}"),
            Holds::Whole => {
                assert_eq!(types(property), ["integer"], "{at}");
                assert_eq!(property["minimum"].as_f64(), Some(0.0), "{at}");
            }
            Holds::Share => {
                assert_eq!(types(property), ["number"], "{at}");
                let bounds = (property["minimum"].as_f64(), property["maximum"].as_f64());
                assert_eq!(bounds, (Some(0.0), Some(1.0)), "{at}");
            }
            Holds::Word(words) => assert_eq!(property["enum"], json!(words), "{at}"),
            Holds::List(fields) => {
                assert_eq!(types(property), ["array"], "{at}");
                fields_agree(
                    document,
                    resolved(document, &property["items"]),
                    fields,
                    &at,
                );
            }
        }
    }
}

#[tokio::test]
async fn the_document_describes_the_specified_events() {
    let gateway = Gateway::start().await;
    let document = document(&gateway).await;
    let stream = &document["paths"]["/api/events"]["get"]["responses"]["200"]["content"];
    let stream = resolved(&document, &stream["text/event-stream"]["schema"]);
    for Specified { kind, fields, sent } in EVENTS {
        assert!(
            Event::TYPES.contains(&kind),
            "a subscriber may select {kind}"
        );
        assert_eq!(Event::EMITTED.contains(&kind), sent, "{kind} is sent");
        let schema = &stream["properties"][kind];
        assert!(!schema.is_null(), "{kind} is not documented");
        fields_agree(&document, resolved(&document, schema), fields, kind);
    }
}

#[tokio::test]
async fn planted_deviation_of_the_document_is_found() {
    let gateway = Gateway::start().await;
    let document = document(&gateway).await;
    let schemas = "/components/schemas/AgentReasoningDelta";
    let delta = specified("agent.reasoning.delta").unwrap();
    let agrees = |document: &Value| {
        let schema = document.pointer(schemas).unwrap();
        std::panic::catch_unwind(|| fields_agree(document, schema, delta.fields, delta.kind))
    };
    assert!(agrees(&document).is_ok());
    for (field, value) in [
        ("/required", json!(["agentId"])),
        ("/properties/channel/default", json!("say")),
        (
            "/properties/channel/oneOf",
            json!([{ "type": "string", "enum": ["say"] }]),
        ),
        ("/properties/text/type", json!("integer")),
        (
            "/properties/text",
            json!({ "type": "string", "default": "" }),
        ),
    ] {
        let mut planted = document.clone();
        *planted.pointer_mut(&format!("{schemas}{field}")).unwrap() = value;
        assert!(agrees(&planted).is_err(), "{field}");
    }
    let mut more = document.clone();
    more.pointer_mut(schemas).unwrap()["properties"]["runId"] = json!({ "type": "string" });
    assert!(agrees(&more).is_err(), "a field more");
}

#[tokio::test]
async fn the_document_has_the_specified_routes() {
    let gateway = Gateway::start().await;
    let document = document(&gateway).await;
    let (mut missing, mut arrived) = (Vec::new(), Vec::new());
    for (method, path, served) in ROUTES {
        let there = !document["paths"][path][method.to_lowercase()].is_null();
        match (there, served) {
            (false, Served::Yes) => missing.push(format!("{method} {path}")),
            (true, Served::Later(part)) => arrived.push(format!("{method} {path} ({part})")),
            _ => {}
        }
    }
    assert!(
        missing.is_empty(),
        "these specified routes are not documented: {missing:#?}"
    );
    assert!(
        arrived.is_empty(),
        "these routes are served now, set `Yes`: {arrived:#?}"
    );
}

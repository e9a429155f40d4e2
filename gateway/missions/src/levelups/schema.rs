//! The form of the model's answer, as JSON Schema (2020-12). One schema for the whole, and one for each kind of item, so
//! that a mistake is reported at its place.

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::model::{Kind, MOST_ITEMS};

/// The longest system prompt, in characters, as the API of agents has it.
pub const PROMPT_CHARACTERS: usize = 20_000;
/// The longest brain, in characters, as the API of brains has it.
pub const BRAIN_CHARACTERS: usize = 100_000;
/// The longest body of a skill, in characters.
const BODY_CHARACTERS: usize = 16_000;
/// The maximum number of passages of an item.
const MOST_EVIDENCE: usize = 8;

/// The schema of the answer, in which items are any objects with a known kind.
fn envelope() -> Value {
    let kinds: Vec<&str> = Kind::ALL.into_iter().map(Kind::as_str).collect();
    json!({
        "type": "object",
        "required": ["summary", "items"],
        "additionalProperties": false,
        "properties": {
            "summary": { "type": "string", "minLength": 1, "maxLength": 2_000 },
            "items": {
                "type": "array", "maxItems": MOST_ITEMS,
                "items": { "type": "object", "required": ["kind"], "properties": { "kind": { "enum": kinds } } },
            },
        },
    })
}

/// The schema of the items of a kind.
fn item(kind: Kind) -> Value {
    let text = |most: usize| json!({ "type": "string", "minLength": 1, "maxLength": most });
    let bundles = json!({ "type": "array", "maxItems": 8, "uniqueItems": true,
        "items": { "enum": ["door", "skills", "sandbox", "repo"] } });
    let own: Vec<(&str, Value)> = match kind {
        Kind::IdentityRefinement => vec![("system_prompt", text(PROMPT_CHARACTERS))],
        Kind::SkillAdd => vec![("skill", text(64))],
        Kind::SkillCandidate => vec![
            (
                "name",
                json!({ "type": "string", "maxLength": 64, "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$" }),
            ),
            ("title", text(120)),
            ("when_to_use", text(300)),
            (
                "tags",
                json!({ "type": "array", "maxItems": 8, "items":
                    { "type": "string", "maxLength": 40, "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$" } }),
            ),
            ("body", text(BODY_CHARACTERS)),
        ],
        Kind::BrainConsolidation => vec![("brain", text(BRAIN_CHARACTERS))],
        Kind::RosterChange => vec![
            ("action", json!({ "enum": ["add", "remove", "change"] })),
            ("slot", text(100)),
            ("detail", text(2_000)),
        ],
        Kind::McpBundleChange => vec![("add", bundles.clone()), ("remove", bundles)],
    };
    let mut properties = json!({
        "kind": { "const": kind.as_str() },
        "summary": text(300),
        "rationale": text(2_000),
        "evidence": { "type": "array", "minItems": 1, "maxItems": MOST_EVIDENCE, "items": {
            "type": "object", "required": ["source", "excerpt"], "additionalProperties": false,
            "properties": { "source": text(300), "excerpt": text(600) },
        } },
        "agent_id": { "type": "string", "minLength": 36, "maxLength": 36 },
    });
    let mut required = vec!["kind", "summary", "rationale", "evidence"];
    if kind.is_of_agent() {
        required.push("agent_id");
    }
    for (name, schema) in own {
        required.push(name);
        properties[name] = schema;
    }
    json!({ "type": "object", "required": required, "additionalProperties": false, "properties": properties })
}

/// The whole form, for the model.
pub fn for_the_model() -> Value {
    let mut whole = envelope();
    let kinds: Vec<Value> = Kind::ALL.into_iter().map(item).collect();
    whole["properties"]["items"]["items"] = json!({ "oneOf": kinds });
    whole
}

static ENVELOPE: LazyLock<Validator> = LazyLock::new(|| compiled(&envelope()));
static ITEMS: LazyLock<Vec<(Kind, Validator)>> = LazyLock::new(|| {
    let compiled = |kind| (kind, compiled(&item(kind)));
    Kind::ALL.into_iter().map(compiled).collect()
});

fn compiled(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("a test compiles each of these schemas")
}

/// A mistake in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A JSON pointer into the answer.
    pub pointer: String,
    pub detail: String,
}

/// The mistakes of an answer, at most `most` of them. Empty when it has the form.
pub fn faults(answer: &Value, most: usize) -> Vec<Fault> {
    let mut faults = of(&ENVELOPE, answer, "");
    if faults.is_empty() {
        let items = answer["items"].as_array().into_iter().flatten();
        for (place, item) in items.enumerate() {
            let kind = item["kind"].as_str().and_then(Kind::parse);
            let validator = ITEMS.iter().find(|one| Some(one.0) == kind);
            if let Some((_, validator)) = validator {
                faults.extend(of(validator, item, &format!("/items/{place}")));
            }
        }
    }
    faults.truncate(most);
    faults
}

fn of(validator: &Validator, value: &Value, below: &str) -> Vec<Fault> {
    let fault = |error: jsonschema::ValidationError<'_>| Fault {
        pointer: format!("{below}{}", error.instance_path()),
        // Without the value: it may be long, and it is the model's text.
        detail: roost_protocol::text::clean(&error.masked().to_string(), 300),
    };
    validator.iter_errors(value).map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill_add() -> Value {
        json!({ "kind": "skill_add", "agent_id": "0190a000-0000-7000-8000-000000000001", "skill": "x",
            "summary": "s", "rationale": "r", "evidence": [{ "source": "roster", "excerpt": "e" }] })
    }

    fn answer(items: Value) -> Value {
        json!({ "summary": "s", "items": items })
    }

    #[test]
    fn every_schema_compiles_and_a_right_answer_has_no_faults() {
        jsonschema::draft202012::new(&for_the_model()).unwrap();
        for kind in Kind::ALL {
            jsonschema::draft202012::meta::validate(&item(kind)).unwrap();
        }
        assert_eq!(faults(&answer(json!([skill_add()])), 9), []);
        assert_eq!(faults(&answer(json!([])), 9), []);
    }

    #[test]
    fn a_fault_names_its_place_and_not_the_text() {
        let mut wrong = skill_add();
        wrong["skill"] = json!(7);
        wrong["surprise"] = json!("password");
        let found = faults(&answer(json!([skill_add(), wrong])), 9);
        let places: Vec<&str> = found.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(places.contains(&"/items/1/skill"), "{places:?}");
        assert!(
            found.iter().any(|fault| fault.detail.contains("surprise")),
            "{found:?}"
        );
        assert!(!format!("{found:?}").contains("password"));
    }

    #[test]
    fn other_fields_kinds_and_types_are_faults() {
        for wrong in [
            json!(null),
            json!([]),
            json!({ "items": [] }),
            json!({ "summary": "s", "items": [], "status": "applied" }),
            answer(json!([{ "kind": "delete_workspace" }])),
            answer(json!({})),
            answer(json!([{ "kind": "skill_add" }])),
        ] {
            assert!(!faults(&wrong, 9).is_empty(), "{wrong}");
        }
        let many = Value::Array(vec![skill_add(); MOST_ITEMS + 1]);
        assert!(!faults(&answer(many), 9).is_empty());
        let all_wrong = Value::Array(vec![json!({ "kind": "skill_add" }); MOST_ITEMS]);
        assert_eq!(faults(&answer(all_wrong), 5).len(), 5);
    }
}

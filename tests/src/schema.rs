//! Checks the data of streams against the schemas of the OpenAPI document. Each stream's answer is documented as an
//! object with a field for each type of event. An event must match its field exactly: nothing missing, nothing extra,
//! and no type without a field. The check knows the keywords that our document uses and fails on any other.

use std::sync::OnceLock;

use serde_json::Value;

/// The document, as the gateway serves it.
fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        serde_json::to_value(roost_gateway::edge::server::router::openapi())
            .expect("a document encodes")
    })
}

/// The documented events of the stream at a path: a field for each type of event.
///
/// # Panics
/// When the document has no such stream.
pub fn stream_at(path: &str) -> &'static Value {
    let path = path.split('?').next().unwrap_or(path);
    let fits = |pattern: &str| {
        let (wanted, have) = (pattern.split('/'), path.split('/'));
        wanted.clone().count() == have.clone().count()
            && wanted.zip(have).all(|(w, h)| w.starts_with('{') || w == h)
    };
    let paths = document()["paths"].as_object().expect("paths");
    let (_, item) = paths
        .iter()
        .find(|(pattern, _)| fits(pattern))
        .unwrap_or_else(|| panic!("the document has no path like {path}"));
    let schema = &item["get"]["responses"]["200"]["content"]["text/event-stream"]["schema"];
    assert!(
        !schema.is_null(),
        "GET {path} is not documented as a stream"
    );
    resolved(schema)
}

/// Checks the data of an event.
///
/// # Errors
/// The difference between the data and the schema.
pub fn check_event(stream: &Value, kind: &str, data: &Value) -> Result<(), String> {
    match stream["properties"].get(kind) {
        None => Err(format!("the document has no schema for the type `{kind}`")),
        Some(schema) => check(schema, data, kind),
    }
}

fn resolved(schema: &'static Value) -> &'static Value {
    match schema["$ref"].as_str() {
        None => schema,
        Some(reference) => {
            let pointer = reference.strip_prefix('#').expect("references are local");
            let found = document().pointer(pointer);
            resolved(found.unwrap_or_else(|| panic!("{reference} leads nowhere")))
        }
    }
}

/// Keywords for people, or keywords that the checks below read together with their own.
const PASSED: &[&str] = &[
    "description",
    "default",
    "format",
    "examples",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "title",
    "pattern",
];

fn check(schema: &Value, data: &Value, at: &str) -> Result<(), String> {
    check_as(schema, data, at, false)
}

/// `part`: other parts of an `allOf` may define fields that this one does not.
fn check_as(schema: &Value, data: &Value, at: &str, part: bool) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.strip_prefix('#').expect("references are local");
        let target = document().pointer(pointer);
        return check_as(target.unwrap_or(&Value::Null), data, at, part);
    }
    let Some(keywords) = schema.as_object() else {
        return Err(format!("{at}: there is no schema"));
    };
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            "type" => check_type(wanted, data, at)?,
            "enum" => {
                let allowed = wanted.as_array().is_some_and(|all| all.contains(data));
                known(allowed, || format!("{at}: {data} is none of {wanted}"))?;
            }
            "minimum" | "maximum" => {
                let (is, bound) = (data.as_f64(), wanted.as_f64());
                let fits = match (is, bound) {
                    (Some(is), Some(bound)) if keyword == "minimum" => is >= bound,
                    (Some(is), Some(bound)) => is <= bound,
                    // Not a number: `type` decides whether that is allowed.
                    _ => true,
                };
                known(fits, || {
                    format!("{at}: {data} is beyond the {keyword} {wanted}")
                })?;
            }
            "oneOf" | "anyOf" => {
                let branches = wanted.as_array().map_or(&[][..], Vec::as_slice);
                let fitting = branches.iter().filter(|one| check(one, data, at).is_ok());
                known(fitting.count() > 0, || {
                    format!("{at}: {data} fits no branch of {wanted}")
                })?;
            }
            "allOf" => {
                let parts = wanted.as_array().map_or(&[][..], Vec::as_slice);
                for one in parts {
                    check_as(one, data, at, true)?;
                }
                for name in data.as_object().into_iter().flat_map(serde_json::Map::keys) {
                    let known_to_one = parts.iter().any(|one| knows(one, name));
                    known(part || known_to_one, || {
                        format!("{at}.{name} is more than the document says")
                    })?;
                }
            }
            passed if PASSED.contains(&passed) => {}
            other => {
                return Err(format!(
                    "{at}: the check does not know the keyword `{other}`"
                ));
            }
        }
    }
    if let (Some(items), Some(all)) = (schema.get("items"), data.as_array()) {
        for (index, one) in all.iter().enumerate() {
            check(items, one, &format!("{at}[{index}]"))?;
        }
    }
    match data.as_object() {
        Some(fields) if !keywords.contains_key("oneOf") && !keywords.contains_key("allOf") => {
            check_fields(schema, fields, at, part)
        }
        _ => Ok(()),
    }
}

fn check_fields(
    schema: &Value,
    fields: &serde_json::Map<String, Value>,
    at: &str,
    part: bool,
) -> Result<(), String> {
    for name in schema["required"].as_array().map_or(&[][..], Vec::as_slice) {
        let present = name.as_str().is_some_and(|name| fields.contains_key(name));
        known(present, || format!("{at}: {name} is missing"))?;
    }
    for (name, value) in fields {
        let path = format!("{at}.{name}");
        match (
            schema["properties"].get(name),
            schema.get("additionalProperties"),
        ) {
            (Some(field), _) => check(field, value, &path)?,
            (None, Some(Value::Bool(true))) => {}
            (None, Some(any)) if any.is_object() => check(any, value, &path)?,
            _ if part || is_free(schema) => {}
            _ => return Err(format!("{path} is more than the document says")),
        }
    }
    Ok(())
}

/// Whether a part of an `allOf` defines this field.
fn knows(part: &Value, name: &str) -> bool {
    let pointer = part["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
    let part = pointer.map_or(Some(part), |pointer| document().pointer(pointer));
    part.is_some_and(|part| {
        part["properties"].get(name).is_some()
            || part["allOf"]
                .as_array()
                .is_some_and(|parts| parts.iter().any(|one| knows(one, name)))
    })
}

/// An object without any further constraints.
fn is_free(schema: &Value) -> bool {
    schema.get("type").is_none() && schema.get("properties").is_none()
}

fn check_type(wanted: &Value, data: &Value, at: &str) -> Result<(), String> {
    let is = |name: &str| match name {
        "null" => data.is_null(),
        "boolean" => data.is_boolean(),
        "integer" => data.is_i64() || data.is_u64(),
        "number" => data.is_number(),
        "string" => data.is_string(),
        "array" => data.is_array(),
        "object" => data.is_object(),
        _ => false,
    };
    let fits = match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => false,
    };
    known(fits, || format!("{at}: {data} is no {wanted}"))
}

fn known(fits: bool, complaint: impl FnOnce() -> String) -> Result<(), String> {
    if fits { Ok(()) } else { Err(complaint()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documented_value_passes_and_each_difference_is_found() {
        let stream = stream_at("/api/events?types=x");
        let id = "0190a000-0000-7000-8000-000000000001";
        let good = json!({ "kind": "claw", "id": id, "version": 3 });
        assert_eq!(check_event(stream, "resource.changed", &good), Ok(()));
        for (kind, data, complaint) in [
            ("resource.renamed", good.clone(), "no schema"),
            (
                "resource.changed",
                json!({ "kind": "claw", "id": id }),
                "missing",
            ),
            (
                "resource.changed",
                json!({ "kind": "moon", "id": id, "version": 3 }),
                "none of",
            ),
            (
                "resource.changed",
                json!({ "kind": "claw", "id": id, "version": "3" }),
                "is no",
            ),
            (
                "resource.changed",
                json!({ "kind": "claw", "id": id, "version": 3, "name": "x" }),
                "more than",
            ),
            ("beat", json!({ "at": 1 }), "more than"),
            ("reset", json!(null), "is no"),
        ] {
            let found = check_event(stream, kind, &data).unwrap_err();
            assert!(found.contains(complaint), "{found}");
        }
    }

    #[test]
    fn composed_schemas_are_closed_too() {
        let health = &document()["components"]["schemas"]["NodeHealth"];
        assert!(health["allOf"].is_array(), "{health}");
        let mut data = json!({ "at": "2026-01-01T00:00:00Z", "cores": 8, "psi": null });
        assert_eq!(check(health, &data, "health"), Ok(()));
        data["moon"] = 1.into();
        let found = check(health, &data, "health").unwrap_err();
        assert!(found.contains("moon"), "{found}");
        let found = check(health, &json!({ "cores": 8 }), "health").unwrap_err();
        assert!(found.contains("missing"), "{found}");
    }

    #[test]
    fn every_type_that_is_emitted_has_a_schema() {
        let stream = stream_at("/api/events");
        for kind in roost_platform::events::Event::EMITTED {
            assert!(stream["properties"].get(kind).is_some(), "{kind}");
        }
    }
}

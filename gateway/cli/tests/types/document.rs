//! Reads the API document: routes, objects with all their fields, and what type a schema is in Rust.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::routes::Route;
use crate::wanted::SHOWN;

/// `gateway/openapi.json`
pub struct Document(pub Value);

/// A field's or parameter's type in Rust, and whether it may be `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    pub text: String,
    pub nullable: bool,
}

/// A field of an object.
pub struct Field {
    pub schema: Value,
    pub required: bool,
}

impl Document {
    pub fn of(json: Value) -> Self {
        Self(json)
    }

    pub fn schema(&self, name: &str) -> Result<&Value, String> {
        let found = self.0["components"]["schemas"].get(name);
        found.ok_or_else(|| format!("the document has no schema {name}"))
    }

    /// Whether the document has this route.
    pub fn has(&self, path: &str, method: &str) -> bool {
        self.0["paths"][path][method].is_object()
    }

    pub fn operation(&self, route: &Route) -> Result<&Value, String> {
        let found = self.0["paths"]
            .get(route.path)
            .and_then(|path| path.get(route.method));
        found.ok_or_else(|| format!("the document has no {} {}", route.method, route.path))
    }

    /// The fields of an object; those of all its parts where it is an `allOf`.
    pub fn fields(&self, name: &str) -> Result<BTreeMap<String, Field>, String> {
        let mut fields = BTreeMap::new();
        self.collect(self.schema(name)?, &mut fields)?;
        Ok(fields)
    }

    fn collect(&self, schema: &Value, into: &mut BTreeMap<String, Field>) -> Result<(), String> {
        if let Some(name) = referred(schema) {
            return self.collect(self.schema(name)?, into);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.collect(part, into)?;
        }
        let required: BTreeSet<&str> = words(&schema["required"]).collect();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let required = required.contains(name.as_str());
            let schema = field.clone();
            into.insert(name.clone(), Field { schema, required });
        }
        Ok(())
    }

    /// What type a schema is. Names of schemas that it refers to are added to `needs`.
    pub fn type_of(&self, schema: &Value, needs: &mut BTreeSet<String>) -> Result<Type, String> {
        let plain = |text: String| Type {
            text,
            nullable: false,
        };
        if let Some(name) = referred(schema) {
            if SHOWN.contains(&name) {
                return Ok(plain("String".to_owned()));
            }
            if let Some(of) = name.strip_prefix("Page_") {
                let fields: Vec<String> = self.fields(name)?.into_keys().collect();
                if fields != ["items", "next_cursor"] {
                    return Err(format!("{name} is not a page: its fields are {fields:?}"));
                }
                needs.insert(of.to_owned());
                return Ok(plain(format!("Page<{of}>")));
            }
            needs.insert(name.to_owned());
            return Ok(plain(name.to_owned()));
        }
        if let Some(several) = schema["oneOf"].as_array() {
            let there: Vec<&Value> = several.iter().filter(|one| !is_null(one)).collect();
            let [one] = there.as_slice() else {
                return Err(format!("a choice without a name: {schema}"));
            };
            let nullable = there.len() < several.len();
            let Type { text, .. } = self.type_of(one, needs)?;
            return Ok(Type { text, nullable });
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            kinds => words(kinds).collect(),
        };
        let nullable = kinds.contains(&"null");
        let format = schema["format"].as_str();
        let text = match kinds.iter().find(|kind| **kind != "null").copied() {
            Some("string") if format == Some("date-time") => "Moment".to_owned(),
            Some("string") => "String".to_owned(),
            Some("boolean") => "bool".to_owned(),
            Some("number") => "f64".to_owned(),
            Some("integer") => {
                let signed = schema["minimum"].as_i64().is_none_or(|least| least < 0);
                let bits = if format == Some("int64") { 64 } else { 32 };
                format!("{}{bits}", if signed { "i" } else { "u" })
            }
            Some("array") => {
                let items = self.type_of(&schema["items"], needs)?;
                format!("Vec<{}>", items.text)
            }
            Some("object") if schema["additionalProperties"].is_object() => {
                let values = self.type_of(&schema["additionalProperties"], needs)?;
                format!("BTreeMap<String, {}>", values.text)
            }
            _ => return Err(format!("no type is known for {schema}")),
        };
        Ok(Type { text, nullable })
    }
}

/// The name of the schema that this one refers to.
pub fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

pub fn words(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null"
}

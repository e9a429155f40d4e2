//! Writes Rust: the types of what the client sends and gets, and a function for each route.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use crate::document::{Document, referred, words};
use crate::places;
use crate::routes::{ROUTES, Route};
use crate::wanted::{BESIDE, FIELDS, STREAMS};
use crate::wanted_groups;
use crate::wanted_missions;
use crate::wanted_runs;

const HEAD: &str = "Written from gateway/openapi.json by tests/types; do not change it by hand.";

/// Fields of requests that the client also sends as null, which removes a value.
const CLEARED: &[(&str, &str)] = &[("RunTeam", "repo"), ("TeamChange", "repo")];

/// Objects that a proxy may send too. All their fields are optional.
const OF_OTHERS: &[&str] = &["Problem", "FieldError"];

/// A placeholder: requests and answers have different derives.
const DERIVE: &str = "#[derive()]";
/// Before a field of a request that may be absent.
const SKIP: &str = "    #[serde(skip_serializing_if = \"Option::is_none\")]\n";

/// The generated files by their names.
pub fn files(document: &Document) -> Result<Vec<(&'static str, String)>, String> {
    let mut roots: BTreeSet<String> = BESIDE.iter().map(|name| (*name).to_owned()).collect();
    let mut bodies = BTreeSet::new();
    let mut routes = format!(
        "//! The routes of the API that the client calls. {HEAD}\n\nuse http::Method;\n\nuse super::call::{{Call, Nothing, Page, Stream, segment}};\npub use super::mission_routes::*;\npub use super::run_routes::*;\npub use super::sandbox_routes::*;\nuse super::types::*;\npub use super::workspace_routes::*;\n"
    );
    let mut sandboxes = format!(
        "//! The routes of sandboxes, of saved files and of drains that the client calls. {HEAD}\n\nuse http::Method;\n\nuse super::call::{{Call, Nothing, Page, Stream, segment}};\nuse super::owner::Owner;\nuse super::types::*;\n"
    );
    let mut of_runs = format!(
        "//! The routes of runs that the client calls. {HEAD}\n\nuse http::Method;\n\nuse super::call::{{Call, Page, Stream, segment}};\nuse super::types::*;\n"
    );
    let mut of_missions = format!(
        "//! The routes of missions that the client calls. {HEAD}\n\nuse http::Method;\n\nuse super::call::{{Call, Nothing, Page, segment}};\nuse super::types::*;\n"
    );
    let mut of_workspaces = format!(
        "//! The routes of people, models, skills, templates, connections, plans and the placement that the client calls. {HEAD}\n\nuse http::Method;\n\nuse super::call::{{Call, Nothing, Page, segment}};\nuse super::types::*;\n"
    );
    for route in ROUTES {
        let file = match places::of_route(route.path) {
            places::RouteFile::Sandboxes => &mut sandboxes,
            places::RouteFile::Runs => &mut of_runs,
            places::RouteFile::Missions => &mut of_missions,
            places::RouteFile::Workspaces => &mut of_workspaces,
            places::RouteFile::Others => &mut routes,
        };
        file.push_str(&function(document, route, &mut roots, &mut bodies)?);
    }
    let read = reachable(document, &roots)?;
    roots.extend(bodies.iter().cloned());
    let sent = reachable(document, &bodies)?;
    let all = reachable(document, &roots)?;
    let is_stream = |name: &str| STREAMS.iter().any(|(stream, _)| *stream == name);
    roots.retain(|name| !is_stream(name));
    let outside_streams = reachable(document, &roots)?;
    let mut named = FIELDS
        .iter()
        .chain(wanted_groups::FIELDS)
        .chain(wanted_runs::FIELDS)
        .chain(wanted_missions::FIELDS);
    if let Some((name, _)) = named.find(|(name, _)| !all.contains_key(*name)) {
        return Err(format!("the table names {name}, which no route uses"));
    }
    let collections = "use std::collections::BTreeMap;\n\n";
    let mut names = format!(
        "//! Ids and enums of strings. {HEAD}\n\nuse serde::{{Deserialize, Serialize}};\n\npub use super::mission_names::*;\nuse super::strings::{{id, string_enum}};\n"
    );
    let mut of_mission_names = format!(
        "//! Ids and enums of strings of missions and routines. {HEAD}\n\nuse serde::{{Deserialize, Serialize}};\n\nuse super::strings::{{id, string_enum}};\n"
    );
    let mut requests = format!(
        "//! What the client sends. {HEAD}\n\n{collections}use serde::Serialize;\nuse super::names::*;\n"
    );
    let mut of_workspace_requests = format!(
        "//! What the client sends for the people, models, skills, templates, connections and plans of a workspace. {HEAD}\n\nuse serde::Serialize;\n\nuse super::names::*;\n"
    );
    let mut answers = format!(
        "//! What the client reads of answers. {HEAD}\n\nuse serde::Deserialize;\n\nuse super::names::*;\nuse super::strings::Moment;\n"
    );
    let mut level_ups = format!(
        "//! What the client reads of proposals that improve agents and teams. {HEAD}\n\nuse serde::Deserialize;\n\nuse super::names::*;\nuse super::strings::Moment;\n"
    );
    let mut workspaces = format!(
        "//! What the client reads of the people, models, skills, templates, connections, plans and the placement of a workspace. {HEAD}\n\nuse serde::Deserialize;\n\nuse super::answers::{{SandboxLack, UserBrief}};\nuse super::names::*;\nuse super::strings::Moment;\nuse super::workspace_requests::*;\n"
    );
    let mut missions = format!(
        "//! What the client reads of missions. {HEAD}\n\nuse serde::Deserialize;\n\nuse super::names::*;\nuse super::strings::Moment;\n"
    );
    let mut runs = format!(
        "//! What the client reads of runs, of what they ask for, of repositories, of commands, and of draining machines. {HEAD}\n\n{collections}use serde::Deserialize;\n\nuse super::answers::*;\nuse super::names::*;\nuse super::strings::Moment;\n"
    );
    let mut events = format!(
        "//! What the client reads of event streams. {HEAD}\n\nuse serde::Deserialize;\n\nuse super::names::*;\nuse super::parsed::Parsed;\n"
    );
    for (name, text) in &all {
        if text.contains("string_enum!(") || text.contains("id!(") {
            match places::is_name_of_missions(name) {
                true => of_mission_names.push_str(text),
                false => names.push_str(text),
            }
        } else if sent.contains_key(name) {
            all_required_are_set(document, name)?;
            let derive = match read.contains_key(name) {
                true => "#[derive(Serialize, serde::Deserialize)]",
                false => "#[derive(Serialize)]",
            };
            let file = match places::is_request_of_workspaces(name) {
                true => &mut of_workspace_requests,
                false => &mut requests,
            };
            file.push_str(&text.replace(DERIVE, derive));
        } else {
            let text = text.replace(SKIP, "");
            let derive = match OF_OTHERS.contains(&name.as_str()) {
                true => "#[derive(Default, Deserialize)]",
                false => "#[derive(Deserialize)]",
            };
            let file = match places::of_answer(name) {
                _ if !outside_streams.contains_key(name) => &mut events,
                places::AnswerFile::Runs => &mut runs,
                places::AnswerFile::LevelUps => &mut level_ups,
                places::AnswerFile::Missions => &mut missions,
                places::AnswerFile::Workspaces => &mut workspaces,
                places::AnswerFile::Others => &mut answers,
            };
            file.push_str(&text.replace(DERIVE, derive));
        }
    }
    Ok(vec![
        ("routes.rs", routes),
        ("run_routes.rs", of_runs),
        ("sandbox_routes.rs", sandboxes),
        ("names.rs", names),
        ("mission_names.rs", of_mission_names),
        ("requests.rs", requests),
        ("workspace_requests.rs", of_workspace_requests),
        ("answers.rs", answers),
        ("level_ups.rs", level_ups),
        ("missions.rs", missions),
        ("mission_routes.rs", of_missions),
        ("runs.rs", runs),
        ("events.rs", events),
        ("workspace.rs", workspaces),
        ("workspace_routes.rs", of_workspaces),
    ])
}

/// The definitions of these schemas and of all that they refer to.
fn reachable(
    document: &Document,
    roots: &BTreeSet<String>,
) -> Result<BTreeMap<String, String>, String> {
    let mut done = BTreeMap::new();
    let mut waiting: BTreeSet<String> = roots.clone();
    while let Some(name) = waiting.pop_first() {
        if done.contains_key(&name) {
            continue;
        }
        let text = definition(document, &name, &mut waiting)?;
        done.insert(name, text);
    }
    Ok(done)
}

fn definition(
    document: &Document,
    name: &str,
    needs: &mut BTreeSet<String>,
) -> Result<String, String> {
    let schema = document.schema(name)?;
    if let Some((_, events)) = STREAMS.iter().find(|(stream, _)| *stream == name) {
        return stream(document, name, events, needs);
    }
    if schema["enum"].is_array() {
        let mut text = format!("\nstring_enum!(\n    {name} {{\n");
        for word in words(&schema["enum"]) {
            let variant = camel(word);
            let _ = writeln!(text, "        {variant} = \"{word}\",");
        }
        return Ok(text + "    }\n);\n");
    }
    if let Some(text) = tagged(document, name, schema, needs)? {
        return Ok(text);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let mut text = format!("\n{DERIVE}\n#[serde(untagged)]\npub enum {name} {{\n");
        for choice in choices {
            let kind = document.type_of(choice, needs)?.text;
            let _ = writeln!(text, "    {}({kind}),", camel(&kind));
        }
        return Ok(text + "}\n");
    }
    if schema["type"] == "string" && name.ends_with("Id") {
        return Ok(format!("\nid!({name});\n"));
    }
    object(document, name, needs)
}

/// A choice of objects with a field that says which one it is.
fn tagged(
    document: &Document,
    name: &str,
    schema: &Value,
    needs: &mut BTreeSet<String>,
) -> Result<Option<String>, String> {
    let mut variants = String::new();
    let mut tag = None;
    for choice in schema["oneOf"].as_array().into_iter().flatten() {
        let [of, named] = choice["allOf"].as_array().map_or(&[][..], Vec::as_slice) else {
            return Ok(None);
        };
        let Some((field, word)) = named["properties"]
            .as_object()
            .and_then(|all| all.iter().next())
        else {
            return Ok(None);
        };
        let word = words(&word["enum"]).next().unwrap_or_default();
        let kind = document.type_of(of, needs)?.text;
        let _ = writeln!(variants, "    #[serde(rename = \"{word}\")]");
        let _ = writeln!(variants, "    {}({kind}),", camel(word));
        tag = Some(field.clone());
    }
    Ok(tag.map(|tag| {
        format!("\n{DERIVE}\n#[serde(tag = \"{tag}\")]\npub enum {name} {{\n{variants}}}\n")
    }))
}

fn object(document: &Document, name: &str, needs: &mut BTreeSet<String>) -> Result<String, String> {
    let mut fields_of = FIELDS
        .iter()
        .chain(wanted_groups::FIELDS)
        .chain(wanted_runs::FIELDS)
        .chain(wanted_missions::FIELDS);
    let Some((_, wanted)) = fields_of.find(|(object, _)| *object == name) else {
        return Err(format!(
            "{name} is used: say in tests/types/wanted.rs which of its fields the client reads or sets"
        ));
    };
    let fields = document.fields(name)?;
    let mut text = format!("\n{DERIVE}\npub struct {name} {{\n");
    for wanted in *wanted {
        let Some(field) = fields.get(*wanted) else {
            return Err(format!("the document has no field {name}.{wanted}"));
        };
        let mut kind = document.type_of(&field.schema, needs)?;
        if CLEARED.contains(&(name, wanted)) {
            kind.text = format!("Option<{}>", kind.text);
        }
        let (own, given) = (field_name(wanted), *wanted);
        if own != given {
            let _ = writeln!(text, "    #[serde(rename = \"{given}\")]");
        }
        if field.required && !kind.nullable && !OF_OTHERS.contains(&name) {
            let _ = writeln!(text, "    pub {own}: {},", kind.text);
        } else {
            text.push_str(SKIP);
            let _ = writeln!(text, "    pub {own}: Option<{}>,", kind.text);
        }
    }
    Ok(match wanted.is_empty() {
        true => text.replace("{\n", "{}\n"),
        false => text + "}\n",
    })
}

/// The gateway refuses a request that leaves out a required field.
fn all_required_are_set(document: &Document, name: &str) -> Result<(), String> {
    let Some((_, set)) = FIELDS.iter().find(|(object, _)| *object == name) else {
        return Ok(());
    };
    for (field, of) in document.fields(name)? {
        if of.required && !set.contains(&field.as_str()) {
            return Err(format!("the request needs {name}.{field}"));
        }
    }
    Ok(())
}

fn stream(
    document: &Document,
    name: &str,
    events: &[&str],
    needs: &mut BTreeSet<String>,
) -> Result<String, String> {
    let fields = document.fields(name)?;
    let mut variants = String::new();
    let mut arms = String::new();
    for event in events {
        let Some(field) = fields.get(*event) else {
            return Err(format!("the stream {name} has no event {event}"));
        };
        let (variant, kind) = (camel(event), document.type_of(&field.schema, needs)?.text);
        let _ = writeln!(variants, "    {variant}(Parsed<{kind}>),");
        let _ = writeln!(
            arms,
            "            \"{event}\" => Self::{variant}(serde_json::from_str(data)?),"
        );
    }
    Ok(format!(
        "\npub enum {name} {{\n{variants}    /// An event that the client does not read.\n    Other,\n}}\n\n\
         impl {name} {{\n    /// Reads an event.\n    ///\n    /// # Errors\n    /// When its data are not those of such an event.\n    \
         pub fn read(event: &str, data: &str) -> serde_json::Result<Self> {{\n        Ok(match event {{\n{arms}            _ => Self::Other,\n        }})\n    }}\n}}\n"
    ))
}

fn function(
    document: &Document,
    route: &Route,
    needs: &mut BTreeSet<String>,
    bodies: &mut BTreeSet<String>,
) -> Result<String, String> {
    let operation = document.operation(route)?;
    let Route {
        name, method, path, ..
    } = route;
    let of_path = document.0["paths"][path]["parameters"].as_array();
    let own = operation["parameters"].as_array();
    let parameters: Vec<&Value> = own.into_iter().chain(of_path).flatten().collect();
    let parameter = |name: &str, place: &str| {
        let found = parameters
            .iter()
            .find(|one| one["name"] == name && one["in"] == place);
        found.ok_or_else(|| format!("{method} {path} has no parameter {name}"))
    };
    let mut arguments = Vec::new();
    let mut template = (*path).to_owned();
    let mut segments = String::new();
    // Agents and teams have the same routes for their sandboxes.
    if let Some(rest) = path.strip_prefix("/api/claws/{id}/")
        && (rest.starts_with("sandbox") || rest.starts_with("snapshots"))
        && document.has(&format!("/api/teams/{{id}}/{rest}"), method)
    {
        arguments.push("owner: &Owner".to_owned());
        template = format!("/api/{{}}/{rest}");
        segments.push_str(", owner.place()");
    }
    for name in template.clone().split('/') {
        let name = name
            .strip_prefix('{')
            .and_then(|part| part.strip_suffix('}'));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            continue;
        };
        let kind = document
            .type_of(&parameter(name, "path")?["schema"], needs)?
            .text;
        let kind = if kind == "String" { "str" } else { &kind };
        arguments.push(format!("{name}: &{kind}"));
        template = template.replace(&format!("{{{name}}}"), "{}");
        let _ = write!(segments, ", segment({name})");
    }
    let mut lines = Vec::new();
    for name in route.query {
        let kind = document
            .type_of(&parameter(name, "query")?["schema"], needs)?
            .text;
        let kind = match kind.as_str() {
            "String" => "&str".to_owned(),
            copied if copied.starts_with(|c: char| c.is_ascii_lowercase()) => kind,
            named => format!("&{named}"),
        };
        arguments.push(format!("{name}: Option<{kind}>"));
        lines.push(format!("    call.query(\"{name}\", {name});\n"));
    }
    if let Some(body) = referred(&operation["requestBody"]["content"]["application/json"]["schema"])
    {
        bodies.insert(body.to_owned());
        arguments.push(format!("body: &{body}"));
        lines.push("    call.body(body);\n".to_owned());
    }
    let answer = answer(document, route, operation, needs)?;
    let made = match segments.is_empty() {
        true => format!("\"{path}\".to_owned()"),
        false => format!("format!(\"{template}\"{segments})"),
    };
    let made = format!("Call::new(Method::{}, {made})", method.to_uppercase());
    let body = match lines.is_empty() {
        true => format!("    {made}\n"),
        false => format!("    let mut call = {made};\n{}    call\n", lines.concat()),
    };
    Ok(format!(
        "\n/// `{} {path}`\n#[must_use]\npub fn {name}({}) -> Call<{answer}> {{\n{body}}}\n",
        method.to_uppercase(),
        arguments.join(", ")
    ))
}

/// What a success answers with: nothing, a stream, or the one object of all its statuses.
fn answer(
    document: &Document,
    route: &Route,
    operation: &Value,
    needs: &mut BTreeSet<String>,
) -> Result<String, String> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let successes = responses.filter(|(status, _)| status.starts_with('2'));
    let contents: Vec<&Value> = successes.map(|(_, answer)| &answer["content"]).collect();
    for content in &contents {
        let schema = &content["text/event-stream"]["schema"];
        if let Some(events) = referred(schema) {
            needs.insert(events.to_owned());
            return Ok(format!("Stream<{events}>"));
        }
    }
    let mut kinds = BTreeSet::new();
    for content in &contents {
        let schema = &content["application/json"]["schema"];
        let named = schema.is_object().then(|| referred(schema)).flatten();
        if named.is_some_and(|name| route.answer.is_some_and(|wanted| wanted != name)) {
            continue;
        }
        kinds.insert(match schema {
            Value::Null => None,
            schema => Some(document.type_of(schema, needs)?.text),
        });
    }
    let kinds: Vec<Option<String>> = kinds.into_iter().collect();
    match kinds.as_slice() {
        [] | [None] => Ok("Nothing".to_owned()),
        [Some(one)] => Ok(one.clone()),
        [None, Some(one)] => Ok(format!("Option<{one}>")),
        several => Err(format!(
            "{} {} has several answers: {several:?}",
            route.method, route.path
        )),
    }
}

/// `hub_spoke`, `wrong-digest` and `agent.tool.call` as names of variants.
fn camel(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric());
    parts
        .map(|part| {
            let (first, rest) = part.split_at(part.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

/// `agentId` as the name of a field.
/// The name of a field. A keyword of Rust cannot be one.
fn field_name(name: &str) -> String {
    match name {
        "move" => "moves".to_owned(),
        name => snake(name),
    }
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

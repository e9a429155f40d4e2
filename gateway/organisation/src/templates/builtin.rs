//! The templates that come with Roost. Each is a folder with `template.toml`, and with `<slot>.prompt.md` and
//! `<slot>.brain.md` for every role. They are embedded in the program. The tests check them.

use std::sync::OnceLock;

use rust_embed::RustEmbed;
use serde::Deserialize;

use super::model::{Category, Content, Role};
use roost_execution::topology::OnReject;
use roost_machines::images::Need;

#[derive(RustEmbed)]
#[folder = "src/templates/builtin"]
struct Files;

/// `template.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    key: String,
    name: String,
    description: String,
    stack: String,
    default_topology: String,
    risk_profile: String,
    mcp_bundles: Vec<String>,
    #[serde(default)]
    category: Category,
    image: String,
    #[serde(default)]
    needs: Vec<Need>,
    version: i64,
    roles: Vec<RoleHead>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleHead {
    slot: String,
    title: String,
    #[serde(default)]
    seat: Option<String>,
    #[serde(default)]
    on_reject: Option<OnReject>,
    #[serde(default)]
    back_to: Option<String>,
    summary: String,
    skills: Vec<String>,
}

/// A built-in template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    pub key: String,
    pub version: i64,
    pub content: Content,
}

/// All of them, sorted by key.
///
/// # Panics
/// When a file is invalid. A test detects that before a release.
pub fn all() -> &'static [Builtin] {
    static ALL: OnceLock<Vec<Builtin>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Builtin> = Files::iter()
            .filter(|file| file.ends_with("/template.toml"))
            .map(|file| {
                let folder = file.trim_end_matches("/template.toml");
                read(folder).unwrap_or_else(|error| panic!("{folder}: {error}"))
            })
            .collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    })
}

fn text(path: &str) -> Result<String, String> {
    let file = Files::get(path).ok_or_else(|| format!("{path} is not there"))?;
    String::from_utf8(file.data.into_owned()).map_err(|_| format!("{path} is not UTF-8"))
}

fn read(folder: &str) -> Result<Builtin, String> {
    let head: Head =
        toml::from_str(&text(&format!("{folder}/template.toml"))?).map_err(|e| e.to_string())?;
    let part = |slot: &str, what: &str| {
        let text = text(&format!("{folder}/{slot}.{what}.md"))?;
        Ok::<_, String>(text.trim().to_owned() + "\n")
    };
    let roles = head.roles.into_iter().map(|role| {
        Ok::<_, String>(Role {
            system_prompt: part(&role.slot, "prompt")?,
            brain_seed: part(&role.slot, "brain")?,
            slot: role.slot,
            title: role.title,
            seat: role.seat,
            on_reject: role.on_reject,
            back_to: role.back_to,
            summary: role.summary,
            skills: role.skills,
        })
    });
    Ok(Builtin {
        key: head.key,
        version: head.version,
        content: Content {
            roles: roles.collect::<Result<_, _>>()?,
            name: head.name,
            description: head.description,
            stack: head.stack,
            default_topology: head.default_topology,
            risk_profile: head.risk_profile,
            mcp_bundles: head.mcp_bundles,
            category: head.category,
            image: Some(head.image),
            needs: head.needs,
        },
    })
}

#[cfg(test)]
#[path = "builtin_tests.rs"]
mod tests;

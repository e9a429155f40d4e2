//! The common form of all hosts' entries, and GitHub's form, which several hosts share.

use chrono::{DateTime, Utc};
use roost_protocol::text::clean;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::moment;

/// A repository from a host's list, cleaned and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub external_id: String,
    pub name: String,
    pub full_name: String,
    pub description: Option<String>,
    pub language: Option<String>,
    pub private: bool,
    pub archived: bool,
    pub fork: bool,
    pub default_branch: Option<String>,
    pub clone_url: String,
    pub html_url: String,
    pub provider_updated: Option<DateTime<Utc>>,
}

/// An invalid entry. If its id could be read, the repository still exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub external_id: Option<String>,
}

/// The longest name.
const NAME: usize = 255;
const TEXT: usize = 1_000;
const ADDRESS: usize = 2_048;

/// A host's entry before the check.
pub(super) struct HostEntry {
    pub(super) external_id: String,
    pub(super) name: String,
    pub(super) full_name: String,
    pub(super) description: Option<String>,
    pub(super) language: Option<String>,
    pub(super) private: bool,
    pub(super) archived: bool,
    pub(super) fork: bool,
    pub(super) default_branch: Option<String>,
    pub(super) clone_url: String,
    pub(super) html_url: String,
    pub(super) updated: Option<String>,
}

impl HostEntry {
    /// Checks that it has a name, and that both addresses are safe for people to open.
    pub(super) fn check(self) -> Result<Found, Unreadable> {
        let bad = || Unreadable {
            external_id: Some(self.external_id.clone()),
        };
        let word =
            |text: &str, most| Some(clean(text, most)).filter(|text| !text.trim().is_empty());
        let some = |text: &Option<String>, most| text.as_deref().and_then(|text| word(text, most));
        Ok(Found {
            name: word(&self.name, NAME).ok_or_else(bad)?,
            full_name: word(&self.full_name, 2 * NAME).ok_or_else(bad)?,
            description: some(&self.description, TEXT),
            language: some(&self.language, 64),
            private: self.private,
            archived: self.archived,
            fork: self.fork,
            default_branch: some(&self.default_branch, NAME),
            clone_url: address(&self.clone_url).ok_or_else(bad)?,
            html_url: address(&self.html_url).ok_or_else(bad)?,
            provider_updated: moment(self.updated.as_deref()),
            external_id: self.external_id,
        })
    }
}

/// Only addresses that a browser or git opens over HTTP, without a user name or password.
fn address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let fine = text.len() <= ADDRESS
        && matches!(url.scheme(), "https" | "http")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none();
    fine.then(|| url.into())
}

/// The numeric id of an entry.
pub(super) fn id_of(entry: &Value) -> Option<String> {
    entry.get("id")?.as_u64().map(|id| id.to_string())
}

/// GitHub's entry; Gitea and Forgejo use the same form.
#[derive(Deserialize)]
struct Entry {
    id: u64,
    name: String,
    full_name: String,
    description: Option<String>,
    language: Option<String>,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    fork: bool,
    default_branch: Option<String>,
    clone_url: Option<String>,
    html_url: String,
    updated_at: Option<String>,
}

/// Parses GitHub's form.
pub(super) fn read_common(entry: &Value) -> Result<Found, Unreadable> {
    let entry_fields = Entry::deserialize(entry).map_err(|_| Unreadable {
        external_id: id_of(entry),
    })?;
    // GitHub's short form may omit it; there it is the page's address with `.git`.
    let clone_url = entry_fields
        .clone_url
        .unwrap_or_else(|| format!("{}.git", entry_fields.html_url));
    HostEntry {
        external_id: entry_fields.id.to_string(),
        name: entry_fields.name,
        full_name: entry_fields.full_name,
        description: entry_fields.description,
        language: entry_fields.language,
        private: entry_fields.private,
        archived: entry_fields.archived,
        fork: entry_fields.fork,
        default_branch: entry_fields.default_branch,
        clone_url,
        html_url: entry_fields.html_url,
        updated: entry_fields.updated_at,
    }
    .check()
}

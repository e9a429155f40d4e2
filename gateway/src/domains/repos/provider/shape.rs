//! What all hosts' entries become, and the shape that GitHub has given to several.

use chrono::{DateTime, Utc};
use roost_protocol::text::clean;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::moment;

/// A repository as a host tells of it, cleaned and bounded.
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

/// An entry that is none. The id, where even that could be read, says that the repository is still there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub external_id: Option<String>,
}

/// Longest name of anything.
const NAME: usize = 255;
const TEXT: usize = 1_000;
const ADDRESS: usize = 2_048;

/// What a host tells, before it is checked.
pub(super) struct Told {
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

impl Told {
    /// Checked: it has a name, and both addresses are ones that a person may be sent to.
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

/// Only what a browser or git opens over HTTP, and nothing that carries somebody's name or password.
fn address(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let fine = text.len() <= ADDRESS
        && matches!(url.scheme(), "https" | "http")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none();
    fine.then(|| url.into())
}

/// The number that names an entry.
pub(super) fn id_of(entry: &Value) -> Option<String> {
    entry.get("id")?.as_u64().map(|id| id.to_string())
}

/// GitHub's entry, which Gitea and Forgejo have copied.
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

/// Reads GitHub's shape.
pub(super) fn read_common(entry: &Value) -> Result<Found, Unreadable> {
    let told = Entry::deserialize(entry).map_err(|_| Unreadable {
        external_id: id_of(entry),
    })?;
    // GitHub's short form may leave it out; there it is the page's address.
    let clone_url = told
        .clone_url
        .unwrap_or_else(|| format!("{}.git", told.html_url));
    Told {
        external_id: told.id.to_string(),
        name: told.name,
        full_name: told.full_name,
        description: told.description,
        language: told.language,
        private: told.private,
        archived: told.archived,
        fork: told.fork,
        default_branch: told.default_branch,
        clone_url,
        html_url: told.html_url,
        updated: told.updated_at,
    }
    .check()
}

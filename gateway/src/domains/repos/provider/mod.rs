//! What is different between code hosts: where their lists are, how a token is sent, what an entry looks like. Behind one
//! trait; everything else is the same for all.

mod forgejo;
mod github;
mod gitlab;
mod shape;

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::Inject;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;

pub use shape::{Found, Unreadable};

/// Entries that are asked for a page.
pub const PAGE_SIZE: u32 = 100;

/// Where a token comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RepoProvider)]
pub enum ProviderKind {
    /// github.com
    #[serde(rename = "github")]
    GitHub,
    /// GitHub Enterprise Server, at an address of its own.
    #[serde(rename = "github_enterprise")]
    GitHubEnterprise,
    /// Forgejo or Gitea.
    Forgejo,
    /// gitlab.com, or GitLab at an address of its own.
    #[serde(rename = "gitlab")]
    GitLab,
}

impl ProviderKind {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::GitHub,
        Self::GitHubEnterprise,
        Self::Forgejo,
        Self::GitLab,
    ];

    /// The word in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitHubEnterprise => "github_enterprise",
            Self::Forgejo => "forgejo",
            Self::GitLab => "gitlab",
        }
    }

    /// Reads what [`as_str`](Self::as_str) wrote.
    pub fn from_stored(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// How it differs.
    pub fn provider(self) -> &'static dyn Provider {
        match self {
            Self::GitHub => &github::GITHUB,
            Self::GitHubEnterprise => &github::ENTERPRISE,
            Self::Forgejo => &forgejo::Forgejo,
            Self::GitLab => &gitlab::GitLab,
        }
    }
}

/// A code host.
pub trait Provider: Send + Sync {
    /// As people call it.
    fn name(&self) -> &'static str;
    /// Where it is when nobody says; `None`: somebody has to.
    fn home(&self) -> Option<&'static str>;
    /// Whether it may be anywhere else.
    fn may_be_elsewhere(&self) -> bool {
        true
    }
    /// The root of its API.
    fn api(&self, base: &Url) -> Url;
    /// Below what its repositories are cloned.
    fn git(&self, base: &Url) -> Url {
        base.clone()
    }
    /// The user that git sends beside the token.
    fn git_user(&self) -> &'static str {
        "oauth2"
    }
    /// How the token is sent.
    fn inject(&self) -> Inject;
    /// What else is sent.
    fn headers(&self) -> Vec<(String, String)>;
    /// Lists to read, in this order: the next one when the one before is not there (an owner may be an organisation or a
    /// person).
    fn listings(&self, owner: Option<&str>) -> Vec<Listing>;
    /// What an entry says.
    ///
    /// # Errors
    /// When it is not what such an entry is.
    fn read(&self, entry: &Value) -> Result<Found, Unreadable>;
}

/// A list of repositories at a code host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Below the API's root; each is one segment, whatever it holds.
    pub segments: Vec<String>,
    pub query: Vec<(&'static str, &'static str)>,
    /// How the host calls the number of entries a page.
    pub size: &'static str,
}

impl Listing {
    /// Its address without the query.
    pub fn address(&self, api: &Url) -> Url {
        let mut url = api.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(&self.segments);
        }
        url
    }

    /// The address of a page; the first is 1.
    pub fn page(&self, api: &Url, page: u32) -> Url {
        let mut url = self.address(api);
        url.query_pairs_mut()
            .extend_pairs(&self.query)
            .append_pair(self.size, &PAGE_SIZE.to_string())
            .append_pair("page", &page.to_string());
        url
    }
}

/// `base` and segments below it.
fn below(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// A moment as hosts write it; what cannot be read is no reason to leave a repository out.
fn moment(text: Option<&str>) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text?)
        .ok()
        .map(|at| at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests;

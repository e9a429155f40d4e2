//! The differences between code hosts: the addresses of their lists, how a token is sent, the form of an entry. They are
//! behind one trait; everything else is the same for all.

mod forgejo;
mod github;
mod gitlab;
pub(super) mod pull;
mod shape;

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::Inject;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;

pub use pull::{NewPull, PullRequest};
pub use shape::{Found, Unreadable};

/// Entries that are requested for each page.
pub const PAGE_SIZE: u32 = 100;

/// The kind of code host.
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

    /// Parses a word that [`as_str`](Self::as_str) wrote.
    pub fn from_stored(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The implementation for this kind.
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
    /// The name for people.
    fn name(&self) -> &'static str;
    /// The default address; `None` when the request must name it.
    fn home(&self) -> Option<&'static str>;
    /// Whether another address is allowed.
    fn may_be_elsewhere(&self) -> bool {
        true
    }
    /// The root of its API.
    fn api(&self, base: &Url) -> Url;
    /// The address below which its repositories are cloned.
    fn git(&self, base: &Url) -> Url {
        base.clone()
    }
    /// The user name that git sends with the token.
    fn git_user(&self) -> &'static str {
        "oauth2"
    }
    /// How the token is sent.
    fn inject(&self) -> Inject;
    /// Other headers that are sent.
    fn headers(&self) -> Vec<(String, String)>;
    /// Lists to read, in this order. The next one is read when the one before does not exist (an owner may be an
    /// organisation or a person).
    fn listings(&self, owner: Option<&str>) -> Vec<Listing>;
    /// The repository of an entry.
    ///
    /// # Errors
    /// When the entry does not have the expected form.
    fn read(&self, entry: &Value) -> Result<Found, Unreadable>;
    /// The path of a repository's pull requests below the API's root; each item is one segment. `*` stands for a segment
    /// that is not known yet.
    fn pulls(&self, of: &Place) -> Vec<String>;
    /// The body of the request that opens a pull request.
    fn pull_body(&self, new: &NewPull) -> Value;
}

/// A repository at its host.
pub enum Place<'a> {
    /// Any repository: for the list of what a token may do.
    Any,
    /// The one with this owner, which GitLab nests, and this name.
    One { owner: &'a str, name: &'a str },
}

impl<'a> Place<'a> {
    /// From a full name, such as `acme/tools`. `None` when it has no owner, or a part that is not a name.
    pub fn of(full_name: &'a str) -> Option<Self> {
        let (owner, name) = full_name.rsplit_once('/')?;
        let is_part = |part: &str| !matches!(part, "" | "." | ".." | "*");
        let fine = owner.split('/').chain([name]).all(is_part);
        fine.then_some(Self::One { owner, name })
    }

    /// Owner and name as two segments.
    fn parts(&self) -> [String; 2] {
        match self {
            Self::Any => ["*", "*"].map(str::to_owned),
            Self::One { owner, name } => [owner, name].map(|part| (*part).to_owned()),
        }
    }
}

/// GitHub's path, which Forgejo shares: `repos/{owner}/{name}/pulls`.
fn common_pulls(of: &Place) -> Vec<String> {
    let [owner, name] = of.parts();
    ["repos".to_owned(), owner, name, "pulls".to_owned()].into()
}

/// A list of repositories at a code host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The path below the API's root; each item is one segment.
    pub segments: Vec<String>,
    pub query: Vec<(&'static str, &'static str)>,
    /// The host's parameter for the number of entries on a page.
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

/// `base` with these segments below it.
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

/// Parses a host's time. An invalid time does not exclude a repository.
fn moment(text: Option<&str>) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text?)
        .ok()
        .map(|at| at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests;

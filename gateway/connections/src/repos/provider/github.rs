//! GitHub, and GitHub Enterprise Server with its API below `/api/v3`.

use roost_secret_broker::wire::Inject;
use serde_json::{Value, json};
use url::Url;

use super::shape::read_common;
use super::{Found, Listing, NewPull, Place, Provider, Unreadable, below, common_pulls, pair};

/// GitHub or GitHub Enterprise Server.
pub(super) struct GitHub {
    enterprise: bool,
}

pub(super) static GITHUB: GitHub = GitHub { enterprise: false };
pub(super) static ENTERPRISE: GitHub = GitHub { enterprise: true };

impl Provider for GitHub {
    fn name(&self) -> &'static str {
        if self.enterprise {
            "GitHub Enterprise"
        } else {
            "GitHub"
        }
    }

    fn home(&self) -> Option<&'static str> {
        (!self.enterprise).then_some("https://api.github.com/")
    }

    fn may_be_elsewhere(&self) -> bool {
        self.enterprise
    }

    fn api(&self, base: &Url) -> Url {
        if self.enterprise {
            below(base, &["api", "v3"])
        } else {
            base.clone()
        }
    }

    fn git(&self, base: &Url) -> Url {
        // On github.com the API has its own host, `api.` before git's host.
        let home = base.host_str().and_then(|host| host.strip_prefix("api."));
        let git = home.and_then(|host| Url::parse(&format!("https://{host}/")).ok());
        git.filter(|_| !self.enterprise)
            .unwrap_or_else(|| base.clone())
    }

    fn git_user(&self) -> &'static str {
        "x-access-token"
    }

    fn inject(&self) -> Inject {
        Inject::Bearer
    }

    fn headers(&self) -> Vec<(String, String)> {
        vec![
            // GitHub recommends the first type; its API description has the second.
            pair(
                "accept",
                "application/vnd.github+json, application/json;q=0.9",
            ),
            pair("x-github-api-version", "2022-11-28"),
        ]
    }

    fn listings(&self, owner: Option<&str>) -> Vec<Listing> {
        let listing = |segments: &[&str]| Listing {
            segments: segments.iter().map(|part| (*part).to_owned()).collect(),
            // The latest changes come first, in case the list is too long to be read whole.
            query: vec![("sort", "updated"), ("direction", "desc")],
            size: "per_page",
        };
        match owner {
            Some(owner) => vec![
                listing(&["orgs", owner, "repos"]),
                listing(&["users", owner, "repos"]),
            ],
            None => vec![listing(&["user", "repos"])],
        }
    }

    fn read(&self, entry: &Value) -> Result<Found, Unreadable> {
        read_common(entry)
    }

    fn pulls(&self, of: &Place) -> Vec<String> {
        common_pulls(of)
    }

    fn pull_body(&self, new: &NewPull) -> Value {
        json!({ "title": new.title, "body": new.body, "head": new.head, "base": new.base, "draft": new.draft })
    }
}

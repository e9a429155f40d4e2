//! Forgejo and Gitea, which have the same API for repositories.

use roost_secret_broker::wire::Inject;
use serde_json::{Value, json};
use url::Url;

use super::shape::read_common;
use super::{Found, Listing, NewPull, Place, Provider, Unreadable, below, common_pulls, pair};

/// Forgejo or Gitea.
pub(super) struct Forgejo;

impl Provider for Forgejo {
    fn name(&self) -> &'static str {
        "Forgejo or Gitea"
    }

    fn home(&self) -> Option<&'static str> {
        None
    }

    fn api(&self, base: &Url) -> Url {
        below(base, &["api", "v1"])
    }

    fn inject(&self) -> Inject {
        Inject::Header {
            name: "Authorization".to_owned(),
            prefix: "token ".to_owned(),
        }
    }

    fn headers(&self) -> Vec<(String, String)> {
        vec![pair("accept", "application/json")]
    }

    fn listings(&self, owner: Option<&str>) -> Vec<Listing> {
        let listing = |segments: &[&str]| Listing {
            segments: segments.iter().map(|part| (*part).to_owned()).collect(),
            query: Vec::new(),
            size: "limit",
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
        // A draft is a title that begins so; the API has no field for it.
        let title = match new.draft {
            true => format!("WIP: {}", new.title),
            false => new.title.clone(),
        };
        json!({ "title": title, "body": new.body, "head": new.head, "base": new.base })
    }
}

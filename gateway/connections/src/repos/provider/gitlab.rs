//! GitLab: repositories are projects; owners are groups (which may be nested) or people.

use roost_secret_broker::wire::Inject;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use url::Url;

use super::shape::{HostEntry, id_of};
use super::{Found, Listing, NewPull, Place, Provider, Unreadable, below, pair};

/// GitLab.
pub(super) struct GitLab;

impl Provider for GitLab {
    fn name(&self) -> &'static str {
        "GitLab"
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://gitlab.com/")
    }

    fn api(&self, base: &Url) -> Url {
        below(base, &["api", "v4"])
    }

    fn inject(&self) -> Inject {
        Inject::Header {
            name: "PRIVATE-TOKEN".to_owned(),
            prefix: String::new(),
        }
    }

    fn headers(&self) -> Vec<(String, String)> {
        vec![pair("accept", "application/json")]
    }

    fn listings(&self, owner: Option<&str>) -> Vec<Listing> {
        let newest = [("order_by", "last_activity_at"), ("sort", "desc")];
        let listing = |segments: &[&str], more: &[(&'static str, &'static str)]| Listing {
            segments: segments.iter().map(|part| (*part).to_owned()).collect(),
            query: more.iter().chain(&newest).copied().collect(),
            size: "per_page",
        };
        match owner {
            Some(owner) => vec![
                listing(
                    &["groups", owner, "projects"],
                    &[("include_subgroups", "true")],
                ),
                listing(&["users", owner, "projects"], &[]),
            ],
            None => vec![listing(&["projects"], &[("membership", "true")])],
        }
    }

    fn read(&self, entry: &Value) -> Result<Found, Unreadable> {
        let entry_fields = Project::deserialize(entry).map_err(|_| Unreadable {
            external_id: id_of(entry),
        })?;
        HostEntry {
            external_id: entry_fields.id.to_string(),
            name: entry_fields.name,
            full_name: entry_fields.path_with_namespace,
            description: entry_fields.description,
            language: None,
            private: entry_fields.visibility.as_deref() != Some("public"),
            archived: entry_fields.archived,
            fork: entry_fields.forked_from_project.is_some(),
            default_branch: entry_fields.default_branch,
            clone_url: entry_fields.http_url_to_repo,
            html_url: entry_fields.web_url,
            updated: entry_fields.last_activity_at,
        }
        .check()
    }

    fn pulls(&self, of: &Place) -> Vec<String> {
        // The whole name of a project is one segment.
        let project = match of {
            Place::Any => "*".to_owned(),
            Place::One { owner, name } => format!("{owner}/{name}"),
        };
        ["projects".to_owned(), project, "merge_requests".to_owned()].into()
    }

    fn pull_body(&self, new: &NewPull) -> Value {
        // A draft is a title that begins so; the API has no field for it.
        let title = match new.draft {
            true => format!("Draft: {}", new.title),
            false => new.title.clone(),
        };
        json!({ "title": title, "description": new.body, "source_branch": new.head, "target_branch": new.base })
    }
}

#[derive(Deserialize)]
struct Project {
    id: u64,
    name: String,
    path_with_namespace: String,
    description: Option<String>,
    visibility: Option<String>,
    #[serde(default)]
    archived: bool,
    forked_from_project: Option<IgnoredAny>,
    default_branch: Option<String>,
    http_url_to_repo: String,
    web_url: String,
    last_activity_at: Option<String>,
}

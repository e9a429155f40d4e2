//! GitLab's API at the host: projects, and merge requests with the attributes that GitLab documents. It refuses what is
//! not documented, where GitLab itself would overlook it.

use axum::http::request::Parts;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::{GitHost, json_answer, lock};

const API: &str = "/api/v4/";

/// Attributes that a merge request needs.
const NEEDED: [&str; 3] = ["source_branch", "target_branch", "title"];

/// The other documented attributes.
const OTHERS: [&str; 12] = [
    "allow_collaboration",
    "approvals_before_merge",
    "assignee_id",
    "assignee_ids",
    "description",
    "labels",
    "merge_after",
    "milestone_id",
    "remove_source_branch",
    "reviewer_ids",
    "squash",
    "target_project_id",
];

/// Longest title, in characters.
const LONGEST_TITLE: usize = 255;

pub(super) fn is_asked(path: &str) -> bool {
    path.starts_with(API)
}

/// Answers a request to the API. The token comes in GitLab's own header.
pub(super) async fn answer(host: &GitHost, head: &Parts, body: &[u8]) -> Response {
    let token = head.headers.get("private-token");
    if token.is_none_or(|token| token.as_bytes() != host.token().as_bytes()) {
        return json_answer(401, &json!({ "message": "401 Unauthorized" }));
    }
    let below = head.uri.path().strip_prefix(API).unwrap_or_default();
    let segments: Vec<&str> = below.split('/').collect();
    match (head.method.as_str(), &*segments) {
        ("GET", ["projects"]) => {
            let projects = lock(&host.listed).iter().map(project).collect();
            let mut answer = json_answer(200, &Value::Array(projects));
            let none = "".parse().expect("a value");
            answer.headers_mut().insert("x-next-page", none);
            answer
        }
        ("POST", ["projects", id, "merge_requests"]) => match named(host, id) {
            Some(project) => match created(host, &project, head, body).await {
                Ok(opened) => json_answer(201, &opened),
                Err((status, why)) => json_answer(status, &why),
            },
            None => json_answer(404, &json!({ "message": "404 Project Not Found" })),
        },
        _ => json_answer(404, &json!({ "error": "404 Not Found" })),
    }
}

/// A repository as GitLab lists it.
fn project(listed: &Value) -> Value {
    json!({
        "id": listed["id"], "name": listed["name"], "path_with_namespace": listed["full_name"],
        "visibility": "private", "archived": false, "default_branch": listed["default_branch"],
        "web_url": listed["html_url"], "http_url_to_repo": listed["clone_url"],
        "last_activity_at": listed["updated_at"],
    })
}

/// The project of an id, or of a name in which each slash is written as `%2F`.
fn named(host: &GitHost, id: &str) -> Option<Value> {
    let name = id.replace("%2F", "/");
    let listed = lock(&host.listed);
    let mut all = listed.iter();
    let is_id = |number: &Value| {
        number
            .as_u64()
            .is_some_and(|number| id.parse() == Ok(number))
    };
    let found = all.find(|one| one["full_name"] == *name || is_id(&one["id"]))?;
    Some(project(found))
}

/// Opens a merge request, or says with which status it is refused.
async fn created(
    host: &GitHost,
    project: &Value,
    head: &Parts,
    body: &[u8],
) -> Result<Value, (u16, Value)> {
    let kind = head.headers.get("content-type");
    if kind.is_none_or(|kind| kind != "application/json") {
        let why = "The provided content-type is not supported.";
        return Err((415, json!({ "error": why })));
    }
    let Ok(asked) = serde_json::from_slice::<Map<String, Value>>(body) else {
        return Err((400, json!({ "error": "the body is not a JSON object" })));
    };
    let known = |name: &str| NEEDED.contains(&name) || OTHERS.contains(&name);
    if let Some(unknown) = asked.keys().find(|name| !known(name)) {
        return Err((
            400,
            json!({ "error": format!("{unknown} is not documented") }),
        ));
    }
    let text = |name: &str| asked.get(name).and_then(Value::as_str);
    for name in NEEDED {
        if text(name).is_none() {
            return Err((400, json!({ "error": format!("{name} is missing") })));
        }
    }
    let [source, target, title] = NEEDED.map(|name| text(name).unwrap_or_default());
    if title.chars().count() > LONGEST_TITLE {
        let why = format!("is too long (maximum is {LONGEST_TITLE} characters)");
        return Err((400, json!({ "message": { "title": [why] } })));
    }
    let name = project["path_with_namespace"].as_str().unwrap_or_default();
    for branch in [source, target] {
        let reference = format!("refs/heads/{branch}");
        let shown = ["for-each-ref", "--format=%(objectname)", reference.as_str()];
        if host.git(name, &shown, None).await.trim().is_empty() {
            let why = format!("Branch \"{branch}\" does not exist");
            return Err((400, json!({ "message": [why] })));
        }
    }
    let mut pulls = lock(&host.pulls);
    let same = |other: &Value| other["source_branch"] == source && other["target_branch"] == target;
    if let Some(other) = pulls.iter().find(|other| same(other)) {
        let why = "Another open merge request already exists for this source branch";
        return Err((
            409,
            json!({ "message": [format!("{why}: !{}", other["iid"])] }),
        ));
    }
    let iid = pulls.len() + 1;
    let web = project["web_url"].as_str().unwrap_or_default();
    let opened = json!({
        "id": 1000 + iid, "iid": iid, "project_id": project["id"], "state": "opened",
        "title": title, "description": text("description"), "draft": title.starts_with("Draft: "),
        "source_branch": source, "target_branch": target, "labels": [],
        "web_url": format!("{web}/-/merge_requests/{iid}"),
    });
    pulls.push(opened.clone());
    Ok(opened)
}

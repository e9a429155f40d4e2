//! The catalogue of skills, a workspace's own skills, and the skills of agents.

mod catalogue;
mod effective;
mod workspace_skills;

use roost_organisation::templates;
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{Answer, Gateway, Person, ScratchPostgres};
use serde_json::{Value, json};

pub(super) fn text(name: &str, body: &str) -> Value {
    json!({ "name": name, "title": "Mine", "when_to_use": "When it is mine.", "tags": ["own"], "body": body })
}

pub(super) fn changed(body: &str) -> Value {
    json!({ "title": "Mine", "when_to_use": "When it is mine.", "tags": ["own"], "body": body })
}

pub(super) async fn create(owner: &Person, body: &Value) -> String {
    let made = owner.post("/api/skills").json(body).expect(201).await;
    format!("/api/skills/{}", made.str("/id"))
}

/// An agent that was made from a role of a template, as it is now; its path and id.
pub(super) async fn agent(
    gateway: &Gateway,
    owner: &Person,
    made_from: Option<(&str, &str)>,
) -> String {
    let body = json!({ "name": roost_tests::unique("ada") });
    let claw = owner.post("/api/claws").json(&body).expect(201).await;
    let id = claw.str("/id").to_owned();
    if let Some((template, slot)) = made_from {
        let scope = scope(owner);
        let template = template.parse().expect("an id");
        let found = templates::find(gateway.app().db().read(), scope, template).await;
        let version = found.expect("an answer").expect("a template").row.version;
        let change = gateway.change(owner).await;
        let agent = id.parse().expect("an id");
        let linked = templates::link::link_in(&change, agent, template, version, slot).await;
        linked.expect("a link");
        change.commit().await.expect("a commit");
    }
    id
}

pub(super) fn scope(owner: &Person) -> WorkspaceScope {
    WorkspaceScope::of_row(owner.workspace.parse().expect("an id"))
}

pub(super) fn builtin_template(key: &str) -> String {
    templates::model::builtin_id(key).to_string()
}

pub(super) fn names(answer: &Answer) -> Vec<String> {
    let items = answer.body["items"].as_array().expect("items");
    let names = items
        .iter()
        .map(|one| one["name"].as_str().expect("a name"));
    names.map(str::to_owned).collect()
}

pub(super) async fn stop(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

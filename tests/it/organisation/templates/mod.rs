//! Team templates: built in, a workspace's own, and agents that follow a newer version.

mod agents;
mod workspace_templates;

use roost_organisation::templates::link;
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{Answer, Gateway, Person, ScratchPostgres};
use serde_json::{Value, json};

pub(super) fn role(slot: &str, prompt: &str) -> Value {
    json!({ "slot": slot, "title": slot, "summary": "", "system_prompt": prompt, "skills": [], "brain_seed": format!("# Seed of {slot}") })
}

pub(super) fn content(name: &str, roles: &[Value]) -> Value {
    json!({
        "name": name, "description": "", "stack": "any", "default_topology": "pipeline",
        "risk_profile": "toolfree", "mcp_bundles": ["skills"], "category": "ops", "roles": roles,
    })
}

pub(super) async fn create(owner: &Person, key: &str, mut content: Value) -> Answer {
    content["key"] = key.into();
    owner
        .post("/api/team-templates")
        .json(&content)
        .expect(201)
        .await
}

pub(super) fn scope(owner: &Person) -> WorkspaceScope {
    WorkspaceScope::of_row(owner.workspace.parse().expect("an id"))
}

/// An agent with a prompt, made from a role of a version.
pub(super) async fn agent(
    gateway: &Gateway,
    owner: &Person,
    (template, version, slot): (&str, i64, &str),
    prompt: &str,
) -> String {
    let body = json!({ "name": roost_tests::unique(slot), "system_prompt": prompt });
    let claw = owner.post("/api/claws").json(&body).expect(201).await;
    let id = claw.str("/id").to_owned();
    let (template, agent) = (template.parse().expect("an id"), id.parse().expect("an id"));
    let change = gateway.change(owner).await;
    let linked = link::link_in(&change, agent, template, version, slot).await;
    linked.expect("a link");
    change.commit().await.expect("a commit");
    id
}

pub(super) async fn stop(gateway: Gateway, scratch: Option<ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

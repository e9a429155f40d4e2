//! Requests for missions that are refused, each with its place or its reason.

use roost_tests::Gateway;
use serde_json::json;

use super::{created, set_status, template};

#[tokio::test]
async fn invalid_mission_is_refused_with_the_place_of_each_mistake() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let unknown = "0190a000-0000-7000-8000-000000000001";
    for (new, pointer) in [
        (json!({ "template_kind": "magic" }), ""),
        (
            json!({ "template_kind": "research", "runtime_kind": "cloud" }),
            "",
        ),
        (
            json!({ "template_kind": "research", "runtime_kind": "local_node" }),
            "/target_node_id",
        ),
        (
            json!({ "template_kind": "research", "target_node_id": unknown }),
            "/target_node_id",
        ),
        (json!({ "template_kind": "custom" }), "/config/phases"),
        (
            json!({ "template_kind": "research", "config": { "phases": ["x"] } }),
            "/config/phases/0",
        ),
        (
            json!({ "template_kind": "research", "config": { "phase_teams": { "security_scan": [] } } }),
            "/config/phase_teams/security_scan",
        ),
        (
            json!({ "template_kind": "research", "config": { "phase_teams": { "research": [unknown] } } }),
            "/config/phase_teams/research",
        ),
        (
            json!({ "template_kind": "research", "team_template_id": unknown }),
            "/team_template_id",
        ),
        (
            json!({ "template_kind": "research", "repo_id": unknown }),
            "/repo_id",
        ),
        (
            json!({ "template_kind": "research", "model": "openai/none" }),
            "/model",
        ),
        (
            json!({ "template_kind": "research", "schedule": { "kind": "never" } }),
            "/schedule",
        ),
        (
            json!({ "template_kind": "research", "budget_usd": -1 }),
            "/budget_usd",
        ),
        (
            json!({ "template_kind": "research", "title": "" }),
            "/title",
        ),
    ] {
        let refused = owner.post("/api/missions").json(&new).expect(400).await;
        let errors = refused.body["errors"].to_string();
        assert!(
            errors.contains(&format!("{pointer}\"")),
            "{new} {refused:?}"
        );
    }
    let new = json!({ "template_kind": "research", "runtime_kind": "local_node", "target_node_id": unknown });
    owner.post("/api/missions").json(&new).expect(404).await;
    let list = owner.get("/api/missions").expect(200).await;
    assert_eq!(list.body["items"], json!([]), "nothing was made");
    gateway.stop().await;
}

#[tokio::test]
async fn launch_without_a_team_or_without_a_needed_repository_is_a_hard_error() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let id = created(
        owner,
        &json!({ "template_kind": "research", "goal": "Read." }),
    )
    .await;
    let refused = set_status(owner, &id, "running", 412).await;
    assert_eq!(refused.str("/code"), "mission-has-no-team");
    let plan = owner.get(&format!("/api/missions/{id}/launch-plan"));
    let plan = plan.expect(200).await;
    assert!(plan.str("/blockers/0").contains("names no team"));

    let readers = template(owner, "Readers").await;
    let new = json!({ "template_kind": "full_cycle", "team_template_id": readers });
    let id = created(owner, &new).await;
    let refused = set_status(owner, &id, "running", 412).await;
    assert_eq!(refused.str("/code"), "mission-has-no-repo");
    let teams = owner.get("/api/teams").expect(200).await;
    assert_eq!(teams.body["items"], json!([]), "nothing was minted");

    set_status(owner, &id, "paused", 409).await;
    set_status(owner, &id, "completed", 400).await;
    set_status(owner, &id, "cancelled", 200).await;
    set_status(owner, &id, "running", 409).await;
    let list = owner
        .get("/api/missions?status=cancelled")
        .expect(200)
        .await;
    assert_eq!(list.str("/items/0/id"), id);
    gateway.stop().await;
}

#[tokio::test]
async fn launch_beyond_the_plan_says_how_many_agents_are_missing_and_makes_nothing() {
    let gateway = Gateway::start_with(&[("plans.default", "free")]).await;
    let owner = gateway.owner().await;
    let readers = template(owner, "Readers").await;
    let many = vec![readers; 6];
    let new =
        json!({ "template_kind": "research", "config": { "phase_teams": { "research": many } } });
    let id = created(owner, &new).await;
    let refused = set_status(owner, &id, "running", 402).await;
    assert_eq!(refused.str("/code"), "quota-exceeded");
    let agents = owner.get("/api/claws").expect(200).await;
    assert_eq!(agents.body["items"], json!([]));
    let plan = owner.get(&format!("/api/missions/{id}/launch-plan"));
    let plan = plan.expect(200).await;
    assert!(plan.str("/blockers/0").contains('5'), "{plan:?}");
    gateway.stop().await;
}

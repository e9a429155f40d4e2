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
        (json!({ "template_kind": "magic" }), "/template_kind"),
        (
            json!({ "template_kind": "research", "runtime_kind": "cloud" }),
            "/runtime_kind",
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

#[tokio::test]
async fn launch_with_a_template_that_was_deleted_names_it_and_its_place_and_mints_nothing() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let (stays, goes) = (
        template(owner, "Readers").await,
        template(owner, "Coders").await,
    );
    let config = json!({ "phase_teams": { "research": [stays], "coding": [stays, goes] } });
    let named = created(
        owner,
        &json!({ "template_kind": "development", "config": config }),
    )
    .await;
    let legacy = created(
        owner,
        &json!({ "template_kind": "research", "team_template_id": goes }),
    )
    .await;
    owner
        .delete(&format!("/api/team-templates/{goes}"))
        .expect(204)
        .await;
    for (id, place) in [
        (named, "`config.phase_teams.coding[1]`"),
        (legacy, "`team_template_id`"),
    ] {
        let refused = set_status(owner, &id, "running", 409).await;
        let said = refused.str("/detail");
        for part in [place, "Coders", &goes, "was deleted"] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let plan = owner.get(&format!("/api/missions/{id}/launch-plan"));
        let plan = plan.expect(200).await;
        assert_eq!(plan.str("/blockers/0"), said);
        let now = owner.get(&format!("/api/missions/{id}")).expect(200).await;
        assert_eq!(now.str("/status"), "draft");
    }
    for path in ["/api/teams", "/api/claws"] {
        let all = owner.get(path).expect(200).await;
        assert_eq!(all.body["items"], json!([]), "{path}: nothing was minted");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn routine_whose_template_was_deleted_fails_with_its_name_and_place_and_mints_nothing() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let readers = template(owner, "Readers").await;
    let schedule = json!({ "kind": "cron", "expression": "0 9 1 1 *" });
    let mission = json!({ "kind": "mission", "mission": { "template_kind": "research", "config": { "phase_teams": { "research": [readers] } } } });
    let team = json!({ "kind": "team", "template_id": readers, "goal": "Read." });
    let mut routines = Vec::new();
    for (recipe, place) in [
        (mission, "`config.phase_teams.research[0]`"),
        (team, "`recipe.template_id`"),
    ] {
        let new = json!({ "name": place, "schedule": schedule, "recipe": recipe });
        let routine = owner.post("/api/routines").json(&new).expect(201).await;
        routines.push((routine.str("/id").to_owned(), place));
    }
    owner
        .delete(&format!("/api/team-templates/{readers}"))
        .expect(204)
        .await;
    for (id, place) in routines {
        let refused = owner.post(&format!("/api/routines/{id}/run")).expect(409);
        let refused = refused.await;
        let said = refused.str("/detail");
        for part in [place, "Readers", &readers, "was deleted"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    for path in ["/api/teams", "/api/claws", "/api/missions"] {
        let all = owner.get(path).expect(200).await;
        assert_eq!(all.body["items"], json!([]), "{path}: nothing was made");
    }
    gateway.stop().await;
}

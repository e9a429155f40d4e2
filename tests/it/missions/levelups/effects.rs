//! What applying an item does: each kind exactly, all approved items or nothing, and never over a change of others.

use roost_organisation::skills;
use serde_json::{Value, json};

use super::{Place, agent, answer, approval, audited, item, proposed, proposed_at, script, team};

fn all_kinds() -> Vec<Value> {
    vec![
        item(
            "identity_refinement",
            json!({ "system_prompt": "You code with care." }),
        ),
        item("skill_add", json!({ "skill": "stating-uncertainty" })),
        item(
            "skill_candidate",
            json!({ "name": "fast-tests", "title": "Fast tests", "when_to_use": "Always.", "tags": ["tests"], "body": "Run one." }),
        ),
        item(
            "brain_consolidation",
            json!({ "brain": "# Notes\n\nTests take 9 s." }),
        ),
        item(
            "roster_change",
            json!({ "action": "add", "slot": "tester", "detail": "Add one." }),
        ),
        item(
            "mcp_bundle_change",
            json!({ "add": ["repo"], "remove": [] }),
        ),
    ]
}

#[tokio::test]
async fn each_kind_has_its_effect_and_a_persons_changes_are_only_recorded() {
    for place in Place::on_each(&script(&[answer(&all_kinds())])).await {
        let owner = place.owner().await;
        let (team, member) = team(owner).await;
        let before = owner
            .get(&format!("/api/teams/{team}"))
            .expect(200)
            .await
            .body;
        let path = proposed_at(owner, &format!("/api/teams/{team}/level-up")).await;
        let shown = owner.get(&path).expect(200).await;
        assert_eq!(shown.body["payload"]["dropped"], json!([]));
        let all = ["i1", "i2", "i3", "i4", "i5", "i6"];
        let applied = owner.post(&format!("{path}/apply")).json(&approval(&all));
        let applied = applied.expect(200).await;
        assert_eq!(applied.str("/status"), "applied");
        assert_eq!(
            applied.body["applied_items"],
            json!(["i1", "i2", "i3", "i4"])
        );
        assert_eq!(applied.body["payload"]["for_a_person"], json!(["i5", "i6"]));
        assert_eq!(applied.str("/approved_by/id"), owner.id);
        assert!(applied.body["applied_at"].is_string());

        let claw = owner.get(&format!("/api/claws/{member}")).expect(200).await;
        assert_eq!(claw.str("/system_prompt"), "You code with care.");
        let brain = owner
            .get(&format!("/api/claws/{member}/brain"))
            .expect(200)
            .await;
        assert_eq!(brain.str("/agent_md"), "# Notes\n\nTests take 9 s.");
        assert_eq!(brain.str("/cause"), "consolidation");
        let own = owner
            .get(&format!("/api/claws/{member}/skills"))
            .expect(200)
            .await;
        let own = own.body["items"].as_array().unwrap().clone();
        assert!(
            own.iter()
                .any(|one| one["name"] == "stating-uncertainty" && one["source"] == "agent"),
            "{own:?}"
        );
        let id = skills::model::workspace_id(owner.workspace.parse().unwrap(), "fast-tests");
        let skill = owner.get(&format!("/api/skills/{id}")).expect(200).await;
        assert_eq!(skill.str("/source_kind"), "promoted");
        let versions = owner
            .get(&format!("/api/skills/{id}/versions"))
            .expect(200)
            .await;
        assert_eq!(
            versions.body["items"][0]["promoted_from"],
            json!({ "kind": "agent", "id": member })
        );
        let after = owner
            .get(&format!("/api/teams/{team}"))
            .expect(200)
            .await
            .body;
        assert_eq!(
            after["members"].as_array().unwrap().len(),
            before["members"].as_array().unwrap().len()
        );
        assert_eq!(after["mcp_bundles"], before["mcp_bundles"]);
        assert_eq!(audited(owner, "levelup.needs_human").await, 2);
        for action in [
            "levelup.proposed",
            "levelup.applied",
            "skill.created",
            "brain.written",
        ] {
            assert_eq!(audited(owner, action).await, 1, "{action}");
        }
        place.stop().await;
    }
}

#[tokio::test]
async fn only_approved_items_are_applied() {
    for place in Place::on_each(&script(&[answer(&all_kinds())])).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let path = proposed(owner, &claw).await;
        let shown = owner.get(&path).expect(200).await;
        assert_eq!(shown.str("/payload/dropped/0/kind"), "roster_change");
        assert!(shown.str("/payload/dropped/0/reason").contains("no roster"));
        let applied = owner
            .post(&format!("{path}/apply"))
            .json(&approval(&["i4"]));
        assert_eq!(
            applied.expect(200).await.body["applied_items"],
            json!(["i4"])
        );
        let shown = owner.get(&format!("/api/claws/{claw}")).expect(200).await;
        assert_eq!(shown.str("/system_prompt"), "You code.");
        let brain = owner
            .get(&format!("/api/claws/{claw}/brain"))
            .expect(200)
            .await;
        assert_eq!(brain.body["version"], 2, "the seed stays in the history");
        let skills = owner.get("/api/skills?q=fast-tests").expect(200).await;
        assert_eq!(skills.body["items"], json!([]));
        place.stop().await;
    }
}

#[tokio::test]
async fn an_item_whose_base_changed_is_refused_by_name_and_nothing_is_applied() {
    for place in Place::on_each(&script(&[answer(&all_kinds())])).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let path = proposed(owner, &claw).await;
        let edit = json!({ "system_prompt": "A person wrote this." });
        owner
            .patch(&format!("/api/claws/{claw}"))
            .json(&edit)
            .expect(200)
            .await;
        let taken =
            json!({ "name": "fast-tests", "title": "Mine", "when_to_use": "x", "body": "mine" });
        owner.post("/api/skills").json(&taken).expect(201).await;
        let apply = format!("{path}/apply");
        let refused = owner
            .post(&apply)
            .json(&approval(&["i4", "i3", "i2", "i1"]));
        let refused = refused.refused(409, "proposal-outdated").await;
        let errors = refused.body["errors"].as_array().unwrap().clone();
        let places: Vec<&str> = errors
            .iter()
            .map(|one| one["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(
            places,
            ["/approved_item_ids/3", "/approved_item_ids/1"],
            "{refused:?}"
        );
        assert!(
            errors[0]["detail"]
                .as_str()
                .unwrap()
                .contains("system prompt")
        );
        let now = owner.get(&path).expect(200).await;
        assert_eq!(now.str("/status"), "pending");
        let brain = owner
            .get(&format!("/api/claws/{claw}/brain"))
            .expect(200)
            .await;
        assert_eq!(brain.body["version"], 1, "nothing was applied");
        let shown = owner.get(&format!("/api/claws/{claw}")).expect(200).await;
        assert_eq!(shown.str("/system_prompt"), "A person wrote this.");
        // Without the refused items it works.
        let rest = owner
            .post(&apply)
            .json(&approval(&["i2", "i4"]))
            .expect(200)
            .await;
        assert_eq!(rest.body["applied_items"], json!(["i2", "i4"]));
        // A brain that was edited since the second proposal was made.
        let second = proposed(owner, &claw).await;
        let edit = json!({ "agent_md": "A person wrote this, too." });
        owner
            .put(&format!("/api/claws/{claw}/brain"))
            .json(&edit)
            .expect(200)
            .await;
        let items = owner.get(&second).expect(200).await.body["payload"]["items"].clone();
        let brain = items
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["kind"] == "brain_consolidation");
        assert_eq!(brain, None, "the same text again changes nothing");
        place.stop().await;
    }
}

#[tokio::test]
async fn a_brain_that_was_edited_meanwhile_is_not_overwritten() {
    let brain = item("brain_consolidation", json!({ "brain": "Short." }));
    for place in Place::on_each(&script(&[answer(&[brain])])).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let path = proposed(owner, &claw).await;
        let edit = json!({ "agent_md": "A person wrote this." });
        owner
            .put(&format!("/api/claws/{claw}/brain"))
            .json(&edit)
            .expect(200)
            .await;
        let refused = owner
            .post(&format!("{path}/apply"))
            .json(&approval(&["i1"]));
        let refused = refused.refused(409, "proposal-outdated").await;
        assert!(
            refused.str("/errors/0/detail").contains("version 2"),
            "{refused:?}"
        );
        let now = owner
            .get(&format!("/api/claws/{claw}/brain"))
            .expect(200)
            .await;
        assert_eq!(now.str("/agent_md"), "A person wrote this.");
        place.stop().await;
    }
}

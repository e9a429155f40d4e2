//! Answers that cannot be trusted: each is refused clearly or loses the items that do not fit, and nothing changes.

use serde_json::{Value, json};

use super::{Place, agent, answer, approval, audited, item, proposed, script};

#[tokio::test]
async fn an_answer_without_the_form_is_mended_once_or_refused_with_its_mistakes() {
    let right = answer(&[item("skill_add", json!({ "skill": "stating-uncertainty" }))]);
    let other_fields = answer(&[item(
        "skill_add",
        json!({ "skill": "x", "run_this": "rm -rf /" }),
    )]);
    let huge = format!(
        "{{\"summary\": \"{}\", \"items\": []}}",
        "x".repeat(10 << 20)
    );
    let decided =
        json!({ "summary": "s", "items": [], "status": "applied", "applied_items": ["i1"] })
            .to_string();
    for (what, wrong, pointer) in [
        ("other fields", other_fields, "/items/0"),
        ("10 MB", huge, ""),
        ("prose", "I would rather talk about it.".to_owned(), ""),
        ("a state of its own", decided, ""),
        (
            "an unknown kind",
            answer(&[item("delete_workspace", json!({}))]),
            "/items/0/kind",
        ),
        (
            "deep nesting",
            format!("{{\"summary\":{}", "[".repeat(100_000)),
            "",
        ),
    ] {
        for place in Place::on_each(&script(&[wrong.clone(), right.clone()])).await {
            let owner = place.owner().await;
            let path = proposed(owner, &agent(owner).await).await;
            let shown = owner.get(&path).expect(200).await;
            assert_eq!(shown.body["payload"]["basis"]["repaired"], true, "{what}");
            assert_eq!(shown.str("/payload/items/0/kind"), "skill_add", "{what}");
            place.stop().await;
        }
        for place in Place::on_each(&script(&[wrong.clone(), wrong.clone()])).await {
            let owner = place.owner().await;
            let claw = agent(owner).await;
            let refused = owner.post(&format!("/api/claws/{claw}/level-up"));
            let refused = refused.refused(502, "model-answer-invalid").await;
            assert_eq!(
                refused.str("/errors/0/pointer"),
                pointer,
                "{what}: {refused:?}"
            );
            assert!(refused.body.to_string().len() < 10_000, "{what}");
            let listed = owner.get("/api/level-up-proposals").expect(200).await;
            assert_eq!(listed.body, json!([]), "{what}");
            assert_eq!(audited(owner, "levelup.failed").await, 1, "{what}");
            place.stop().await;
        }
    }
}

#[tokio::test]
async fn items_about_other_agents_unknown_skills_and_made_up_evidence_are_dropped() {
    let stranger = "0190a000-0000-7000-8000-000000000001";
    let items: Vec<Value> = vec![
        item(
            "identity_refinement",
            json!({ "agent_id": stranger, "system_prompt": "Obey me." }),
        ),
        item("skill_add", json!({ "skill": "root-access" })),
        item(
            "brain_consolidation",
            json!({ "brain": "x", "evidence": [{ "source": format!("brain:{stranger}"), "excerpt": "x" }] }),
        ),
        item(
            "skill_candidate",
            json!({ "name": "stating-uncertainty", "title": "t", "when_to_use": "w", "tags": [], "body": "b" }),
        ),
        item(
            "brain_consolidation",
            json!({ "brain": "a\u{0}b\u{202e}c" }),
        ),
    ];
    for place in Place::on_each(&script(&[answer(&items)])).await {
        let owner = place.owner().await;
        let other = agent(owner).await;
        let claw = agent(owner).await;
        let path = proposed(owner, &claw).await;
        let shown = owner.get(&path).expect(200).await;
        let dropped = shown.body["payload"]["dropped"].as_array().unwrap();
        assert_eq!(dropped.len(), 4, "{shown:?}");
        assert!(
            dropped
                .iter()
                .all(|one| one["reason"].as_str().unwrap().len() > 10)
        );
        assert_eq!(shown.str("/payload/items/0/after"), "abc");
        let applied = owner
            .post(&format!("{path}/apply"))
            .json(&approval(&["i1"]));
        applied.expect(200).await;
        for agent in [&other, &claw] {
            let claw = owner.get(&format!("/api/claws/{agent}")).expect(200).await;
            assert_eq!(claw.str("/system_prompt"), "You code.");
        }
        place.stop().await;
    }
}

//! Agents that were made from a template: upgrades and seeds.

use roost_organisation::templates::{link, store_links};
use roost_tests::{Answer, Gateway};
use serde_json::json;

use super::{agent, content, create, role, scope, stop};

#[tokio::test]
async fn upgrade_moves_agents_and_overwrites_no_changed_text() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let roles = [
            role("coder", "You code."),
            role("tester", "You test."),
            role("gone", "You go."),
        ];
        let made = create(owner, "ours", content("Ours", &roles)).await;
        let id = made.str("/id").to_owned();
        let path = format!("/api/team-templates/{id}");
        let plain = agent(&gateway, owner, (&id, 1, "coder"), "You code.").await;
        let edited = agent(&gateway, owner, (&id, 1, "coder"), "You code, as I say.").await;
        let same = agent(&gateway, owner, (&id, 1, "tester"), "You test.").await;
        let lost = agent(&gateway, owner, (&id, 1, "gone"), "You go.").await;
        let deleted = agent(&gateway, owner, (&id, 1, "coder"), "You code.").await;
        owner
            .delete(&format!("/api/claws/{deleted}"))
            .expect(204)
            .await;
        let brain = format!("/api/claws/{plain}/brain");
        owner
            .put(&brain)
            .json(&json!({ "agent_md": "# Mine" }))
            .expect(200)
            .await;

        let next = [role("coder", "You code well."), role("tester", "You test.")];
        owner
            .put(&path)
            .json(&content("Ours", &next))
            .expect(200)
            .await;
        let agents = owner.get(&format!("{path}/agents")).expect(200).await;
        let told = |answer: &Answer| -> Vec<(String, i64, bool, String)> {
            let items = answer.body["items"].as_array().unwrap().iter();
            items
                .map(|one| {
                    let text = |field: &str| one[field].as_str().unwrap().to_owned();
                    let version = one["template_version"].as_i64().unwrap();
                    (
                        text("agent_id"),
                        version,
                        one["behind"] == true,
                        text("upgrade"),
                    )
                })
                .collect()
        };
        let expected = |rows: [(&String, i64, bool, &str); 4]| -> Vec<(String, i64, bool, String)> {
            let rows = rows.into_iter();
            rows.map(|(id, version, behind, what)| (id.clone(), version, behind, what.to_owned()))
                .collect()
        };
        assert_eq!(
            told(&agents),
            expected([
                (&plain, 1, true, "replace"),
                (&edited, 1, true, "keep_prompt"),
                (&same, 1, true, "same"),
                (&lost, 1, true, "no_role"),
            ])
        );
        let upgrade = format!("{path}/upgrade");
        let stranger_id = "0190a000-0000-7000-8000-000000000001";
        let unknown = owner
            .post(&upgrade)
            .json(&json!({ "agent_ids": [plain, stranger_id] }));
        unknown.refused(404, "not-found").await;
        let prompt = async |id: &str| {
            let claw = owner.get(&format!("/api/claws/{id}")).expect(200).await;
            claw.str("/system_prompt").to_owned()
        };
        assert_eq!(
            prompt(&plain).await,
            "You code.",
            "a refused upgrade did nothing"
        );

        let one = owner
            .post(&upgrade)
            .json(&json!({ "agent_ids": [same] }))
            .expect(200)
            .await;
        assert_eq!(one.body["upgraded"][0]["prompt_replaced"], false);
        let rest = owner.post(&upgrade).json(&json!({})).expect(200).await;
        assert_eq!(rest.body["version"], 2);
        let upgraded = rest.body["upgraded"].as_array().unwrap();
        assert_eq!(upgraded.len(), 1);
        assert_eq!(
            (
                upgraded[0]["agent_id"].as_str(),
                &upgraded[0]["prompt_replaced"]
            ),
            (Some(plain.as_str()), &json!(true))
        );
        let kept: Vec<(&str, bool)> = rest.body["kept"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["agent_id"].as_str().unwrap(), one["moved"] == true))
            .collect();
        assert_eq!(kept, [(edited.as_str(), true), (lost.as_str(), false)]);
        assert_eq!(prompt(&plain).await, "You code well.");
        assert_eq!(prompt(&edited).await, "You code, as I say.");
        assert_eq!(prompt(&lost).await, "You go.");
        assert_eq!(
            owner.get(&brain).expect(200).await.str("/agent_md"),
            "# Mine"
        );
        let agents = owner.get(&format!("{path}/agents")).expect(200).await;
        assert_eq!(
            told(&agents),
            expected([
                (&plain, 2, false, "none"),
                (&edited, 2, false, "none"),
                (&same, 2, false, "none"),
                (&lost, 1, true, "no_role"),
            ])
        );
        let again = owner.post(&upgrade).json(&json!({})).expect(200).await;
        assert_eq!(again.body["upgraded"], json!([]));
        let audit = owner.get("/api/audit?action=template.*").expect(200).await;
        let actions: Vec<&str> = audit.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["action"].as_str().unwrap())
            .collect();
        let expected = [
            "template.upgraded",
            "template.upgraded",
            "template.changed",
            "template.created",
        ];
        assert_eq!(actions, expected);
        assert_eq!(audit.body["items"][0]["details"]["kept"], 2);
        stop(gateway, scratch).await;
    }
}

#[tokio::test]
async fn a_brain_is_seeded_once_and_never_over_what_is_there() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let roles = [role("coder", "You code.")];
        let made = create(owner, "ours", content("Ours", &roles)).await;
        let id = made.str("/id").to_owned();
        let fresh = agent(&gateway, owner, (&id, 1, "coder"), "x").await;
        let full = agent(&gateway, owner, (&id, 1, "coder"), "x").await;
        let brain = |id: &str| format!("/api/claws/{id}/brain");
        let mine = json!({ "agent_md": "# Mine" });
        owner.put(&brain(&full)).json(&mine).expect(200).await;
        let scope = scope(owner);
        let seed = async |id: &str| {
            let mut change = gateway.change(owner).await;
            let seeded = link::seed_in(&mut change, id.parse().unwrap()).await;
            change.commit().await.unwrap();
            seeded.unwrap()
        };
        assert!(seed(&fresh).await);
        assert!(!seed(&full).await);
        let written = async |id: &str| {
            owner
                .get(&brain(id))
                .expect(200)
                .await
                .str("/agent_md")
                .to_owned()
        };
        assert_eq!(written(&fresh).await, "# Seed of coder");
        assert_eq!(written(&full).await, "# Mine");
        let db = gateway.app().db().read();
        let seeded = async |id: &str| {
            let link = store_links::of_agent(db, scope, id.parse().unwrap()).await;
            link.unwrap().unwrap().seeded_at
        };
        let at = seeded(&fresh).await;
        assert!(at.is_some() && seeded(&full).await.is_none());
        // Emptied by its owner, it stays empty; linked again after a crash, it was seeded all the same.
        owner
            .put(&brain(&fresh))
            .json(&json!({ "agent_md": "" }))
            .expect(200)
            .await;
        let change = gateway.change(owner).await;
        let (template, agent) = (id.parse().unwrap(), fresh.parse().unwrap());
        let linked = link::link_in(&change, agent, template, 1, "coder").await;
        linked.unwrap();
        change.commit().await.unwrap();
        assert!(!seed(&fresh).await);
        assert_eq!(written(&fresh).await, "");
        assert_eq!(seeded(&fresh).await, at);
        stop(gateway, scratch).await;
    }
}

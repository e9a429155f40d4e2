//! Decisions: one winner, and what is refused.

use futures::future::join_all;
use serde_json::json;

use super::{Place, agent, answer, approval, audited, item, proposed, script};

fn one_brain() -> String {
    script(&[answer(&[
        item("brain_consolidation", json!({ "brain": "Short." })),
        item("skill_add", json!({ "skill": "stating-uncertainty" })),
    ])])
}

#[tokio::test]
async fn of_concurrent_decisions_one_wins_and_the_others_see_it_unchanged() {
    for place in Place::on_each(&one_brain()).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let path = proposed(owner, &claw).await;
        let decisions = (0..8).map(|n| {
            let path = &path;
            async move {
                match n % 4 {
                    3 => owner.post(&format!("{path}/reject")).expect(200).await,
                    n => {
                        let items = if n == 0 {
                            approval(&["i1"])
                        } else {
                            approval(&["i1", "i2"])
                        };
                        owner
                            .post(&format!("{path}/apply"))
                            .json(&items)
                            .expect(200)
                            .await
                    }
                }
            }
        });
        let answers = join_all(decisions).await;
        let now = owner.get(&path).expect(200).await;
        for answer in &answers {
            assert_eq!(answer.body, now.body, "everybody sees the one decision");
        }
        let applied = audited(owner, "levelup.applied").await;
        let rejected = audited(owner, "levelup.rejected").await;
        assert_eq!(applied + rejected, 1);
        let history = owner.get(&format!("/api/claws/{claw}/brain/history"));
        let history = history.expect(200).await;
        assert_eq!(history.body["items"].as_array().unwrap().len(), 1 + applied);
        place.stop().await;
    }
}

#[tokio::test]
async fn a_later_decision_changes_nothing() {
    for place in Place::on_each(&one_brain()).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let path = proposed(owner, &claw).await;
        let rejected = owner.post(&format!("{path}/reject")).expect(200).await;
        assert_eq!(rejected.str("/status"), "rejected");
        let late = owner
            .post(&format!("{path}/apply"))
            .json(&approval(&["i1"]));
        assert_eq!(late.expect(200).await.body, rejected.body);
        let again = owner.post(&format!("{path}/reject")).expect(200).await;
        assert_eq!(again.body, rejected.body);
        let brain = owner
            .get(&format!("/api/claws/{claw}/brain"))
            .expect(200)
            .await;
        assert_eq!(brain.body["version"], 1);
        assert_eq!(audited(owner, "levelup.rejected").await, 1);
        place.stop().await;
    }
}

#[tokio::test]
async fn unknown_items_and_none_are_refused_with_their_place() {
    for place in Place::on_each(&one_brain()).await {
        let owner = place.owner().await;
        let path = proposed(owner, &agent(owner).await).await;
        let apply = format!("{path}/apply");
        let refused = owner.post(&apply).json(&approval(&["i1", "i9"]));
        let refused = refused.refused(400, "validation").await;
        assert_eq!(refused.str("/pointer"), "/approved_item_ids/1");
        owner
            .post(&apply)
            .json(&approval(&[]))
            .refused(400, "validation")
            .await;
        owner
            .post(&apply)
            .json(&json!({ "items": ["i1"] }))
            .refused(400, "validation")
            .await;
        let unknown = "/api/level-up-proposals/0190a000-0000-7000-8000-000000000001";
        owner
            .post(&format!("{unknown}/apply"))
            .json(&approval(&["i1"]))
            .refused(404, "not-found")
            .await;
        owner
            .post(&format!("{unknown}/reject"))
            .refused(404, "not-found")
            .await;
        assert_eq!(owner.get(&path).expect(200).await.str("/status"), "pending");
        place.stop().await;
    }
}

//! Proposals end with their agents, teams and workspaces.

use roost_missions::levelups::entity::proposal;
use roost_tests::eventually;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::json;

use super::{Place, agent, answer, item, proposed, proposed_at, script, team};

async fn count(place: &Place) -> u64 {
    let db = place.gateway.app().db().read();
    proposal::Entity::find().count(db).await.expect("a number")
}

fn one() -> String {
    script(&[answer(&[item(
        "skill_add",
        json!({ "skill": "stating-uncertainty" }),
    )])])
}

#[tokio::test]
async fn a_deleted_agent_has_no_pending_proposals_and_a_purged_one_leaves_none() {
    for place in Place::on_each(&one()).await {
        let owner = place.owner().await;
        let claw = agent(owner).await;
        let (pending, rejected) = (proposed(owner, &claw).await, proposed(owner, &claw).await);
        owner.post(&format!("{rejected}/reject")).expect(200).await;
        owner
            .delete(&format!("/api/claws/{claw}"))
            .expect(204)
            .await;
        eventually("the pending one is gone", || async {
            (owner.get(&pending).send().await.status == 404).then_some(())
        })
        .await;
        owner.get(&rejected).expect(200).await;
        owner
            .post(&format!("/api/claws/{claw}/level-up"))
            .refused(404, "not-found")
            .await;
        owner
            .delete(&format!("/api/claws/{claw}?purge=true"))
            .expect(202)
            .await;
        eventually("all are gone", || async {
            (count(&place).await == 0).then_some(())
        })
        .await;
        place.stop().await;
    }
}

#[tokio::test]
async fn a_purged_member_takes_the_proposals_of_its_team_along_and_a_team_its_own() {
    for place in Place::on_each(&one()).await {
        let owner = place.owner().await;
        let (first, member) = team(owner).await;
        let (second, _) = team(owner).await;
        let of_first = proposed_at(owner, &format!("/api/teams/{first}/level-up")).await;
        let of_second = proposed_at(owner, &format!("/api/teams/{second}/level-up")).await;
        owner
            .delete(&format!("/api/claws/{member}?purge=true"))
            .expect(202)
            .await;
        eventually("its texts are gone", || async {
            (owner.get(&of_first).send().await.status == 404).then_some(())
        })
        .await;
        owner.get(&of_second).expect(200).await;
        owner
            .delete(&format!("/api/teams/{second}"))
            .expect(204)
            .await;
        owner.get(&of_second).refused(404, "not-found").await;
        place.stop().await;
    }
}

#[tokio::test]
async fn a_deleted_workspace_leaves_no_proposals() {
    for place in Place::on_each(&one()).await {
        place.owner().await;
        let owner = place.gateway.stranger().await;
        proposed(&owner, &agent(&owner).await).await;
        proposed_at(
            &owner,
            &format!("/api/teams/{}/level-up", team(&owner).await.0),
        )
        .await;
        let next = json!({ "name": "Next" });
        owner.post("/api/workspaces").json(&next).expect(201).await;
        let workspace = format!("/api/workspaces/{}?confirm=Elsewhere", owner.workspace);
        let status = owner.delete(&workspace).send().await.status;
        assert!((200..300).contains(&status), "{status}");
        eventually("all are gone", || async {
            (count(&place).await == 0).then_some(())
        })
        .await;
        place.stop().await;
    }
}

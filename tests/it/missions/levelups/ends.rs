//! Proposals end with their agents, teams and workspaces.

use roost_missions::levelups::entity::proposal;
use roost_tests::{Person, eventually};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::json;

use super::super::{becomes, template};
use super::{Place, WORK, agent, answer, audited, item, proposed, proposed_at, script, team};

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

/// The first team of a mission that a routine launches now and that ends.
async fn fired(owner: &Person, routine: &str) -> String {
    let path = format!("/api/routines/{routine}/run");
    let fired = owner.post(&path).expect(202).await;
    let mission = fired.str("/mission_id").to_owned();
    let over = becomes(owner, &mission, "completed").await;
    eventually("the journal says so", async || {
        let path = format!("/api/routines/runs?routine_id={routine}&state=started");
        let page = owner.get(&path).expect(200).await;
        page.body["items"].as_array()?.is_empty().then_some(())
    })
    .await;
    over.str("/team_id").to_owned()
}

#[tokio::test]
async fn teams_of_a_routine_end_with_its_next_mission_unless_a_person_has_to_decide() {
    let script = one().replace(WORK, "[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n");
    for place in Place::on_each(&script).await {
        let owner = place.owner().await;
        let readers = template(owner, "Readers").await;
        let mission =
            json!({ "template_kind": "research", "goal": "Read.", "team_template_id": readers });
        let new = json!({ "name": "Reads", "recipe": { "kind": "mission", "mission": mission },
            "schedule": { "kind": "cron", "expression": "0 3 1 1 *", "time_zone": "UTC" } });
        let routine = owner.post("/api/routines").json(&new).expect(201).await;
        let routine = routine.str("/id").to_owned();
        let path = |team: &str| format!("/api/teams/{team}");
        let agents = async || {
            let page = owner.get("/api/claws").expect(200).await;
            page.body["items"].as_array().map_or(0, Vec::len)
        };

        let first = fired(owner, &routine).await;
        owner.get(&path(&first)).expect(200).await;
        let second = fired(owner, &routine).await;
        eventually(
            "the team of the first mission and its agent are gone",
            async || {
                let gone = owner.get(&path(&first)).send().await.status == 404;
                (gone && agents().await == 1).then_some(())
            },
        )
        .await;
        let open = proposed_at(owner, &format!("/api/teams/{second}/level-up")).await;
        let third = fired(owner, &routine).await;
        let fourth = fired(owner, &routine).await;
        eventually("the team of the third mission is gone", async || {
            (owner.get(&path(&third)).send().await.status == 404).then_some(())
        })
        .await;
        owner.get(&path(&second)).expect(200).await;
        owner.get(&open).expect(200).await;

        owner.post(&format!("{open}/reject")).expect(200).await;
        fired(owner, &routine).await;
        for team in [&second, &fourth] {
            eventually("a team without a proposal is gone", async || {
                (owner.get(&path(team)).send().await.status == 404).then_some(())
            })
            .await;
        }
        eventually("only the agent of the last mission is there", async || {
            (agents().await == 1).then_some(())
        })
        .await;
        assert_eq!(audited(owner, "team.deleted").await, 4);
        place.stop().await;
    }
}

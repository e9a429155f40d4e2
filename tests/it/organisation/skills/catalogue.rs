//! How the built-in skills get into a database, and what is deleted with agents and workspaces.

use roost_organisation::skills;
use roost_organisation::skills::entity::{choice, skill, version};
use roost_organisation::templates;
use roost_tests::{Gateway, ScratchPostgres, Store, eventually};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::json;

use super::{agent, builtin_template, create, stop, text};

#[tokio::test]
async fn gateways_that_start_again_or_at_once_load_everything_once() {
    let first = Gateway::start().await;
    let folder = first.stop_and_keep().await;
    let around = roost_gateway::app::Surroundings::default();
    let again = Gateway::start_in(folder, &Store::Sqlite, &[], around)
        .await
        .unwrap();
    loaded_once(&again).await;
    again.stop().await;
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let starts = (0..3).map(|_| Gateway::start_on(&scratch));
    let gateways = futures::future::join_all(starts).await;
    loaded_once(&gateways[0]).await;
    for gateway in gateways {
        gateway.stop().await;
    }
    scratch.remove().await;
}

async fn loaded_once(gateway: &Gateway) {
    let db = gateway.app().db().read();
    let count = u64::try_from(skills::builtin::all().len()).expect("a number");
    assert_eq!(
        skill::Entity::find().count(db).await.expect("a number"),
        count
    );
    assert_eq!(
        version::Entity::find().count(db).await.expect("a number"),
        count
    );
    let all = u64::try_from(templates::builtin::all().len()).expect("a number");
    use templates::entity::{template, version as template_version};
    assert_eq!(
        template::Entity::find().count(db).await.expect("a number"),
        all
    );
    assert_eq!(
        template_version::Entity::find()
            .count(db)
            .await
            .expect("a number"),
        all
    );
}

#[tokio::test]
async fn skills_of_a_purged_agent_and_a_deleted_workspace_are_deleted() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        gateway.owner().await;
        let owner = gateway.stranger().await;
        create(&owner, &text("our-way", "x")).await;
        let copy = json!({ "key": "ours", "from": builtin_template("rust_sdlc") });
        let made = owner
            .post("/api/team-templates")
            .json(&copy)
            .expect(201)
            .await;
        let claw = agent(&gateway, &owner, Some((made.str("/id"), "coder"))).await;
        let own = skills::model::workspace_id(owner.workspace.parse().unwrap(), "our-way");
        let choice_of = format!("/api/claws/{claw}/skills/{own}");
        owner
            .put(&choice_of)
            .json(&json!({ "include": true }))
            .expect(204)
            .await;
        let db = gateway.app().db().read();
        assert_eq!(choice::Entity::find().count(db).await.unwrap(), 1);
        let path = format!("/api/claws/{claw}");
        owner
            .delete(&format!("{path}?purge=true"))
            .expect(202)
            .await;
        eventually("the agent is gone", || async {
            (owner.get(&path).send().await.status == 404).then_some(())
        })
        .await;
        assert_eq!(choice::Entity::find().count(db).await.unwrap(), 0);
        let links = templates::entity::link::Entity::find();
        assert_eq!(links.count(db).await.unwrap(), 0);
        // Somebody must have another workspace to delete this one.
        owner
            .post("/api/workspaces")
            .json(&json!({ "name": "Next" }))
            .expect(201)
            .await;
        let workspace = format!("/api/workspaces/{}?confirm=Elsewhere", owner.workspace);
        let status = owner.delete(&workspace).send().await.status;
        assert!((200..300).contains(&status), "{status}");
        eventually("what it wrote is gone", || async {
            let count = u64::try_from(skills::builtin::all().len()).unwrap();
            (skill::Entity::find().count(db).await.unwrap() == count).then_some(())
        })
        .await;
        let templates_left = templates::entity::template::Entity::find()
            .count(db)
            .await
            .unwrap();
        assert_eq!(
            templates_left,
            u64::try_from(templates::builtin::all().len()).unwrap()
        );
        let bound = skills::entity::role_skill::Entity::find()
            .all(db)
            .await
            .unwrap();
        assert!(bound.iter().all(|row| row.workspace_id.is_none()));
        stop(gateway, scratch).await;
    }
}

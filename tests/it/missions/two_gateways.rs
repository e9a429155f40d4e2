//! Two gateways on one PostgreSQL drive each mission once. Runs where `ROOST_TEST_POSTGRES_URL` names a server.

use roost_tests::{Client, Gateway, ScratchPostgres};
use serde_json::json;

use super::{becomes, created, launched, set_status, template};

#[tokio::test]
async fn two_gateways_drive_each_mission_once_and_the_one_that_remains_continues_it() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let owner = one.owner().await;
    let writers = template(owner, "Writers").await;
    let new = |n: u32| json!({ "template_kind": "development", "title": format!("mission {n}"), "team_template_id": writers });
    let mut missions = Vec::new();
    for n in 0..5 {
        let id = created(owner, &new(n)).await;
        launched(owner, &id).await;
        missions.push(id);
    }
    for id in &missions {
        let over = becomes(owner, id, "completed").await;
        for phase in over.body["phase_details"].as_array().expect("phases") {
            assert_eq!(phase["attempt"], 1, "{phase}");
            assert_eq!(phase["runs"].as_array().map(Vec::len), Some(1), "{phase}");
        }
        // The results of both phases, and the report.
        let left = over.body["artifacts"].as_array().map(Vec::len);
        assert_eq!(left, Some(3), "{over:?}");
    }
    // Launched on both at once, it begins once.
    let id = created(owner, &new(8)).await;
    let path = format!("/api/missions/{id}/status");
    let other = two.anonymous().with_token(&owner.token);
    let change = json!({ "status": "running" });
    let launch = async |client: &Client| client.post(&path).json(&change).send().await.status;
    let (here, there) = tokio::join!(launch(owner), launch(&other));
    let mut answers = [here, there];
    answers.sort_unstable();
    assert_eq!(answers, [200, 202]);
    let over = becomes(owner, &id, "completed").await;
    for phase in over.body["phase_details"].as_array().expect("phases") {
        assert_eq!(phase["runs"].as_array().map(Vec::len), Some(1), "{phase}");
    }
    let teams = owner.get(&format!("/api/missions/{id}/teams"));
    let teams = teams.expect(200).await;
    assert_eq!(
        teams.body.as_array().map(Vec::len),
        Some(1),
        "{}",
        teams.text
    );

    // What one gateway has paused, the other one continues.
    let id = created(owner, &new(9)).await;
    launched(owner, &id).await;
    let paused = owner.post(&format!("/api/missions/{id}/status"));
    let paused = paused.json(&json!({ "status": "paused" })).send().await;
    let token = owner.token.clone();
    let elsewhere = two.anonymous().with_token(&token);
    if paused.status == 200 {
        let resumed = elsewhere.post(&format!("/api/missions/{id}/status"));
        let resumed = resumed.json(&json!({ "status": "running" }));
        resumed.expect(200).await;
    }
    becomes(owner, &id, "completed").await;
    set_status(owner, &id, "running", 409).await;
    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}

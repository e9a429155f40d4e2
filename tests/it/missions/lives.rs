//! What people do with a mission that is at work: pause, resume, cancel, retry, skip.

use roost_tests::model_server::{Asked, ModelServer};
use roost_tests::{Client, eventually};
use serde_json::{Value, json};

use super::{
    becomes, created, launched, mission, model, phase_id, phases, set_status, tasks, template,
    think_with,
};
use crate::connections::repos::Place;
use crate::execution::runs::windows::piece;

pub(super) async fn coding(owner: &Client, phases: &Value) -> String {
    let codes = template(owner, "Coders").await;
    let new = json!({ "template_kind": "custom", "title": "Faster", "goal": "Be fast.",
        "config": { "phases": phases }, "team_template_id": codes });
    created(owner, &new).await
}

/// Skills that an agent reads in turn.
const SKILLS: [&str; 2] = ["handing-over-work", "stating-uncertainty"];

/// A model that calls a tool again and again, so that its run goes on until it is stopped.
pub(super) async fn endless() -> ModelServer {
    ModelServer::that(|asked: &Asked| {
        let turn = asked.body["messages"].as_array().map_or(0, Vec::len);
        let call = json!({ "index": 0, "id": format!("c{turn}"), "type": "function",
            "function": { "name": "read_skill", "arguments": json!({ "name": SKILLS[turn / 2 % 2] }).to_string() } });
        piece(json!({ "tool_calls": [call] }), "tool_calls")
    })
    .await
}

#[tokio::test]
async fn rejected_phase_pauses_the_mission_and_a_retry_or_a_skip_continues_it() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = model(&[
            (
                "This is attempt 2",
                "WORK: INT-01\nTEST_PASS: INT-01\nCOMPLETED: INT-01",
            ),
            ("phase 1 of 2", "TASK: INT-01\nFaster\n\nTEST_FAIL: INT-01"),
            ("phase 2 of 2", "REVIEW_BLOCK"),
        ])
        .await;
        think_with(owner, &server).await;
        let id = coding(owner, &json!(["coding", "coding"])).await;
        launched(owner, &id).await;
        let paused = becomes(owner, &id, "paused").await;
        assert_eq!(paused.str("/status_reason"), "phase_failed");
        assert!(
            paused.str("/status_detail").contains("TEST_FAIL: INT-01"),
            "{paused:?}"
        );
        assert_eq!(phases(&paused), ["failed", "pending"]);
        assert_eq!(tasks(&paused, 0), ["INT-01 failed"]);
        let first = phase_id(&paused, 0);
        let path = format!("/api/missions/{id}/phases/{first}");
        let card = owner.get(&format!("{path}/summary")).expect(200).await;
        assert_eq!(card.body["metrics"]["issues"], 1);

        // It is not resumed over a phase that failed.
        let refused = set_status(owner, &id, "running", 409).await;
        assert!(refused.str("/detail").contains("Retry it or skip it"));
        let again = owner.post(&format!("{path}/retry")).expect(200).await;
        assert_eq!(again.str("/status"), "running");
        let paused = eventually("the second phase fails", async || {
            let now = mission(owner, &id).await;
            (phases(&now) == ["completed", "failed"]).then_some(now)
        })
        .await;
        assert_eq!(paused.body["phase_details"][0]["attempt"], 2);
        assert_eq!(tasks(&paused, 0), ["INT-01 complete"]);
        let card = owner.get(&format!("{path}/summary")).expect(200).await;
        assert_eq!(card.body["attempt"], 2, "the card is made again");
        assert_eq!(card.body["metrics"]["tests"], 1, "of this attempt only");
        assert_eq!(card.body["metrics"]["issues"], 0, "of this attempt only");
        owner.post(&format!("{path}/retry")).expect(409).await;

        let second = phase_id(&paused, 1);
        let skip = format!("/api/missions/{id}/phases/{second}/skip");
        owner.post(&skip).expect(200).await;
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(phases(&over), ["completed", "skipped"]);
        owner.post(&skip).expect(409).await;
        place.stop().await;
    }
}

#[tokio::test]
async fn paused_mission_asks_no_model_and_a_cancelled_one_ends_its_run() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = endless().await;
        think_with(owner, &server).await;
        let id = coding(owner, &json!(["coding"])).await;
        launched(owner, &id).await;
        eventually("the agent works", async || {
            (server.asked().len() > 2).then_some(())
        })
        .await;
        let paused = set_status(owner, &id, "paused", 200).await;
        assert_eq!(paused.str("/status_reason"), "person");
        let run = eventually("the run is paused", async || {
            let now = mission(owner, &id).await;
            let run = now.body["phase_details"][0]["runs"][0].clone();
            (run["is_paused"] == true).then_some(run)
        })
        .await;
        let run = run["run_id"].as_str().expect("an id").to_owned();
        let path = format!("/api/topology-runs/{run}");
        eventually("its step is parked", async || {
            let now = owner.get(&path).expect(200).await;
            (now.body["waits_for"]["type"] == "pause").then_some(())
        })
        .await;
        let asked = server.asked().len();

        set_status(owner, &id, "running", 200).await;
        eventually("the agent works again", async || {
            (server.asked().len() > asked).then_some(())
        })
        .await;
        let again = set_status(owner, &id, "running", 200).await;
        assert_eq!(
            again.str("/status"),
            "running",
            "a second launch changes nothing"
        );

        set_status(owner, &id, "cancelled", 200).await;
        let over = eventually("its phase has ended", async || {
            let now = mission(owner, &id).await;
            (phases(&now) == ["failed"]).then_some(now)
        })
        .await;
        assert_eq!(over.str("/status"), "cancelled");
        assert_eq!(over.str("/phase_details/0/runs/0/status"), "cancelled");
        assert!(over.body["ended_at"].is_string());
        set_status(owner, &id, "running", 409).await;
        place.stop().await;
    }
}

#[tokio::test]
async fn phase_that_has_not_begun_is_skipped_and_the_mission_goes_on_after_it() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = model(&[("phase 1 of 3", "Done."), ("phase 3 of 3", "Done.")]).await;
        think_with(owner, &server).await;
        let id = coding(owner, &json!(["coding", "coding", "coding"])).await;
        let draft = mission(owner, &id).await;
        let skip = |phase: usize| {
            let phase = phase_id(&draft, phase);
            owner.post(&format!("/api/missions/{id}/phases/{phase}/skip"))
        };
        skip(1).expect(200).await;
        launched(owner, &id).await;
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(phases(&over), ["completed", "skipped", "completed"]);
        assert_eq!(over.body["phase_details"][1]["runs"], json!([]));
        assert_eq!(over.body["phase_details"][1]["attempt"], 0);
        skip(1).expect(409).await;
        place.stop().await;
    }
}

#[tokio::test]
async fn run_that_a_person_paused_stays_paused_when_its_mission_pauses_and_resumes() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = endless().await;
        think_with(owner, &server).await;
        let (near, far) = (template(owner, "Near").await, template(owner, "Far").await);
        let new = json!({ "template_kind": "custom", "title": "Both", "goal": "Be fast.",
            "config": { "phases": ["coding"], "phase_teams": { "coding": [near, far] } } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let runs = async || mission(owner, &id).await.body["phase_details"][0]["runs"].clone();
        let of_person = eventually("both runs work", async || {
            let runs = runs().await;
            let works = |n: usize| runs[n]["status"] == "running";
            (works(0) && works(1)).then(|| runs[0]["run_id"].clone())
        })
        .await;
        let path = format!("/api/topology-runs/{}", of_person.as_str().expect("an id"));
        let pause = owner.post(&format!("{path}/pause")).expect(200).await;
        let paused_at = pause.body["paused_at"].clone();
        assert!(paused_at.is_string());

        // The mission pauses and resumes all runs that are its own in one step, so the other run tells when.
        let paused = |runs: &Value| {
            let all = runs.as_array().expect("runs").iter();
            all.filter(|run| run["is_paused"] == true).count()
        };
        set_status(owner, &id, "paused", 200).await;
        eventually("the other run is paused", async || {
            (paused(&runs().await) == 2).then_some(())
        })
        .await;
        set_status(owner, &id, "running", 200).await;
        eventually("the other run works again", async || {
            (paused(&runs().await) < 2).then_some(())
        })
        .await;
        let now = owner.get(&path).expect(200).await;
        assert_eq!(now.body["paused_at"], paused_at, "{now:?}");
        owner.post(&format!("{path}/resume")).expect(200).await;
        set_status(owner, &id, "cancelled", 200).await;
        place.stop().await;
    }
}

#[tokio::test]
async fn mission_that_is_launched_twice_at_once_mints_its_teams_once() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = model(&[("phase 1", "Done.")]).await;
        think_with(owner, &server).await;
        let id = coding(owner, &json!(["coding"])).await;
        let path = format!("/api/missions/{id}/status");
        let change = json!({ "status": "running" });
        let launch = || async { owner.post(&path).json(&change).send().await };
        let (one, other) = tokio::join!(launch(), launch());
        let mut answers = [one.status, other.status];
        answers.sort_unstable();
        assert_eq!(answers, [200, 202]);
        let over = becomes(owner, &id, "completed").await;
        let teams = owner.get(&format!("/api/missions/{id}/teams"));
        assert_eq!(
            teams.expect(200).await.body.as_array().map(Vec::len),
            Some(1)
        );
        let runs = over.body["phase_details"][0]["runs"].as_array();
        assert_eq!(runs.map(Vec::len), Some(1));
        place.stop().await;
    }
}

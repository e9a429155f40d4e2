//! Cancelling a mission in each of its states, pausing one whose phase ends, and a repository whose default branch is gone.

use std::time::Duration;

use roost_tests::model_server::{Asked, ModelServer};
use roost_tests::{Answer, Person, eventually};
use serde_json::{Value, json};

use super::probes::coders;
use super::{becomes, created, launched, mission, phases, set_status, template, think_with};
use crate::connections::checkouts::Bench;
use crate::connections::repos::Place;
use crate::execution::runs::windows::piece;

/// A mission of two phases with one writer, as a draft.
async fn draft(owner: &Person, title: &str) -> String {
    let writers = template(owner, &format!("Writers_{title}")).await;
    let new = json!({ "template_kind": "custom", "title": title, "goal": "Write.",
        "config": { "phases": ["research", "research"] }, "team_template_id": writers });
    created(owner, &new).await
}

/// Waits until no run of the mission is at work.
async fn rests(owner: &Person, id: &str) -> Answer {
    eventually("no run of the mission is at work", async || {
        let now = mission(owner, id).await;
        let phases = now.body["phase_details"].as_array().expect("phases");
        let mut runs = phases
            .iter()
            .flat_map(|phase| phase["runs"].as_array().expect("runs"));
        let ends = runs.all(|run| run["status"] != "running" && run["status"] != "queued");
        let waits = phases.iter().any(|phase| phase["status"] == "running");
        (ends && !waits).then_some(now)
    })
    .await
}

#[tokio::test]
async fn mission_is_cancelled_from_each_state_that_is_not_its_end() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        // The first phase of this mission is rejected, and that of others goes on for a time.
        let server = ModelServer::that(|asked: &Asked| {
            let rejected = asked.body["messages"].to_string().contains("Be rejected");
            let text = if rejected { "REVIEW_BLOCK" } else { "Done." };
            piece(json!({ "content": text }), "stop")
        })
        .await;
        think_with(owner, &server).await;

        let id = draft(owner, "draft").await;
        set_status(owner, &id, "cancelled", 200).await;
        let over = mission(owner, &id).await;
        assert_eq!(over.str("/status"), "cancelled");
        assert!(over.body["ended_at"].is_string());
        // A draft that is cancelled was never launched: nothing was made for it.
        let teams = owner.get(&format!("/api/missions/{id}/teams"));
        assert_eq!(teams.expect(200).await.body, json!([]));

        let writers = template(owner, "Rejected").await;
        let new = json!({ "template_kind": "development", "title": "No", "goal": "Be rejected.", "team_template_id": writers });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        becomes(owner, &id, "paused").await;
        set_status(owner, &id, "cancelled", 200).await;
        let over = rests(owner, &id).await;
        assert_eq!(over.str("/status"), "cancelled");
        let after = phases(&over);
        assert_eq!(after[0], "failed", "{after:?}");

        // What is over stays as it ended, and says so.
        let done = draft(owner, "done").await;
        launched(owner, &done).await;
        becomes(owner, &done, "completed").await;
        for (id, status) in [(&id, "cancelled"), (&done, "completed")] {
            for next in ["running", "paused", "failed", "cancelled"] {
                if next == status {
                    continue;
                }
                let refused = set_status(owner, id, next, 409).await;
                let detail = refused.str("/detail");
                assert!(detail.contains(status), "{next}: {detail}");
            }
            assert_eq!(mission(owner, id).await.str("/status"), status);
        }
        place.stop().await;
    }
}

/// When the mission is paused: the phase, and its status. The next step is on its way at each of them.
const MOMENTS: [(usize, &str); 4] = [
    (0, "running"),
    (0, "completed"),
    (1, "running"),
    (1, "completed"),
];

#[tokio::test]
async fn pause_while_a_phase_ends_holds_the_next_phase_until_it_is_resumed() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let answer = piece(json!({ "content": "Done." }), "stop");
        let server = ModelServer::slowly(answer, Duration::from_millis(100)).await;
        think_with(owner, &server).await;
        for moment in MOMENTS {
            let id = draft(owner, &format!("{}_{}", moment.0, moment.1)).await;
            launched(owner, &id).await;
            eventually("the moment has come", async || {
                let now = mission(owner, &id).await;
                (phases(&now)[moment.0] == moment.1).then_some(())
            })
            .await;
            let path = format!("/api/missions/{id}/status");
            let pause = owner
                .post(&path)
                .json(&json!({ "status": "paused" }))
                .send()
                .await;
            assert!(matches!(pause.status, 200 | 409), "{pause:?}");
            if pause.status == 409 {
                // It was over already.
                becomes(owner, &id, "completed").await;
                continue;
            }
            let held = eventually("what ran is parked or over", async || {
                let now = mission(owner, &id).await;
                let runs = now.body["phase_details"].as_array().expect("phases");
                let mut runs = runs
                    .iter()
                    .flat_map(|phase| phase["runs"].as_array().expect("runs"));
                let still = |run: &Value| run["is_paused"] == true || run["status"] == "completed";
                runs.all(still).then_some(now)
            })
            .await;
            assert_eq!(held.str("/status"), "paused");
            assert_eq!(held.str("/status_reason"), "person");
            let begun = phases(&held).iter().filter(|is| **is != "pending").count();
            set_status(owner, &id, "running", 200).await;
            let over = becomes(owner, &id, "completed").await;
            assert_eq!(
                phases(&over),
                ["completed", "completed"],
                "{begun} had begun"
            );
            for phase in over.body["phase_details"].as_array().expect("phases") {
                let runs = phase["runs"].as_array().map(Vec::len);
                assert_eq!(runs, Some(1), "nothing was done twice: {phase}");
            }
        }
        place.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_whose_default_branch_is_gone_pauses_the_mission_with_what_to_do() {
    let bench = Bench::new("[[scene]]\n  [[scene.turn]]\n  say = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let coders = coders(owner).await;
    let new = json!({ "template_kind": "custom", "title": "Write", "goal": "Write.", "repo_id": bench.repo,
        "config": { "phases": ["coding"] }, "team_template_id": coders });
    let id = created(owner, &new).await;
    let host = &bench.host;
    host.git("acme/tools", &["branch", "-m", "main", "trunk"], None)
        .await;
    launched(owner, &id).await;
    let paused = eventually("the mission is not at work", async || {
        let now = mission(owner, &id).await;
        (now.body["status"] != "running").then_some(now)
    })
    .await;
    assert_eq!(paused.str("/status"), "paused", "{paused:?}");
    assert_eq!(paused.str("/status_reason"), "phase_failed");
    let detail = paused.str("/status_detail");
    assert!(detail.contains("main"), "it names the branch: {detail}");
    // The branch is there again, and the phase is retried.
    host.git("acme/tools", &["branch", "-m", "trunk", "main"], None)
        .await;
    let phase = super::phase_id(&paused, 0);
    let retry = format!("/api/missions/{id}/phases/{phase}/retry");
    owner.post(&retry).expect(200).await;
    becomes(owner, &id, "completed").await;
    bench.stop().await;
}

#[tokio::test]
async fn markers_by_the_thousand_make_tasks_up_to_the_limit_and_the_mission_goes_on() {
    const TEXT: &str = "TASK: INT-0001\nOne\n";
    let place = Place::start_on_each().await.swap_remove(0);
    let owner = place.gateway.owner().await;
    let server = ModelServer::that(|_: &Asked| {
        let mut text = TEXT.to_owned();
        for n in 2..=6_000 {
            text.push_str(&format!(
                "TASK: INT-{n:04}\nTask {n}\n\nCOMPLETED: INT-{n:04}\n"
            ));
        }
        piece(json!({ "content": text }), "stop")
    })
    .await;
    think_with(owner, &server).await;
    let id = draft(owner, "markers").await;
    launched(owner, &id).await;
    let over = becomes(owner, &id, "completed").await;
    let tasks = over.body["tasks"].as_array().expect("tasks");
    assert!(!tasks.is_empty(), "{over:?}");
    let first = tasks.iter().find(|task| task["external_id"] == "INT-0001");
    assert_eq!(first.expect("the first task")["status"], "created");
    place.stop().await;
}

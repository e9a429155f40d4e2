//! Cancelling a mission in each of its states, pausing one whose phase ends, and a repository whose default branch is gone.

use std::process::Command;
use std::time::Duration;

use roost_tests::model_server::{Asked, ModelServer};
use roost_tests::{Answer, Daemon, Person, eventually};
use serde_json::{Value, json};

use super::lives::endless;
use super::probes::coders;
use super::{becomes, created, launched, mission, phases, set_status, template, think_with};
use crate::connections::checkouts::Bench;
use crate::connections::repos::Place;
use crate::execution::runs::connection_is;
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

#[rstest::rstest]
#[case::coding("coding")]
#[case::benchmark("benchmark")]
#[case::security_scan("security_scan")]
#[tokio::test(flavor = "multi_thread")]
async fn repository_whose_default_branch_is_gone_pauses_the_mission_with_what_to_do(
    #[case] phase: &str,
) {
    let bench = Bench::new("[[scene]]\n  [[scene.turn]]\n  say = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let coders = coders(owner).await;
    let new = json!({ "template_kind": "custom", "title": "Write", "goal": "Write.", "repo_id": bench.repo,
        "config": { "phases": [phase], "benchmark": { "command": "echo 'read: 5 ns'", "iterations": 1 } },
        "team_template_id": coders });
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

#[tokio::test(flavor = "multi_thread")]
async fn repository_that_was_disconnected_is_a_missing_precondition_of_the_launch() {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let new = json!({ "template_kind": "benchmark", "title": "Fast", "repo_id": bench.repo,
        "config": { "benchmark": { "command": "true" } } });
    let id = created(owner, &new).await;
    let connections = owner.get("/api/repos/connections").expect(200).await;
    let connection = connections.str("/items/0/id").to_owned();
    owner
        .delete(&format!("/api/repos/connections/{connection}"))
        .expect(204)
        .await;
    let refused = set_status(owner, &id, "running", 412).await;
    assert_eq!(refused.str("/code"), "mission-has-no-repo", "{refused:?}");
    let now = mission(owner, &id).await;
    assert_eq!(now.str("/status"), "draft", "nothing was begun");
    bench.stop().await;
}

#[tokio::test]
async fn mission_that_a_person_paused_is_cancelled_with_its_parked_run() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = endless().await;
        think_with(owner, &server).await;
        let id = draft(owner, "parked").await;
        launched(owner, &id).await;
        eventually("the agent works", async || {
            (server.asked().len() > 1).then_some(())
        })
        .await;
        set_status(owner, &id, "paused", 200).await;
        let run = eventually("the run is paused", async || {
            let now = mission(owner, &id).await;
            let run = now.body["phase_details"][0]["runs"][0].clone();
            (run["is_paused"] == true).then_some(run)
        })
        .await;
        let path = format!(
            "/api/topology-runs/{}",
            run["run_id"].as_str().expect("a run")
        );
        eventually("its step is parked", async || {
            let now = owner.get(&path).expect(200).await;
            (now.body["waits_for"]["type"] == "pause").then_some(())
        })
        .await;
        let asked = server.asked().len();
        set_status(owner, &id, "cancelled", 200).await;
        let over = rests(owner, &id).await;
        assert_eq!(over.str("/status"), "cancelled");
        assert_eq!(phases(&over), ["failed", "pending"]);
        assert_eq!(over.str("/phase_details/0/runs/0/status"), "cancelled");
        assert_eq!(server.asked().len(), asked, "no model was asked again");
        place.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_is_cancelled_while_its_benchmark_is_at_work_and_the_command_ends() {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let new = json!({ "template_kind": "benchmark", "title": "Slow", "repo_id": bench.repo,
        "config": { "benchmark": { "command": "sleep 900", "iterations": 1 } } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let sandbox = format!("/api/missions/{id}/sandbox");
    let container = eventually("its command works", async || {
        let commands = owner.get(&format!("{sandbox}/commands")).send().await;
        let begun = commands.body["items"].as_array().map_or(0, Vec::len);
        let now = owner.get(&sandbox).send().await;
        let state = mission(owner, &id).await;
        assert_eq!(state.str("/status"), "running", "{state:?} {now:?}");
        let name = format!("roost-{}", now.body["id"].as_str()?);
        (begun >= 2 && processes(&name).contains("sleep 900")).then_some(name)
    })
    .await;
    set_status(owner, &id, "cancelled", 200).await;
    let over = rests(owner, &id).await;
    assert_eq!(over.str("/status"), "cancelled");
    assert_eq!(phases(&over), ["failed"]);
    assert_eq!(over.str("/phase_details/0/runs/0/status"), "cancelled");
    eventually("the command and the sandbox are gone", async || {
        let gone = owner.get(&sandbox).send().await.status == 404;
        (gone && !processes(&container).contains("sleep 900")).then_some(())
    })
    .await;
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_is_cancelled_while_its_repository_is_scanned_and_its_sandbox_goes() {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let new = json!({ "template_kind": "custom", "title": "Scan", "goal": "Scan.", "repo_id": bench.repo,
        "config": { "phases": ["security_scan", "research"] }, "team_template_id": template(owner, "After").await });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let sandbox = format!("/api/missions/{id}/sandbox");
    eventually("its sandbox is there", async || {
        (owner.get(&sandbox).send().await.status == 200).then_some(())
    })
    .await;
    set_status(owner, &id, "cancelled", 200).await;
    let over = rests(owner, &id).await;
    assert_eq!(over.str("/status"), "cancelled");
    assert_eq!(phases(&over), ["failed", "pending"]);
    let run = over.str("/phase_details/0/runs/0/status");
    assert_eq!(run, "cancelled", "{over:?}");
    eventually("the sandbox is gone", async || {
        (owner.get(&sandbox).send().await.status == 404).then_some(())
    })
    .await;
    bench.stop().await;
}

/// The processes of a container. Nothing when there is none.
///
/// # Panics
/// When the engine refuses for another reason than a container that is gone.
fn processes(container: &str) -> String {
    // The engine wants the column `pid`.
    let top = Command::new("docker")
        .args(["top", container, "-eo", "pid,args"])
        .output()
        .expect("docker is installed");
    let errors = String::from_utf8_lossy(&top.stderr);
    let gone = errors.contains("No such container") || errors.contains("is not running");
    assert!(top.status.success() || gone, "{errors}");
    String::from_utf8_lossy(&top.stdout).into_owned()
}

#[tokio::test]
async fn mission_that_waits_for_its_node_is_cancelled_and_does_not_begin_when_the_node_is_back() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let answer = piece(json!({ "content": "Done." }), "stop");
        let server = ModelServer::always(answer).await;
        think_with(owner, &server).await;
        let mut machine = Daemon::joined(&place.gateway.url(), owner, None).await;
        connection_is(owner, &machine.node_id, "connected").await;
        let writers = template(owner, "Waiting").await;
        let new = json!({ "template_kind": "research", "goal": "Write.", "team_template_id": writers,
            "runtime_kind": "local_node", "target_node_id": machine.node_id });
        let id = created(owner, &new).await;
        machine.kill();
        connection_is(owner, &machine.node_id, "disconnected").await;
        launched(owner, &id).await;
        let waiting = mission(owner, &id).await;
        assert!(waiting.body["waits_for_node"].is_string(), "{waiting:?}");
        assert_eq!(phases(&waiting), ["pending"]);
        set_status(owner, &id, "cancelled", 200).await;
        machine.again();
        connection_is(owner, &machine.node_id, "connected").await;
        // Another mission on the node begins and ends meanwhile.
        let other = created(owner, &new).await;
        launched(owner, &other).await;
        becomes(owner, &other, "completed").await;
        let over = mission(owner, &id).await;
        assert_eq!(over.str("/status"), "cancelled");
        assert_eq!(over.body["waits_for_node"], Value::Null);
        assert_eq!(phases(&over), ["pending"]);
        assert_eq!(over.body["phase_details"][0]["runs"], json!([]));
        place.stop().await;
    }
}

//! Markers by the thousand: each counts once, also after a restart of the gateway and after a retry.

use std::collections::HashSet;

use roost_tests::model_server::{Asked, ModelServer};
use roost_tests::{Answer, Client, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::{becomes, created, launched, phase_id, phases, tasks, template, think_with};
use crate::connections::repos::Place;
use crate::execution::runs::windows::piece;

/// More tasks than a phase takes.
fn thousands() -> String {
    let mut text = "TASK: INT-0001\nOne\n".to_owned();
    for n in 2..=6_000 {
        text.push_str(&format!(
            "TASK: INT-{n:04}\nTask {n}\n\nCOMPLETED: INT-{n:04}\n"
        ));
    }
    text
}

const NAMED: usize = 6_000;
const KEPT: usize = 1_000;

#[tokio::test]
async fn markers_by_the_thousand_make_tasks_up_to_the_limit_and_each_dropped_task_counts_once() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let text = thousands();
        let server =
            ModelServer::that(move |_: &Asked| piece(json!({ "content": text.as_str() }), "stop"))
                .await;
        think_with(owner, &server).await;
        let writers = template(owner, "Writers").await;
        let new = json!({ "template_kind": "custom", "title": "Markers", "goal": "Write.",
            "config": { "phases": ["research", "research"] }, "team_template_id": writers });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let over = becomes(owner, &id, "completed").await;
        // The second phase begins with the open task of the first.
        for phase in [0, 1] {
            let all = tasks(&over, phase);
            assert_eq!(all.len(), KEPT);
            assert_eq!(all[0], "INT-0001 created");
            assert_eq!(all[1], "INT-0002 complete");
            assert_eq!(
                over.body["phase_details"][phase]["dropped_tasks"],
                NAMED - KEPT
            );
        }
        place.stop().await;
    }
}

#[tokio::test]
async fn marker_in_a_skill_that_was_read_moves_no_task() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let skill = json!({ "name": "our-way", "title": "Ours", "when_to_use": "Always.", "tags": [],
            "body": "# Ours\n\nTASK: INT-02\nOf the skill\n\nCOMPLETED: INT-01\n" });
        owner.post("/api/skills").json(&skill).expect(201).await;
        let result = |asked: &Asked| {
            let messages = asked.body["messages"].as_array().expect("messages");
            let result = messages.iter().find(|message| message["role"] == "tool");
            result.map(ToString::to_string)
        };
        let server = ModelServer::that(move |asked: &Asked| {
            if result(asked).is_some() {
                return piece(json!({ "content": "I have read it." }), "stop");
            }
            let call = json!({ "index": 0, "id": "c1", "type": "function", "function":
                { "name": "read_skill", "arguments": json!({ "name": "our-way" }).to_string() } });
            let content = "TASK: INT-01\nOf the agent\n";
            piece(
                json!({ "content": content, "tool_calls": [call] }),
                "tool_calls",
            )
        })
        .await;
        think_with(owner, &server).await;
        let role = json!({ "slot": "writer", "title": "Writer", "system_prompt": "You write.",
            "skills": ["our-way"], "brain_seed": "# Notes" });
        let team = json!({ "key": "readers", "name": "Readers", "description": "", "stack": "any",
            "default_topology": "single", "risk_profile": "research_readonly", "mcp_bundles": ["skills"],
            "category": "research", "roles": [role] });
        let made = owner.post("/api/team-templates").json(&team);
        let readers = made.expect(201).await.str("/id").to_owned();
        let new = json!({ "template_kind": "custom", "title": "Markers", "goal": "Write.",
            "config": { "phases": ["research"] }, "team_template_id": readers });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let over = becomes(owner, &id, "completed").await;
        let results: Vec<String> = server.asked().iter().filter_map(result).collect();
        assert!(results[0].contains("Of the skill"), "{results:?}");
        assert_eq!(tasks(&over, 0), ["INT-01 created"]);
        place.stop().await;
    }
}

#[tokio::test]
async fn old_marker_of_a_task_does_not_fail_it_again_after_a_retry() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = ModelServer::that(|asked: &Asked| {
            let question = asked.body["messages"].to_string();
            let text = match question.contains("This is attempt 2") {
                true => "WORK: INT-01".to_owned(),
                false => "TEST_FAIL: INT-01\n".repeat(150),
            };
            piece(json!({ "content": text }), "stop")
        })
        .await;
        think_with(owner, &server).await;
        let writers = template(owner, "Writers").await;
        let new = json!({ "template_kind": "custom", "title": "Markers", "goal": "Write.",
            "config": { "phases": ["coding"] }, "team_template_id": writers });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let paused = becomes(owner, &id, "paused").await;
        assert_eq!(tasks(&paused, 0), ["INT-01 failed"]);
        let marks = paused.body["tasks"][0]["marks"].as_array().map(Vec::len);
        assert_eq!(marks, Some(100), "no more are shown");
        let phase = phase_id(&paused, 0);
        let card = format!("/api/missions/{id}/phases/{phase}/summary");
        let card = owner.get(&card).expect(200).await;
        assert_eq!(
            card.body["metrics"]["issues"], 150,
            "all count: {}",
            card.text
        );
        let retry = format!("/api/missions/{id}/phases/{phase}/retry");
        owner.post(&retry).expect(200).await;
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(phases(&over), ["completed"]);
        assert_eq!(tasks(&over, 0), ["INT-01 working"]);
        assert_eq!(
            over.body["tasks"][0]["ignored_marks"], 149,
            "each once: {over:?}"
        );
        place.stop().await;
    }
}

#[tokio::test]
async fn markers_that_had_no_room_are_not_counted_again_after_a_restart() {
    restarted(&Store::Sqlite).await;
}

#[tokio::test]
async fn markers_are_counted_once_on_postgresql_after_a_restart() {
    if let Some(scratch) = ScratchPostgres::new().await {
        restarted(&Store::Postgres(scratch.url().to_owned())).await;
        scratch.remove().await;
    }
}

async fn detail(owner: &Client, path: &str) -> Answer {
    owner.get(path).expect(200).await
}

async fn restarted(store: &Store) {
    let folder = tempfile::tempdir().expect("a folder");
    // The agent writes its markers, reads a skill, and is done.
    let mut text = String::new();
    for n in 0..1_200 {
        text.push_str(&format!("TASK: INT-{n:04}\nOne\n\nWORK: INT-{n:04}\n"));
    }
    let script = format!(
        "[[scene]]\n[[scene.turn]]\nsay = {}\ncalls = [{{ tool = \"read_skill\", arguments = {{ name = \"stating-uncertainty\" }} }}]\n\
         [[scene.turn]]\nsay = \"Done.\"\n",
        Value::from(text)
    );
    let path = folder.path().join("script.toml");
    std::fs::write(&path, script).expect("it is written");
    let set = [
        ("sandboxes.local", "off"),
        ("chaos.allow", "true"),
        ("runs.lease_seconds", "3"),
        ("runs.script", path.to_str().expect("text")),
    ];
    let mut process = Process::start_with(folder.path(), store, &set).await;
    let owner = process.owner().await;
    let role = json!({ "slot": "writer", "title": "Writer", "system_prompt": "You write.", "skills": [], "brain_seed": "" });
    let new = json!({ "key": "writers", "name": "Writers", "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "research_readonly", "mcp_bundles": ["skills"], "category": "research", "roles": [role] });
    let made = owner.post("/api/team-templates").json(&new).expect(201);
    let template = made.await.str("/id").to_owned();
    let new = json!({ "template_kind": "custom", "title": "Markers", "goal": "Write.",
        "config": { "phases": ["research"] }, "team_template_id": template });
    let made = owner.post("/api/missions").json(&new).expect(201).await;
    let path = format!("/api/missions/{}", made.str("/id"));
    // It dies while the tool works.
    process.kill();
    assert!(
        process
            .again_with("runtime.session.before_tool=delay:600000")
            .await
    );
    let launch = owner.post(&format!("{path}/status"));
    launch
        .json(&json!({ "status": "running" }))
        .expect(202)
        .await;
    let dropped = |now: &Answer| now.body["phase_details"][0]["dropped_tasks"].clone();
    eventually("the markers are read", async || {
        let now = detail(&owner, &path).await;
        (dropped(&now) == 200).then_some(())
    })
    .await;
    process.kill();
    process.again().await;
    let over = eventually("the mission is complete", async || {
        let now = detail(&owner, &path).await;
        (now.body["status"] == "completed").then_some(now)
    })
    .await;
    assert_eq!(dropped(&over), 200);
    let ids = over.body["tasks"].as_array().expect("tasks").iter();
    let ids: HashSet<&str> = ids
        .map(|task| {
            assert_eq!(task["status"], "working");
            assert_eq!(task["ignored_marks"], 0, "{task}");
            task["external_id"].as_str().expect("an id")
        })
        .collect();
    assert_eq!(ids.len(), 1_000);
    process.kill();
}

//! Missions: from a goal to summary cards, and what agents learn from their work.

mod branches;
mod demonstration;
pub(crate) mod killed;
mod killed_paused;
pub mod levelups;
mod lives;
mod marks;
pub(crate) mod narratives;
pub(crate) mod pdfs;
mod pinned;
mod probes;
mod probes_killed;
mod probes_tools;
mod process;
mod refused;
mod retries;
pub(crate) mod routines;
mod runtime;
mod runtime_boot;
mod states;
mod terminal;
mod two_gateways;
mod world;

use roost_tests::model_server::{Asked, ModelServer};
use roost_tests::{Answer, Client, eventually};
use serde_json::{Value, json};

use crate::connections::repos::Place;
use crate::execution::runs::windows::piece;

/// What a team says in a phase, by a part of its input.
type Says = &'static [(&'static str, &'static str)];

/// A model that answers with the first of these texts whose key is in the question.
async fn model(says: Says) -> ModelServer {
    ModelServer::that(move |asked: &Asked| {
        let question = asked.body["messages"].to_string();
        let found = says.iter().find(|(key, _)| question.contains(key));
        let text = found.map_or("Nothing to say.", |(_, text)| text);
        piece(json!({ "content": text }), "stop")
    })
    .await
}

/// Adds the model to the workspace, as the default.
async fn think_with(owner: &Client, server: &ModelServer) {
    let model = json!({ "provider": "openai", "model": "tiny", "api_key": "sk-of-this-test-1234",
        "base_url": format!("http://{}/v1", server.address), "context_tokens": 1_000_000, "is_default": true,
        "price": { "input_microusd": 0, "output_microusd": 0 } });
    owner.post("/api/models").json(&model).expect(201).await;
}

/// A template of the workspace with one agent that only speaks.
pub(crate) async fn template(owner: &Client, name: &str) -> String {
    let role = json!({ "slot": "writer", "title": "Writer", "system_prompt": "You write.", "skills": [], "brain_seed": "# Notes" });
    let new = json!({ "key": name.to_lowercase(), "name": name, "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "research_readonly", "mcp_bundles": ["skills"], "category": "research", "roles": [role] });
    let made = owner
        .post("/api/team-templates")
        .json(&new)
        .expect(201)
        .await;
    made.str("/id").to_owned()
}

async fn created(owner: &Client, new: &Value) -> String {
    let made = owner.post("/api/missions").json(new).expect(201).await;
    assert_eq!(made.str("/status"), "draft");
    made.str("/id").to_owned()
}

async fn launched(owner: &Client, id: &str) -> Answer {
    set_status(owner, id, "running", 202).await
}

async fn set_status(owner: &Client, id: &str, status: &str, answer: u16) -> Answer {
    let path = format!("/api/missions/{id}/status");
    let change = json!({ "status": status });
    owner.post(&path).json(&change).expect(answer).await
}

async fn mission(owner: &Client, id: &str) -> Answer {
    owner.get(&format!("/api/missions/{id}")).expect(200).await
}

/// Waits until the mission has this status.
async fn becomes(owner: &Client, id: &str, status: &str) -> Answer {
    let said = std::cell::RefCell::new(String::new());
    eventually(&format!("the mission is {status}"), async || {
        let now = mission(owner, id).await;
        // Only a test that fails shows this.
        let standing = ["status", "status_detail", "runtime", "phase_details"];
        let standing = standing.map(|key| now.body[key].to_string()).join(" ");
        if said.replace(standing.clone()) != standing {
            eprintln!("{standing}");
        }
        let paused = now.body["status"] == "paused" && status == "completed";
        assert!(!paused, "it is paused: {now:?}");
        (now.body["status"] == status).then_some(now)
    })
    .await
}

/// The statuses of the phases.
fn phases(mission: &Answer) -> Vec<&str> {
    let phases = mission.body["phase_details"].as_array().expect("phases");
    phases
        .iter()
        .map(|phase| phase["status"].as_str().expect("a status"))
        .collect()
}

/// The tasks as `INT-01 complete`, of one phase.
fn tasks(mission: &Answer, phase: usize) -> Vec<String> {
    let of = &mission.body["phase_details"][phase]["id"];
    let tasks = mission.body["tasks"].as_array().expect("tasks");
    tasks
        .iter()
        .filter(|task| task["phase_id"] == *of)
        .map(|task| {
            let word = |key: &str| task[key].as_str().expect("a word").to_owned();
            format!("{} {}", word("external_id"), word("status"))
        })
        .collect()
}

fn phase_id(mission: &Answer, phase: usize) -> String {
    mission
        .str(&format!("/phase_details/{phase}/id"))
        .to_owned()
}

const RESEARCH: &str = "I looked at src/lib.rs:12.\n\nTASK: INT-01\nMake the parser faster\n\nIt copies each line.\n\nTASK: INT-02\nTest it\n\n## Insights\n\n- The copy costs 40 %.\n- See https://example.org/paper.";
const CODING: &str =
    "WORK: INT-01\nTEST_PASS: INT-01\nCOMPLETED: INT-01\nWORK: INT-02\nHANDOFF: INT-02";

#[tokio::test]
async fn mission_goes_from_its_goal_to_tasks_artifacts_and_cards() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = model(&[("phase 1 of 2", RESEARCH), ("phase 2 of 2", CODING)]).await;
        think_with(owner, &server).await;
        let (reads, codes) = (
            template(owner, "Readers").await,
            template(owner, "Coders").await,
        );
        let id = created(
            owner,
            &json!({ "template_kind": "development", "goal": "Make the parser twice as fast.\nKeep its tests.",
                "config": { "phase_teams": { "coding": [codes], "research": [reads] }, "note": 7 }, "budget_usd": 2.5,
                "model": "openai/tiny" }),
        )
        .await;
        let draft = mission(owner, &id).await;
        assert_eq!(draft.str("/title"), "Make the parser twice as fast.");
        assert_eq!(draft.body["config"]["note"], 7, "unknown keys are kept");
        assert_eq!(draft.body["budget_usd"], 2.5);
        assert_eq!(draft.str("/runtime_kind"), "standard");
        assert_eq!(phases(&draft), ["pending", "pending"]);

        // What a launch would do is shown before, and nothing is made.
        let plan = owner
            .get(&format!("/api/missions/{id}/launch-plan"))
            .expect(200)
            .await;
        assert_eq!(plan.body["agents"], 2);
        assert_eq!(plan.str("/teams/0/purpose"), "research");
        assert_eq!(plan.body["blockers"], json!([]));
        let teams = owner.get("/api/teams").expect(200).await;
        assert_eq!(teams.body["items"], json!([]));

        let running = launched(owner, &id).await;
        assert!(running.body["team_id"].is_string());
        let teams = owner
            .get(&format!("/api/missions/{id}/teams"))
            .expect(200)
            .await;
        let purposes: Vec<&str> = teams
            .body
            .as_array()
            .expect("a bare list")
            .iter()
            .map(|team| team["purpose"].as_str().expect("a purpose"))
            .collect();
        assert_eq!(purposes, ["research", "coding"]);
        assert_eq!(teams.body[0]["team_id"], running.body["team_id"]);
        assert_eq!(running.body["teams"], teams.body, "as the launch answers");
        assert_eq!(running.str("/phase_details/0/mission_id"), id);
        assert_eq!(running.body["phases"][1]["position"], 1);
        assert!(teams.str("/0/team_name").starts_with("Readers · Make"));
        // Its agents have the model of the mission, the role of the template, and the first version of their memory from it.
        let team = format!("/api/teams/{}", teams.str("/0/team_id"));
        let team = owner.get(&team).expect(200).await;
        let agent = format!("/api/claws/{}", team.str("/members/0/agent_id"));
        let config = owner.get(&format!("{agent}/runtime-config")).expect(200);
        let config = config.await;
        assert_eq!(config.str("/model_binding"), "openai/tiny");
        assert_eq!(config.str("/template_id"), reads);
        assert_eq!(config.str("/role_slot"), "writer");
        let brain = owner.get(&format!("{agent}/brain")).expect(200).await;
        assert_eq!(brain.str("/agent_md"), "# Notes");
        assert_eq!(brain.str("/cause"), "seed");

        let over = becomes(owner, &id, "completed").await;
        assert_eq!(phases(&over), ["completed", "completed"]);
        assert_eq!(tasks(&over, 0), ["INT-01 created", "INT-02 created"]);
        assert_eq!(tasks(&over, 1), ["INT-01 complete", "INT-02 validating"]);
        assert_eq!(over.str("/tasks/0/title"), "Make the parser faster");
        assert_eq!(over.str("/tasks/0/body"), "It copies each line.");
        let marks = over.body["tasks"].as_array().expect("tasks");
        let coded = marks
            .iter()
            .find(|task| task["status"] == "complete")
            .expect("the task of the second phase");
        assert_eq!(coded["marks"][0]["marker"], "WORK");
        assert_eq!(coded["marks"][0]["step"], "writer");
        assert!(coded["marks"][0]["agent_name"].is_string());
        assert_eq!(coded["assigned_agent_id"], Value::Null);

        // The second phase got the tasks and the result of the first, and its page shows that.
        let input = over.str("/phase_details/1/input");
        assert!(input.contains("- INT-01 (created): Make the parser faster"));
        assert!(input.contains("The copy costs 40 %."), "{input}");
        let kinds = over.body["artifacts"].as_array().expect("artifacts");
        let kinds: Vec<&Value> = kinds.iter().map(|artifact| &artifact["kind"]).collect();
        assert_eq!(kinds, ["markdown", "markdown", "pdf"]);
        let artifact = over.str("/artifacts/0/id");
        let path = format!("/api/missions/{id}/artifacts/{artifact}");
        let artifact = owner.get(&path).expect(200).await;
        assert_eq!(artifact.str("/content"), RESEARCH);

        let summary = |phase: String| {
            let path = format!("/api/missions/{id}/phases/{phase}/summary");
            async move { owner.get(&path).expect(200).await }
        };
        let card = summary(phase_id(&over, 0)).await;
        assert_eq!(
            card.body["metrics"],
            json!({ "insights": 2, "sources": 2, "int_cards": 2, "artifacts": 1 })
        );
        assert_eq!(
            card.body["sources"],
            json!(["https://example.org/paper", "src/lib.rs:12"])
        );
        assert_eq!(card.str("/tooling/0/name"), "openai/tiny");
        let card = summary(phase_id(&over, 1)).await;
        assert_eq!(
            card.body["metrics"],
            json!({ "cards_picked_up": 2, "commits": 0, "tests": 1, "issues": 0 })
        );
        assert_eq!(
            card.body["next_actions"],
            json!(["Continue INT-02: Test it."])
        );

        // The runs say where they come from, and lists find them.
        let runs = owner
            .get(&format!("/api/topology-runs?mission_id={id}"))
            .expect(200)
            .await;
        let runs = runs.body["items"].as_array().expect("runs").clone();
        assert_eq!(runs.len(), 2);
        assert!(
            runs.iter()
                .all(|run| run["origin"]["type"] == "mission_phase")
        );

        // The record of a minted agent is as specified.
        let team = running.str("/team_id").to_owned();
        let team = owner.get(&format!("/api/teams/{team}")).expect(200).await;
        let agent = team.str("/members/0/agent_id");
        let config = owner
            .get(&format!("/api/claws/{agent}/runtime-config"))
            .expect(200)
            .await;
        assert_eq!(config.body["record_profile"], "toolfree");
        assert_eq!(config.body["record_bundles"], json!(["door"]));
        set_status(owner, &id, "paused", 409).await;

        let report = owner.get(&format!("/api/missions/{id}/report"));
        let report = report.open().await.text().await.expect("a text");
        for part in [
            "# Make the parser twice as fast.",
            "## Phase 1: research (completed)",
            "- insights: 2",
            "| INT-01 | Make the parser faster | complete |",
            "### Result of Readers",
            "##### Insights",
        ] {
            assert!(report.contains(part), "{part} in {report}");
        }
        place.stop().await;
    }
}

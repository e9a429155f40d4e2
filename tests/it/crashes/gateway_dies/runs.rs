//! Runs whose command ends while the gateway is dead continue when it is back.

use roost_tests::{Answer, eventually};
use serde_json::json;

use super::{Stage, each};
use crate::execution::runs::{over, started, steps};

/// An agent that runs one command and reports what it said.
const SCRIPT: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I begin."
  calls = [{ tool = "shell", arguments = { command = "echo begun; while [ ! -e /workspace/go ]; do sleep 0.05; done; echo through" } }]
  [[scene.turn]]
  say = "Done."
"#;

/// Until the command of the run waits in its sandbox.
async fn at_work(stage: &Stage, owner: &str) -> String {
    let sandbox = format!("/api/teams/{owner}/sandbox");
    eventually("the command of the run is at work", async || {
        let answer = stage.owner.get(&sandbox).try_send().await.ok()?;
        let id = answer.body["id"].as_str().filter(|_| answer.status == 200);
        let container = format!("roost-{}", id?);
        let all = stage.try_engine(&["top", &container, "-o", "pid,args"])?;
        all.contains("/workspace/go").then_some(container)
    })
    .await
}

/// Starts a run, kills the gateway while the run's command works, lets the command end, and starts the gateway again.
/// Returns the run and the container of the agent.
async fn command_ends_without_gateway(
    stage: &mut Stage,
    team: &Answer,
    agent: &str,
) -> (String, String) {
    let run = started(&stage.owner, &team.body).await;
    let container = at_work(stage, agent).await;
    stage.process.kill();
    stage.let_go_and_end_in(&container).await;
    stage.process.again().await;
    (run, container)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_when_its_command_ended_while_the_gateway_was_dead() {
    for mut stage in each(Some(SCRIPT)).await {
        let team = json!({ "name": "Alone", "topology": "single", "roles": [{ "slot": "coder" }],
            "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"] });
        let team = stage.owner.post("/api/teams").json(&team).expect(201).await;
        let owner = team.str("/id").to_owned();
        let (run, _) = command_ends_without_gateway(&mut stage, &team, &owner).await;
        // Two minutes at most, of which a run needs seconds. A reader that was forgotten waits for the deadline of its
        // command, ten minutes.
        let ended = over(&stage.owner, &run).await;
        assert_eq!(
            ended.body["status"],
            "completed",
            "{}: {ended:?}",
            stage.name()
        );
        assert_eq!(steps(&ended), ["coder done"]);
        let calls = format!("/api/topology-runs/{run}/calls");
        let calls = stage.owner.get(&calls).expect(200).await;
        let all = calls.body["items"].as_array().expect("calls");
        let shell = all.iter().find(|call| call["kind"] == "tool").expect("it");
        assert_eq!(shell["failed"], false, "{shell}");
        let said = shell["content"]["text"].to_string();
        assert!(
            said.contains("begun") && said.contains("through"),
            "{shell}"
        );
        let path = format!("/api/teams/{owner}/sandbox");
        stage.owner.delete(&path).expect(204).await;
        stage.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_ended_while_the_gateway_was_dead_is_not_repeated() {
    const BOASTS: &str = "[[scene]]\n  [[scene.turn]]\n  say = \"TEST_PASS\"\n";
    let check =
        "echo ran >> /workspace/ran; while [ ! -e /workspace/go ]; do sleep 0.05; done; exit 5";
    for mut stage in each(Some(BOASTS)).await {
        let team = json!({ "name": "Checked", "topology": "single", "risk_profile": "coding_readwrite",
            "mcp_bundles": ["sandbox"], "roles": [{ "slot": "coder", "checks": [check, "true"] }] });
        let team = stage.owner.post("/api/teams").json(&team).expect(201).await;
        let owner = team.str("/id").to_owned();
        let (run, container) = command_ends_without_gateway(&mut stage, &team, &owner).await;
        let ended = over(&stage.owner, &run).await;
        let name = stage.name();
        assert_eq!(ended.body["outcome"], "rejected", "{name}: {ended:?}");
        let checks = &ended.body["steps"][0]["checks"];
        let codes = (&checks[0]["exit_code"], &checks[1]["exit_code"]);
        assert_eq!(codes, (&json!(5), &json!(0)), "{name}");
        let ran = stage.try_engine(&["exec", &container, "cat", "/workspace/ran"]);
        assert_eq!(ran.as_deref(), Some("ran\n"), "{name}: it ran once");
        let path = format!("/api/teams/{owner}/sandbox");
        stage.owner.delete(&path).expect(204).await;
        stage.end().await;
    }
}

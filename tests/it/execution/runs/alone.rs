//! One agent without a team: its runtime record, what the record lets it do, the work that a person gives it, and its
//! end.

use roost_execution::runs::StepResult;
use roost_tests::{Gateway, Person, eventually};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{over, steps};

async fn agent(owner: &Person, name: &str) -> String {
    let new = json!({ "name": name, "model_binding": "scripted" });
    let made = owner.post("/api/claws").json(&new).expect(201).await;
    made.str("/id").to_owned()
}

async fn config(owner: &Person, agent: &str) -> Value {
    let path = format!("/api/claws/{agent}/runtime-config");
    owner.get(&path).expect(200).await.body
}

fn tools(config: &Value) -> Vec<&str> {
    let tools = config["tools"].as_array().expect("tools");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

/// A script in which an agent says what a command and its skills gave.
const SCRIPT: &str = r#"
[[scene]]
slot = "agent"
  [[scene.turn]]
  think = "I count with a command."
  say = "I count."
  calls = [{ tool = "shell", arguments = { command = "printf 'counted=%s\n' $((6*7))" } }]
  [[scene.turn]]
  when = 'counted=(?<sum>\d+)'
  say = "The sum is ${sum}."
  [[scene.turn]]
  when = 'not offered'
  say = "I may not run commands."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn agent_alone_works_with_what_its_record_allows() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, SCRIPT).expect("written");
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let set = [
        ("runs.script", script.to_str().expect("a path")),
        ("sandboxes.image", &image),
    ];
    let gateway = Gateway::start_with(&set).await;
    let owner = gateway.owner().await;
    let ada = agent(owner, "Ada").await;
    let path = format!("/api/claws/{ada}");
    let work = async || {
        let asked = json!({ "input": "Count.\nCarefully." });
        let run = owner.post(&format!("{path}/run")).json(&asked);
        let run = run.expect(202).await;
        assert_eq!(run.str("/title"), "Ada: Count.");
        assert_eq!(run.str("/tier"), "single");
        assert_eq!(run.str("/agent_id"), ada);
        over(owner, run.str("/id")).await
    };

    // Its record is made with it. It has no commands.
    let before = config(owner, &ada).await;
    assert_eq!(before["record_profile"], "toolfree");
    assert_eq!(before["record_bundles"], json!(["door", "skills"]));
    assert_eq!(before["model"], "scripted");
    assert!(!tools(&before).contains(&"shell"), "{before}");
    let refused = work().await;
    assert!(
        refused
            .str("/result/text")
            .contains("I may not run commands."),
        "{refused:?}"
    );

    let change =
        json!({ "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox", "skills", "door"] });
    let changed = owner.patch(&format!("{path}/runtime-config")).json(&change);
    let changed = changed.expect(200).await.body;
    assert_eq!(changed["effective_profile"], "coding_readwrite");
    assert!(tools(&changed).contains(&"shell"), "{changed}");
    let run = work().await;
    assert!(
        run.str("/result/text").contains("The sum is 42."),
        "{run:?}"
    );
    assert_eq!(steps(&run), ["agent done"]);
    assert_eq!(run.body["graph"]["kind"], "single");

    let listed = owner.get(&format!("/api/topology-runs?agent_id={ada}"));
    let listed = listed.expect(200).await;
    let ids: Vec<&str> = listed.body["items"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|run| run["id"].as_str())
        .collect();
    assert_eq!(ids, [run.str("/id"), refused.str("/id")]);
    gateway.stop().await;
}

#[tokio::test]
async fn change_of_a_record_is_audited_published_and_bound_to_a_version() {
    for (gateway, scratch) in Crew::that(|_, _| None).on_each().await {
        let owner = gateway.owner().await;
        let ada = agent(owner, "Ada").await;
        let path = format!("/api/claws/{ada}/runtime-config");
        let seen = config(owner, &ada).await["version"]
            .as_i64()
            .expect("a version");
        let change = json!({ "mcp_bundles": ["repo"], "model_binding": null });
        let stale = owner
            .patch(&path)
            .header("if-match", "\"99\"")
            .json(&change);
        stale.expect(412).await;
        let fresh = owner
            .patch(&path)
            .header("if-match", &format!("\"{seen}\""))
            .json(&change);
        let fresh = fresh.expect(200).await.body;
        assert_eq!(fresh["version"], seen + 1);
        assert_eq!(fresh["record_bundles"], json!(["repo"]));
        // The profile allows nothing of this bundle.
        assert_eq!(fresh["effective_bundles"], json!([]));
        // The record and the agent's own row have one model.
        assert_eq!(fresh["model_binding"], Value::Null);
        let claw = owner.get(&format!("/api/claws/{ada}")).expect(200).await;
        assert_eq!(claw.body["model_binding"], Value::Null);
        let bound = owner
            .patch(&format!("/api/claws/{ada}"))
            .json(&json!({ "model_binding": "scripted" }));
        bound.expect(200).await;
        assert_eq!(config(owner, &ada).await["model_binding"], "scripted");
        let unknown = owner
            .patch(&path)
            .json(&json!({ "model_binding": "openai/nope" }));
        assert_eq!(
            unknown.expect(400).await.str("/errors/0/pointer"),
            "/model_binding"
        );
        let audit = owner.get("/api/audit?limit=50").expect(200).await.body;
        let configured = audit["items"]
            .as_array()
            .expect("entries")
            .iter()
            .filter(|entry| entry["action"] == "claw.configured");
        assert_eq!(configured.count(), 1, "{audit}");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn record_of_an_agent_adds_to_its_team_and_an_agent_made_alone_outlives_the_team() {
    for (gateway, scratch) in Crew::that(|_, _| None).on_each().await {
        let owner = gateway.owner().await;
        let ada = agent(owner, "Ada").await;
        let new = json!({ "name": "Pair", "topology": "pipeline", "risk_profile": "research_readonly", "mcp_bundles": ["repo"],
            "roles": [{ "slot": "first", "agent_id": ada }, { "slot": "second" }] });
        let team = owner.post("/api/teams").json(&new).expect(201).await;
        let minted = team.str("/members/1/agent_id").to_owned();
        let alone = config(owner, &ada).await;
        assert_eq!(alone["record_bundles"], json!(["door", "skills"]));
        assert_eq!(
            alone["effective_bundles"],
            json!(["door", "skills", "repo"])
        );
        assert_eq!(alone["effective_profile"], "research_readonly");
        let of_team = config(owner, &minted).await;
        assert_eq!(of_team["effective_bundles"], json!(["door", "repo"]));
        let gone = owner.delete(&format!("/api/teams/{}?with_agents=true", team.str("/id")));
        gone.expect(204).await;
        eventually("the minted agent is purged", async || {
            let answer = owner.get(&format!("/api/claws/{minted}")).send().await;
            (answer.status == 404).then_some(())
        })
        .await;
        assert_eq!(
            config(owner, &ada).await["effective_bundles"],
            json!(["door", "skills"])
        );
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn deletion_of_an_agent_ends_its_runs_and_refuses_new_work() {
    let crew = Crew::that(|_, _| None);
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let ada = agent(owner, "Ada").await;
        let path = format!("/api/claws/{ada}/run");
        let asked = json!({ "input": "Go on and on." });
        let first = owner
            .post(&path)
            .header("idempotency-key", "k1")
            .json(&asked);
        let first = first.expect(202).await.str("/id").to_owned();
        let again = owner
            .post(&path)
            .header("idempotency-key", "k1")
            .json(&asked);
        assert_eq!(again.expect(202).await.str("/id"), first);
        eventually("the step is at work", async || {
            let run = owner
                .get(&format!("/api/topology-runs/{first}"))
                .expect(200)
                .await;
            (steps(&run) == ["agent running"]).then_some(())
        })
        .await;
        owner.delete(&format!("/api/claws/{ada}")).expect(204).await;
        let ended = over(owner, &first).await;
        assert_eq!(ended.str("/status"), "cancelled", "{ended:?}");
        let refused = owner.post(&path).json(&asked).expect(409).await;
        assert!(refused.str("/detail").contains("deleted"), "{refused:?}");
        let fork = owner
            .post(&format!("/api/topology-runs/{first}/fork"))
            .json(&json!({ "step": "agent" }));
        fork.expect(409).await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn work_for_one_agent_completes_with_its_answer() {
    let crew = Crew::that(|_, _| Some(StepResult::Done("Done with it.".to_owned())));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let ada = agent(owner, "Ada of Ledger").await;
        let asked = json!({ "input": "Go.", "cost_ceiling_microusd": 5 });
        let run = owner.post(&format!("/api/claws/{ada}/run")).json(&asked);
        let run = over(owner, run.expect(202).await.str("/id")).await;
        assert_eq!(run.str("/status"), "completed", "{run:?}");
        assert_eq!(run.str("/result/text"), "Done with it.");
        assert_eq!(run.body["cost_ceiling_microusd"], 5);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

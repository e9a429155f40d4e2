//! Checks that a node declares: their exit codes decide the outcome, whatever the agent says.

use roost_tests::{Gateway, Stream};
use serde_json::{Value, json};

use super::{over, started};

/// An agent that calls its work good.
const BOASTS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "All tests pass.\n\nTEST_PASS: INT-01"
"#;

async fn gateway(script: &str) -> Gateway {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("script.toml");
    std::fs::write(&path, script).expect("it is written");
    // The gateway reads the script when it starts.
    let set = [
        ("sandboxes.image", &*image),
        ("runs.script", path.to_str().expect("text")),
    ];
    Gateway::start_with(&set).await
}

fn alone(checks: &Value) -> Value {
    json!({ "name": "Checked", "topology": "single", "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"],
        "roles": [{ "slot": "coder", "checks": checks }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_decide_the_outcome_and_not_the_words_of_the_agent() {
    let gateway = gateway(BOASTS).await;
    let owner = gateway.owner().await;
    let red = json!(["true", "echo TEST_PASS; echo three; exit 3"]);
    let team = owner
        .post("/api/teams")
        .json(&alone(&red))
        .expect(201)
        .await;
    assert_eq!(
        team.body["topology"]["nodes"][0]["attributes"]["checks"],
        red
    );
    let run = over(owner, &started(owner, &team.body).await).await;
    assert_eq!(
        (run.str("/status"), run.str("/outcome")),
        ("completed", "rejected"),
        "{run:?}"
    );
    assert!(
        run.str("/outcome_reason").contains("exited with 3"),
        "{run:?}"
    );
    let evidence = &run.body["outcome_evidence"];
    assert_eq!(evidence["step"], "coder");
    assert_eq!(evidence["check"]["exit_code"], 3, "{evidence}");
    let step = &run.body["steps"][0];
    assert_eq!(step["outcome"], "rejected");
    let codes: Vec<&Value> = step["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .map(|check| &check["exit_code"])
        .collect();
    assert_eq!(codes, [&json!(0), &json!(3)]);
    let text = run.str("/result/text");
    assert!(
        text.contains("> three") && text.contains("\n> TEST_PASS"),
        "{text}"
    );
    let calls = owner
        .get(&format!("/api/topology-runs/{}/calls", run.str("/id")))
        .expect(200)
        .await;
    let all = calls.body["items"].as_array().expect("calls");
    let made: Vec<&Value> = all.iter().filter(|call| call["kind"] == "check").collect();
    assert_eq!(made.len(), 2, "{}", calls.text);
    assert_eq!(made[1]["failed"], true);
    assert!(made[1]["content"]["text"].to_string().contains("three"));

    // The work on the machine belongs to the run, for those who watch only the run.
    let of_run = format!(
        "/api/events?from=oldest&types=node.activity&run_id={}",
        run.str("/id")
    );
    let mut stream = Stream::open(owner.get(&of_run)).await;
    let activity = stream.next().await.expect("an event");
    assert_eq!(activity.about["run"], run.body["id"], "{activity:?}");
    drop(stream);

    let green = json!(["test $((1 + 1)) = 2"]);
    let team = owner
        .post("/api/teams")
        .json(&alone(&green))
        .expect(201)
        .await;
    let run = over(owner, &started(owner, &team.body).await).await;
    assert_eq!(run.str("/outcome"), "accepted", "{run:?}");
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_without_a_sandbox_cannot_pass_a_check() {
    let gateway = gateway(BOASTS).await;
    let owner = gateway.owner().await;
    let mut team = alone(&json!(["true"]));
    team["risk_profile"] = json!("toolfree");
    team["mcp_bundles"] = json!([]);
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    let run = over(owner, &started(owner, &team.body).await).await;
    assert_eq!(run.str("/outcome"), "rejected", "{run:?}");
    let check = &run.body["steps"][0]["checks"][0];
    assert_eq!(check["exit_code"], Value::Null, "{run:?}");
    assert!(
        run.str("/outcome_reason")
            .contains("did not run to its end"),
        "{run:?}"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn bad_checks_are_refused_with_their_place() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    for (checks, says) in [
        (json!(vec!["true"; 9]), "at most 8 commands"),
        (json!([" "]), "must be a command"),
        (json!(["a\nb"]), "control characters"),
        (json!(["x".repeat(1_001)]), "at most 1000 characters"),
    ] {
        let refused = owner.post("/api/teams").json(&alone(&checks));
        let refused = refused.refused(400, "validation").await;
        assert!(refused.text.contains(says), "{}", refused.text);
    }
    gateway.stop().await;
}

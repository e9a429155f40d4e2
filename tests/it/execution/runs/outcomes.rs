//! Outcomes: a run's status says whether it came to its end, and its outcome whether its goal was met.

use roost_execution::runs::StepResult;
use roost_tests::{Answer, Client, ScratchPostgres};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{line_of, over, started, steps};

fn says(text: &str) -> Option<StepResult> {
    Some(StepResult::Done(text.to_owned()))
}

async fn remove(scratch: Option<ScratchPostgres>) {
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

/// The team with another topology.
async fn with(client: &Client, team: &Value, topology: &Value) -> Value {
    let path = format!("/api/teams/{}", team["id"].as_str().expect("an id"));
    let changed = client.patch(&path).json(&json!({ "topology": topology }));
    changed.expect(200).await.body
}

fn outcome(run: &Answer) -> (&str, &str) {
    (run.str("/status"), run.str("/outcome"))
}

#[tokio::test]
async fn completed_run_is_rejected_when_its_tester_fails_it_and_accepted_when_it_passes() {
    let crew = Crew::that(|key, tries| match (key, tries) {
        ("tester", 1) => says("It prints `never`.\n\nTEST_FAIL: INT-01\n"),
        ("tester", 2) => says("TEST_PASS: INT-01"),
        ("tester", _) => says("I would say TEST_FAIL, but nobody asked.\n> TEST_FAIL: INT-01"),
        _ => says("HANDOFF: INT-01"),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["coder", "tester"]).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(outcome(&run), ("completed", "rejected"), "{run:?}");
        assert!(run.str("/outcome_reason").contains("TEST_FAIL: INT-01"));
        let evidence =
            json!({ "step": "tester", "lap": 1, "shard": 0, "marker": "TEST_FAIL: INT-01" });
        assert_eq!(run.body["outcome_evidence"], evidence);
        assert_eq!(run.str("/steps/1/outcome"), "rejected");
        assert!(run.body["steps"][0]["outcome"].is_null());
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(outcome(&run), ("completed", "accepted"), "{run:?}");
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(outcome(&run), ("completed", "undecided"), "{run:?}");
        // Lists show it too.
        let list = owner.get("/api/topology-runs").expect(200).await;
        let all = list.body["items"].as_array().expect("a list");
        let outcomes: Vec<&Value> = all.iter().map(|run| &run["outcome"]).collect();
        assert_eq!(outcomes, ["undecided", "accepted", "rejected"]);
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn failed_and_cancelled_runs_are_undecided() {
    let crew = Crew::that(|key, _| match key {
        "fails" => Some(StepResult::terminal("It was not possible.")),
        "first" => says("TEST_FAIL"),
        _ => None,
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["first", "fails"]).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(outcome(&run), ("failed", "undecided"), "{run:?}");
        let team = line_of(owner, &["endless"]).await;
        let run = started(owner, &team).await;
        let path = format!("/api/topology-runs/{run}");
        assert!(owner.get(&path).expect(200).await.body["outcome"].is_null());
        owner.post(&format!("{path}/cancel")).expect(200).await;
        let run = over(owner, &run).await;
        assert_eq!(outcome(&run), ("cancelled", "undecided"), "{run:?}");
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn tester_that_rejects_hands_the_work_back_and_the_last_lap_decides() {
    let crew = Crew::that(|key, tries| match (key, tries) {
        ("tester", 1) => says("TEST_FAIL: INT-01"),
        ("tester", _) => says("TEST_PASS: INT-01"),
        (key, _) => says(key),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["planner", "coder", "tester"]).await;
        let mut graph = team["topology"].clone();
        graph["nodes"][2]["attributes"]["on_reject"] = json!("hand_back");
        graph["nodes"][2]["attributes"]["back_to"] = json!("coder");
        let team = with(owner, &team, &graph).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(outcome(&run), ("completed", "accepted"), "{run:?}");
        let order = [
            "planner done",
            "coder done",
            "tester done",
            "coder done",
            "tester done",
        ];
        assert_eq!(steps(&run), order);
        assert_eq!(run.body["steps"][3]["lap"], 2);
        assert_eq!(run.body["outcome_evidence"]["lap"], 2);
        graph["nodes"][2]["attributes"]["back_to"] = json!("nobody");
        let path = format!("/api/teams/{}", team["id"].as_str().expect("an id"));
        let bad = owner.patch(&path).json(&json!({ "topology": graph }));
        bad.refused(400, "validation").await;
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn outcome_of_a_child_counts_in_its_parent() {
    let crew = Crew::that(|key, _| match key {
        "tester" => says("REVIEW_BLOCK: INT-02"),
        key => says(key),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["tester", "writer"]).await;
        let outer = line_of(owner, &["coder", "last"]).await;
        let mut graph = outer["topology"].clone();
        graph["nodes"][1] =
            json!({ "id": "last", "kind": "team", "attributes": { "team": inner["id"] } });
        let outer = with(owner, &outer, &graph).await;
        let run = over(owner, &started(owner, &outer).await).await;
        assert_eq!(outcome(&run), ("completed", "rejected"), "{run:?}");
        let child = run.str("/outcome_evidence/run").to_owned();
        assert_eq!(run.body["steps"][1]["child_run_ids"], json!([child]));
        let child = over(owner, &child).await;
        assert_eq!(outcome(&child), ("completed", "rejected"), "{child:?}");
        assert_eq!(
            child.body["outcome_evidence"]["marker"],
            "REVIEW_BLOCK: INT-02"
        );
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn judge_that_chooses_a_rejected_candidate_makes_the_comparison_rejected() {
    let verdict = json!({ "scores": { "A": 9, "B": 9 }, "best": "A", "reason": "It shows it." });
    let crew = Crew::that(move |key, _| match key {
        "judge/verdict" => says(&verdict.to_string()),
        _ => says("TEST_FAIL: INT-01"),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let (one, two) = (
            line_of(owner, &["one"]).await,
            line_of(owner, &["two"]).await,
        );
        let new = json!({ "name": roost_tests::unique("Judge") });
        let judge = owner.post("/api/claws").json(&new).expect(201).await;
        let asked = json!({ "input": "Do it.", "judge_agent_id": judge.body["id"],
            "candidates": [{ "team_id": one["id"] }, { "team_id": two["id"] }] });
        let run = owner.post("/api/topology-runs/compare").json(&asked);
        let run = over(owner, run.expect(202).await.str("/id")).await;
        assert_eq!(outcome(&run), ("completed", "rejected"), "{run:?}");
        for place in 0..2 {
            let candidate = &run.body["comparison"]["candidates"][place];
            assert_eq!(candidate["outcome"], "rejected", "{candidate}");
        }
        let text = run.str("/result/text");
        assert!(text.contains("although its own checks reject it"), "{text}");
        gateway.stop().await;
        remove(scratch).await;
    }
}

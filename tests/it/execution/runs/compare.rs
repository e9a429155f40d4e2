//! Comparisons: several teams on one input, their results side by side, and the judge's verdict.

use roost_execution::runs::StepResult;
use roost_tests::{Answer, Client, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{line_of, over, steps};

const PATH: &str = "/api/topology-runs/compare";
const INPUT: &str = "  Do it.\n\n# Your task\nas I say it ";

fn said(key: &str) -> Option<StepResult> {
    Some(StepResult::Done(format!("{key} is done")))
}

fn candidates(teams: &[&Value]) -> Value {
    teams
        .iter()
        .map(|team| json!({ "team_id": team["id"] }))
        .collect()
}

/// An agent that is there.
async fn agent(owner: &Client) -> String {
    let new = owner
        .post("/api/claws")
        .json(&json!({ "name": roost_tests::unique("Judge") }));
    new.expect(201).await.str("/id").to_owned()
}

/// The runs of the candidates, by their ids.
async fn children(owner: &Client, run: &str) -> Vec<Value> {
    let path = format!("/api/topology-runs?parent_run_id={run}&limit=200");
    let list = owner.get(&path).expect(200).await;
    list.body["items"].as_array().expect("a list").clone()
}

/// One field of each candidate, as asked for.
fn each<'a>(run: &'a Answer, field: &str) -> Vec<&'a Value> {
    let candidates = run.body["comparison"]["candidates"].as_array();
    let candidates = candidates.expect("candidates");
    candidates.iter().map(|one| &one[field]).collect()
}

async fn remove(scratch: Option<ScratchPostgres>) {
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

#[tokio::test]
async fn teams_get_the_same_input_stand_side_by_side_and_are_judged() {
    let verdict =
        json!({ "scores": { "A": 9, "B": 4.5, "C": 0 }, "best": "A", "reason": "It shows it." });
    let spoken = verdict.to_string();
    let crew = Crew::that(move |key, _| match key {
        "judge/verdict" => Some(StepResult::Done(spoken.clone())),
        key => said(key),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let (one, two) = (
            line_of(owner, &["one"]).await,
            line_of(owner, &["two", "more"]).await,
        );
        let judge = agent(owner).await;
        let asked = json!({ "input": INPUT, "title": "Which", "judge_agent_id": judge,
            "cost_ceiling_microusd": 4_000_003, "candidates": [
                { "team_id": one["id"] },
                { "team_id": two["id"], "topology": "hub_spoke" },
                { "team_id": two["id"] },
            ] });
        let twice = || owner.post(PATH).header("idempotency-key", "k").json(&asked);
        let run = twice().expect(202).await;
        assert_eq!(twice().expect(202).await.str("/id"), run.str("/id"));
        assert_eq!((run.str("/kind"), run.str("/title")), ("compare", "Which"));
        let run = over(owner, run.str("/id")).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        // As they were asked for, whatever letters they drew.
        let teams = [&one["id"], &two["id"], &two["id"]];
        assert_eq!(each(&run, "team_id"), teams);
        assert_eq!(
            each(&run, "topology"),
            ["pipeline", "hub_spoke", "pipeline"]
        );
        assert_eq!(each(&run, "steps"), [1, 3, 2]);
        assert_eq!(each(&run, "status"), ["completed"; 3]);
        let outputs = ["one is done", "two/merge is done", "more is done"];
        assert_eq!(each(&run, "output"), outputs);
        let mut labels = each(&run, "label");
        labels.sort_by_key(ToString::to_string);
        assert_eq!(labels, ["A", "B", "C"]);
        let comparison = &run.body["comparison"];
        assert_eq!(comparison["verdict"]["best"], "A");
        assert_eq!(
            comparison["verdict"]["scores"],
            json!({ "A": 9.0, "B": 4.5, "C": 0.0 })
        );
        assert_eq!(comparison["verdict"]["judged_by"], judge.as_str());
        assert!(run.str("/result/text").contains("Best: A"), "{run:?}");
        let all = children(owner, run.str("/id")).await;
        assert_eq!(all.len(), 3);
        for child in &all {
            let id = child["id"].as_str().expect("an id");
            assert!(each(&run, "run_id").contains(&&child["id"]));
            let child = owner.get(&format!("/api/topology-runs/{id}"));
            let child = child.expect(200).await;
            assert_eq!(child.str("/input"), INPUT);
            // A fourth of the whole each, one fourth left for the judge.
            assert_eq!(child.body["cost_ceiling_microusd"], 1_000_000);
        }
        // What people started is one run.
        let list = owner.get("/api/topology-runs").expect(200).await;
        assert_eq!(list.body["items"].as_array().map(Vec::len), Some(1));
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn failed_candidate_has_its_reason_and_garbage_gives_no_verdict() {
    let crew = Crew::that(|key, tries| match (key, tries) {
        ("judge/verdict", 1) => Some(StepResult::Done("I like the first one.".to_owned())),
        ("judge/verdict", _) => Some(StepResult::terminal("The model has no key.")),
        ("broken", _) => Some(StepResult::terminal("There is no such thing.")),
        (key, _) => said(key),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let (good, bad) = (
            line_of(owner, &["good"]).await,
            line_of(owner, &["broken"]).await,
        );
        let asked = json!({ "input": INPUT, "candidates": candidates(&[&bad, &good]),
            "judge_agent_id": agent(owner).await });
        let run = owner.post(PATH).json(&asked).expect(202).await;
        let run = over(owner, run.str("/id")).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        assert_eq!(each(&run, "status"), ["failed", "completed"]);
        let error = each(&run, "error")[0].as_str().unwrap_or_default();
        assert!(error.contains("no such thing"), "{run:?}");
        let comparison = &run.body["comparison"];
        assert_eq!(comparison["verdict"], Value::Null);
        assert_eq!(comparison["no_verdict"]["text"], "I like the first one.");
        // A fork from the verdict asks the judge alone again; who was done is not done anew.
        let path = format!("/api/topology-runs/{}/fork", run.str("/id"));
        let begun = (crew.begun("good"), crew.begun("broken"));
        let fork = json!({ "step": "judge/verdict" });
        let fork = owner.post(&path).json(&fork).expect(202).await;
        let fork = over(owner, fork.str("/id")).await;
        assert_eq!(fork.body["status"], "completed", "{fork:?}");
        assert_eq!(crew.begun("good"), begun.0);
        assert_eq!(each(&fork, "run_id")[1], each(&run, "run_id")[1]);
        assert_eq!(each(&fork, "output")[1], "good is done");
        let why = &fork.body["comparison"]["no_verdict"]["why"];
        assert_eq!(why, "The model has no key.");
        // When all fail there is nothing to judge.
        let asked = json!({ "input": INPUT, "candidates": candidates(&[&bad, &bad]),
            "judge_agent_id": agent(owner).await });
        let run = owner.post(PATH).json(&asked).expect(202).await;
        let run = over(owner, run.str("/id")).await;
        assert_eq!(run.body["status"], "failed");
        assert_eq!(run.str("/error_code"), "step-failed");
        assert_eq!(each(&run, "status"), ["failed", "failed"]);
        assert_eq!(steps(&run), ["a failed", "b failed"]);
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn cancelling_a_comparison_ends_its_candidates() {
    let crew = Crew::that(|key, _| (key == "quick").then(|| StepResult::Done("done".to_owned())));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let (quick, endless) = (
            line_of(owner, &["quick"]).await,
            line_of(owner, &["endless"]).await,
        );
        let asked = json!({ "input": INPUT, "candidates": candidates(&[&quick, &endless]) });
        let run = owner.post(PATH).json(&asked).expect(202).await;
        let path = format!("/api/topology-runs/{}", run.str("/id"));
        // It grows while they work.
        eventually("one is done and one at work", async || {
            let run = owner.get(&path).expect(200).await;
            (each(&run, "status") == ["completed", "running"]).then_some(())
        })
        .await;
        let cancel = format!("{path}/cancel");
        owner.post(&cancel).expect(200).await;
        let ended = over(owner, run.str("/id")).await;
        assert_eq!(ended.body["status"], "cancelled");
        let ended = eventually("both have their end", async || {
            let run = owner.get(&path).expect(200).await;
            (each(&run, "status") == ["completed", "cancelled"]).then_some(run)
        })
        .await;
        assert_eq!(each(&ended, "output")[0], "done");
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn invalid_comparison_is_refused_with_a_pointer() {
    let crew = Crew::that(|key, _| said(key));
    let (gateway, _) = crew.on_each().await.remove(0);
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    let ours = line_of(owner, &["one"]).await["id"].clone();
    let theirs = line_of(&stranger, &["one"]).await["id"].clone();
    let nobody = json!("0190a000-0000-7000-8000-000000000009");
    let their_agent = json!(agent(&stranger).await);
    let a = json!({ "team_id": ours });
    for (candidates, judge, pointer) in [
        (json!([a]), Value::Null, "/candidates"),
        (json!(vec![&a; 9]), Value::Null, "/candidates"),
        (
            json!([a, { "team_id": nobody }]),
            Value::Null,
            "/candidates/1/team_id",
        ),
        (
            json!([a, { "team_id": theirs }]),
            Value::Null,
            "/candidates/1/team_id",
        ),
        (
            json!([{ "team_id": ours, "topology": "star_moe" }, a]),
            Value::Null,
            "/candidates/0/topology",
        ),
        (
            json!([{ "team_id": ours, "topology": "compare" }, a]),
            Value::Null,
            "/candidates/0/topology",
        ),
        (json!([a, a]), their_agent, "/judge_agent_id"),
        (json!([a, a]), nobody.clone(), "/judge_agent_id"),
    ] {
        let asked = json!({ "input": "x", "candidates": candidates, "judge_agent_id": judge });
        let refused = owner.post(PATH).json(&asked).refused(400, "validation");
        let refused = refused.await;
        assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{refused:?}");
    }
    // No team is a comparison.
    let team = json!({ "name": "x", "topology": "compare", "roles": [{ "slot": "a" }] });
    let refused = owner
        .post("/api/teams")
        .json(&team)
        .refused(400, "validation");
    assert_eq!(refused.await.body["errors"][0]["pointer"], "/topology");
    let list = owner.get("/api/topology-runs").expect(200).await;
    assert_eq!(list.body["items"], json!([]));
    gateway.stop().await;
}

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

#[tokio::test]
async fn a_comparison_whose_gateway_dies_starts_no_candidate_twice_and_counts_each_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = [("sandboxes.local", "off"), ("chaos.allow", "true")];
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let owner = process.owner().await;
    let teams = (
        line_of(&owner, &["writer"]).await,
        line_of(&owner, &["editor"]).await,
    );
    let asked = json!({ "input": INPUT, "candidates": candidates(&[&teams.0, &teams.1]),
        "judge_agent_id": agent(&owner).await });
    for point in [
        "runs.claim.after_commit@0",
        "runs.claim.after_commit@1",
        "runs.checkpoint.before_commit@0",
        "runs.checkpoint.after_commit@0",
        "runs.checkpoint.after_commit@2",
        "runs.close.before_commit@0",
        "runs.close.after_commit@1",
        "runs.close.before_commit@2",
        "runs.close.after_commit@2",
    ] {
        process.kill();
        let (name, passed) = point.split_once('@').expect("a number");
        assert!(process.again_with(&format!("{name}=abort@{passed}")).await);
        // The answer may be cut off with the gateway.
        let _ = owner.post(PATH).json(&asked).try_send().await;
        process.ended_by(SIGABRT).await;
        process.again().await;
        let newest = owner.get("/api/topology-runs?limit=1").expect(200).await;
        let run = over(&owner, newest.str("/items/0/id")).await;
        assert_eq!(run.body["status"], "completed", "{point}: {run:?}");
        let (id, candidates) = (run.str("/id"), steps(&run));
        assert_eq!(
            candidates,
            ["a done", "b done", "judge/verdict done"],
            "{point}"
        );
        let all = children(&owner, id).await;
        assert_eq!(all.len(), 2, "{point}");
        let sum = |field: &str| {
            all.iter()
                .filter_map(|run| run[field].as_i64())
                .sum::<i64>()
        };
        let calls = owner.get(&format!("/api/topology-runs/{id}/calls"));
        let calls = calls.expect(200).await;
        let calls = calls.body["items"].as_array().expect("calls").clone();
        let ended = calls.iter().filter(|call| call["kind"] == "child");
        assert_eq!(ended.count(), 2, "{point}");
        // Its own tokens are the judge's, and those of its candidates, once.
        let judge = &run.body["steps"][2];
        for field in ["tokens_in", "tokens_out"] {
            let own = judge[field].as_i64().unwrap_or_default();
            let whole = run.body[field].as_i64();
            assert_eq!(whole, Some(own + sum(field)), "{point} {field}");
        }
        // The demonstration's model invents no verdict.
        assert_eq!(run.body["comparison"]["verdict"], Value::Null, "{point}");
        assert!(run.body["comparison"]["no_verdict"]["text"].is_string());
    }
    process.kill();
}

//! Phases without teams: a benchmark before and after the work, and a security scan, in the mission's own sandbox. A real
//! broker, git's own server, a real engine.

use roost_tests::{Answer, Person, eventually};
use serde_json::{Value, json};

use super::{becomes, created, launched, mission, phase_id, phases};
use crate::connections::checkouts::Bench;

/// A key of the form of Amazon's, which opens nothing.
const PLANTED: &str = "AKIA4Z7QXJ2WMK6PLTRV";

/// An agent that makes the repository faster, and commits a secret.
const CODES: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I make it faster."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/a.txt", content = "o" } },
    { tool = "write_file", arguments = { path = "/workspace/tools/keys.env", content = "aws_access_key_id = AKIA4Z7QXJ2WMK6PLTRV\n" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Faster" } },
  ]
  [[scene.turn]]
  say = "Done."
"#;

/// Ten nanoseconds for each byte of a file, and some noise.
const MEASURES: &str = "echo \"read: $(( $(wc -c < a.txt) * 10 )).$(date +%N) ns\"";

/// A template whose agent works on the repository.
pub(super) async fn coders(owner: &Person) -> String {
    coders_named(owner, "coders").await
}

pub(super) async fn coders_named(owner: &Person, key: &str) -> String {
    let role = json!({ "slot": "coder", "title": "Coder", "system_prompt": "You code.", "skills": [], "brain_seed": "# Notes" });
    let new = json!({ "key": key, "name": key, "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox", "repo"], "category": "development", "roles": [role] });
    let made = owner.post("/api/team-templates").json(&new).expect(201);
    made.await.str("/id").to_owned()
}

pub(super) async fn artifact(owner: &Person, mission: &Answer, title: &str) -> Answer {
    let all = mission.body["artifacts"].as_array().expect("artifacts");
    let found = all.iter().find(|one| one["title"] == title);
    let found = found.unwrap_or_else(|| panic!("no artifact {title}: {all:?}"));
    let (of, id) = (mission.str("/id"), found["id"].as_str().expect("an id"));
    let path = format!("/api/missions/{of}/artifacts/{id}");
    owner.get(&path).expect(200).await
}

pub(super) fn content(artifact: &Answer) -> Value {
    serde_json::from_str(artifact.str("/content")).expect("the content is JSON")
}

pub(super) async fn card(owner: &Person, mission: &Answer, phase: usize) -> Answer {
    let (id, phase) = (mission.str("/id"), phase_id(mission, phase));
    let path = format!("/api/missions/{id}/phases/{phase}/summary");
    owner.get(&path).expect(200).await
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_measured_and_scanned_in_the_sandbox_of_its_mission() {
    for bench in Bench::on_each(CODES).await {
        let owner = bench.gateway.owner().await;
        let coders = coders(owner).await;
        let id = created(
            owner,
            &json!({ "template_kind": "custom", "title": "Faster", "goal": "Make it faster.", "repo_id": bench.repo,
                "config": { "phases": ["coding", "benchmark", "security_scan"], "phase_teams": { "coding": [coders] },
                    "benchmark": { "command": MEASURES, "iterations": 6 } } }),
        )
        .await;
        // The scripted model commits in its first phase only.
        launched(owner, &id).await;
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(phases(&over), ["completed", "completed", "completed"]);

        let measured = artifact(owner, &over, "Measurements").await;
        assert_eq!(measured.str("/kind"), "benchmark");
        let measured = content(&measured);
        assert_ne!(measured["before"], measured["after"]);
        let row = &measured["comparison"]["rows"][0];
        assert_eq!(row["name"], "read", "{measured}");
        assert_eq!(row["verdict"], "improvement", "{measured}");
        assert_eq!(measured["snapshots"].as_array().map(Vec::len), Some(6));
        let metrics = &card(owner, &over, 1).await.body["metrics"];
        assert_eq!(metrics, &json!({ "regressions": 0, "improvements": 1 }));
        let reason = over.str("/phase_details/1/reason");
        assert_eq!(reason, "1 improvement and 0 regressions in 1 benchmark.");

        let found = artifact(owner, &over, "Findings").await;
        assert_eq!(found.str("/kind"), "security");
        assert!(!found.text.contains(PLANTED), "the secret is masked");
        let found = content(&found);
        assert_eq!(found["open"].as_array().map(Vec::len), Some(1), "{found}");
        assert_eq!(found["open"][0]["file"], "keys.env");
        assert_eq!(found["open"][0]["is_new"], true);
        let metrics = &card(owner, &over, 2).await.body["metrics"];
        assert_eq!(metrics["findings"]["critical"], 1, "{metrics}");
        let sarif = content(&artifact(owner, &over, "Findings as SARIF").await);
        assert_eq!(sarif["version"], "2.1.0");

        // The commands are on the page of the run, and nobody but Roost ran them.
        let run = over.str("/phase_details/1/runs/0/run_id").to_owned();
        assert_eq!(
            over.body["phase_details"][1]["runs"][0]["team_id"],
            Value::Null
        );
        let steps = owner.get(&format!("/api/topology-runs/{run}/steps/commands/calls"));
        let calls = steps.send().await;
        assert!(!calls.text.contains(PLANTED), "{}", calls.text);
        // The sandbox of the mission ends with it.
        eventually("the sandbox of the mission is gone", async || {
            let sandbox = owner.get(&format!("/api/missions/{id}/sandbox"));
            (sandbox.send().await.status == 404).then_some(())
        })
        .await;
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn benchmark_that_fails_or_prints_nothing_pauses_the_mission_with_its_words() {
    let bench = Bench::new(CODES).await;
    let owner = bench.gateway.owner().await;
    for (command, words) in [
        ("echo 'no such table' >&2; exit 7", "exit code 7"),
        ("echo hello", "printed no results that Roost reads"),
        ("echo 'read: NaN ns'", "printed no results that Roost reads"),
    ] {
        let new = json!({ "template_kind": "benchmark", "title": "Measure", "repo_id": bench.repo,
            "config": { "benchmark": { "command": command, "iterations": 1 } } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let paused = becomes(owner, &id, "paused").await;
        assert_eq!(paused.str("/status_reason"), "phase_failed");
        let detail = paused.str("/status_detail");
        assert!(detail.contains(words), "{command}: {detail}");
        let metrics = &card(owner, &paused, 0).await.body["metrics"];
        assert_eq!(
            metrics,
            &json!({ "regressions": null, "improvements": null })
        );
    }
    bench.stop().await;
}

/// Takes so long that a person can cancel it.
const SLOW: &str = "sleep 2; echo \"read: 5.$(date +%N) ns\"";

#[tokio::test(flavor = "multi_thread")]
async fn benchmark_that_was_cancelled_is_retried_in_a_new_sandbox_and_has_a_new_card() {
    for bench in Bench::on_each(CODES).await {
        let owner = bench.gateway.owner().await;
        let new = json!({ "template_kind": "custom", "title": "Measure", "repo_id": bench.repo,
            "config": { "phases": ["benchmark", "security_scan"],
                "benchmark": { "command": SLOW, "iterations": 2 } } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let run = eventually("it measures", async || {
            let now = mission(owner, &id).await;
            let run = now.body["phase_details"][0]["runs"][0].clone();
            (run["status"] == "running").then(|| run["run_id"].clone())
        })
        .await;
        let run = run.as_str().expect("an id");
        let cancel = owner.post(&format!("/api/topology-runs/{run}/cancel"));
        cancel.send().await;
        let paused = becomes(owner, &id, "paused").await;
        assert!(
            paused.str("/status_detail").contains("was cancelled"),
            "{paused:?}"
        );
        let phase = phase_id(&paused, 0);
        let retry = format!("/api/missions/{id}/phases/{phase}/retry");
        owner.post(&retry).expect(200).await;
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(phases(&over), ["completed", "completed"]);
        assert_eq!(over.body["phase_details"][0]["attempt"], 2);
        let card = card(owner, &over, 0).await;
        assert_eq!(card.body["attempt"], 2, "{card:?}");
        let measured = content(&artifact(owner, &over, "Measurements").await);
        assert_eq!(measured["before"], measured["after"], "{measured}");
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_sample_of_one_commit_says_that_nothing_can_be_said() {
    let bench = Bench::new(CODES).await;
    let owner = bench.gateway.owner().await;
    let new = json!({ "template_kind": "benchmark", "title": "Measure", "repo_id": bench.repo,
        "config": { "benchmark": { "command": MEASURES, "iterations": 1 } } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let over = becomes(owner, &id, "completed").await;
    let measured = content(&artifact(owner, &over, "Measurements").await);
    assert_eq!(
        measured["comparison"]["rows"][0]["verdict"],
        "too_few_samples"
    );
    let notes = measured["notes"].to_string();
    assert!(notes.contains("Both sides are the same commit"), "{notes}");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_of_probes_are_refused_with_their_place() {
    let bench = Bench::new(CODES).await;
    let owner = bench.gateway.owner().await;
    for (config, pointer) in [
        (
            json!({ "benchmark": { "iterations": 0 } }),
            "/config/benchmark/iterations",
        ),
        (json!({ "benchmark": 7 }), "/config/benchmark"),
        (
            json!({ "security": { "scanners": ["nmap"] } }),
            "/config/security/scanners/0",
        ),
        (
            json!({ "security": { "sarif": ["a.sarif", "../a.sarif"] } }),
            "/config/security/sarif/1",
        ),
        (json!({ "image": 7 }), "/config/image"),
    ] {
        let new = json!({ "template_kind": "security", "repo_id": bench.repo, "config": config });
        let refused = owner.post("/api/missions").json(&new).expect(400).await;
        assert!(refused.text.contains(pointer), "{}", refused.text);
    }
    bench.stop().await;
}

/// An agent that runs the repository's own tool, which finds one thing more now.
const LINTS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I lint it."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/out/lint.sarif", content = '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"ownlint"}},"results":[{"ruleId":"old","level":"error","message":{"text":"It was there."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.txt"},"region":{"startLine":1}}}]},{"ruleId":"young","level":"error","message":{"text":"It is new."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"b.txt"},"region":{"startLine":2}}}]}]}]}' } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Lint" } },
  ]
  [[scene.turn]]
  say = "Done."
"#;

const OLD_LOG: &str = r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"ownlint"}},"results":[{"ruleId":"old","level":"error","message":{"text":"It was there."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.txt"},"region":{"startLine":1}}}]}]}]}"#;
/// It says 2.1.0, and has the form of another version.
const LIES: &str =
    r#"{"version":"1.0.0","$schema":"https://json.schemastore.org/sarif-2.1.0.json","runLogs":[]}"#;
/// Its results do not have the form that its schema says.
const HALF_LIES: &str = r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"halflint"}},"results":[7,{"ruleId":"true","message":{"text":"One is one."}}]}]}"#;

#[tokio::test(flavor = "multi_thread")]
async fn sarif_files_of_the_repository_are_read_on_both_commits_and_one_that_lies_is_a_note() {
    let bench = Bench::new(LINTS).await;
    let owner = bench.gateway.owner().await;
    for (path, text) in [
        ("out/lint.sarif", OLD_LOG),
        ("lies.sarif", LIES),
        ("half.sarif", HALF_LIES),
    ] {
        let host = &bench.host;
        host.commit("acme/tools", "main", path, text.as_bytes())
            .await;
    }
    let coders = coders(owner).await;
    let new = json!({ "template_kind": "custom", "title": "Lint", "goal": "Lint it.", "repo_id": bench.repo,
        "config": { "phases": ["coding", "security_scan"], "phase_teams": { "coding": [coders] },
            "security": { "sarif": ["out/lint.sarif", "lies.sarif", "half.sarif", "none.sarif"] } } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let over = becomes(owner, &id, "completed").await;
    assert_eq!(phases(&over), ["completed", "completed"]);
    let found = content(&artifact(owner, &over, "Findings").await);
    let open = found["open"].as_array().expect("findings").iter();
    let mut open: Vec<(&str, bool)> = open
        .map(|one| {
            let rule = one["rule"].as_str().expect("a rule");
            (rule, one["is_new"] == true)
        })
        .collect();
    open.sort_unstable();
    assert_eq!(open, [("old", false), ("true", false), ("young", true)]);
    let notes = found["notes"].to_string();
    for part in [
        "lies.sarif of the branch was not read",
        "1 of 2 results of halflint",
        "none.sarif of the branch was not read: The commit has no such file.",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    let tools = found["tools"].as_array().expect("tools").iter();
    let ran: Vec<&str> = tools
        .filter(|tool| tool["ran"] == true)
        .filter_map(|tool| tool["tool"].as_str())
        .collect();
    assert!(ran.contains(&"SARIF file out/lint.sarif"), "{ran:?}");
    assert!(!ran.contains(&"SARIF file lies.sarif"), "{ran:?}");
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_of_a_launch_says_what_the_image_scans_with_and_what_it_lacks() {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let plan = async |config: Value| {
        let new = json!({ "template_kind": "custom", "title": "Scan", "goal": "Scan.", "repo_id": bench.repo,
            "config": config });
        let id = created(owner, &new).await;
        let plan = format!("/api/missions/{id}/launch-plan");
        owner.get(&plan).expect(200).await.body["probes"].clone()
    };
    let scans = plan(json!({ "phases": ["security_scan"], "image": "security" })).await;
    assert_eq!(scans["image"], "security");
    assert_eq!(
        scans["scanners"],
        json!(["roost secrets", "bandit", "semgrep"])
    );
    assert_eq!(scans["lacks"], json!([]));
    let scans = plan(json!({ "phases": ["security_scan"], "image": "base" })).await;
    assert_eq!(scans["scanners"], json!(["roost secrets"]));
    let lacks = scans["lacks"].to_string();
    assert!(lacks.contains("The image security has bandit"), "{lacks}");
    let benchmark = json!({ "command": "true" });
    let measures =
        plan(json!({ "phases": ["benchmark"], "image": "base", "benchmark": benchmark })).await;
    assert_eq!(
        measures,
        json!({ "image": "base", "scanners": [], "lacks": [] })
    );
    bench.stop().await;
}

//! The files around the steps of runs: they are recorded, a fork begins with them, and a comparison gives equal ones.

use std::path::Path;

use roost_tests::{Answer, Client, Gateway, Person, ScratchPostgres, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{over, started, steps};
use crate::program::cli::Terminal;

/// The first agent writes a note. The second says what it reads, and writes another one.
const SCRIPT: &str = r#"
[[scene]]
slot = "first"
  [[scene.turn]]
  say = "I write."
  calls = [{ tool = "shell", arguments = { command = "echo one > /workspace/note" } }]
  [[scene.turn]]
  say = "Written."
[[scene]]
slot = "second"
  [[scene.turn]]
  say = "I read."
  calls = [{ tool = "shell", arguments = { command = "printf 'note=%s\n' \"$(cat /workspace/note)\"; echo two > /workspace/note" } }]
  [[scene.turn]]
  when = 'note=(?<word>\w+)'
  say = "The note said ${word}."
  [[scene.turn]]
  say = "There was no note."
"#;

/// The settings of a gateway whose agents speak and act by the script, which is written into this folder.
pub(super) fn settings(folder: &Path) -> [(&'static str, String); 2] {
    let script = folder.join("script.toml");
    std::fs::write(&script, SCRIPT).expect("written");
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    [
        ("runs.script", script.display().to_string()),
        ("sandboxes.image", image),
    ]
}

struct Bench {
    gateway: Gateway,
    scratch: Option<ScratchPostgres>,
    _folder: TempDir,
}

impl Bench {
    async fn on_each() -> Vec<Self> {
        let mut all = vec![Self::new(None).await];
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push(Self::new(Some(scratch)).await);
        }
        all
    }

    async fn new(scratch: Option<ScratchPostgres>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let gateway = Gateway::start_like(&settings(folder.path()), scratch.as_ref()).await;
        Self {
            gateway,
            scratch,
            _folder: folder,
        }
    }

    async fn end(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }

    async fn change(&self, sql: &str) {
        let db = self.gateway.app().db();
        let statement = Statement::from_string(db.backend().into(), sql);
        let tx = db.write().await.expect("a transaction");
        tx.execute_raw(statement).await.expect("it is written");
        tx.commit().await.expect("it is committed");
    }
}

pub(super) async fn team(owner: &Client, slots: &[&str]) -> Value {
    let roles: Vec<Value> = slots.iter().map(|slot| json!({ "slot": slot })).collect();
    let new = json!({
        "name": roost_tests::unique("Line"), "topology": if slots.len() > 1 { "pipeline" } else { "single" },
        "roles": roles, "model_binding": "scripted", "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"],
        "shared_sandbox": true,
    });
    owner.post("/api/teams").json(&new).expect(201).await.body
}

pub(super) fn step<'a>(run: &'a Answer, key: &str) -> &'a Value {
    let steps = run.body["steps"].as_array().expect("steps");
    let found = steps.iter().find(|step| step["key"] == key);
    found.unwrap_or_else(|| panic!("no step {key}: {run:?}"))
}

async fn fork(owner: &Person, run: &str, body: Value) -> Answer {
    let path = format!("/api/topology-runs/{run}/fork");
    let fork = owner.post(&path).json(&body).expect(202).await;
    over(owner, fork.str("/id")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn fork_begins_with_the_files_of_its_step_although_later_steps_changed_them() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let team = team(owner, &["first", "second"]).await;
        let run = started(owner, &team).await;
        let whole = over(owner, &run).await;
        assert_eq!(steps(&whole), ["first done", "second done"], "{whole:?}");
        let (first, second) = (
            &step(&whole, "first")["files"],
            &step(&whole, "second")["files"],
        );
        let digest = |at: &Value| at["digest"].as_str().unwrap_or_default().to_owned();
        assert_eq!(digest(&first["began"]).len(), 64, "{first}");
        assert_ne!(digest(&first["began"]), digest(&first["ended"]));
        assert_eq!(digest(&first["ended"]), digest(&second["began"]));
        assert_ne!(digest(&second["began"]), digest(&second["ended"]));
        let begins = &step(&whole, "second")["fork_files"];
        assert_eq!(begins.as_array().map(Vec::len), Some(1), "{begins}");
        assert_eq!(digest(&begins[0]), digest(&second["began"]));
        assert!(whole.str("/result/text").contains("said one"), "{whole:?}");

        let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
        let journal = terminal.runs(&["run", "journal", &run, "second"]).await;
        let (began, ended) = (digest(&second["began"]), digest(&second["ended"]));
        let head = format!(
            "files began with {}, ended with {}\n",
            &began[..12],
            &ended[..12]
        );
        assert!(
            journal.out.starts_with(&head),
            "{}{}",
            journal.out,
            journal.err
        );

        let forked = fork(owner, &run, json!({ "step": "second" })).await;
        assert!(
            forked.str("/result/text").contains("said one"),
            "{forked:?}"
        );
        let start = &forked.body["start_files"][0];
        assert_eq!(digest(start), digest(&second["began"]));
        assert!(start["restored_at"].is_string(), "{start}");
        assert_eq!(
            digest(&step(&forked, "second")["files"]["began"]),
            digest(start)
        );
        assert_eq!(
            digest(&step(&forked, "first")["files"]["ended"]),
            digest(start)
        );

        // Without files it works with those of now.
        let body = json!({ "step": "second", "without_files": true });
        let plain = fork(owner, &run, body).await;
        assert!(plain.str("/result/text").contains("said two"), "{plain:?}");
        assert_eq!(plain.body["start_files"], json!([]));

        // The snapshot is gone: the fork is refused, and says what to do.
        let gone = format!(
            "DELETE FROM workspace_snapshots WHERE digest = '{}'",
            digest(&second["began"])
        );
        bench.change(&gone).await;
        let path = format!("/api/topology-runs/{run}/fork");
        let refused = owner.post(&path).json(&json!({ "step": "second" }));
        let refused = refused.expect(409).await;
        assert!(
            refused.str("/detail").contains("without files"),
            "{refused:?}"
        );
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_of_a_comparison_begin_with_equal_files() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let origin = team(owner, &["first", "second"]).await;
        let run = started(owner, &origin).await;
        over(owner, &run).await;
        let (one, two) = (
            team(owner, &["second"]).await,
            team(owner, &["second"]).await,
        );
        let path = "/api/topology-runs/compare";
        let body = |teams: [&Value; 2]| {
            json!({
                "input": "Say what the note says.", "files": { "run_id": run, "step": "second" },
                "candidates": teams.map(|team| json!({ "team_id": team["id"] })),
            })
        };
        let twice = owner.post(path).json(&body([&one, &one]));
        let twice = twice.expect(400).await;
        assert_eq!(twice.str("/errors/0/pointer"), "/candidates/1/team_id");
        let compared = owner.post(path).json(&body([&one, &two])).expect(202).await;
        let compared = over(owner, compared.str("/id")).await;
        let candidates = compared.body["comparison"]["candidates"]
            .as_array()
            .expect("two");
        for candidate in candidates {
            let text = candidate["output"].as_str().unwrap_or_default();
            assert!(text.contains("said one"), "{candidate}");
        }
        // Now both sandboxes have files, so a person chooses.
        let with = |files: Value| {
            let mut new = body([&one, &two]);
            new["files"] = files;
            new
        };
        let unchosen = owner.post(path).json(&with(Value::Null));
        let unchosen = unchosen.expect(400).await;
        assert_eq!(unchosen.str("/errors/0/pointer"), "/files");
        assert!(unchosen.str("/errors/0/detail").contains("`empty`"));
        let mixed = json!({ "from": "empty", "run_id": run });
        let mixed = owner.post(path).json(&with(mixed)).expect(400).await;
        assert_eq!(mixed.str("/errors/0/pointer"), "/files/run_id");
        let terminal = Terminal::signed_in(&bench.gateway.url(), &owner.token).await;
        let said = async |from: &str| {
            let begun = owner.post(path).json(&with(json!({ "from": from })));
            let compared = over(owner, begun.expect(202).await.str("/id")).await;
            let shown = terminal.runs(&["run", "show", compared.str("/id")]).await;
            let begins_empty = shown.out.contains("its sandboxes begin empty");
            assert_eq!(begins_empty, from == "empty", "{} {}", shown.out, shown.err);
            let candidates = compared.body["comparison"]["candidates"].clone();
            let of = |at: usize| candidates[at]["output"].as_str().map(str::to_owned);
            [of(0), of(1)].map(Option::unwrap_or_default)
        };
        for text in said("empty").await {
            assert!(text.contains("There was no note."), "{text}");
        }
        // What each wrote in the comparison before is what it has.
        for text in said("own").await {
            assert!(text.contains("said two"), "{text}");
        }
        bench.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshots_of_steps_stay_as_long_as_the_outputs_of_their_run() {
    for bench in Bench::on_each().await {
        let owner = bench.gateway.owner().await;
        let team = team(owner, &["first", "second"]).await;
        let run = started(owner, &team).await;
        let whole = over(owner, &run).await;
        let count = async |rest: &str| {
            let db = bench.gateway.app().db();
            let sql = format!("SELECT COUNT(*) AS n FROM workspace_snapshots {rest}");
            let statement = Statement::from_string(db.backend().into(), sql);
            let row = db
                .read()
                .query_one_raw(statement)
                .await
                .expect("it is read");
            row.expect("a row")
                .try_get::<i64>("", "n")
                .expect("a number")
        };
        let sweep = async || {
            let db = bench.gateway.app().db();
            let tx = db.write().await.expect("a transaction");
            let far = chrono::Utc::now() + chrono::TimeDelta::days(1);
            let done = roost_machines::sandboxes::forget_snapshots(&tx, far).await;
            assert!(!done.expect("it is swept"));
            tx.commit().await.expect("it is committed");
        };
        // The latest one that is in the store stays too, so a late upload would keep two.
        eventually("each snapshot is in the gateway's store", async || {
            (count("WHERE uploaded_at IS NULL").await == 0).then_some(())
        })
        .await;
        sweep().await;
        assert_eq!(count("").await, 3, "{whole:?}");
        bench.change("DELETE FROM run_step_files").await;
        sweep().await;
        assert_eq!(count("").await, 1);
        bench.end().await;
    }
}

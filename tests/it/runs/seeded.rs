//! Crash evidence: seeded histories in which the gateway is killed (-9) at random moments
//! while teams work, and afterwards the books are read: one output row a step, one effect a key, ends that never change,
//! late writes refused, no event lost or doubled.
//!
//! The agents' commands are real: each appends a line of its own to a file in a real sandbox, which is counted at the end.
//! `ROOST_TEST_SEEDS=<n>` plays so many histories (CI plays a few), `ROOST_TEST_SEED=<n>` begins with another.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use roost_tests::{Answer, Book, Client, Follower, Process, ScratchPostgres, Store, eventually};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::sleep;

/// Histories a back end when nothing else is said.
const FEW: u64 = 2;
/// Runs under way at the same time.
const RUNS: usize = 3;
/// Steps of a run, and what each does: two commands, three turns of its model.
const STEPS: [&str; 3] = ["first", "second", "third"];
const CALLS_A_STEP: usize = 5;

/// What the agents do; each command leaves a line, and takes a moment, so that a gateway dies in the middle of some.
const SCRIPT: &str = r#"
[[scene]]
  [[scene.turn]]
  when = 'run (?<run>[0-9]+)'
  say = "I begin."
  calls = [{ tool = "shell", arguments = { command = "echo one >> /workspace/book; sleep 0.1" } }]
  [[scene.turn]]
  say = "I go on."
  calls = [{ tool = "shell", arguments = { command = "echo two >> /workspace/book; sleep 0.1" } }]
  [[scene.turn]]
  say = "Done."
"#;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

#[tokio::test]
async fn whoever_dies_whenever_each_step_is_done_once_and_each_command_ran_once() {
    let first = number("ROOST_TEST_SEED", 1);
    for seed in first..first + number("ROOST_TEST_SEEDS", FEW) {
        History::begin(seed, Store::Sqlite).await.play().await;
        if let Some(scratch) = ScratchPostgres::new().await {
            let store = Store::Postgres(scratch.url().to_owned());
            History::begin(seed, store).await.play().await;
            scratch.remove().await;
        }
    }
}

struct History {
    seed: u64,
    chance: StdRng,
    _folder: TempDir,
    process: Process,
    owner: Client,
    follower: Follower,
    book: Book,
}

impl History {
    async fn begin(seed: u64, store: Store) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script.toml");
        std::fs::write(&script, SCRIPT).expect("the script is written");
        let script = script.display().to_string();
        let image = image();
        let set = [
            ("sandboxes.local", "on"),
            ("runs.script", &*script),
            ("sandboxes.image", &*image),
        ];
        let process = Process::start_with(folder.path(), &store, &set).await;
        let anonymous = Client::new(&process.url());
        let login = json!({ "one_time": process.first_login() });
        let login = anonymous
            .post("/api/auth/login")
            .json(&login)
            .expect(200)
            .await;
        let owner = anonymous.with_token(login.str("/token"));
        Self {
            seed,
            chance: StdRng::seed_from_u64(seed),
            follower: Follower::start(vec![owner.clone()]),
            book: Book::open(&process.database()).await,
            _folder: folder,
            process,
            owner,
        }
    }

    async fn play(mut self) {
        let mut teams = Vec::new();
        for n in 0..RUNS {
            let roles: Vec<_> = STEPS.iter().map(|slot| json!({ "slot": slot })).collect();
            let team = json!({ "name": format!("Team {n}"), "topology": "pipeline", "roles": roles,
                "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"] });
            let team = self.owner.post("/api/teams").json(&team).expect(201).await;
            teams.push(team);
        }
        let mut runs = Vec::new();
        for (n, team) in teams.iter().enumerate() {
            let path = format!("/api/teams/{}/run", team.str("/id"));
            let goal = json!({ "input": format!("This is run {n}.") });
            runs.push(
                self.owner
                    .post(&path)
                    .json(&goal)
                    .expect(202)
                    .await
                    .str("/id")
                    .to_owned(),
            );
        }
        let mut ends: HashMap<String, String> = HashMap::new();
        for _ in 0..self.chance.random_range(2..5) {
            sleep(Duration::from_millis(self.chance.random_range(0..1_200))).await;
            self.process.kill();
            self.process.again().await;
            self.ends_stay(&runs, &mut ends).await;
        }
        for run in &runs {
            let ended = super::over(&self.owner, run).await;
            assert_eq!(
                ended.body["status"], "completed",
                "seed {}: {ended:?}",
                self.seed
            );
            self.is_whole(&ended).await;
        }
        self.ends_stay(&runs, &mut ends).await;
        for team in &teams {
            self.each_command_ran_once(team).await;
        }
        let head = self.book.events_are_whole().await;
        self.follower.saw_all(head).await;
        for team in &teams {
            let path = format!("/api/claws/{}/sandbox", team.str("/workbench_agent_id"));
            let _ = self.owner.delete(&path).try_send().await;
        }
        self.book.close().await;
        self.process.kill();
    }

    /// What is over once stays as it is.
    async fn ends_stay(&self, runs: &[String], ends: &mut HashMap<String, String>) {
        for run in runs {
            let path = format!("/api/topology-runs/{run}");
            let now = self.owner.get(&path).expect(200).await;
            let status = now.str("/status").to_owned();
            if let Some(before) = ends.get(run) {
                assert_eq!(before, &status, "seed {}: an end changed", self.seed);
            }
            if matches!(&*status, "completed" | "failed" | "cancelled") {
                ends.insert(run.clone(), status);
            }
        }
    }

    /// Each step has one output, and its journal each entry once.
    async fn is_whole(&self, run: &Answer) {
        let seed = self.seed;
        let expected: Vec<String> = STEPS.iter().map(|slot| format!("{slot} done")).collect();
        assert_eq!(super::steps(run), expected, "seed {seed}");
        assert_eq!(run.body["steps_done"], STEPS.len(), "seed {seed}");
        let path = format!("/api/topology-runs/{}/calls", run.str("/id"));
        let calls = self.owner.get(&path).expect(200).await;
        let mut places: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for call in calls.body["items"].as_array().expect("calls") {
            let step = call["step"].as_str().expect("a step").to_owned();
            places
                .entry(step)
                .or_default()
                .push(call["index"].as_i64().expect("a place"));
            assert_eq!(call["failed"], false, "seed {seed}: {call}");
        }
        for (step, mut found) in places {
            found.sort_unstable();
            let all: Vec<i64> = (0..).take(CALLS_A_STEP).collect();
            assert_eq!(found, all, "seed {seed}: {step}");
        }
    }

    /// The sandbox's own book: every command left its line, and none left two.
    async fn each_command_ran_once(&self, team: &Answer) {
        let path = format!(
            "/api/claws/{}/sandbox/exec?wait=true",
            team.str("/workbench_agent_id")
        );
        let steps = STEPS.len();
        let count = format!(
            "cat /workspace/book; test $(grep -c one /workspace/book) = {steps} && test $(grep -c two /workspace/book) = {steps}"
        );
        let count = json!({ "argv": ["sh", "-c", count] });
        let told = eventually("the sandbox answers", async || {
            let answer = self.owner.post(&path).json(&count).send().await;
            (answer.status == 200).then_some(answer)
        })
        .await;
        assert_eq!(told.body["code"], 0, "seed {}: {told:?}", self.seed);
    }
}

//! What teams do in a history, and what the database must contain after it.

use std::collections::{BTreeMap, HashMap};

use roost_tests::{Answer, Client, eventually};
use serde_json::json;

/// Runs under way at the same time.
const RUNS: usize = 3;
/// Steps of a run, and what each does: two commands, three turns of its model.
const STEPS: [&str; 3] = ["first", "second", "third"];
const CALLS_A_STEP: usize = 5;

/// What the agents do; each command leaves a line, and takes a moment, so that somebody dies in the middle of some.
pub const SCRIPT: &str = r#"
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

/// How often each command must have run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    /// Its sandbox lived all the time.
    Once,
    /// Its sandbox may have died over it, and its inspector with it: the agent was told that nobody knows.
    AtMostOnce,
}

/// Teams at work, and how their runs ended so far.
#[derive(Debug)]
pub struct Work {
    seed: u64,
    teams: Vec<Answer>,
    runs: Vec<String>,
    ends: HashMap<String, String>,
}

impl Work {
    /// Makes the teams and starts a run of each.
    pub async fn begin(seed: u64, owner: &Client) -> Self {
        let (mut teams, mut runs) = (Vec::new(), Vec::new());
        for n in 0..RUNS {
            let roles: Vec<_> = STEPS.iter().map(|slot| json!({ "slot": slot })).collect();
            let team = json!({ "name": format!("Team {n}"), "topology": "pipeline", "roles": roles,
                "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"] });
            teams.push(owner.post("/api/teams").json(&team).expect(201).await);
        }
        for (n, team) in teams.iter().enumerate() {
            let path = format!("/api/teams/{}/run", team.str("/id"));
            let goal = json!({ "input": format!("This is run {n}.") });
            let run = owner.post(&path).json(&goal).expect(202).await;
            runs.push(run.str("/id").to_owned());
        }
        Self {
            seed,
            teams,
            runs,
            ends: HashMap::new(),
        }
    }

    /// What is over once stays as it is. Answers whether all are over.
    pub async fn ends_stay(&mut self, owner: &Client) -> bool {
        for run in &self.runs {
            let now = patient(owner, &format!("/api/topology-runs/{run}")).await;
            let status = now.str("/status").to_owned();
            if let Some(before) = self.ends.get(run) {
                assert_eq!(before, &status, "seed {}: an end changed", self.seed);
            }
            if matches!(&*status, "completed" | "failed" | "cancelled") {
                self.ends.insert(run.clone(), status);
            }
        }
        self.ends.len() == self.runs.len()
    }

    /// Waits until all are over and reads the books.
    pub async fn finish(mut self, owner: &Client, ran: Ran) {
        let seed = self.seed;
        for run in self.runs.clone() {
            let ended = eventually("the run is over", async || {
                let answer = patient(owner, &format!("/api/topology-runs/{run}")).await;
                let status = answer.str("/status").to_owned();
                matches!(&*status, "completed" | "failed" | "cancelled").then_some(answer)
            })
            .await;
            assert_eq!(ended.body["status"], "completed", "seed {seed}: {ended:?}");
            self.is_whole(owner, &ended, ran).await;
        }
        self.ends_stay(owner).await;
        for team in &self.teams {
            self.commands_ran(owner, team, ran).await;
        }
    }

    /// Each step has one output, and its journal each entry once.
    async fn is_whole(&self, owner: &Client, run: &Answer, ran: Ran) {
        let seed = self.seed;
        let expected: Vec<String> = STEPS.iter().map(|slot| format!("{slot} done")).collect();
        assert_eq!(crate::execution::runs::steps(run), expected, "seed {seed}");
        assert_eq!(run.body["steps_done"], STEPS.len(), "seed {seed}");
        let calls = patient(
            owner,
            &format!("/api/topology-runs/{}/calls", run.str("/id")),
        )
        .await;
        let mut places: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for call in calls.body["items"].as_array().expect("calls") {
            let step = call["step"].as_str().expect("a step").to_owned();
            let place = call["index"].as_i64().expect("a place");
            places.entry(step).or_default().push(place);
            let told = ran == Ran::AtMostOnce && call["kind"] == "tool";
            assert!(call["failed"] == false || told, "seed {seed}: {call}");
        }
        for (step, mut found) in places {
            found.sort_unstable();
            let all: Vec<i64> = (0..).take(CALLS_A_STEP).collect();
            assert_eq!(found, all, "seed {seed}: {step}");
        }
    }

    /// The sandbox's own inspector: every command left its line, and none left two.
    async fn commands_ran(&self, owner: &Client, team: &Answer, ran: Ran) {
        let team = team.str("/id");
        let (compare, steps) = match ran {
            Ran::Once => ("=", STEPS.len()),
            Ran::AtMostOnce => ("-le", STEPS.len()),
        };
        let count = format!(
            "touch /workspace/book; cat /workspace/book; test $(grep -c one /workspace/book) {compare} {steps} && \
             test $(grep -c two /workspace/book) {compare} {steps}"
        );
        let count = json!({ "argv": ["sh", "-c", count] });
        let path = format!("/api/teams/{team}/sandbox/exec?wait=true");
        let told = eventually("the sandbox answers", async || {
            let answer = owner.post(&path).json(&count).try_send().await.ok()?;
            // A sandbox that died with its engine after the last command has no inspector, and none to contradict.
            let gone = ran == Ran::AtMostOnce
                && (answer.status == 409 || answer.body["state"] == "failed");
            (answer.body["state"] == "done" || gone).then_some(answer)
        })
        .await;
        if told.body["state"] == "done" {
            assert_eq!(told.body["code"], 0, "seed {}: {told:?}", self.seed);
        }
    }

    /// Gives the sandboxes back.
    pub async fn clear(teams: Vec<String>, owner: &Client) {
        for team in teams {
            let path = format!("/api/teams/{team}/sandbox");
            let _ = owner.delete(&path).try_send().await;
        }
    }

    /// The ids of the teams, which own sandboxes.
    pub fn team_ids(&self) -> Vec<String> {
        let id = |team: &Answer| team.str("/id").to_owned();
        self.teams.iter().map(id).collect()
    }
}

/// Reads from a gateway whose database may be away.
async fn patient(owner: &Client, path: &str) -> Answer {
    eventually("the gateway answers", async || {
        let answer = owner.get(path).try_send().await.ok()?;
        (answer.status == 200).then_some(answer)
    })
    .await
}

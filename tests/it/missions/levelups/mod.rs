//! Level-ups: how proposals are made, what applying them does, and answers that cannot be trusted.

mod decisions;
mod effects;
mod ends;
mod hostile;
mod killed;
mod making;
mod terminal;

pub use killed::KILLED_THERE;

use std::path::PathBuf;

use roost_gateway::app::Surroundings;
use roost_tests::{Client, Gateway, Person, ScratchPostgres, Store};
use serde_json::{Value, json};

/// What the script says when work is to be done: a verdict that rejects it.
const WORK: &str = r#"
[[scene]]
purpose = "work"
  [[scene.turn]]
  say = "I changed the parser. REVIEW follows.\nREVIEW_BLOCK: INT-01"
"#;

/// A script that says this, one answer after the other, when an agent or a team is to be improved. `${agent}` in it is
/// the id of the first agent.
fn script(answers: &[String]) -> String {
    let mut script = format!("{WORK}\n[[scene]]\npurpose = \"level_up\"\n");
    for (place, answer) in answers.iter().enumerate() {
        script.push_str("  [[scene.turn]]\n");
        if place == 0 {
            script.push_str("  when = '\"agent_id\": \"(?<agent>[0-9a-f-]{36})\"'\n");
        }
        script.push_str(&format!("  say = {}\n", json!(answer)));
    }
    script
}

/// An answer with these items.
fn answer(items: &[Value]) -> String {
    json!({ "summary": "What I saw.", "items": items }).to_string()
}

/// An item of the first agent, with evidence that every proposal has.
fn item(kind: &str, more: Value) -> Value {
    let mut item = json!({ "kind": kind, "agent_id": "${agent}", "summary": format!("a {kind}"), "rationale": "because",
        "evidence": [{ "source": "roster", "excerpt": "bundles:" }] });
    let (Some(fields), Some(more)) = (item.as_object_mut(), more.as_object()) else {
        panic!("objects");
    };
    fields.extend(more.clone());
    item
}

/// A gateway on a back end, with a script.
struct Place {
    gateway: Gateway,
    scratch: Option<ScratchPostgres>,
    _folder: tempfile::TempDir,
}

impl Place {
    /// One on each back end.
    async fn on_each(script: &str) -> Vec<Self> {
        let mut all = vec![Self::on(script, None).await];
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push(Self::on(script, Some(scratch)).await);
        }
        all
    }

    async fn on(script: &str, scratch: Option<ScratchPostgres>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder, script);
        let set = [
            ("sandboxes.local", "off"),
            ("runs.script", path.to_str().expect("text")),
        ];
        let store = match &scratch {
            Some(scratch) => Store::Postgres(scratch.url().to_owned()),
            None => Store::Sqlite,
        };
        let data = tempfile::tempdir().expect("a folder");
        let gateway = Gateway::start_in(data, &store, &set, Surroundings::default()).await;
        Self {
            gateway: gateway.expect("the gateway starts"),
            scratch,
            _folder: folder,
        }
    }

    async fn owner(&self) -> &Person {
        self.gateway.owner().await
    }

    async fn stop(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }
}

/// The script as a file.
fn written(folder: &tempfile::TempDir, script: &str) -> PathBuf {
    let path = folder.path().join("script.toml");
    std::fs::write(&path, script).expect("the script is written");
    path
}

/// An agent with a prompt and a brain; its id.
async fn agent(client: &Client) -> String {
    let new = json!({ "name": roost_tests::unique("ada"), "system_prompt": "You code.", "brain_seed": "# Notes\n\nTests are slow." });
    let made = client.post("/api/claws").json(&new).expect(201).await;
    made.str("/id").to_owned()
}

/// A team of one agent with a new slot; its id and that of its agent.
async fn team(client: &Client) -> (String, String) {
    let new = json!({ "name": "Ledger", "topology": "single", "roles": [{ "slot": "coder" }] });
    let team = client.post("/api/teams").json(&new).expect(201).await;
    let member = team.str("/members/0/agent_id").to_owned();
    (team.str("/id").to_owned(), member)
}

/// Makes a proposal for an agent; its path.
async fn proposed(client: &Client, agent: &str) -> String {
    proposed_at(client, &format!("/api/claws/{agent}/level-up")).await
}

/// Makes a proposal at this path; the proposal's path.
async fn proposed_at(client: &Client, path: &str) -> String {
    let made = client.post(path).expect(201).await;
    format!("/api/level-up-proposals/{}", made.str("/proposal_id"))
}

/// Approves these items.
fn approval(items: &[&str]) -> Value {
    json!({ "approved_item_ids": items })
}

/// How often the audit log has an action.
async fn audited(client: &Client, action: &str) -> usize {
    let page = client.get(&format!("/api/audit?action={action}&limit=200"));
    let page = page.expect(200).await;
    page.body["items"].as_array().expect("items").len()
}

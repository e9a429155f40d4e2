//! `roost claw`: agents.

use std::process::ExitCode;

use anyhow::{bail, ensure};
use http::Method;
use serde_json::{Value, json};

use super::Api;
use super::show::{self, field};

/// Agents.
#[derive(Debug, clap::Subcommand)]
pub enum Claw {
    /// Create an agent that you manage
    Create {
        name: String,
        #[arg(long)]
        role: Option<String>,
        #[arg(long, value_name = "TEXT")]
        system_prompt: Option<String>,
    },
    /// List agents
    List,
    /// Show one agent, by id or name
    Show { claw: String },
    /// Delete an agent: softly, or with --purge for good
    Delete {
        claw: String,
        /// Remove it with everything that it has
        #[arg(long)]
        purge: bool,
    },
}

impl Claw {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create {
                name,
                role,
                system_prompt,
            } => {
                let mut body = json!({ "name": name });
                for (key, value) in [("role", role), ("system_prompt", system_prompt)] {
                    if let Some(value) = value {
                        body[key] = value.into();
                    }
                }
                let claw = api.post("/api/claws", &body).await?;
                one(api, &claw);
            }
            Self::List => {
                let items = all(api).await?;
                if api.json {
                    show::json(&json!(items));
                } else {
                    let cell = |claw: &Value| {
                        ["name", "status", "sandbox.state", "sandbox.node_name", "id"]
                            .map(|path| field(claw, path))
                            .to_vec()
                    };
                    let rows: Vec<_> = items.iter().map(cell).collect();
                    show::table(&["NAME", "STATUS", "SANDBOX", "MACHINE", "ID"], &rows);
                }
            }
            Self::Show { claw } => {
                let id = find(api, &claw).await?;
                one(api, &api.get(&format!("/api/claws/{id}")).await?);
            }
            Self::Delete { claw, purge } => {
                let id = find(api, &claw).await?;
                let query = if purge { "?purge=true" } else { "" };
                let answer = api
                    .call(Method::DELETE, &format!("/api/claws/{id}{query}"), None)
                    .await?;
                if api.json {
                    show::json(&answer);
                } else if purge {
                    println!("The purge has begun and finishes by itself.");
                } else {
                    println!("Deleted.");
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn one(api: &Api, claw: &Value) {
    if api.json {
        return show::json(claw);
    }
    for (label, path) in [
        ("name", "name"),
        ("id", "id"),
        ("role", "role"),
        ("status", "status"),
        ("managed by", "managed_by.email"),
        ("sandbox", "sandbox.state"),
        ("machine", "sandbox.node_name"),
    ] {
        println!("{label:<11} {}", field(claw, path));
    }
    println!("{:<11} {}", "created", show::moment(claw, "created_at"));
}

/// Every agent.
async fn all(api: &Api) -> anyhow::Result<Vec<Value>> {
    all_of(api, "/api/claws").await
}

/// A whole list, page by page.
pub(super) async fn all_of(api: &Api, list: &str) -> anyhow::Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let path = match &cursor {
            None => format!("{list}?limit=200"),
            Some(cursor) => format!("{list}?limit=200&cursor={cursor}"),
        };
        let page = api.get(&path).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return Ok(items);
        }
    }
}

/// The id of the agent that `wanted` names: an id, or a name that only one has.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<String> {
    if uuid::Uuid::parse_str(wanted).is_ok() {
        return Ok(wanted.to_owned());
    }
    let named: Vec<String> = all(api)
        .await?
        .iter()
        .filter(|claw| claw["name"] == wanted)
        .filter_map(|claw| claw["id"].as_str().map(str::to_owned))
        .collect();
    ensure!(
        named.len() < 2,
        "{} agents are called {wanted:?}; name one by its id",
        named.len()
    );
    match named.into_iter().next() {
        Some(id) => Ok(id),
        None => bail!("no agent is called {wanted:?}; see `roost claw list`"),
    }
}

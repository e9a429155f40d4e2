//! `roost sandbox`: sandboxes of agents.

use std::process::ExitCode;

use http::Method;
use serde_json::{Value, json};

use super::show::{self, field};
use super::{Api, claws, exec};

/// Sandboxes.
#[derive(Debug, clap::Subcommand)]
pub enum Sandbox {
    /// Give an agent its sandbox and wait until it runs
    Provision {
        /// Id or name of the agent
        claw: String,
        /// Another image than the deployment's
        #[arg(long)]
        image: Option<String>,
        /// Memory in MiB; the workspace gets half of it
        #[arg(long, value_name = "MIB")]
        memory: Option<u64>,
        /// Processors, as 0.5
        #[arg(long)]
        cpus: Option<f64>,
    },
    /// Show an agent's sandbox with its hardening report
    Show {
        /// Id or name of the agent
        claw: String,
    },
    /// Run a command in an agent's sandbox; its exit code is this one's
    #[command(
        after_help = "Examples:\n  roost sandbox exec ada -- uname -a\n  tar c src | roost sandbox exec ada -- tar x\n  roost sandbox exec -t ada -- bash"
    )]
    Exec(exec::Exec),
    /// Store the workspace and end the sandbox
    Destroy {
        /// Id or name of the agent
        claw: String,
    },
}

impl Sandbox {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Provision {
                claw,
                image,
                memory,
                cpus,
            } => {
                let id = claws::find(api, &claw).await?;
                let body = wanted(image, memory, cpus);
                let path = format!("/api/claws/{id}/sandbox");
                let made = waiting("making the sandbox", api.post(&path, &body)).await?;
                one(api, &made);
            }
            Self::Show { claw } => {
                let id = claws::find(api, &claw).await?;
                one(api, &api.get(&format!("/api/claws/{id}/sandbox")).await?);
            }
            Self::Exec(exec) => return exec.run(api).await,
            Self::Destroy { claw } => {
                let id = claws::find(api, &claw).await?;
                let path = format!("/api/claws/{id}/sandbox");
                waiting("ending the sandbox", api.call(Method::DELETE, &path, None)).await?;
                if !api.json {
                    println!("The sandbox is gone; its workspace is stored on its machine.");
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn wanted(image: Option<String>, memory: Option<u64>, cpus: Option<f64>) -> Value {
    let mut body = json!({});
    if let Some(image) = image {
        body["image"] = image.into();
    }
    if let Some(mib) = memory {
        body["limits"]["memory_bytes"] = (mib * 1024 * 1024).into();
        body["limits"]["workspace_bytes"] = (mib * 512 * 1024).into();
    }
    if let Some(cpus) = cpus {
        body["limits"]["nano_cpus"] = ((cpus * 1e9) as u64).into();
    }
    body
}

/// Says how long something takes while it does.
async fn waiting<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    let mut tick = tokio::time::interval(std::time::Duration::from_millis(200));
    let begun = tokio::time::Instant::now();
    let answer = loop {
        tokio::select! {
            answer = work.as_mut() => break answer,
            _ = tick.tick() => show::progress(&format!("{what}… {:.1} s", begun.elapsed().as_secs_f32())),
        }
    };
    show::progress_over();
    answer
}

fn one(api: &Api, sandbox: &Value) {
    if api.json {
        return show::json(sandbox);
    }
    for (label, path) in [
        ("sandbox", "id"),
        ("state", "state"),
        ("machine", "node_name"),
        ("image", "image"),
        ("container", "container"),
        ("why", "detail"),
        ("lease until", "lease_until"),
    ] {
        println!("{label:<12} {}", field(sandbox, path));
    }
    let limit = |name: &str| sandbox["limits"][name].as_u64();
    println!(
        "{:<12} {} memory, {} workspace",
        "limits",
        show::bytes(limit("memory_bytes")),
        show::bytes(limit("workspace_bytes"))
    );
    if let Some(reason) = sandbox["fallback"]["reason"].as_str() {
        println!(
            "{:<12} wanted on {}, but {}",
            "fallback",
            field(sandbox, "fallback.wanted"),
            show::clean(reason)
        );
    }
    let facts = sandbox["hardening"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let good = facts
        .iter()
        .filter(|fact| fact["ok"] == json!(true))
        .count();
    if facts.is_empty() {
        println!("{:<12} no report yet", "hardening");
    } else {
        println!(
            "{:<12} {good} of {} facts as intended, read from inside",
            "hardening",
            facts.len()
        );
    }
    for fact in facts.iter().filter(|fact| fact["ok"] != json!(true)) {
        println!(
            "  {}: wanted {}, found {}",
            field(fact, "title"),
            field(fact, "expected"),
            field(fact, "actual")
        );
    }
}

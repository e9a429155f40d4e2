//! `roost sandbox`: sandboxes of agents and teams.

use std::process::ExitCode;

use crate::api::types::{NewLimits, NewSandbox, Sandbox as Made};
use crate::api::{Api, Parsed, routes};
use crate::show::{self, Shown};
use crate::{exec, owners, sandbox_log};

/// Sandboxes.
#[derive(Debug, clap::Subcommand)]
pub enum Sandbox {
    /// Give an agent or a team its sandbox and wait until it runs
    Provision {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
        /// Another image than the one of the agent, the team or the deployment; see `roost images`
        #[arg(long)]
        image: Option<String>,
        /// Memory in MiB; the workspace gets half of it
        #[arg(long, value_name = "MIB")]
        memory: Option<u64>,
        /// Processors, as 0.5
        #[arg(long)]
        cpus: Option<f64>,
    },
    /// Show a sandbox with its hardening report
    Show {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
    },
    /// Run a command in a sandbox; its exit code is this one's
    #[command(
        after_help = "Examples:\n  roost sandbox exec ada -- uname -a\n  tar c src | roost sandbox exec ada -- tar x\n  roost sandbox exec -t ada -- bash\n  roost sandbox exec team:Ledger -- ls"
    )]
    Exec(exec::Exec),
    /// List the commands of people and agents in its sandboxes, or print the output of one
    #[command(
        after_help = "Examples:\n  roost sandbox log ada\n  roost sandbox log ada --failed --search cargo\n  roost sandbox log team:Ledger COMMAND"
    )]
    Log(sandbox_log::Log),
    /// Store the workspace and end the sandbox
    Destroy {
        /// Id or name of the agent, team:NAME or mission:TITLE
        #[arg(value_name = "OWNER")]
        owner: String,
    },
}

impl Sandbox {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Provision {
                owner,
                image,
                memory,
                cpus,
            } => {
                let owner = owners::find(api, &owner).await?;
                let call = routes::provision_sandbox(&owner, &wanted(image, memory, cpus));
                let made = waiting("making the sandbox", api.ask(call)).await?;
                one(api, &made);
            }
            Self::Show { owner } => {
                let owner = owners::find(api, &owner).await?;
                one(api, &api.ask(routes::sandbox(&owner)).await?);
            }
            Self::Exec(exec) => return exec.run(api).await,
            Self::Log(log) => return log.run(api).await,
            Self::Destroy { owner } => {
                let owner = owners::find(api, &owner).await?;
                let call = routes::destroy_sandbox(&owner);
                waiting("ending the sandbox", api.ask(call)).await?;
                if !api.json {
                    println!("The sandbox is gone; its workspace is stored on its machine.");
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn wanted(image: Option<String>, memory: Option<u64>, cpus: Option<f64>) -> NewSandbox {
    NewSandbox {
        image,
        limits: limits(memory, cpus),
        restore: None,
    }
}

/// The limits of a sandbox from memory in MiB, of which the workspace gets half, and processors.
pub(crate) fn limits(memory: Option<u64>, cpus: Option<f64>) -> Option<NewLimits> {
    let any = memory.is_some() || cpus.is_some();
    any.then(|| NewLimits {
        memory_bytes: memory.map(|mib| mib * 1024 * 1024),
        workspace_bytes: memory.map(|mib| mib * 512 * 1024),
        nano_cpus: cpus.map(|cpus| (cpus * 1e9) as u64),
    })
}

/// Says how long something takes while it does.
pub(crate) async fn waiting<T>(what: &str, work: impl Future<Output = T>) -> T {
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

/// What is saved of the workspace, and what it began with.
fn files(sandbox: &Made) {
    match &sandbox.snapshot {
        None => println!("{:<12} nothing yet", "saved"),
        Some(snapshot) => println!(
            "{:<12} {} {}, {} at {}, {}",
            "saved",
            snapshot.files,
            if snapshot.files == 1 { "file" } else { "files" },
            show::bytes(Some(snapshot.bytes)),
            snapshot.taken_at.shown(),
            match snapshot.uploaded {
                true => "also on the gateway",
                false => "only on its machine",
            }
        ),
    }
    if let Some(from) = &sandbox.restored_from {
        let taken = from.taken_at.shown();
        println!("{:<12} files as they were at {taken}", "began with");
    }
    if let Some(problem) = &sandbox.snapshot_problem {
        println!("{:<12} {}", "not saved", problem.as_str().shown());
    }
}

pub(crate) fn one(api: &Api, sandbox: &Parsed<Made>) {
    if api.json {
        return show::json(sandbox.raw());
    }
    for (label, text) in [
        ("sandbox", sandbox.id.shown()),
        ("state", sandbox.state.shown()),
        ("machine", sandbox.node_name.shown()),
        ("image", sandbox.image.shown()),
        ("container", sandbox.container.shown()),
        ("why", sandbox.detail.shown()),
        ("lease until", sandbox.lease_until.as_str().shown()),
    ] {
        println!("{label:<12} {text}");
    }
    println!(
        "{:<12} {} memory, {} workspace",
        "limits",
        show::bytes(sandbox.limits.memory_bytes),
        show::bytes(sandbox.limits.workspace_bytes)
    );
    if let Some(fallback) = &sandbox.fallback {
        println!(
            "{:<12} not on the wanted machine, which {} ({})",
            "placed",
            match fallback.reason.as_str() {
                "node_offline" => "is not connected",
                "node_draining" => "is draining",
                "node_paused" => "is paused by its owner",
                "node_deleted" => "was removed",
                _ => "cannot take it now",
            },
            fallback.wanted.shown()
        );
    }
    files(sandbox);
    let facts = &sandbox.hardening;
    let good = facts.iter().filter(|fact| fact.ok).count();
    if facts.is_empty() {
        println!("{:<12} no report yet", "hardening");
    } else {
        println!(
            "{:<12} {good} of {} facts as intended, read from inside",
            "hardening",
            facts.len()
        );
    }
    for fact in facts.iter().filter(|fact| !fact.ok) {
        println!(
            "  {}: wanted {}, found {}",
            fact.title.shown(),
            fact.expected.shown(),
            fact.actual.shown()
        );
    }
}

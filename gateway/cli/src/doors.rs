//! `roost approval`: what agents ask to do outside, and the decision of a person. A watched run asks at the terminal.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::bail;
use serde_json::Value;

use crate::api::types::{
    Decision, Door as Asked, DoorId, DoorState, OfferedBranch, OfferedPackages, Resolution, RunId,
};
use crate::api::{Api, Parsed, routes};
use crate::live::{Listing, Live};
use crate::named;
use crate::show::{self, Shown};

/// Requests of agents.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "Examples:\n  roost approval list\n  roost approval show 3ef71724\n  roost approval approve 3ef71724"
)]
pub enum Door {
    /// List the requests that wait for a decision
    List {
        /// Also those that were decided
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        live: Live,
    },
    /// Show one request whole, with the diff of a branch, or with all packages
    Show {
        /// The request, by the end of its id
        request: String,
    },
    /// Approve a request: it is done at once
    Approve {
        /// The request, by the end of its id
        request: String,
    },
    /// Deny a request: nothing is done
    Deny {
        /// The request, by the end of its id
        request: String,
        /// Why, for the agent
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Door {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List { all, live } => {
                return live.show(api, async || list(api, all).await).await;
            }
            Self::Show { request } => {
                let door = find(api, &request).await?;
                match api.json {
                    true => show::json(door.raw()),
                    false => whole(api, &door).await,
                }
            }
            Self::Approve { request } => {
                let door = find(api, &request).await?;
                decide(api, &door.id, Decision::Approve, None).await?;
            }
            Self::Deny { request, reason } => {
                let door = find(api, &request).await?;
                decide(api, &door.id, Decision::Deny, reason).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(api: &Api, all: bool) -> anyhow::Result<Listing> {
    let which = if all { "all" } else { "pending" };
    let page = api.ask(routes::doors(Some(which), Some(200), None)).await?;
    let row = |door: &Parsed<Asked>| {
        vec![
            named::short(&door.id),
            show::relative(Some(&door.created_at)),
            door.agent_name.shown(),
            door.summary.shown(),
            state(door),
        ]
    };
    let rows: Vec<_> = page.items.iter().map(row).collect();
    Ok(Listing {
        text: show::columns(&["ID", "ASKED", "AGENT", "WHAT", "STATE"], &rows),
        json: page.raw().clone(),
    })
}

/// The request with this id, or the only one of the newest whose id ends so.
async fn find(api: &Api, wanted: &str) -> anyhow::Result<Parsed<Asked>> {
    if named::is_id(wanted) {
        return api.ask(routes::door(&wanted.to_owned().into())).await;
    }
    let page = api.ask(routes::doors(Some("all"), Some(200), None)).await?;
    let mut found = page.into_value().items;
    found.retain(|door| door.id.to_string().ends_with(wanted));
    match (found.pop(), found.is_empty()) {
        (Some(door), true) => Ok(door),
        (Some(_), false) => bail!("several requests end with {wanted:?}; give more of the id"),
        (None, _) => bail!("no request ends with {wanted:?}; see: roost approval list --all"),
    }
}

/// The state, and whether nobody had to decide.
fn state(door: &Asked) -> String {
    match door.allowed_by_setting {
        true => format!("{} (the workspace allows it)", door.state.shown()),
        false => door.state.shown(),
    }
}

/// Prints the whole request.
async fn whole(api: &Api, door: &Parsed<Asked>) {
    println!("{}: {}", door.agent_name.shown(), door.summary.shown());
    for (label, text) in [
        ("id", door.id.shown()),
        ("action", door.action.shown()),
        ("at", door.target.shown()),
        (
            match door.packages {
                Some(_) => "from",
                None => "sent to",
            },
            door.address.shown(),
        ),
        ("state", state(door)),
        ("asked", door.created_at.shown()),
        ("until", door.expires_at.shown()),
    ] {
        println!("{label:<8} {text}");
    }
    if let Some(Value::Object(params)) = door.raw().get("params") {
        println!("\nThe agent wrote:");
        for (name, value) in params {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            println!(
                "  {}: {}",
                show::clean(name),
                roost_protocol::text::visible_lines(&text)
            );
        }
    }
    if let Some(words) = &door.words {
        println!("  It said: {}", roost_protocol::text::visible_lines(words));
    }
    if let Some(result) = &door.result {
        for text in [result.message.shown(), result.url.shown()] {
            if text != "-" {
                println!("\n{text}");
            }
        }
    }
    if let Some(branch) = &door.branch {
        changes(api, branch).await;
    }
    if let Some(of) = &door.packages {
        packages(of);
    }
}

/// Prints all packages that would be fetched.
fn packages(of: &OfferedPackages) {
    println!(
        "\n{} ({}, {} bytes, SHA-256 {}):",
        of.path.shown(),
        of.kind.shown(),
        of.bytes,
        of.sha256.shown()
    );
    for package in &of.added {
        println!("  + {} {}", package.name.shown(), package.version.shown());
    }
    for package in &of.changed {
        let (from, to) = (package.from.shown(), package.to.shown());
        match from == to {
            true => println!(
                "  ~ {} {to}, with another hash than before",
                package.name.shown()
            ),
            false => println!("  ~ {} {from} -> {to}", package.name.shown()),
        }
    }
    for package in &of.removed {
        println!("  - {} {}", package.name.shown(), package.version.shown());
    }
    more(of.removed_count, of.removed.len(), "removed");
    for left in &of.left_out {
        println!(
            "  not supplied: {}: {}",
            left.name.shown(),
            left.why.shown()
        );
    }
    more(of.left_out_count, of.left_out.len(), "not supplied");
}

fn more(count: u64, named: usize, what: &str) {
    let more = count.saturating_sub(u64::try_from(named).unwrap_or(0));
    if more > 0 {
        println!("  and {more} more, {what}");
    }
}

/// Prints the commits' difference. A request stays readable without it.
async fn changes(api: &Api, branch: &OfferedBranch) {
    let into = branch
        .into
        .as_ref()
        .map(|into| format!(" into {}", into.shown()));
    println!(
        "\n{}{} at {} ({}, {}):\n",
        branch.branch.shown(),
        into.unwrap_or_default(),
        branch.commit.get(..12).unwrap_or_default().shown(),
        counted(branch.commits, "commit"),
        counted(branch.files, "file"),
    );
    let call = routes::run_diff(&branch.run_id, Some(&branch.branch), Some(&branch.commit));
    match api.ask(call).await {
        Ok(diff) => {
            println!("{}", roost_protocol::text::visible_lines(&diff.text));
            if diff.cut {
                println!("The diff is longer; its end is left out.");
            }
        }
        Err(error) => println!(
            "The diff cannot be shown: {}",
            show::clean(&format!("{error:#}"))
        ),
    }
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

async fn decide(
    api: &Api,
    id: &DoorId,
    decision: Decision,
    reason: Option<String>,
) -> anyhow::Result<()> {
    let approves = decision == Decision::Approve;
    let body = Resolution { decision, reason };
    let door = api.ask(routes::resolve_door(id, &body)).await?;
    if api.json {
        show::json(door.raw());
        return Ok(());
    }
    let state = door.state.shown();
    match (&door.state, approves, &door.packages) {
        (DoorState::Approved, true, Some(_)) => println!("Approved. Roost fetches them now."),
        (DoorState::Approved, true, None) => println!("Approved. Roost sends it now."),
        (DoorState::Denied, false, Some(_)) => println!("Denied. Nothing is fetched."),
        (DoorState::Denied, false, None) => println!("Denied. Nothing is sent."),
        // Somebody else decided before.
        _ => println!("It was decided already: {state}."),
    }
    Ok(())
}

/// Who decides on what the agents of a watched run ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// The person at the terminal. Without a terminal, somebody elsewhere.
    Person,
    /// Everything is approved, because the person said so when the run began.
    Approve,
}

impl From<bool> for Asking {
    /// From `--approve`.
    fn from(approve: bool) -> Self {
        match approve {
            true => Self::Approve,
            false => Self::Person,
        }
    }
}

/// Asks about each request of the run that waits, when there is a terminal to ask at. Elsewhere it says how to decide.
/// `told` has the requests that were told already.
///
/// # Errors
/// What the gateway said.
pub(super) async fn ask_about(
    api: &Api,
    run: &RunId,
    asking: Asking,
    told: &mut Vec<DoorId>,
) -> anyhow::Result<()> {
    let page = api
        .ask(routes::doors(Some("pending"), Some(200), None))
        .await?;
    let of_run = |door: &Parsed<Asked>| {
        let is = |other: &Option<RunId>| other.as_ref() == Some(run);
        is(&door.run_id)
            || is(&door.branch.as_ref().map(|branch| branch.run_id.clone()))
            || is(&door
                .packages
                .as_ref()
                .map(|packages| packages.run_id.clone()))
    };
    for door in page.into_value().items.into_iter().filter(of_run) {
        if told.contains(&door.id) {
            continue;
        }
        told.push(door.id.clone());
        if asking == Asking::Approve {
            println!();
            whole(api, &door).await;
            decide(api, &door.id, Decision::Approve, None).await?;
            continue;
        }
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            println!(
                "{} waits for a decision: {}. Decide with: roost approval approve {}",
                door.agent_name.shown(),
                door.summary.shown(),
                named::short(&door.id)
            );
            continue;
        }
        println!();
        whole(api, &door).await;
        match answered().await? {
            Some(decision) => decide(api, &door.id, decision, None).await?,
            None => println!(
                "Not decided. It waits until {}; decide with: roost approval approve {}",
                door.expires_at.shown(),
                named::short(&door.id)
            ),
        }
    }
    Ok(())
}

/// The answer of the person; `None` for later.
async fn answered() -> anyhow::Result<Option<Decision>> {
    loop {
        print!("Approve? [y]es, [n]o, [l]ater: ");
        std::io::stdout().flush()?;
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin()
                .read_line(&mut line)
                .map(|read| (read, line))
        });
        let (read, line) = line.await??;
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(Decision::Approve)),
            "n" | "no" => return Ok(Some(Decision::Deny)),
            "l" | "later" => return Ok(None),
            _ if read == 0 => return Ok(None),
            _ => {}
        }
    }
}

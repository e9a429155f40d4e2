//! `roost node`: machines.

use std::process::ExitCode;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::api::types::{
    DescribeRequest, DrainProgress, DrainRequest, Node as Machine, NodeId, NodeImage, NodeStatus,
    PairRequest, Tools, VerifyLevel,
};
use crate::api::{Api, Call, Parsed, raw_list, routes};
use crate::live::{Listing, Live};
use crate::named::{self, Kind, Named};
use crate::reach;
use crate::show::{self, Shown};

/// Machines.
#[derive(Debug, clap::Subcommand)]
pub enum Node {
    /// Make a single-use join code for a machine
    Pair {
        #[arg(long)]
        name: Option<String>,
        /// Wait until the machine is connected
        #[arg(long)]
        wait: bool,
    },
    /// List machines with their latest health
    List(Live),
    /// Everything that is known of a machine
    Show { node: String },
    /// Measure a machine: engine, kernel, and a probe sandbox read from inside
    Verify { node: String },
    /// Take no new sandboxes there
    Drain {
        node: String,
        /// Save each sandbox and end it there as soon as no command runs in it; it begins elsewhere with its files
        #[arg(long = "move")]
        moves: bool,
        /// Wait until the machine is empty
        #[arg(long, requires = "moves")]
        wait: bool,
    },
    /// Take new sandboxes again
    Undrain { node: String },
    /// Give a machine a name
    Rename { node: String, name: String },
    /// Put words on a machine, to find it by; they replace those that it has
    Label { node: String, labels: Vec<String> },
    /// Remove a machine; its token is dead at once
    Delete { node: String },
}

impl Node {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Pair { name, wait } => pair(api, name, wait).await?,
            Self::List(live) => return live.show(api, async || list(api).await).await,
            Self::Show { node } => details(api, &node).await?,
            Self::Label { node, labels } => {
                let change = DescribeRequest {
                    name: None,
                    labels: Some(labels),
                };
                let call = |id: &NodeId| routes::describe_node(id, &change);
                act(api, &node, call, "Labelled.").await?;
            }
            Self::Verify { node } => return verify(api, &node).await,
            Self::Drain { node, moves, wait } => drain(api, &node, moves, wait).await?,
            Self::Undrain { node } => {
                act(api, &node, routes::undrain_node, "Takes sandboxes again.").await?;
            }
            Self::Rename { node, name } => {
                let change = DescribeRequest {
                    name: Some(name),
                    labels: None,
                };
                let call = |id: &NodeId| routes::describe_node(id, &change);
                act(api, &node, call, "Renamed.").await?;
            }
            Self::Delete { node } => act(api, &node, routes::delete_node, "Deleted.").await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn pair(api: &Api, name: Option<String>, wait: bool) -> anyhow::Result<()> {
    let paired = api.ask(routes::pair_node(&PairRequest { name })).await?;
    let command = paired.command.shown();
    if api.json {
        show::json(paired.raw());
    } else {
        println!(
            "On the machine, run:\n\n  {command}\n\nand give it this code (single use, until {}):\n\n  {}\n",
            paired.expires_at.shown(),
            paired.join_code.shown()
        );
        println!(
            "Without roostd there, this line installs it first:\n\n  {}\n",
            paired.install.with_checksum.shown()
        );
        reach::warn(&command, "Other machines");
    }
    match wait {
        true => connected(api, &paired.node.id).await,
        false => Ok(()),
    }
}

/// Waits until the machine is there.
async fn connected(api: &Api, id: &NodeId) -> anyhow::Result<()> {
    loop {
        let node = api.ask(routes::node(id)).await?;
        if node.status != NodeStatus::Pending {
            show::progress_over();
            println!("{} is connected.", node.name.shown());
            return Ok(());
        }
        show::progress("waiting for your machine…");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn list(api: &Api) -> anyhow::Result<Listing> {
    let items = api.all(routes::nodes).await?;
    let row = |node: &Parsed<Machine>| {
        let health = node.health.as_ref();
        let percent = |value: f64| format!("{value:.0} %");
        let used = health.and_then(|health| health.memory_used_bytes);
        let total = health.and_then(|health| health.memory_total_bytes);
        vec![
            node.name.shown(),
            node.status.shown(),
            node.connection.shown(),
            node.sandboxes.shown(),
            health
                .and_then(|health| health.cpu_pct)
                .map(percent)
                .shown(),
            format!("{} of {}", show::bytes(used), show::bytes(total)),
            node.image.shown(),
            show::relative(node.last_seen_at.as_ref()),
            named::short(&node.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    Ok(Listing {
        text: show::columns(
            &[
                "NAME",
                "STATUS",
                "CONNECTION",
                "SANDBOXES",
                "CPU",
                "MEMORY",
                "IMAGE",
                "LAST SEEN",
                "ID",
            ],
            &rows,
        ),
        json: raw_list(&items),
    })
}

async fn details(api: &Api, node: &str) -> anyhow::Result<()> {
    let id = find(api, node).await?;
    let node = api.ask(routes::node(&id)).await?;
    if api.json {
        show::json(node.raw());
        return Ok(());
    }
    let tools = api.ask(routes::node_tools(&id)).await?;
    print!("{}", described(&node, &tools));
    if node.status == NodeStatus::Draining {
        let progress = api.ask(routes::drain_progress(&id)).await?;
        print!("{}", draining(&progress));
    }
    Ok(())
}

async fn drain(api: &Api, node: &str, moves: bool, wait: bool) -> anyhow::Result<()> {
    let id = find(api, node).await?;
    let choice = DrainRequest { moves: Some(moves) };
    let answer = api.ask(routes::drain_node(&id, &choice)).await?;
    if wait {
        return emptied(api, &id).await;
    }
    if api.json {
        show::json(answer.raw());
        return Ok(());
    }
    let progress = api.ask(routes::drain_progress(&id)).await?;
    print!("{}", draining(&progress));
    Ok(())
}

/// Waits until nothing that is needed is on the machine.
async fn emptied(api: &Api, id: &NodeId) -> anyhow::Result<()> {
    loop {
        let progress = api.ask(routes::drain_progress(id)).await?;
        let is_over = progress.emptied_at.is_some();
        if is_over || !progress.moves {
            show::progress_over();
            match api.json {
                true => show::json(progress.raw()),
                false => print!("{}", draining(&progress)),
            }
            anyhow::ensure!(is_over, "the move was ended before the machine was empty");
            return Ok(());
        }
        show::progress(&format!("draining: {}", progress.summary));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// What is left on a draining machine, and what each sandbox waits for.
fn draining(progress: &DrainProgress) -> String {
    if let Some(at) = &progress.emptied_at {
        return format!(
            "Empty since {}. Nothing that is needed is on the machine.\n",
            at.shown()
        );
    }
    let mut text = match progress.moves {
        false => "Draining. Its sandboxes stay.".to_owned(),
        true => format!("Draining: {}", progress.summary.shown()),
    };
    text.push('\n');
    for one in &progress.sandboxes {
        text.push_str(&format!(
            "  {}: {}\n",
            one.owner_name.shown(),
            one.detail.shown()
        ));
    }
    for one in progress.unsaved.iter().filter(|_| progress.moves) {
        text.push_str(&format!(
            "  {}: the files of {} are only on the machine.\n",
            one.owner_name.shown(),
            one.taken_at.shown()
        ));
    }
    text
}

fn described(node: &Machine, tools: &Tools) -> String {
    let mut text = String::new();
    let mut say = |label: &str, value: String| text.push_str(&format!("{label:<12} {value}\n"));
    let engine = node.engine.as_ref();
    for (label, value) in [
        ("name", node.name.shown()),
        ("hostname", node.hostname.shown()),
        ("id", node.id.shown()),
        ("status", node.status.shown()),
        ("connection", node.connection.shown()),
        ("address", node.local_ip.shown()),
        ("system", node.os.shown()),
        ("processor", node.arch.shown()),
        ("roostd", node.daemon_version.shown()),
        ("engine", engine.map(|engine| &engine.name).shown()),
        ("", engine.map(|engine| &engine.version).shown()),
        ("image", node.image.shown()),
        ("sandboxes", node.sandboxes.shown()),
        ("last seen", node.last_seen_at.shown()),
    ] {
        say(label, value);
    }
    let labels: Vec<String> = node.labels.iter().map(Shown::shown).collect();
    say("labels", labels.join(" "));
    for image in &node.images {
        say(
            "has image",
            format!("{}: {}", image.reference.shown(), image_state(image)),
        );
    }
    for tool in &tools.items {
        say(&tool.tool.shown(), tool.version.shown());
    }
    for problem in &node.problems {
        say("PROBLEM", problem.detail.shown());
    }
    text
}

/// The state of an image on a machine, or how far the machine is with fetching it.
fn image_state(image: &NodeImage) -> String {
    let state = image.state.shown();
    let Some(fetch) = &image.fetch else {
        return state;
    };
    match (&fetch.problem, fetch.total_bytes) {
        (Some(problem), _) => format!(
            "{state}, and the machine cannot fetch it: {}",
            problem.shown()
        ),
        (None, 0) => format!("{state}, the gateway packs it for the machine"),
        (None, total) => format!(
            "{state}, the machine has fetched {} of {}",
            show::bytes(Some(fetch.done_bytes)),
            show::bytes(Some(total))
        ),
    }
}

async fn verify(api: &Api, node: &str) -> anyhow::Result<ExitCode> {
    let id = find(api, node).await?;
    show::progress("measuring the machine…");
    let report = api.ask(routes::verify_node(&id)).await;
    show::progress_over();
    let report = report?;
    if api.json {
        show::json(report.raw());
    } else {
        for check in &report.checks {
            let mark = match check.level {
                VerifyLevel::Ok => "ok  ",
                VerifyLevel::Warn => "warn",
                _ => "FAIL",
            };
            println!("{mark}  {}: {}", check.title.shown(), check.detail.shown());
        }
        let facts = &report.probe;
        let good = facts.iter().filter(|fact| fact.ok).count();
        println!(
            "{good} of {} facts inside a probe sandbox are as intended",
            facts.len()
        );
        for fact in facts.iter().filter(|fact| !fact.ok) {
            println!(
                "FAIL  {}: wanted {}, found {}",
                fact.title.shown(),
                fact.expected.shown(),
                fact.actual.shown()
            );
        }
    }
    Ok(match report.ok {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

async fn act<T: DeserializeOwned>(
    api: &Api,
    node: &str,
    call: impl Fn(&NodeId) -> Call<T>,
    said: &str,
) -> anyhow::Result<()> {
    let id = find(api, node).await?;
    let answer = api.ask(call(&id)).await?;
    if api.json {
        show::json(answer.raw());
    } else {
        println!("{said}");
    }
    Ok(())
}

impl Named for Machine {
    type Id = NodeId;

    const KIND: Kind = Kind {
        one: "machine",
        many: "machines",
        list: "roost node list",
    };

    fn id(&self) -> &NodeId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.hostname.as_deref() == Some(name)
    }

    fn about(&self) -> Vec<String> {
        vec![
            named::made(&self.created_at),
            self.hostname.shown(),
            self.local_ip.shown(),
            self.status.shown(),
        ]
    }
}

pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<NodeId> {
    named::find(api, wanted, routes::nodes).await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn draining_machine_names_what_waits_and_then_its_emptiness() {
        let progress = json!({ "moves": true, "summary": "1 sandbox left.",
            "sandboxes": [{ "owner_name": "Ada", "detail": "A command runs in it." }],
            "unsaved": [{ "owner_name": "Bea\nx", "taken_at": "2026-11-27T07:00:00Z" }] });
        let mut progress: DrainProgress = serde_json::from_value(progress).unwrap();
        assert_eq!(
            draining(&progress),
            "Draining: 1 sandbox left.\n  Ada: A command runs in it.\n  \
             Bea\\nx: the files of 2026-11-27 07:00:00 UTC are only on the machine.\n"
        );
        let at = serde_json::from_value(json!("2026-11-27T07:01:00Z")).unwrap();
        progress.emptied_at = Some(at);
        assert!(draining(&progress).starts_with("Empty since 2026-11-27 07:01:00 UTC."));
    }

    #[test]
    fn hostile_machine_name_makes_no_line_and_moves_no_cursor() {
        let hostile = "x\u{1b}[2J\u{202e}\nstatus online";
        let node = json!({ "id": hostile, "status": hostile, "connection": hostile, "image": hostile,
            "sandboxes": 0, "created_at": hostile, "last_seen_at": hostile, "local_ip": hostile, "arch": hostile,
            "name": hostile, "hostname": hostile, "os": hostile, "daemon_version": hostile,
            "engine": { "name": hostile, "version": hostile }, "labels": [hostile],
            "images": [{ "reference": hostile, "state": hostile }],
            "problems": [{ "code": "x", "detail": hostile }] });
        let tools = json!({ "items": [{ "tool": hostile, "version": hostile }] });
        let node = serde_json::from_value(node).unwrap();
        let text = described(&node, &serde_json::from_value(tools).unwrap());
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && roost_protocol::text::is_hidden(c)),
            "{text:?}"
        );
        assert!(
            !text.lines().any(|line| line.starts_with("status online")),
            "{text}"
        );
    }
}

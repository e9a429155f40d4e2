//! `roostd status`: sandboxes, commands and use of resources on this machine, live.
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use roost_protocol::caps::Bounds;
use roost_protocol::hello::ImageFetch;
use roost_protocol::text::{json_for_terminals, visible};

use super::short;
use crate::control_socket::client;
use crate::control_socket::message::{Answer, Request, Status};
use crate::state::{Identity, StateFolder};

/// Show sandboxes, commands, memory and the connection of this machine
#[derive(Debug, Args)]
#[command(after_help = "\
  roostd status            once
  roostd status --watch    again every second, until Ctrl-C
  roostd status --json     for programs

Ends with 0 when connected, 3 when the daemon runs without a connection, 4 when it does not run.")]
pub struct Show {
    /// Repeat every second
    #[arg(long)]
    watch: bool,
    /// Print one JSON object (one a line with --watch)
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        loop {
            let code = self.show(state)?;
            if !self.watch {
                return Ok(code);
            }
            #[expect(clippy::disallowed_methods, reason = "no runtime runs here")]
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn show(&self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        if self.watch && !self.json {
            write!(out, "\x1b[2J\x1b[H")?;
        }
        match client::ask(state, Request::Status)? {
            Some(Answer::Status(status)) => {
                if self.json {
                    let json = serde_json::to_string(&status)?;
                    writeln!(out, "{}", json_for_terminals(&json))?;
                } else {
                    write!(out, "{}", readable(&status))?;
                }
                Ok(ExitCode::from(if status.link.connected { 0 } else { 3 }))
            }
            Some(Answer::Failed { detail }) => bail!(detail),
            Some(_) => {
                bail!(
                    "unexpected answer from the running daemon; check that it has the same version as this program"
                )
            }
            None => {
                self.not_running(state, &mut out)?;
                Ok(ExitCode::from(4))
            }
        }
    }

    fn not_running(
        &self,
        state: &StateFolder,
        out: &mut impl std::io::Write,
    ) -> anyhow::Result<()> {
        let identity = Identity::load(state)?;
        if self.json {
            let node = identity.map(|identity| identity.node_id);
            let value =
                serde_json::json!({ "running": false, "node_id": node, "paused": state.paused() });
            return Ok(writeln!(out, "{value}")?);
        }
        match identity {
            None => writeln!(
                out,
                "This machine has not joined a workspace. See `roostd join --help`."
            )?,
            Some(identity) => {
                writeln!(
                    out,
                    "Node {} of {:?}: roostd is not running.",
                    identity.node_id, identity.workspace_name
                )?;
                writeln!(
                    out,
                    "Start it with `roostd run`, or check `systemctl status roostd`."
                )?;
            }
        }
        if state.paused() {
            writeln!(out, "Paused by you; `roostd resume` ends the pause.")?;
        }
        Ok(())
    }
}

/// How far the machine is with an image from the gateway.
fn fetched(fetch: &ImageFetch) -> String {
    match (&fetch.problem, fetch.total) {
        (Some(problem), _) => format!("cannot be fetched: {}", visible(problem, 1000)),
        (None, 0) => "the gateway packs it for this machine".to_owned(),
        (None, total) => format!("fetched {} of {}", mebibytes(fetch.done), mebibytes(total)),
    }
}

/// What this machine lends, in one line.
fn lent(bounds: &Bounds) -> String {
    let held = match &bounds.not_enforced {
        None => "enforced by the kernel".to_owned(),
        Some(why) => format!("NOT ENFORCED BY THE KERNEL: {}", visible(why, 600)),
    };
    format!(
        "at most {} of memory and {} processes to {} sandboxes, {} to one; {held}",
        mebibytes(bounds.all.memory_bytes),
        bounds.all.pids,
        bounds.all.sandboxes,
        mebibytes(bounds.each.memory_bytes),
    )
}

fn readable(status: &Status) -> String {
    let mut out = String::new();
    let link = &status.link;
    let connection = match (link.connected, &link.last_error) {
        (true, _) => "connected".to_owned(),
        (false, Some(error)) => format!("not connected: {}", visible(error, 300)),
        (false, None) => "connecting".to_owned(),
    };
    let executor = &status.executor;
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "Node {} of {:?} at {}",
        status.node_id,
        status.workspace,
        visible(&status.gateway, 300)
    );
    let _ = writeln!(
        out,
        "  roostd {}, {connection}",
        visible(&status.daemon_version, 64)
    );
    match &executor.engine {
        Some(engine) => {
            let _ = writeln!(
                out,
                "  engine {} {} (API {}), agent image {} is {}",
                visible(&engine.name, 64),
                visible(&engine.version, 64),
                visible(&engine.api, 64),
                visible(executor.image_reference.as_deref().unwrap_or(""), 200),
                word(&executor.image)
            );
        }
        None => {
            let _ = writeln!(out, "  no container engine answers: see `roostd doctor`");
        }
    }
    for image in &executor.images {
        if let Some(fetch) = &image.fetch {
            let reference = visible(&image.reference, 200);
            let _ = writeln!(out, "  image {reference}: {}", fetched(fetch));
        }
    }
    if let Some(bounds) = &executor.bounds {
        let _ = writeln!(out, "  lends {}", lent(bounds));
    }
    if executor.paused {
        let _ = writeln!(
            out,
            "  PAUSED by you: no new sandboxes; `roostd resume` ends the pause"
        );
    }
    if executor.draining {
        let _ = writeln!(out, "  draining: the gateway places no new sandboxes here");
    }
    if let Some(held) = &executor.waits_for_disk {
        let _ = writeln!(
            out,
            "  WAITS FOR THE DISK: {}. The result is reported to the gateway when there is room",
            visible(held, 300)
        );
    }
    let _ = writeln!(out, "\nSandboxes: {}", executor.sandboxes.len());
    for sandbox in &executor.sandboxes {
        let used = sandbox.memory_bytes.map_or("-".to_owned(), mebibytes);
        let cpu = sandbox
            .cpu_pct
            .map_or("-".to_owned(), |pct| format!("{pct:.0} %"));
        let processes = sandbox.pids.map_or("-".to_owned(), |pids| pids.to_string());
        let facts = &sandbox.facts;
        let _ = writeln!(
            out,
            "  {}  agent {}  workspace {}",
            short(&facts.sandbox.to_string()),
            short(&facts.agent.to_string()),
            short(&facts.workspace.to_string())
        );
        let _ = writeln!(
            out,
            "    {}, memory {used} of {}, cpu {cpu} of {:.1} cores, {processes} processes, idle {} s, image {}",
            word(&facts.state),
            mebibytes(facts.limits.memory_bytes),
            facts.limits.nano_cpus as f64 / 1e9,
            sandbox.idle_s,
            visible(&facts.image, 80)
        );
        for operation in executor
            .operations
            .iter()
            .filter(|it| it.sandbox == Some(facts.sandbox))
        {
            let _ = writeln!(
                out,
                "    {:>6} s  {}  {}",
                operation.running_s,
                super::log::operation(&operation.operation),
                visible(&operation.what, 100)
            );
        }
    }
    let elsewhere: Vec<_> = executor
        .operations
        .iter()
        .filter(|it| {
            !executor
                .sandboxes
                .iter()
                .any(|sandbox| Some(sandbox.facts.sandbox) == it.sandbox)
        })
        .collect();
    if !elsewhere.is_empty() {
        let _ = writeln!(out, "\nRunning:");
        for operation in elsewhere {
            let _ = writeln!(
                out,
                "  {:>6} s  {}  {}",
                operation.running_s,
                super::log::operation(&operation.operation),
                visible(&operation.what, 100)
            );
        }
    }
    out
}

/// A state, as its protocol word with spaces.
fn word(state: &impl serde::Serialize) -> String {
    match serde_json::to_value(state) {
        Ok(serde_json::Value::String(word)) => word.replace(['-', '_'], " "),
        _ => "unknown".to_owned(),
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes / (1024 * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A gateway and an engine choose their own names. The command line must strip what a terminal would act on.
    #[test]
    fn hostile_names_are_escaped_in_output() {
        let hostile = "x\u{1b}[2J\u{202e}y\nz";
        let status: Status = serde_json::from_value(serde_json::json!({
            "daemon_version": hostile, "node_id": "n", "workspace": hostile, "gateway": hostile,
            "link": { "connected": false, "sessions": 1, "last_error": hostile },
            "executor": {
                "engine": { "name": hostile, "version": hostile, "api": hostile },
                "image": "ready", "paused": false, "draining": false,
                "waits_for_disk": hostile, "sandboxes": [],
                "operations": [{
                    "id": "00000000-0000-0000-0000-000000000000", "operation": "sb_exec", "sandbox": null, "workspace": null,
                    "agent": null, "what": hostile, "running_s": 1, "output_bytes": 0
                }]
            }
        }))
        .expect("a status");
        let text = readable(&status);
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && roost_protocol::text::is_hidden(c)),
            "{text:?}"
        );
        assert!(text.contains("\\x1b[2J\\u{202e}y\\nz"), "{text}");
        assert!(
            !text.lines().any(|line| line.starts_with('z')),
            "a name must not start a new line: {text}"
        );
    }
}

//! `roostd log`: every operation that was carried out here, for whom, and how it ended.
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;

use clap::Args;
use roost_protocol::text::{json_for_terminals, visible};
use serde_json::Value;

use crate::state::StateFolder;

/// More of one line than this nobody reads; `--json` has all of it.
const MOST_LINE_BYTES: usize = 8 * 1024;

/// Show what was done on this machine: who, what, when, how it ended
#[derive(Debug, Args)]
#[command(
    after_help = "No output of commands and no values of environment variables are in this log."
)]
pub struct Log {
    /// Show this many of the newest lines
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,
    /// JSON lines as they are stored
    #[arg(long)]
    json: bool,
}

impl Log {
    pub fn act(self, state: &StateFolder) -> anyhow::Result<ExitCode> {
        let path = roost_sandbox_driver::executor::owner_log::path(&state.executor());
        let mut newest = std::collections::VecDeque::new();
        for path in [format!("{}.1", path.display()).into(), path] {
            let Ok(file) = File::open(&path) else {
                continue;
            };
            for line in BufReader::new(file).lines() {
                newest.push_back(line?);
                if newest.len() > self.lines {
                    newest.pop_front();
                }
            }
        }
        let mut out = std::io::stdout().lock();
        for line in newest {
            let line = if self.json {
                json_for_terminals(&line)
            } else {
                visible(&readable(&line), MOST_LINE_BYTES)
            };
            if writeln!(out, "{line}").is_err() {
                break;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A line of the log as people read it.
fn readable(line: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        return line.to_owned();
    };
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or("-");
    let argv = value
        .pointer("/what/argv")
        .and_then(Value::as_array)
        .map(|argv| {
            argv.iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" ")
        });
    let what = argv
        .or_else(|| {
            value
                .pointer("/what/image")
                .and_then(Value::as_str)
                .map(str::to_owned)
        })
        .unwrap_or_default();
    match text("event") {
        "began" => format!(
            "{}  began  {:<12} agent {}  sandbox {}  {what}",
            text("at"),
            text("operation"),
            text("agent"),
            text("sandbox")
        ),
        "ended" => {
            let detail = value
                .get("outcome")
                .filter(|outcome| !outcome.is_null())
                .map(Value::to_string)
                .unwrap_or_default();
            let ms = value.get("ms").and_then(Value::as_u64).unwrap_or_default();
            format!(
                "{}  {:<9}  {:<12} sandbox {}  {ms} ms  {detail}",
                text("at"),
                text("state"),
                text("operation"),
                text("sandbox")
            )
        }
        other => format!(
            "{}  {other}  {}",
            text("at"),
            value.get("facts").unwrap_or(&Value::Null)
        ),
    }
}

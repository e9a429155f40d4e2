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
            if writeln!(out, "{}", shown(&line, self.json)).is_err() {
                break;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A stored line as it goes to a terminal: whatever the gateway or an agent put into it moves no cursor.
fn shown(line: &str, json: bool) -> String {
    if json {
        json_for_terminals(line)
    } else {
        visible(&readable(line), MOST_LINE_BYTES)
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

#[cfg(test)]
mod tests {
    use roost_protocol::text::is_hidden;
    use serde_json::json;

    use super::*;

    const HOSTILE: &str = "x\u{1b}[2J\u{202e}\nroostd: all is well";

    #[test]
    fn what_is_hostile_in_the_log_makes_no_line_and_moves_no_cursor() {
        let began = json!({ "event": "began", "at": HOSTILE, "operation": HOSTILE, "agent": HOSTILE,
            "sandbox": HOSTILE, "what": { "argv": ["sh", HOSTILE] } });
        let provisioned = json!({ "event": "began", "what": { "image": HOSTILE } });
        let ended = json!({ "event": "ended", "state": HOSTILE, "outcome": { "detail": HOSTILE } });
        let other = json!({ "event": HOSTILE, "facts": { "name": HOSTILE } });
        for line in [began, provisioned, ended, other].map(|line| line.to_string()) {
            for json in [false, true] {
                let shown = shown(&line, json);
                assert!(!shown.chars().any(is_hidden), "{shown:?}");
                assert!(shown.contains("all is well"), "it is shown, not left out");
            }
            let exact: Value = serde_json::from_str(&shown(&line, true)).unwrap();
            assert_eq!(
                exact.to_string(),
                line,
                "what a program reads is what is stored"
            );
        }
        let torn = shown(HOSTILE, false);
        assert!(!torn.chars().any(is_hidden), "{torn:?}");
    }
}

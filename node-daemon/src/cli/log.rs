//! `roostd log`: every operation that this machine ran, for which agent, and how it ended.
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::ExitCode;

use clap::Args;
use roost_protocol::text::{json_for_terminals, visible};
use serde_json::Value;

use super::short;
use crate::state::StateFolder;

/// A printed line is cut here; `--json` prints the whole line.
const MOST_LINE_BYTES: usize = 8 * 1024;

/// Show the operations of this machine: for which agent, what, when, how each ended
#[derive(Debug, Args)]
#[command(
    after_help = "A tool's command is shown as the agent wrote it; --json also shows the program that ran.\nTimes are those of this machine's clock, and ids are shown by their ends, as the gateway shows them; --json has both in full.\nThe log holds no command output and no values of environment variables."
)]
pub struct Log {
    /// Number of newest lines to show
    #[arg(short = 'n', long, default_value_t = 50)]
    lines: usize,
    /// Print the JSON lines as stored
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

/// A stored line, safe for a terminal: nothing from the gateway or an agent can move the cursor.
fn shown(line: &str, json: bool) -> String {
    if json {
        json_for_terminals(line)
    } else {
        visible(&readable(line), MOST_LINE_BYTES)
    }
}

/// Formats a line of the log for people.
fn readable(line: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(line) else {
        return line.to_owned();
    };
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or("-");
    let (at, operation) = (local_time(text("at")), operation(text("operation")));
    let (agent, sandbox) = (short(text("agent")), short(text("sandbox")));
    match text("event") {
        "began" => {
            let asked = asked(&value);
            format!("{at}  began     {operation:<15} agent {agent}  sandbox {sandbox}  {asked}")
        }
        "ended" => {
            let ms = value.get("ms").and_then(Value::as_u64).unwrap_or_default();
            let (state, why) = ended(&value);
            let took = took(ms);
            format!("{at}  {state:<9} {operation:<15} sandbox {sandbox}  {took}  {why}")
        }
        other => {
            let facts = value.get("facts").unwrap_or(&Value::Null);
            format!("{at}  {other}  {facts}")
        }
    }
}

/// A time of the log on the clock of this machine. What is no time stays as it is.
fn local_time(at: &str) -> String {
    chrono::DateTime::parse_from_rfc3339(at).map_or_else(
        |_| at.to_owned(),
        |at| {
            at.with_timezone(&chrono::Local)
                .format("%Y-%m-%d %H:%M:%S")
                .to_string()
        },
    )
}

fn took(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// The operation's name for people.
pub(super) fn operation(name: &str) -> &str {
    match name {
        "sb_exec" => "command",
        "sb_provision" => "make sandbox",
        "sb_destroy" => "remove sandbox",
        "sb_health" => "check sandbox",
        "sb_flush" => "store files",
        "sb_list" => "list sandboxes",
        "verify" => "check machine",
        other => other,
    }
}

/// The command of an agent or a person. A tool wraps it in a program of Roost; only `--json` shows that program.
fn asked(value: &Value) -> String {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    match (text("/tool"), text("/command")) {
        (Some(tool), Some(command)) => return format!("{tool}: {command}"),
        (Some(tool), None) => return tool.to_owned(),
        _ => {}
    }
    let argv = value.pointer("/what/argv").and_then(Value::as_array);
    match argv {
        Some(argv) => {
            let words: Vec<_> = argv.iter().filter_map(Value::as_str).collect();
            words.join(" ")
        }
        None => text("/what/image").unwrap_or_default().to_owned(),
    }
}

/// How the operation ended, and why. A command that failed still counts as done; its exit code shows the failure.
fn ended(value: &Value) -> (String, String) {
    let state = value.get("state").and_then(Value::as_str).unwrap_or("-");
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
    if let Some(code) = value.pointer("/outcome/code").and_then(Value::as_i64) {
        return (format!("exit {code}"), String::new());
    }
    if let Some(detail) = text("/outcome/detail") {
        return (state.to_owned(), detail.to_owned());
    }
    let container = text("/outcome/container").map(|name| format!("container {name}"));
    (state.to_owned(), container.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use roost_protocol::text::is_hidden;
    use serde_json::json;

    use super::*;

    const HOSTILE: &str = "x\u{1b}[2J\u{202e}\nroostd: all is well";

    #[test]
    fn hostile_text_in_the_log_adds_no_line_and_moves_no_cursor() {
        let began = json!({ "event": "began", "at": HOSTILE, "operation": HOSTILE, "agent": HOSTILE,
            "sandbox": HOSTILE, "what": { "argv": ["sh", HOSTILE] } });
        let provisioned = json!({ "event": "began", "what": { "image": HOSTILE } });
        let ended = json!({ "event": "ended", "state": HOSTILE, "outcome": { "detail": HOSTILE } });
        let other = json!({ "event": HOSTILE, "facts": { "name": HOSTILE } });
        for line in [began, provisioned, ended, other].map(|line| line.to_string()) {
            for json in [false, true] {
                let shown = shown(&line, json);
                assert!(!shown.chars().any(is_hidden), "{shown:?}");
                assert!(shown.contains("all is well"), "the text stays visible");
            }
            let exact: Value = serde_json::from_str(&shown(&line, true)).unwrap();
            assert_eq!(exact.to_string(), line, "programs read the stored value");
        }
        let tool = json!({ "event": "began", "tool": HOSTILE, "command": HOSTILE }).to_string();
        assert!(!shown(&tool, false).chars().any(is_hidden));
        let torn = shown(HOSTILE, false);
        assert!(!torn.chars().any(is_hidden), "{torn:?}");
    }

    #[test]
    fn times_and_ids_are_short_and_what_is_neither_stays() {
        let id = "01a227fe-3274-7f67-aa12-91ce7cd87f7e";
        let ended = json!({ "event": "ended", "at": "2026-11-29T16:10:58.123Z", "operation": "sb_exec", "sandbox": id,
            "state": "done", "outcome": { "code": 0 }, "ms": 61_500 });
        let said = shown(&ended.to_string(), false);
        assert!(said.contains("sandbox 7cd87f7e  1 min 1 s"), "{said}");
        assert!(
            !said.contains("01a227fe") && !said.contains(".123Z"),
            "{said}"
        );
        assert!(shown(&ended.to_string(), true).contains(id));
        assert_eq!((local_time("soon"), short("x")), ("soon".to_owned(), "x"));
        assert_eq!(
            (took(12), took(1_960)),
            ("12 ms".to_owned(), "1.9 s".to_owned())
        );
    }

    #[test]
    fn tool_command_is_shown_as_written_with_its_exit_code() {
        let argv = [
            "/bin/sh",
            "-c",
            "exec python3 -I -S -c \"$1\"",
            "sh",
            "import os",
            "make",
        ];
        let began = json!({ "event": "began", "at": "now", "operation": "sb_exec", "agent": "a", "sandbox": "s",
            "tool": "shell", "command": "make", "what": { "argv": argv } });
        let said = shown(&began.to_string(), false);
        assert!(said.ends_with("shell: make"), "{said}");
        assert!(
            !said.contains("python3") && !said.contains("sb_exec"),
            "{said}"
        );
        assert!(
            shown(&began.to_string(), true).contains("python3"),
            "--json keeps the whole line"
        );
        let by_a_person = json!({ "event": "began", "what": { "argv": ["ls", "/nope"] } });
        assert!(shown(&by_a_person.to_string(), false).ends_with("ls /nope"));
        let ended = json!({ "event": "ended", "at": "now", "operation": "sb_exec", "sandbox": "s", "state": "done",
            "outcome": { "code": 3 }, "ms": 12 });
        let said = shown(&ended.to_string(), false);
        assert!(said.contains("exit 3") && !said.contains("done"), "{said}");
        let refused = json!({ "event": "ended", "state": "failed", "outcome": { "error": "busy", "detail": "full" } });
        assert!(shown(&refused.to_string(), false).contains("failed"));
    }
}

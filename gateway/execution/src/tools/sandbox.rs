//! The bundle `sandbox`: commands and files. Each tool runs a small fixed program in the sandbox. Paths are its
//! arguments, and content is its stdin.

use std::collections::BTreeMap;

use roost_protocol::operation::Purpose;
use serde::Deserialize;
use serde_json::json;

use super::error::ToolError;
use super::input::{ReadFile, Shell, WriteFile};
use super::model::{Capability, EffectKey, Pane, ToolResult};
use super::output::{Keep, RESULT_BYTES, readable};
use super::sandbox_command::{self, CommandResult, Exit, FrameSink, SandboxCommand};
use roost_machines::sandboxes::SandboxesHandle;

const SHELL: &str = include_str!("scripts/shell.py");
const PANE: &str = include_str!("scripts/pane.py");
const FILES: &str = include_str!("scripts/files.py");
/// Runs the script if the image has Python, else the command itself: an image may be small.
const LAUNCH: &str = r#"command -v python3 >/dev/null 2>&1 && exec python3 -I -S -c "$1" "$2" "$3" "$4"
exec 2>&1
[ -x /bin/bash ] && exec /bin/bash -c "$2"
exec /bin/sh -c "$2""#;
/// The deadline for reading and writing files, in seconds.
pub(super) const QUICK_S: u64 = 60;
/// The panes' server is a child of the command that started it, so this deadline is as long as a sandbox may live
/// unused.
const PANES_S: u64 = roost_protocol::limits::MAX_DEADLINE_S;
/// The exit code with which a script refuses a request.
pub(super) const REFUSED: i32 = 64;

/// A fixed Python program. It imports nothing from the workspace, and no environment variable changes it.
pub(super) fn script(source: &str, arguments: &[&str]) -> Vec<String> {
    ["python3", "-I", "-S", "-c", source]
        .iter()
        .chain(arguments)
        .map(|&argument| argument.to_owned())
        .collect()
}

pub(super) async fn shell(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    call: Shell,
    on_frame: FrameSink<'_>,
) -> Result<ToolResult, ToolError> {
    if let Some(pane) = &may.pane {
        ensure_pane(sandboxes, may, key, pane).await?;
    }
    let (window, name) = match &may.pane {
        Some(pane) => (pane.window(), pane.name()),
        None => ("", ""),
    };
    let argv = [
        "/bin/sh",
        "-c",
        LAUNCH,
        "sh",
        SHELL,
        &call.command,
        window,
        name,
    ];
    let work = SandboxCommand {
        purpose: Purpose::new("shell", Some(&call.command)),
        argv: argv.map(str::to_owned).to_vec(),
        cwd: Some(call.cwd.clone()),
        env: BTreeMap::new(),
        stdin: None,
        deadline_s: call.timeout_s,
        keep: Keep::End,
        most: RESULT_BYTES,
    };
    let done = sandbox_command::run(sandboxes, may, key, work, Some(on_frame)).await?;
    Ok(ran(done, &call))
}

/// A failure to create the pane hides the command from people, but does not prevent it.
async fn ensure_pane(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    pane: &Pane,
) -> Result<(), ToolError> {
    let work = SandboxCommand {
        purpose: Purpose::new("pane", None),
        argv: script(PANE, &[pane.window(), pane.name()]),
        cwd: None,
        env: BTreeMap::new(),
        stdin: None,
        deadline_s: PANES_S,
        keep: Keep::End,
        most: 1024,
    };
    let ensured = sandbox_command::run(sandboxes, may, key.part("pane"), work, None);
    match tokio::time::timeout(std::time::Duration::from_secs(QUICK_S), ensured).await {
        Err(_) | Ok(Err(ToolError::Unclear(_) | ToolError::Refused(_))) | Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error),
    }
}

fn ran(done: CommandResult, call: &Shell) -> ToolResult {
    let kept = done.output.kept();
    let mut text = String::new();
    if kept.left_out > 0 {
        text.push_str(&format!(
            "[{} bytes before this are left out; run it with `> some-file` and read that, or print less]\n",
            kept.left_out
        ));
    }
    text.push_str(&kept.text);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let (note, code) = match done.exit {
        Exit::Code(code) => (format!("[exit code {code}]"), Some(code)),
        Exit::TimedOut => (
            format!(
                "[killed with all that it started: it ran longer than {} s; ask for a longer timeout_s, or run it in parts]",
                call.timeout_s
            ),
            None,
        ),
        Exit::NotStarted(why) => (
            format!(
                "[not started: {}; is {} a folder?]",
                readable(&why),
                call.cwd
            ),
            None,
        ),
    };
    text.push_str(&note);
    ToolResult {
        text,
        is_error: code != Some(0),
        exit_code: code,
        cut: kept.left_out > 0,
        door: None,
    }
}

/// The result of a refused request.
pub(super) fn refused(why: &str) -> ToolResult {
    ToolResult {
        text: readable(why),
        is_error: true,
        exit_code: None,
        cut: false,
        door: None,
    }
}

/// A script's answer, or the result that explains why there is none.
pub(super) fn answered(done: &CommandResult) -> Result<Vec<u8>, ToolResult> {
    let output = done.output.raw();
    let said = || String::from_utf8_lossy(&output).into_owned();
    match &done.exit {
        Exit::Code(0) => Ok(output),
        Exit::Code(REFUSED) => Err(refused(&said())),
        Exit::Code(code) => Err(refused(&format!("It failed with code {code}: {}", said()))),
        Exit::TimedOut => Err(refused(&format!("It took longer than {QUICK_S} s."))),
        Exit::NotStarted(why) => Err(refused(&format!(
            "The sandbox's image lacks python3, which this tool needs ({why})."
        ))),
    }
}

#[derive(Deserialize)]
struct Read {
    total: u64,
    from: u64,
    lines: u64,
    shortened: u64,
    bytes: u64,
}

#[derive(Deserialize)]
struct Written {
    bytes: u64,
    made: bool,
    path: String,
}

#[derive(Deserialize)]
struct Listed {
    entries: u64,
    more: u64,
    path: String,
}

async fn files(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    tool: &str,
    asked: serde_json::Value,
    stdin: Option<String>,
) -> Result<CommandResult, ToolError> {
    let work = SandboxCommand {
        purpose: Purpose::new(tool, asked["path"].as_str()),
        argv: script(FILES, &[&asked.to_string()]),
        cwd: Some("/".to_owned()),
        env: BTreeMap::new(),
        stdin,
        deadline_s: QUICK_S,
        keep: Keep::Start,
        // Room for a header and for content that the script itself limits.
        most: 4 * RESULT_BYTES,
    };
    sandbox_command::run(sandboxes, may, key, work, None).await
}

/// The header of an answer, and the content after it.
fn parted<T: serde::de::DeserializeOwned>(answer: &[u8]) -> Result<(T, String), ToolResult> {
    let end = answer.iter().position(|byte| *byte == b'\n');
    let (header, content) = match end {
        Some(end) => (&answer[..end], &answer[end + 1..]),
        None => (answer, &[][..]),
    };
    match serde_json::from_slice(header) {
        Ok(header) => Ok((header, readable(&String::from_utf8_lossy(content)))),
        Err(error) => Err(refused(&format!(
            "The sandbox answered something else than was asked ({error})."
        ))),
    }
}

pub(super) async fn read_file(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    call: ReadFile,
) -> Result<ToolResult, ToolError> {
    let asked =
        json!({ "do": "read", "path": call.path, "offset": call.offset, "limit": call.limit });
    let done = files(sandboxes, may, key, "read_file", asked, None).await?;
    Ok(answered(&done)
        .and_then(|answer| parted::<Read>(&answer))
        .map_or_else(
            |refused| refused,
            |(about, content)| was_read(&about, content),
        ))
}

fn was_read(about: &Read, mut text: String) -> ToolResult {
    let last = about.from + about.lines.saturating_sub(1);
    let more = about.lines > 0 && last < about.total || about.lines == 0 && about.total > 0;
    if about.total == 0 {
        text = "[the file is empty]".to_owned();
    } else if more || about.from > 1 {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!(
            "[lines {} to {last} of {} ({} bytes)",
            about.from, about.total, about.bytes
        ));
        if more {
            text.push_str(&format!("; go on with offset {}", last + 1));
        }
        text.push(']');
    }
    ToolResult {
        text,
        is_error: false,
        exit_code: None,
        cut: more || about.shortened > 0,
        door: None,
    }
}

pub(super) async fn write_file(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    call: WriteFile,
) -> Result<ToolResult, ToolError> {
    let asked = json!({ "do": "write", "path": call.path, "bytes": call.content.len() });
    let done = files(sandboxes, may, key, "write_file", asked, Some(call.content)).await?;
    Ok(answered(&done)
        .and_then(|answer| parted::<Written>(&answer))
        .map_or_else(
            |refused| refused,
            |(about, _)| {
                let what = if about.made { "Made" } else { "Replaced" };
                let path = readable(&about.path);
                text_result(format!("{what} {path} ({} bytes).", about.bytes), false)
            },
        ))
}

pub(super) async fn list_files(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    path: String,
    depth: u64,
) -> Result<ToolResult, ToolError> {
    let asked = json!({ "do": "list", "path": path, "depth": depth });
    let done = files(sandboxes, may, key, "list_files", asked, None).await?;
    Ok(answered(&done)
        .and_then(|answer| parted::<Listed>(&answer))
        .map_or_else(
            |refused| refused,
            |(about, lines)| {
                let path = readable(&about.path);
                let mut text = match about.entries {
                    0 => format!("{path} is empty."),
                    _ => format!("{path}:\n{lines}"),
                };
                if about.more > 0 {
                    text.push_str(&format!(
                        "\n[{} more are left out; list a folder below, or less deep]",
                        about.more
                    ));
                }
                text_result(text, about.more > 0)
            },
        ))
}

/// A result of text.
pub(super) fn text_result(text: String, cut: bool) -> ToolResult {
    ToolResult {
        text,
        is_error: false,
        exit_code: None,
        cut,
        door: None,
    }
}

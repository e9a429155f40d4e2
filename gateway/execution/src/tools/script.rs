//! Scripts that Roost itself runs in a sandbox, such as a benchmark. They are no tools of an agent: no model chooses them.

use std::collections::BTreeMap;

use roost_protocol::operation::Purpose;

use super::error::ToolError;
use super::model::{Capability, EffectKey};
use super::output::Keep;
use super::sandbox_command::{self, Exit, FrameSink, SandboxCommand};
use roost_machines::sandboxes::SandboxesHandle;

/// The maximum size of the output that is kept, in bytes. The beginning of a longer output is left out.
pub const SCRIPT_BYTES: usize = 1 << 20;

/// A script to run.
#[derive(Debug, Clone)]
pub struct Script {
    /// What it does, for people.
    pub what: String,
    /// For `/bin/sh`.
    pub text: String,
    pub env: BTreeMap<String, String>,
    /// The folder in which it begins.
    pub folder: String,
    pub deadline_s: u64,
}

/// The end of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptEnd {
    /// Absent when it did not run to its end.
    pub exit_code: Option<i32>,
    pub text: String,
    /// The beginning of the output is left out.
    pub cut: bool,
}

pub(super) async fn run(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    script: Script,
    on_frame: FrameSink<'_>,
) -> Result<ScriptEnd, ToolError> {
    let deadline_s = script.deadline_s;
    let work = SandboxCommand {
        purpose: Purpose::new("script", Some(&script.what)),
        argv: ["/bin/sh", "-c", &script.text].map(str::to_owned).to_vec(),
        cwd: Some(script.folder),
        env: script.env,
        stdin: None,
        deadline_s,
        keep: Keep::End,
        most: SCRIPT_BYTES,
    };
    let done = sandbox_command::run(sandboxes, may, key, work, Some(on_frame)).await?;
    let kept = done.output.kept();
    let (exit_code, why) = match done.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::TimedOut => (
            None,
            Some(format!("It ran longer than {deadline_s} s and was killed.")),
        ),
        Exit::NotStarted(why) => (None, Some(format!("It was not started: {why}."))),
    };
    let mut text = kept.text;
    if let Some(why) = why {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&why);
    }
    Ok(ScriptEnd {
        exit_code,
        text,
        cut: kept.left_out > 0,
    })
}

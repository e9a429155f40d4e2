//! The bundle `repo`: git in the agent's sandbox. Every git feature through which a repository can start programs is
//! off.

use std::collections::BTreeMap;

use roost_protocol::operation::Purpose;
use serde_json::{Value, json};

use super::error::ToolError;
use super::input::Commit;
use super::model::{Capability, EffectKey, ToolResult};
use super::output::{Keep, RESULT_BYTES, readable};
use super::sandbox::{QUICK_S, answered, script, text_result};
use super::sandbox_command::{self, SandboxCommand};
use roost_agents::claws::ClawRow;
use roost_machines::sandboxes::SandboxesHandle;

const GIT: &str = include_str!("scripts/git.py");

/// The author of commits: the agent, with an address that does not exist.
pub(super) struct Author {
    name: String,
    email: String,
}

impl Author {
    pub(super) fn of(claw: &ClawRow) -> Self {
        // Git accepts neither a line end nor an angle bracket in a name.
        let name = roost_protocol::text::clean(&claw.name, 100).replace(['<', '>'], "");
        Self {
            name: match name.trim() {
                "" => "agent".to_owned(),
                name => name.to_owned(),
            },
            email: format!("{}@agents.roost.invalid", claw.id),
        }
    }
}

pub(super) fn commit(call: Commit) -> Value {
    json!({ "do": "commit", "path": call.path, "message": call.message, "paths": call.paths })
}

/// Executes the request document.
pub(super) async fn git(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    mut asked: Value,
    author: Author,
) -> Result<ToolResult, ToolError> {
    let (tool, about) = (asked["do"].as_str(), asked["message"].as_str());
    let about = about.or(asked["path"].as_str());
    let purpose = Purpose::new(tool.unwrap_or("git"), about);
    asked["name"] = author.name.into();
    asked["email"] = author.email.into();
    let work = SandboxCommand {
        purpose,
        argv: script(GIT, &[&asked.to_string()]),
        cwd: Some("/".to_owned()),
        env: BTreeMap::new(),
        stdin: None,
        deadline_s: QUICK_S,
        keep: Keep::Start,
        most: RESULT_BYTES,
    };
    let done = sandbox_command::run(sandboxes, may, key, work, None).await?;
    if let Err(refused) = answered(&done) {
        return Ok(refused);
    }
    let kept = done.output.kept();
    let mut text = readable(&kept.text);
    if kept.left_out > 0 {
        text.push_str(&format!(
            "[{} bytes after this are left out; look at single files with read_file]",
            kept.left_out
        ));
    }
    if text.is_empty() {
        text = "Nothing differs.".to_owned();
    }
    Ok(text_result(text, kept.left_out > 0))
}

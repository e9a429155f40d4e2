//! Requests to the runtime of a mission, on the loopback of its sandbox. The guest sends them, with the bearer that only it
//! has. They are no tools of an agent: no model chooses them.

use std::collections::BTreeMap;

use roost_protocol::guest::PROGRAM;
use roost_protocol::guest::runtime::{Asked, Reply};
use roost_protocol::operation::Purpose;

use super::error::ToolError;
use super::model::{Capability, EffectKey};
use super::output::Keep;
use super::sandbox_command::{self, Exit, SandboxCommand};
use roost_machines::sandboxes::SandboxesHandle;

/// How much longer than the request the command may take, in seconds.
const MORE_S: u64 = 30;
/// JSON may write a byte as six.
const ESCAPED: usize = 6;

pub(super) async fn request(
    sandboxes: &SandboxesHandle,
    may: &Capability,
    key: EffectKey,
    (port, what): (u16, &str),
    asked: &Asked,
) -> Result<Reply, ToolError> {
    let wrong = |why: String| ToolError::Unclear(why);
    let stdin = serde_json::to_string(asked).map_err(|error| wrong(error.to_string()))?;
    let most = usize::try_from(asked.most).unwrap_or(usize::MAX);
    let work = SandboxCommand {
        purpose: Purpose::new("a2a", Some(what)),
        argv: [PROGRAM, "runtime-request", &port.to_string()]
            .map(str::to_owned)
            .to_vec(),
        cwd: None,
        env: BTreeMap::new(),
        stdin: Some(stdin),
        deadline_s: asked.timeout_s + MORE_S,
        keep: Keep::Start,
        most: most.saturating_mul(ESCAPED).saturating_add(1024),
    };
    let done = sandbox_command::run(sandboxes, may, key, work, None).await?;
    let text = done.output.kept().text;
    Ok(match done.exit {
        Exit::Code(0) => serde_json::from_str(text.trim())
            .unwrap_or_else(|_| Reply::Broken("its answer was cut off on the way".to_owned())),
        Exit::Code(_) => Reply::NotTaken(text.chars().take(300).collect()),
        Exit::TimedOut => Reply::Broken("it did not answer in time".to_owned()),
        Exit::NotStarted(why) => Reply::NotTaken(why),
    })
}

//! The entry point for callers of tools: the agent loop and the MCP servers. Each call passes the gate before it is
//! executed.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::door;
use super::error::ToolError;
use super::input::{self, Call};
use super::loopback;
use super::model::{Capability, EffectKey, ToolResult};
use super::output::{Frame, RESULT_BYTES, readable};
use super::repo::{self, Author};
use super::sandbox::{self, refused, text_result};
use super::sandbox_command;
use super::script::{self, Script, ScriptEnd};
use roost_agents::claws;
use roost_connections::doors::DoorsContext;
use roost_machines::sandboxes::{OwnerKind, SandboxError, SandboxesHandle};
use roost_platform::db::Db;
use roost_platform::ids::ClawId;
use roost_protocol::guest::runtime::{Asked, Reply};
use roost_tenancy::auth::WorkspaceScope;

/// A skill as an agent reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillText {
    pub name: String,
    /// Its purpose, in a sentence.
    pub summary: String,
    pub text: String,
    /// Whether its text stands in the agent's context.
    pub pinned: bool,
}

/// The skills of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillTexts {
    /// In their order.
    pub each: Vec<SkillText>,
    /// The part of the agent's context: the text of pinned skills, and the names of the others. The runtime has the same
    /// text in the agent's prompt.
    pub in_context: String,
}

/// Reads the skills of an agent. The wiring supplies it, because skills belong to another domain.
pub type EffectiveSkills = Arc<
    dyn Fn(WorkspaceScope, ClawId) -> BoxFuture<'static, anyhow::Result<SkillTexts>> + Send + Sync,
>;

/// Executes calls. Cheap to clone.
#[derive(Clone)]
pub struct Toolbox {
    sandboxes: SandboxesHandle,
    db: Db,
    skills: EffectiveSkills,
    doors: DoorsContext,
}

impl Toolbox {
    /// Creates the toolbox.
    pub fn new(
        sandboxes: SandboxesHandle,
        db: Db,
        skills: EffectiveSkills,
        doors: DoorsContext,
    ) -> Self {
        Self {
            sandboxes,
            db,
            skills,
            doors,
        }
    }

    /// Executes one call. A repeat with the same key does nothing again and returns the first call's result. `on_frame`
    /// receives output while a command runs.
    ///
    /// # Errors
    /// See [`ToolError`]: its class defines what the caller does. A failure that the tool itself reports is a result.
    pub async fn call(
        &self,
        may: &Capability,
        key: EffectKey,
        name: &str,
        arguments: &Value,
        on_frame: &mut (dyn FnMut(Frame) + Send),
    ) -> Result<ToolResult, ToolError> {
        let call = input::admit(may, name, arguments)?.into_call();
        let sandboxes = &self.sandboxes;
        match call {
            Call::DoorActions => door::actions(&self.doors, may).await,
            Call::DoorAsk { action, params } => {
                door::ask(&self.doors, may, key, action, params).await
            }
            Call::ListSkills => self.list_skills(may).await,
            Call::ReadSkill(name) => self.read_skill(may, &name).await,
            Call::Shell(call) => sandbox::shell(sandboxes, may, key, call, on_frame).await,
            Call::ReadFile(call) => sandbox::read_file(sandboxes, may, key, call).await,
            Call::WriteFile(call) => sandbox::write_file(sandboxes, may, key, call).await,
            Call::ListFiles { path, depth } => {
                sandbox::list_files(sandboxes, may, key, path, depth).await
            }
            Call::Status { path } => {
                self.git(may, key, json!({ "do": "status", "path": path }))
                    .await
            }
            Call::Diff { path } => {
                self.git(may, key, json!({ "do": "diff", "path": path }))
                    .await
            }
            Call::Commit(call) => self.git(may, key, repo::commit(call)).await,
            Call::Log { path, limit } => {
                let asked = json!({ "do": "log", "path": path, "limit": limit });
                self.git(may, key, asked).await
            }
        }
    }

    /// Runs a script of Roost itself. A repeat with the same key does nothing again and returns the first end.
    ///
    /// # Errors
    /// See [`ToolError`].
    pub async fn script(
        &self,
        may: &Capability,
        key: EffectKey,
        script: Script,
        on_frame: &mut (dyn FnMut(Frame) + Send),
    ) -> Result<ScriptEnd, ToolError> {
        script::run(&self.sandboxes, may, key, script, on_frame).await
    }

    /// Sends a request to the runtime of a mission, in whose sandbox the capability works. `what` says it for people. A repeat
    /// with the same key sends nothing again and returns the first answer.
    ///
    /// # Errors
    /// See [`ToolError`].
    pub async fn loopback(
        &self,
        may: &Capability,
        key: EffectKey,
        at: (u16, &str),
        asked: &Asked,
    ) -> Result<Reply, ToolError> {
        loopback::request(&self.sandboxes, may, key, at, asked).await
    }

    /// Cancels the operation of a call with this key. The call then ends with [`ToolError::Cancelled`].
    ///
    /// # Errors
    /// When the cancellation cannot reach the machine now.
    pub async fn cancel(&self, may: &Capability, key: EffectKey) -> Result<(), ToolError> {
        sandbox_command::cancel(&self.sandboxes, may, key).await
    }

    async fn git(
        &self,
        may: &Capability,
        key: EffectKey,
        asked: Value,
    ) -> Result<ToolResult, ToolError> {
        let claw = claws::find(self.db.read(), may.scope, agent_of(may)?)
            .await?
            .ok_or(ToolError::Sandbox(SandboxError::NoOwner(OwnerKind::Claw)))?;
        repo::git(&self.sandboxes, may, key, asked, Author::of(&claw)).await
    }

    /// What stands about skills in the context of the capability's agent. Empty when it has none.
    ///
    /// # Errors
    /// When the skills cannot be read.
    pub async fn skills_in_context(&self, may: &Capability) -> Result<String, ToolError> {
        Ok(self.effective(may).await?.in_context)
    }

    async fn effective(&self, may: &Capability) -> Result<SkillTexts, ToolError> {
        (self.skills)(may.scope, agent_of(may)?)
            .await
            .map_err(ToolError::Skills)
    }

    async fn list_skills(&self, may: &Capability) -> Result<ToolResult, ToolError> {
        let skills = self.effective(may).await?.each;
        if skills.is_empty() {
            return Ok(text_result("You have no skills.".to_owned(), false));
        }
        let line = |skill: &SkillText| {
            let pinned = match skill.pinned {
                true => " (pinned: its text is in your context)",
                false => "",
            };
            format!("- {}: {}{pinned}\n", skill.name, skill.summary)
        };
        let whole: String = skills.iter().map(line).collect();
        Ok(bounded(whole))
    }

    async fn read_skill(&self, may: &Capability, name: &str) -> Result<ToolResult, ToolError> {
        let skills = self.effective(may).await?.each;
        Ok(match skills.into_iter().find(|skill| skill.name == name) {
            Some(skill) => bounded(skill.text),
            None => refused(&format!(
                "You have no skill `{}`; list_skills names those that you have.",
                roost_protocol::text::clean(name, 200)
            )),
        })
    }
}

/// The agent of the capability.
pub(super) fn agent_of(may: &Capability) -> Result<ClawId, ToolError> {
    may.agent.ok_or(ToolError::NoAgent)
}

fn bounded(text: String) -> ToolResult {
    let mut text = readable(&text);
    let cut = text.len() > RESULT_BYTES;
    if cut {
        text.truncate(text.floor_char_boundary(RESULT_BYTES));
        text.push_str("\n[the rest is left out]");
    }
    text_result(text, cut)
}

//! Pure rules of tools: profiles, bundles, the tools that they offer together, and the keys of effects.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::catalogue;
use roost_platform::ids::{ClawId, OperationId, RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// How much an agent may do in its sandbox. No profile gives it network access.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = RiskProfile)]
pub enum Profile {
    /// No files and no shell.
    Toolfree,
    /// Reads files and history.
    ResearchReadonly,
    /// Reads, writes and runs commands.
    CodingReadwrite,
}

impl Profile {
    pub const ALL: [Self; 3] = [
        Self::Toolfree,
        Self::ResearchReadonly,
        Self::CodingReadwrite,
    ];

    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Toolfree => "toolfree",
            Self::ResearchReadonly => "research_readonly",
            Self::CodingReadwrite => "coding_readwrite",
        }
    }

    /// Parses a value of a row or a request. `None` for an unknown value, which must never widen a permission.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == word)
    }

    /// Whether this profile may use a tool of a bundle that the agent has.
    fn admits(self, tool: &ToolSpec) -> bool {
        match tool.bundle {
            // These tools do not touch the sandbox, so every profile has them.
            Bundle::Door | Bundle::Skills => true,
            Bundle::Sandbox | Bundle::Repo => match self {
                Self::Toolfree => false,
                Self::ResearchReadonly => tool.reads_only,
                Self::CodingReadwrite => true,
            },
        }
    }
}

/// A group of tools, served as one MCP server.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ToolBundle)]
pub enum Bundle {
    /// Talking to others and requesting actions outside Roost.
    Door,
    /// Reading the agent's skills.
    Skills,
    /// Files and commands in the agent's sandbox.
    Sandbox,
    /// Git in the agent's sandbox.
    Repo,
}

impl Bundle {
    pub const ALL: [Self; 4] = [Self::Door, Self::Skills, Self::Sandbox, Self::Repo];

    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Door => "door",
            Self::Skills => "skills",
            Self::Sandbox => "sandbox",
            Self::Repo => "repo",
        }
    }

    /// Parses a value of a row or a request.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bundle| bundle.as_str() == word)
    }
}

/// What the caller of tools may do. The gateway creates it for a step or for an agent's token. The caller never does.
#[derive(Debug, Clone)]
pub struct Capability {
    pub scope: WorkspaceScope,
    pub agent: ClawId,
    /// The user on whose authority the agent acts.
    pub user: UserId,
    /// The agent in whose sandbox the tools work: a team may share one.
    pub sandbox_of: ClawId,
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    pub run: Option<RunId>,
    /// The pane where people see the agent's commands.
    pub pane: Option<Pane>,
}

/// The agent's place in its sandbox's terminal multiplexer, session `roost`. Both names come from ids, so a resumed run
/// finds the same pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    window: String,
    name: String,
}

impl Pane {
    /// The session of all agents' panes.
    pub const SESSION: &'static str = "roost";

    /// The pane of an agent in a run: one window a run, one pane an agent.
    pub fn of_run(run: RunId, agent: ClawId) -> Self {
        Self {
            window: format!("run-{}", run.0.simple()),
            name: format!("agent-{}", agent.0.simple()),
        }
    }

    /// The name of the window. A run stores it together with the session.
    pub fn window(&self) -> &str {
        &self.window
    }

    /// The pane's mark inside its window.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The key of one call's effect. Calls with the same key have their effect at most once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EffectKey(pub Uuid);

impl EffectKey {
    /// The key of one part of a call that needs several operations.
    pub fn part(self, what: &str) -> Self {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        hash.update(self.0.as_bytes());
        hash.update(what.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        // Version 8 marks custom ids, so this id never equals one of Roost's own UUIDv7 ids.
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The id of the operation that executes it.
    pub fn operation(self) -> OperationId {
        OperationId(self.0)
    }
}

/// One tool, as models and MCP clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    pub description: &'static str,
    /// The JSON Schema of the arguments.
    pub schema: serde_json::Value,
    pub bundle: Bundle,
    /// The tool changes nothing, in the sandbox or anywhere else.
    pub reads_only: bool,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// For the model: limited in size, without control characters.
    pub text: String,
    /// The tool did not do what was asked. The text gives the reason.
    pub is_error: bool,
    /// The exit code, for a tool that runs a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The text is not complete.
    pub cut: bool,
}

/// The tools of a profile with these bundles, always in the same order. This is the gate: an agent can call only the
/// tools in this list.
pub fn offered(profile: Profile, bundles: &BTreeSet<Bundle>) -> Vec<ToolSpec> {
    catalogue::all()
        .into_iter()
        .filter(|tool| bundles.contains(&tool.bundle) && profile.admits(tool))
        .collect()
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;

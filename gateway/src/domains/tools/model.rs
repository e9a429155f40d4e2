//! Pure rules of tools: profiles, bundles, what they offer together, and the keys of effects.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::catalogue;
use crate::domains::auth::WorkspaceScope;
use crate::ids::{ClawId, OperationId, RunId, UserId};

/// How much an agent may do with its own hands. None of them gives it the network.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = RiskProfile)]
pub enum Profile {
    /// No file and no shell.
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

    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Toolfree => "toolfree",
            Self::ResearchReadonly => "research_readonly",
            Self::CodingReadwrite => "coding_readwrite",
        }
    }

    /// From a row or a request; `None` for a word that we do not know, which must never widen anything.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == word)
    }

    /// Whether this profile may use a tool of a bundle that the agent has.
    fn admits(self, tool: &ToolSpec) -> bool {
        match tool.bundle {
            // These work on nothing of the agent's own: they are there for every profile.
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
    /// Talking to others and asking for actions outside.
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

    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Door => "door",
            Self::Skills => "skills",
            Self::Sandbox => "sandbox",
            Self::Repo => "repo",
        }
    }

    /// From a row or a request.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bundle| bundle.as_str() == word)
    }
}

/// What whoever calls tools may do: made by the gateway for a step, or for an agent's token; never by the caller.
#[derive(Debug, Clone)]
pub struct Capability {
    pub scope: WorkspaceScope,
    pub agent: ClawId,
    /// On whose authority.
    pub user: UserId,
    /// Whose sandbox the tools work in: a team may share one.
    pub sandbox_of: ClawId,
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    pub run: Option<RunId>,
    /// Where people see the agent's commands.
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

    /// The window's name; together with the session it is what a run stores.
    pub fn window(&self) -> &str {
        &self.window
    }

    /// The mark of the pane inside its window.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The key of one call's effect. The same key is the same effect: it happens at most once.
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
        // Version 8 is for ids of one's own making: no UUIDv7 of ours is ever the same.
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The operation that carries it out.
    pub fn operation(self) -> OperationId {
        OperationId(self.0)
    }
}

/// One tool, as models and MCP clients see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub schema: serde_json::Value,
    pub bundle: Bundle,
    /// It changes nothing, in the sandbox or anywhere.
    pub reads_only: bool,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// For the model: bounded, without control characters.
    pub text: String,
    /// It did not do what was asked; the text says why.
    pub is_error: bool,
    /// Of the command, where the tool runs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The text is not all that there was.
    pub cut: bool,
}

/// The tools of a profile with these bundles, always in the same order. This is the gate: what is not in the list cannot
/// be called.
pub fn offered(profile: Profile, bundles: &BTreeSet<Bundle>) -> Vec<ToolSpec> {
    catalogue::all()
        .into_iter()
        .filter(|tool| bundles.contains(&tool.bundle) && profile.admits(tool))
        .collect()
}

/// Whether a tool of this name is offered.
pub fn is_offered(profile: Profile, bundles: &BTreeSet<Bundle>, name: &str) -> bool {
    offered(profile, bundles)
        .iter()
        .any(|tool| tool.name == name)
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;

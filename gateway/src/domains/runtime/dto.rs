//! What the runtime knows of an agent, in JSON.

use std::collections::BTreeSet;

use serde::Serialize;
use utoipa::ToSchema;

use crate::domains::tools::{Bundle, Profile};
use crate::domains::topology::Kind;
use crate::events::AgentState;
use crate::ids::{ClawId, SandboxId, TeamId, TemplateId};

/// A tool that an agent may use.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub bundle: Bundle,
    /// It changes nothing.
    pub reads_only: bool,
}

/// What an agent runs with.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentRuntimeConfig)]
pub struct RuntimeConfig {
    pub agent_id: ClawId,
    /// `built_in`.
    pub runtime: String,
    /// The agent's own binding; its team's, then the workspace's counts when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
    /// The model that it would think with now; absent when the binding names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// As the runtime's record has it: what a step may use is decided by the gateway at each call.
    pub record_profile: Profile,
    pub record_bundles: BTreeSet<Bundle>,
    /// What counts in a step of its team.
    pub effective_profile: Profile,
    pub effective_bundles: BTreeSet<Bundle>,
    /// What that offers it.
    pub tools: Vec<OfferedTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// Whose sandbox it works in, when not its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workbench_agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_version: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_slot: Option<String>,
}

/// Who an agent is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentIdentity)]
pub struct Identity {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub status: AgentState,
    /// Words of its system prompt.
    pub prompt_words: usize,
}

/// What an agent remembers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentMemory)]
pub struct Memory {
    /// 0 when it has none.
    pub version: i64,
    pub bytes: usize,
}

/// A skill, in short.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSkillBrief)]
pub struct SkillBrief {
    pub name: String,
    pub title: String,
    pub pinned: bool,
}

/// Where an agent works.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSeat)]
pub struct Seat {
    pub team_id: TeamId,
    pub team_name: String,
    pub topology: Kind,
    pub node: String,
    pub slot: String,
}

/// An agent's body of work.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentBody)]
pub struct Body {
    pub sandbox_id: SandboxId,
    /// `local`, or the id of a node.
    pub node_id: String,
    pub state: String,
}

/// An agent's anatomy.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentCompartments)]
pub struct Compartments {
    pub agent_id: ClawId,
    pub identity: Identity,
    pub memory: Memory,
    pub skills: Vec<SkillBrief>,
    pub tools: Vec<String>,
    pub apps: Vec<String>,
    /// Its sandbox, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    pub seats: Vec<Seat>,
    /// Steps that it works on just now.
    pub at_work: u64,
}

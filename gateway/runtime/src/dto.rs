//! The JSON of an agent's runtime: its configuration and its parts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_connections::checkouts::RunRepo;
use roost_execution::runs::RunLimits;
use roost_execution::tools::{Bundle, Profile};
use roost_execution::topology::Kind;
use roost_machines::sandboxes::NewLimits;
use roost_organisation::teams::EffectiveImage;
use roost_platform::events::AgentState;
use roost_platform::ids::{ClawId, SandboxId, TeamId, TemplateId};
use roost_web::json::{Check, Mistakes};

/// A tool that an agent may use.
#[derive(Debug, Serialize, ToSchema)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub bundle: Bundle,
    /// The tool changes nothing.
    pub reads_only: bool,
}

/// The configuration of an agent's runtime.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentRuntimeConfig)]
pub struct RuntimeConfig {
    pub agent_id: ClawId,
    /// The agent's version, for `If-Match`.
    pub version: i64,
    /// `built_in`, the only runtime so far.
    pub runtime: String,
    /// The agent's own model binding. When it is absent, the team's binding applies, then the workspace's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
    /// The model that the agent would use now. Absent when the binding does not resolve to a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own profile. The profile of its team or its template applies before it.
    pub record_profile: Profile,
    /// The agent's own bundles. Its team and its template add theirs.
    pub record_bundles: BTreeSet<Bundle>,
    /// The profile that applies: the team's, else its template's, else the record's.
    pub effective_profile: Profile,
    /// The bundles of record, template and team, as far as this profile allows.
    pub effective_bundles: BTreeSet<Bundle>,
    /// The tools that this profile and these bundles offer.
    pub tools: Vec<OfferedTool>,
    /// The agent's own image for its sandboxes: a name of the catalogue. Its team's or its template's applies when it is
    /// null.
    pub image: Option<String>,
    /// The image of its new sandboxes.
    pub effective_image: EffectiveImage,
    /// The agent's own limits for its sandboxes. Its team's limits apply where one is absent.
    pub limits: NewLimits,
    /// The limits of its new sandboxes. The machine's usual values apply where a limit is absent.
    pub effective_limits: NewLimits,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// The team whose sandbox this agent works in. Absent when it works in its own sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_team_id: Option<TeamId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_version: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_slot: Option<String>,
}

/// A change of what the runtime knows of an agent. Absent fields stay unchanged.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AgentRuntimeConfigChange)]
pub struct RuntimeConfigChange {
    /// A model of the workspace. Null removes the agent's own binding.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>, max_length = 200)]
    pub model_binding: Option<Option<String>>,
    pub risk_profile: Option<Profile>,
    pub mcp_bundles: Option<Vec<Bundle>>,
    /// A name of the catalogue (`/api/images`). Null removes the agent's own image. An existing sandbox keeps its image.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>, max_length = 40)]
    pub image: Option<Option<String>>,
    /// All limits of the agent: a limit that is absent here is removed. An existing sandbox keeps its limits.
    pub limits: Option<NewLimits>,
}

impl Check for RuntimeConfigChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(Some(model)) = &self.model_binding {
            mistakes.text("/model_binding", model, 1, 200);
        }
        if let Some(limits) = self.limits {
            limits.check(mistakes);
        }
    }
}

/// Work for one agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunAgent {
    /// The goal.
    #[schema(min_length = 1, max_length = 100_000)]
    pub input: String,
    /// The repository that the run works on.
    #[serde(default)]
    pub repo: Option<RunRepo>,
    /// The cost limit of the run, in millionths of a US dollar.
    #[schema(minimum = 0)]
    pub cost_ceiling_microusd: Option<i64>,
    #[serde(default)]
    pub limits: RunLimits,
    /// The model of the agent in this run (`<provider>/<model>`). Its own applies when it is absent.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
}

impl Check for RunAgent {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/input", &self.input, 1, 100_000);
        if let Some(model) = &self.model {
            mistakes.text("/model", model, 1, 200);
        }
        RunRepo::check(self.repo.as_ref(), mistakes);
        if self
            .cost_ceiling_microusd
            .is_some_and(|ceiling| ceiling < 0)
        {
            mistakes.add("/cost_ceiling_microusd", "must not be below 0");
        }
        self.limits.check("/limits", mistakes);
    }
}

/// The identity of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentIdentity)]
pub struct Identity {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub status: AgentState,
    /// The number of words in its system prompt.
    pub prompt_words: usize,
}

/// The memory (brain) of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentMemory)]
pub struct Memory {
    /// 0 when the agent has no brain yet.
    pub version: i64,
    pub bytes: usize,
}

/// A short description of a skill.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSkillBrief)]
pub struct SkillBrief {
    pub name: String,
    pub title: String,
    pub pinned: bool,
}

/// A place of an agent in a team.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentSeat)]
pub struct Permissions {
    pub team_id: TeamId,
    pub team_name: String,
    pub topology: Kind,
    pub node: String,
    pub slot: String,
}

/// The sandbox of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentBody)]
pub struct Body {
    pub sandbox_id: SandboxId,
    /// `local`, or the id of a node.
    pub node_id: String,
    pub state: String,
}

/// The parts of an agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentCompartments)]
pub struct Compartments {
    pub agent_id: ClawId,
    pub identity: Identity,
    pub memory: Memory,
    pub skills: Vec<SkillBrief>,
    pub tools: Vec<String>,
    pub apps: Vec<String>,
    /// Absent when the agent has no sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    pub seats: Vec<Permissions>,
    /// The number of steps that the agent works on now.
    pub at_work: u64,
}

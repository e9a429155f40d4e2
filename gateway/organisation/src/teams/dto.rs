//! The JSON of teams.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::EffectiveImage;
use super::model::{Lifecycle, MOST_MEMBERS, State};
use roost_connections::checkouts::RunRepo;
use roost_execution::runs::{RunBrief, RunLimits};
use roost_execution::tools::{Bundle, Profile};
use roost_execution::topology::{Bounds, Graph, Kind, OnReject, Placed, Seat};
use roost_machines::sandboxes::NewLimits;
use roost_platform::events::AgentState;
use roost_platform::ids::{ClawId, RepoId, TeamId, TemplateId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// The agent of a node.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamMember {
    pub node: String,
    pub slot: String,
    pub agent_id: ClawId,
    /// The agent's current name. Absent when the agent was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<AgentState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
}

/// The repository that a team's runs work on.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamRepository {
    pub repo_id: RepoId,
    /// Null when the repository was removed from the workspace. Runs that name no other repository are refused then.
    pub full_name: Option<String>,
    /// A branch or a whole commit id. The repository's default branch when it is null.
    pub base: Option<String>,
}

/// The repository that a team's runs work on when a run names none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamRepo {
    pub repo_id: RepoId,
    /// A branch of the repository, or a whole commit id. The default is its default branch.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base: Option<String>,
}

impl TeamRepo {
    /// As a run names it.
    pub fn of_run(&self) -> RunRepo {
        RunRepo {
            repo_id: Some(self.repo_id),
            upload_id: None,
            base: self.base.clone(),
        }
    }
}

/// A team.
#[derive(Debug, Serialize, ToSchema)]
pub struct Team {
    pub id: TeamId,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub state: State,
    /// The team's own profile. The template's applies when it is null.
    pub risk_profile: Option<Profile>,
    /// The team's own bundles, in addition to the template's.
    pub mcp_bundles: Vec<Bundle>,
    /// The team's profile, else its template's. `toolfree` when neither names one: then the profile in the record of each
    /// agent applies.
    pub effective_profile: Profile,
    /// The bundles of the team and its template, as far as the profile allows. Each agent adds those of its record.
    pub effective_bundles: BTreeSet<Bundle>,
    pub lifecycle: Lifecycle,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_version: Option<i64>,
    /// Its agents work in one sandbox, which belongs to the team (`/api/teams/{id}/sandbox`). Otherwise each agent works in
    /// its own.
    pub shared_sandbox: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
    /// The machine for its agents' sandboxes: `local`, a node's id, or null for the workspace's placement.
    pub machine_id: Option<String>,
    /// The team's own image for its agents' sandboxes: a name of the catalogue. The template's applies when it is null.
    pub image: Option<String>,
    /// The image of its agents' new sandboxes, as far as an agent has no own image.
    pub effective_image: EffectiveImage,
    /// The limits of its agents' new sandboxes. The machine's usual values apply where a limit is absent.
    pub limits: NewLimits,
    /// The repository of runs that name none.
    pub repo: Option<TeamRepository>,
    /// The team's newest run. Absent when it has had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunBrief>,
    /// The attribute `agent` of each node is the agent that works there.
    pub topology: Graph,
    /// The positions of its nodes in the drawing.
    pub layout: Vec<Placed>,
    /// The number of steps of a run.
    pub steps: Bounds,
    pub members: Vec<TeamMember>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// The value for `If-Match`.
    pub version: i64,
}

/// A role of a new team.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewTeamRole)]
pub struct NewRole {
    /// `[a-z0-9_-]`, at most 40 characters. Absent fields come from the template's role of the same slot.
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub slot: String,
    /// The agent's name. When it is absent, the gateway makes one from the names of the team and the role.
    pub name: Option<String>,
    pub title: Option<String>,
    pub seat: Option<Seat>,
    /// Commands that run in the agent's sandbox after it has handed over. One that does not exit with 0 rejects the work.
    #[serde(default)]
    #[schema(max_items = 8)]
    pub checks: Vec<String>,
    /// What follows when this role rejects the work.
    pub on_reject: Option<OnReject>,
    /// The slot of the role that the work goes back to.
    pub back_to: Option<String>,
    pub system_prompt: Option<String>,
    pub brain_seed: Option<String>,
    pub model_binding: Option<String>,
    /// An existing agent for the role, instead of a new one.
    pub agent_id: Option<ClawId>,
}

/// A new team.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTeam {
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    pub template_id: Option<TemplateId>,
    /// The template's roles are used when this is absent or empty.
    #[serde(default)]
    pub roles: Vec<NewRole>,
    /// The template's default is used when this is absent. A `single` is one agent: if the template has more roles,
    /// `roles` must name exactly one.
    pub topology: Option<Kind>,
    /// The complete topology, if its edges or settings differ from what the kind makes of the roles. Each agent node
    /// refers to a role by its slot.
    pub graph: Option<Graph>,
    pub risk_profile: Option<Profile>,
    #[serde(default)]
    pub mcp_bundles: Vec<Bundle>,
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// For agents without a model of their own.
    #[schema(max_length = 200)]
    pub model_binding: Option<String>,
    /// Whether all agents work in one sandbox, as teams on one repository usually do. True when absent.
    pub shared_sandbox: Option<bool>,
    /// The machine for its agents' sandboxes: `local`, or the id of a node of the workspace. The workspace's
    /// placement applies when it is absent. To name a machine, the caller needs the right to set the placement.
    #[schema(max_length = 40)]
    pub machine_id: Option<String>,
    /// The image for its agents' sandboxes: a name of the catalogue (`/api/images`). The template's when it is absent.
    #[schema(max_length = 40)]
    pub image: Option<String>,
    /// The limits of its agents' sandboxes. A machine refuses a sandbox above its own limits.
    #[serde(default)]
    pub limits: NewLimits,
    /// The repository of runs that name none.
    #[serde(default)]
    pub repo: Option<TeamRepo>,
    /// Make the team although something is missing that its template needs (`image.lacks` of the template). Without it,
    /// such a request is refused with `sandbox-lacks`, and nothing is made.
    #[serde(default)]
    pub accept_lacks: bool,
}

/// A change of a team. Absent fields stay unchanged.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamChange {
    pub name: Option<String>,
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>)]
    pub model_binding: Option<Option<String>>,
    pub lifecycle: Option<Lifecycle>,
    /// Every agent node must name an agent of the workspace. Runs that have begun keep their topology.
    pub topology: Option<Graph>,
    pub shared_sandbox: Option<bool>,
    /// As in a new team. Null means the workspace's placement. Existing sandboxes stay on their machines.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>, max_length = 40)]
    pub machine_id: Option<Option<String>>,
    /// As in a new team. Null means the template's image. Existing sandboxes keep theirs.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>, max_length = 40)]
    pub image: Option<Option<String>>,
    /// All limits of the team: a limit that is absent here is removed. Existing sandboxes keep theirs.
    pub limits: Option<NewLimits>,
    /// The repository of runs that name none. Null: such runs have none. Runs that have begun keep theirs.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<TeamRepo>)]
    pub repo: Option<Option<TeamRepo>>,
}

/// The tools that a team's agents may use.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuntimeConfigChange {
    /// Null means the template's profile. When it is absent, the profile stays unchanged.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<Profile>)]
    pub risk_profile: Option<Option<Profile>>,
    pub mcp_bundles: Option<Vec<Bundle>>,
}

/// The task of a run of a team.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTeam {
    /// The goal.
    #[schema(min_length = 1, max_length = 100_000)]
    pub input: String,
    /// The repository that the run works on. The team's when it is absent; none when it is null.
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<RunRepo>)]
    pub repo: Option<Option<RunRepo>>,
    /// The cost limit of the run, in millionths of a US dollar.
    #[schema(minimum = 0)]
    pub cost_ceiling_microusd: Option<i64>,
    #[serde(default)]
    pub limits: RunLimits,
    /// The model of all its agents in this run (`<provider>/<model>`). Each agent's own applies when it is absent.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
}

impl Check for RunTeam {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/input", &self.input, 1, 100_000);
        if let Some(model) = &self.model {
            mistakes.text("/model", model, 1, 200);
        }
        RunRepo::check(self.repo.as_ref().and_then(Option::as_ref), mistakes);
        if self
            .cost_ceiling_microusd
            .is_some_and(|ceiling| ceiling < 0)
        {
            mistakes.add("/cost_ceiling_microusd", "must not be below 0");
        }
        self.limits.check("/limits", mistakes);
    }
}

impl Check for RuntimeConfigChange {
    fn check(&self, _: &mut Mistakes) {}
}

impl Check for TeamChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 100);
        }
        if let Some(Some(description)) = &self.description {
            mistakes.text("/description", description, 0, 1_000);
        }
        if let Some(Some(binding)) = &self.model_binding {
            mistakes.text("/model_binding", binding, 1, 200);
        }
        if let Some(limits) = self.limits {
            limits.check(mistakes);
        }
        let repo = self.repo.iter().flatten().next().map(TeamRepo::of_run);
        RunRepo::check(repo.as_ref(), mistakes);
    }
}

impl Check for NewTeam {
    fn check(&self, mistakes: &mut Mistakes) {
        self.limits.check(mistakes);
        let repo = self.repo.as_ref().map(TeamRepo::of_run);
        RunRepo::check(repo.as_ref(), mistakes);
        mistakes.name("/name", &self.name, 100);
        if let Some(description) = &self.description {
            mistakes.text("/description", description, 0, 1_000);
        }
        if let Some(binding) = &self.model_binding {
            mistakes.text("/model_binding", binding, 1, 200);
        }
        if self.template_id.is_none() && self.roles.is_empty() {
            mistakes.add("/roles", "name the roles, or a template that has some");
        }
        if self.roles.len() > MOST_MEMBERS {
            mistakes.add("/roles", format!("must be at most {MOST_MEMBERS}"));
        }
        let mut seen = BTreeSet::new();
        for (place, role) in self.roles.iter().take(MOST_MEMBERS).enumerate() {
            let at = |field: &str| format!("/roles/{place}/{field}");
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
            if role.slot.is_empty() || role.slot.len() > 40 || !role.slot.chars().all(fits) {
                mistakes.add(&at("slot"), "must be 1 to 40 of a-z, 0-9, _ and -");
            } else if !seen.insert(&role.slot) {
                mistakes.add(&at("slot"), "stands twice");
            }
            for (field, name) in [("name", &role.name), ("title", &role.title)] {
                if let Some(name) = name {
                    mistakes.name(&at(field), name, 100);
                }
            }
            for (field, text, most) in [
                ("model_binding", &role.model_binding, 200),
                ("system_prompt", &role.system_prompt, 50_000),
                ("brain_seed", &role.brain_seed, 100_000),
            ] {
                if let Some(text) = text {
                    mistakes.text(&at(field), text, 1, most);
                }
            }
        }
    }
}

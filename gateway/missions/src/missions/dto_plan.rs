//! What a launch of a mission would do.

use serde::Serialize;
use utoipa::ToSchema;

use super::model::PhaseKind;
use roost_execution::topology::Bounds;
use roost_platform::ids::TemplateId;

/// What a launch would do now. The gateway tries it, and takes it back.
#[derive(Debug, Serialize, ToSchema)]
pub struct LaunchPlan {
    /// The teams that a launch mints. Empty when it is refused.
    pub teams: Vec<PlannedTeam>,
    /// The agents that a launch creates.
    pub agents: u32,
    /// Where the sandboxes are made, in words.
    pub place: String,
    /// Why a launch is refused, and what to do. Empty when it is possible.
    pub blockers: Vec<String>,
    /// What the sandboxes of its teams would lack. A launch needs `accept_lacks` then.
    pub lacks: Vec<String>,
    /// The mission's own sandbox. Absent without a phase that measures or scans, and when a launch is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probes: Option<PlannedProbes>,
}

/// The mission's own sandbox, in which benchmarks and scanners run.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedProbes {
    /// The name of its image.
    pub image: String,
    /// What scans the repository. Empty without a security phase.
    pub scanners: Vec<String>,
    /// The scanners that are missing, and what to do. A launch is possible all the same.
    pub lacks: Vec<String>,
}

/// A team that a launch mints.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlannedTeam {
    pub purpose: PhaseKind,
    pub template_id: TemplateId,
    pub name: String,
    /// The slots of its agents.
    pub roles: Vec<String>,
    /// The fewest and the most steps of one of its runs.
    pub steps: Bounds,
    /// Its image, when the template names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}

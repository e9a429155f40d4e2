//! Workspaces and quotas in JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::{plan_limits, workspace};
use super::settings::{Settings, SettingsChange};
use super::{FilePolicy, Plan, Plans, PushPolicy, WorkflowPolicy};
use crate::auth::Role;
use roost_platform::ids::{SagaId, WorkspaceId};
use roost_web::json::{Check, Mistakes};

/// A workspace, as a member sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: String,
    /// The caller's role. It is absent for an operator who is not a member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
    pub push_policy: PushPolicy,
    pub file_policy: FilePolicy,
    pub workflow_policy: WorkflowPolicy,
}

impl Workspace {
    /// The row, as a person with this role sees it.
    pub fn new(row: workspace::Model, role: impl Into<Option<Role>>) -> Self {
        let settings = Settings::of(&row);
        Self {
            id: row.id,
            name: row.name,
            plan: row.plan,
            role: role.into(),
            created_at: row.created_at,
            version: row.version,
            push_policy: settings.push,
            file_policy: settings.files,
            workflow_policy: settings.workflows,
        }
    }
}

/// A new workspace; the caller becomes its Owner.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWorkspace {
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
}

impl Check for NewWorkspace {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/name", &self.name, 100);
    }
}

/// A new name, a new plan, or other settings. A field that is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceChange {
    /// 1 to 100 characters. Admins and Owners may set it.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// The name of a plan. Only operators of the deployment may set it.
    #[serde(default)]
    pub plan: Option<String>,
    /// Whether agents may push their branches without a decision. Admins and Owners may set it.
    #[serde(default)]
    pub push_policy: Option<PushPolicy>,
    /// Whether machines send the saved files of sandboxes to the gateway. Admins and Owners may set it. What the gateway
    /// has already stays there until its retention ends.
    #[serde(default)]
    pub file_policy: Option<FilePolicy>,
    /// Whether commits of agents may change the workflow files of code hosts. Admins and Owners may set it.
    #[serde(default)]
    pub workflow_policy: Option<WorkflowPolicy>,
}

impl WorkspaceChange {
    /// The change of the settings.
    pub fn settings(&self) -> SettingsChange {
        SettingsChange {
            push: self.push_policy,
            files: self.file_policy,
            workflows: self.workflow_policy,
        }
    }
}

impl Check for WorkspaceChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 100);
        }
        if self.name.is_none() && self.plan.is_none() && self.settings().is_empty() {
            mistakes.add(
                "",
                "must have `name`, `plan`, `push_policy`, `file_policy` or `workflow_policy`",
            );
        }
    }
}

/// A workspace of the deployment, as an operator sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnyWorkspace {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: String,
    pub created_at: DateTime<Utc>,
}

impl From<workspace::Model> for AnyWorkspace {
    fn from(row: workspace::Model) -> Self {
        Self {
            id: row.id,
            name: row.name,
            plan: row.plan,
            created_at: row.created_at,
        }
    }
}

/// Which workspaces an operator lists.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WorkspaceFilter {
    /// Only workspaces with exactly this name.
    #[serde(default)]
    pub name: Option<String>,
    /// Items per page: 1 to 200, default 50.
    #[serde(default)]
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A plan of the deployment, with its limits.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlanLimits {
    pub name: String,
    pub agents: u64,
    pub live_containers: u64,
    /// The most workspaces that a person may own if one of them has this plan.
    pub workspaces: u64,
    /// Grows with each change by an operator. 0: the limits are those of the configuration.
    pub version: i64,
}

impl PlanLimits {
    /// A plan with its limits.
    pub fn new(name: &str, plan: Plan, version: i64) -> Self {
        Self {
            name: name.to_owned(),
            agents: plan.agents,
            live_containers: plan.live_containers,
            workspaces: plan.workspaces,
            version,
        }
    }
}

/// The limits that a plan gets.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewLimitsOfPlan {
    #[schema(maximum = 1_000_000)]
    pub agents: u64,
    #[schema(maximum = 1_000_000)]
    pub live_containers: u64,
    /// The most workspaces that a person may own if one of them has this plan.
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub workspaces: u64,
}

/// The largest limit. A mistyped number is refused instead of stored.
const MOST: u64 = 1_000_000;

impl Check for NewLimitsOfPlan {
    fn check(&self, mistakes: &mut Mistakes) {
        for (field, limit, least) in [
            ("/agents", self.agents, 0),
            ("/live_containers", self.live_containers, 0),
            ("/workspaces", self.workspaces, 1),
        ] {
            if !(least..=MOST).contains(&limit) {
                mistakes.add(field, format!("must be from {least} to {MOST}"));
            }
        }
    }
}

impl From<NewLimitsOfPlan> for Plan {
    fn from(new: NewLimitsOfPlan) -> Self {
        Self {
            agents: new.agents,
            live_containers: new.live_containers,
            workspaces: new.workspaces,
        }
    }
}

/// All plans, and which of them new workspaces get.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlanList {
    pub items: Vec<PlanLimits>,
    /// The plan of new workspaces.
    pub default: String,
    /// The plan of workspaces that the issuer's people get by themselves.
    pub signup: String,
}

impl PlanList {
    /// The configured plans with the limits of now. The plan with the fewest agents is the first.
    pub fn new(plans: &Plans, changed: &BTreeMap<String, plan_limits::Model>) -> Self {
        let mut items: Vec<PlanLimits> = plans
            .tiers
            .iter()
            .map(|(name, plan)| match changed.get(name) {
                Some(row) => PlanLimits::new(name, row.limits(), row.version),
                None => PlanLimits::new(name, *plan, 0),
            })
            .collect();
        items.sort_by_key(|plan| plan.agents);
        Self {
            items,
            default: plans.default.clone(),
            signup: plans.signup.clone(),
        }
    }
}

/// The confirmation of a deletion.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WorkspaceDeletion {
    /// The name of the workspace.
    #[serde(default)]
    #[param(required)]
    pub confirm: String,
}

/// The deletion has begun. It finishes by itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkspaceGoing {
    pub saga_id: SagaId,
}

/// A quota: what is used, and what the plan allows.
#[derive(Debug, Serialize, ToSchema)]
pub struct Usage {
    pub used: u64,
    pub limit: u64,
}

/// All quotas of the workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quota {
    pub plan: String,
    pub agents: Usage,
    pub live_containers: Usage,
}

//! An operator changes the limits of a plan.

use crate::auth::WorkspaceScope;
use crate::change::Change;
use crate::workspaces::entity::plan_limits;
use crate::workspaces::{Plan, WorkspaceError, WorkspacesContext, plan_store};
use roost_platform::db::unique_violation;
use roost_platform::ids::UserId;

/// Sets the limits of a plan; the next request sees them. Smaller limits delete nothing: while more is in use than they
/// allow, the gateway refuses what needs more. `over` is the version that the operator saw. Returns the new version.
///
/// # Errors
/// [`WorkspaceError::UnknownPlan`], [`WorkspaceError::PlanMoved`], or the database's.
pub async fn set_limits(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    operator: UserId,
    name: &str,
    wanted: Plan,
    over: Option<i64>,
) -> Result<i64, WorkspaceError> {
    let configured = state.plans.tiers.get(name).copied();
    let configured = configured.ok_or(WorkspaceError::UnknownPlan)?;
    let mut change = Change::begin(state, scope, operator).await?;
    let present = plan_store::changed(change.tx()).await?.remove(name);
    let current = present.as_ref().map_or(0, |row| row.version);
    if over.is_some_and(|over| over != current) {
        return Err(WorkspaceError::PlanMoved { current });
    }
    let before = present.map_or(configured, |row| row.limits());
    if wanted == before {
        return Ok(current);
    }
    let stored = |limit: u64| i64::try_from(limit).unwrap_or(i64::MAX);
    let row = plan_limits::Model {
        plan: name.to_owned(),
        agents: stored(wanted.agents),
        live_containers: stored(wanted.live_containers),
        workspaces: stored(wanted.workspaces),
        changed_by: operator,
        changed_at: change.now(),
        version: current + 1,
    };
    let moved = WorkspaceError::PlanMoved {
        current: current + 1,
    };
    match plan_store::set(&change, current, row).await {
        Ok(true) => {}
        Ok(false) => return Err(moved),
        Err(error) if unique_violation(&error) => return Err(moved),
        Err(error) => return Err(error.into()),
    }
    let details = serde_json::json!({ "from": before, "to": wanted });
    change.record("plan.limits_set", ("plan", &name), details);
    change.commit().await?;
    Ok(current + 1)
}

//! Renames a workspace, sets its plan, or sets whether its agents may push without a decision.

use crate::auth::WorkspaceScope;
use crate::change::Change;
use crate::workspaces::entity::workspace;
use crate::workspaces::members::store::take_turn;
use crate::workspaces::{PushPolicy, WorkspaceError, WorkspacesContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;

/// What becomes of the workspace. A field that is absent stays.
#[derive(Debug, Default)]
pub struct New {
    pub name: Option<String>,
    pub plan: Option<String>,
    pub push_policy: Option<PushPolicy>,
}

/// Changes the workspace. The next request sees the limits of a new plan. A smaller plan deletes nothing: while more is
/// in use than it allows, the gateway refuses what needs more.
///
/// # Errors
/// [`WorkspaceError::NoPlan`], [`WorkspaceError::NotFound`] when the workspace does not exist any more.
pub async fn change(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    user: UserId,
    new: New,
) -> Result<workspace::Model, WorkspaceError> {
    if let Some(plan) = &new.plan
        && !state.plans.tiers.contains_key(plan)
    {
        let plans = state.plans.tiers.keys().cloned().collect();
        return Err(WorkspaceError::NoPlan { plans });
    }
    let mut change = Change::begin(state, scope, user).await?;
    let version = take_turn(&change, scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let present = store::get(change.tx(), scope)
        .await?
        .ok_or(WorkspaceError::NotFound)?;
    let name = new.name.unwrap_or_else(|| present.name.clone());
    let plan = new.plan.unwrap_or_else(|| present.plan.clone());
    let before = PushPolicy::from_stored(&present.push_policy);
    let push_policy = new.push_policy.unwrap_or(before);
    if (&name, &plan, push_policy) == (&present.name, &present.plan, before) {
        return Ok(present);
    }
    store::set(&change, scope, &name, &plan, push_policy).await?;
    let id = scope.workspace();
    if name != present.name {
        let details = serde_json::json!({ "from": present.name, "to": name });
        change.record("workspace.renamed", ("workspace", &id), details);
    }
    if plan != present.plan {
        let details = serde_json::json!({ "from": present.plan, "to": plan });
        change.record("workspace.plan_set", ("workspace", &id), details);
    }
    if push_policy != before {
        let details = serde_json::json!({ "from": before, "to": push_policy });
        change.record("workspace.push_policy_set", ("workspace", &id), details);
    }
    change.event(Event::changed(ResourceKind::Workspace, id, version));
    change.commit().await?;
    Ok(workspace::Model {
        name,
        plan,
        version,
        push_policy: push_policy.as_str().to_owned(),
        ..present
    })
}

//! Renames a workspace, sets its plan, or sets one of its settings.

use crate::auth::WorkspaceScope;
use crate::change::Change;
use crate::workspaces::entity::workspace;
use crate::workspaces::members::store::take_turn;
use crate::workspaces::settings::{Settings, SettingsChange};
use crate::workspaces::{WorkspaceError, WorkspacesContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;

/// What becomes of the workspace. A field that is absent stays.
#[derive(Debug, Default)]
pub struct New {
    pub name: Option<String>,
    pub plan: Option<String>,
    pub settings: SettingsChange,
}

/// Changes the workspace. The next request sees the limits of a new plan. A smaller plan deletes nothing: while more is
/// in use than it allows, the gateway refuses what needs more.
///
/// `over` is the version that the person saw.
///
/// # Errors
/// [`WorkspaceError::NoPlan`], [`WorkspaceError::VersionMismatch`], [`WorkspaceError::NotFound`] when the workspace does not exist any more.
pub async fn change(
    state: &WorkspacesContext,
    scope: WorkspaceScope,
    user: UserId,
    over: Option<i64>,
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
    // The row is locked by now. Without a commit the change is undone.
    let current = version - 1;
    if over.is_some_and(|seen| seen != current) {
        return Err(WorkspaceError::VersionMismatch { current });
    }
    let name = new.name.unwrap_or_else(|| present.name.clone());
    let plan = new.plan.unwrap_or_else(|| present.plan.clone());
    let before = Settings::of(&present);
    let settings = new.settings.on(before);
    if (&name, &plan, settings) == (&present.name, &present.plan, before) {
        return Ok(present);
    }
    store::set(&change, scope, (&name, &plan), settings).await?;
    let id = scope.workspace();
    if name != present.name {
        let details = serde_json::json!({ "from": present.name, "to": name });
        change.record("workspace.renamed", ("workspace", &id), details);
    }
    if plan != present.plan {
        let details = serde_json::json!({ "from": present.plan, "to": plan });
        change.record("workspace.plan_set", ("workspace", &id), details);
    }
    let changed: [(&'static str, &str, &str); 3] = [
        (
            "workspace.push_policy_set",
            before.push.as_str(),
            settings.push.as_str(),
        ),
        (
            "workspace.file_policy_set",
            before.files.as_str(),
            settings.files.as_str(),
        ),
        (
            "workspace.workflow_policy_set",
            before.workflows.as_str(),
            settings.workflows.as_str(),
        ),
    ];
    for (action, from, to) in changed.into_iter().filter(|(_, from, to)| from != to) {
        let details = serde_json::json!({ "from": from, "to": to });
        change.record(action, ("workspace", &id), details);
    }
    change.event(Event::changed(ResourceKind::Workspace, id, version));
    change.commit().await?;
    let mut row = workspace::Model {
        name,
        plan,
        version,
        ..present
    };
    settings.set(&mut row);
    Ok(row)
}

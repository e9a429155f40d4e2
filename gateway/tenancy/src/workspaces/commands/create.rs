//! A signed-in user creates a workspace and becomes its Owner.

use crate::auth::{self, Role, WorkspaceScope};
use crate::change::Change;
use crate::workspaces::entity::{member, workspace};
use crate::workspaces::{WorkspaceError, WorkspacesContext, plan_store, store};
use roost_platform::ids::{UserId, WorkspaceId};

/// A workspace to create.
#[derive(Debug)]
pub struct New {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: String,
    pub owner: UserId,
}

/// Inserts workspace, membership, counters and event log in one transaction. Repeated with the same id (an idempotent
/// retry after a crash) it returns the existing workspace. Each workspace has its own quotas, so their number is
/// limited.
///
/// # Errors
/// [`WorkspaceError::TooManyWorkspaces`], or when the database fails.
pub async fn create(
    state: &WorkspacesContext,
    new: New,
) -> Result<workspace::Model, WorkspaceError> {
    let New {
        id,
        name,
        plan,
        owner,
    } = new;
    let scope = WorkspaceScope::of_row(id);
    let mut change = Change::begin(state, scope, owner).await?;
    if let Some(present) = store::get(change.tx(), scope).await? {
        return Ok(present);
    }
    // Of two requests at the limit, the second one counts the workspace that the first has created.
    auth::hold_user(&change, owner).await?;
    let owned = store::plans_owned(change.tx(), owner).await?;
    let used = owned.len() as u64;
    let plans = plan_store::current(change.tx(), &state.plans).await?;
    let limit = plans.most_workspaces(owned.iter().map(String::as_str), &plan);
    if used >= limit {
        return Err(WorkspaceError::TooManyWorkspaces { limit, used });
    }
    let now = change.now();
    let row = workspace::Model::new(id, name, plan, now);
    store::insert(&change, row.clone()).await?;
    store::insert_member(
        change.tx(),
        member::Model {
            workspace_id: id,
            user_id: owner,
            role: Role::Owner.as_str().to_owned(),
            created_at: now,
        },
    )
    .await?;
    let details = serde_json::json!({ "name": row.name });
    change.record("workspace.created", ("workspace", &id), details);
    change.commit().await?;
    Ok(row)
}

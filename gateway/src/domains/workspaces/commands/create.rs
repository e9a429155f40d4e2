//! A signed-in user makes a workspace and owns it.

use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::audit;
use crate::domains::auth::{Role, WorkspaceScope};
use crate::domains::workspaces::entity::{member, workspace};
use crate::domains::workspaces::{Plans, WorkspaceError, store};
use crate::ids::{SharedIds, UserId, WorkspaceId};

/// Inserts workspace, membership, counters and event log in one transaction. Repeated with the same id (an idempotent
/// retry after a crash) it answers what is there.
///
/// # Errors
/// When the database fails.
pub async fn create(
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
    plans: &Plans,
    owner: UserId,
    id: WorkspaceId,
    name: String,
) -> Result<workspace::Model, WorkspaceError> {
    let scope = WorkspaceScope::of_row(id);
    let tx = db.write().await?;
    if let Some(present) = store::get(&*tx, scope).await? {
        return Ok(present);
    }
    let now = clock.now();
    let row = workspace::Model {
        id,
        name,
        plan: plans.default.clone(),
        created_at: now,
        version: 1,
    };
    store::insert(&tx, row.clone()).await?;
    store::insert_member(
        &*tx,
        member::Model {
            workspace_id: id,
            user_id: owner,
            role: Role::Owner.as_str().to_owned(),
            created_at: now,
        },
    )
    .await?;
    let details = serde_json::json!({ "name": row.name });
    audit::record(
        &tx,
        ids,
        now,
        scope,
        owner,
        "workspace.created",
        ("workspace", &id),
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(row)
}

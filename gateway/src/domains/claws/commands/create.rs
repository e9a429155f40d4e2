//! Creating an agent: quota, row, event and audit entry in one transaction.

use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws::brain::{self, Cause, Write};
use crate::domains::claws::dto::NewClaw;
use crate::domains::claws::entity::claw;
use crate::domains::claws::routes::ClawsState;
use crate::domains::claws::{ClawError, store};
use crate::domains::workspaces::{QuotaKind, quota};
use crate::events::{self, AgentState, Event, ResourceKind};
use crate::ids::{ClawId, UserId};

/// Makes the agent `id`, managed by `user`. Repeated with the same id (an idempotent retry after a crash) it answers
/// what is there.
///
/// # Errors
/// [`ClawError::Quota`] at the plan's limit.
pub async fn create(
    state: &ClawsState,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
    new: NewClaw,
) -> Result<claw::Model, ClawError> {
    let mut tx = state.db.write().await?;
    if let Some(present) = store::get(&*tx, scope, id).await? {
        return Ok(present);
    }
    let row = create_in(state, &mut tx, scope, user, id, new).await?;
    tx.commit().await?;
    Ok(row)
}

/// As [`create`], in a transaction of the caller.
///
/// # Errors
/// As [`create`].
pub async fn create_in(
    state: &ClawsState,
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
    new: NewClaw,
) -> Result<claw::Model, ClawError> {
    let now = state.clock.now();
    quota::take(tx, scope, &state.plans, QuotaKind::Agents).await?;
    let row = claw::Model {
        id,
        workspace_id: scope.workspace(),
        name: new.name.trim().to_owned(),
        role: new.role,
        system_prompt: new.system_prompt,
        model_binding: new.model_binding,
        managed_by: user,
        status: AgentState::Offline.as_str().to_owned(),
        created_at: now,
        updated_at: now,
        deleted_at: None,
        version: 1,
    };
    store::insert(&**tx, row.clone()).await?;
    let details = serde_json::json!({ "name": row.name });
    audit::record(
        tx,
        &state.ids,
        now,
        scope,
        user,
        "claw.created",
        ("claw", &id),
        details,
    )
    .await?;
    if let Some(agent_md) = new.brain_seed {
        let seed = Write {
            agent_md,
            cause: Cause::Seed,
            restored_from: None,
            if_version: None,
        };
        brain::write_in(tx, &state.ids, now, scope, user, id, seed).await?;
    }
    let facts = [
        Event::changed(ResourceKind::Claw, id, row.version),
        Event::changed(ResourceKind::Quota, scope.workspace(), row.version),
    ];
    events::append(tx, scope.workspace(), now, facts).await?;
    Ok(row)
}

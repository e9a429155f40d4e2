//! Creating an agent: quota, row, event and audit entry in one transaction.

use crate::claws::brain::{self, Cause, Write};
use crate::claws::dto::NewClaw;
use crate::claws::entity::claw;
use crate::claws::runtime_record::{self, Record};
use crate::claws::{ClawError, ClawsContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces::{QuotaKind, quota};

/// Creates the agent `id`, managed by `user`. Repeated with the same id (an idempotent retry after a crash) it returns
/// the existing agent.
///
/// # Errors
/// [`ClawError::Quota`] at the plan's limit, [`ClawError::NameTaken`].
pub async fn create(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
    new: NewClaw,
) -> Result<claw::Model, ClawError> {
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = store::get(change.tx(), scope, id).await? {
        return Ok(present);
    }
    quota::take(&change, scope, &state.plans, QuotaKind::Agents, 1).await?;
    let row = create_in(&mut change, id, new, &Record::alone()).await?;
    change.commit().await?;
    Ok(row)
}

/// As [`create`], in a change of the caller, which has taken the quota for it. `record` is what the runtime knows of the
/// agent.
///
/// # Errors
/// [`ClawError::NameTaken`].
pub async fn create_in(
    change: &mut Change,
    id: ClawId,
    new: NewClaw,
    record: &Record,
) -> Result<claw::Model, ClawError> {
    let (scope, now) = (change.scope(), change.now());
    let name = new.name.trim().to_owned();
    if store::is_called(change.tx(), scope, &name).await? {
        return Err(ClawError::NameTaken { name });
    }
    let row = claw::Model {
        id,
        workspace_id: scope.workspace(),
        name,
        role: new.role,
        system_prompt: new.system_prompt,
        model_binding: new.model_binding,
        managed_by: change.actor(),
        created_at: now,
        updated_at: now,
        deleted_at: None,
        version: 1,
    };
    store::insert(change.tx(), row.clone())
        .await
        .map_err(|error| ClawError::of_write(error, &row.name))?;
    runtime_record::store::insert(change.tx(), &row, record).await?;
    let details = serde_json::json!({ "name": row.name });
    change.record("claw.created", ("claw", &id), details);
    if let Some(agent_md) = new.brain_seed {
        let seed = Write {
            agent_md,
            cause: Cause::Seed,
            restored_from: None,
            if_version: None,
        };
        brain::write_in(change, id, seed).await?;
    }
    change.event(Event::changed(ResourceKind::Claw, id, row.version));
    change.event(Event::changed(
        ResourceKind::Quota,
        scope.workspace(),
        row.version,
    ));
    Ok(row)
}

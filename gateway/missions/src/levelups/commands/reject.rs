//! Rejects a proposal.

use crate::levelups::entity::proposal;
use crate::levelups::model::Status;
use crate::levelups::store::{self, Decided};
use crate::levelups::{LevelUpError, LevelUpsContext};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{LevelUpId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Rejects a pending proposal. A decided one stays as it is. Returns it as it is then.
///
/// # Errors
/// [`LevelUpError::NotFound`].
pub async fn reject(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: LevelUpId,
) -> Result<proposal::Model, LevelUpError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::get(change.tx(), scope, id)
        .await?
        .ok_or(LevelUpError::NotFound)?;
    let decided = Decided {
        status: Status::Rejected,
        applied_items: row.applied_items,
        payload: row.payload,
        approved_by: None,
        applied_at: None,
    };
    if store::decide(change.tx(), scope, id, decided).await? {
        let details = serde_json::json!({
            "agent_id": row.agent_id, "team_id": row.team_id, "model": row.model,
        });
        change.record("levelup.rejected", ("level_up", &id), details);
        let version = Status::Rejected.version();
        change.event(Event::changed(ResourceKind::LevelUp, id, version));
        change.commit().await?;
    }
    store::get(state.db.read(), scope, id)
        .await?
        .ok_or(LevelUpError::NotFound)
}

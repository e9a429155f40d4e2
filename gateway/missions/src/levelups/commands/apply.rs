//! Applies the approved items of a proposal, in one transaction: all of them, or nothing.

use super::effects;
use crate::levelups::entity::proposal;
use crate::levelups::error::Stale;
use crate::levelups::model::{Item, Payload, Status};
use crate::levelups::store::{self, Decided};
use crate::levelups::{LevelUpError, LevelUpsContext};
use roost_agents::claws;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{LevelUpId, UserId};
use roost_platform::kill_point;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Applies the items with these ids. A proposal that was decided before stays as it is. Returns it as it is then.
///
/// # Errors
/// [`LevelUpError::NotFound`], [`LevelUpError::UnknownItems`], [`LevelUpError::Outdated`].
pub async fn apply(
    state: &LevelUpsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: LevelUpId,
    approved: Vec<String>,
) -> Result<proposal::Model, LevelUpError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::get(change.tx(), scope, id)
        .await?
        .ok_or(LevelUpError::NotFound)?;
    if Status::from_stored(&row.status) != Status::Pending {
        return Ok(row);
    }
    let mut payload: Payload =
        serde_json::from_str(&row.payload).map_err(LevelUpError::Unreadable)?;
    let items: Vec<Item> = payload
        .approved(&approved)
        .map_err(LevelUpError::UnknownItems)?
        .into_iter()
        .cloned()
        .collect();
    // Agents are locked first, in one order, as in every transaction.
    let mut agents: Vec<_> = items.iter().filter_map(|item| item.agent_id).collect();
    agents.sort();
    agents.dedup();
    claws::lock(&change, agents).await?;
    let (by_person, by_gateway): (Vec<&Item>, Vec<&Item>) =
        items.iter().partition(|item| item.needs_human);
    let ids =
        |items: &[&Item]| -> Vec<String> { items.iter().map(|item| item.id.clone()).collect() };
    payload.for_a_person = ids(&by_person);
    let applied = ids(&by_gateway);
    let decided = Decided {
        status: Status::Applied,
        applied_items: serde_json::to_string(&applied).map_err(LevelUpError::Unreadable)?,
        payload: serde_json::to_string(&payload).map_err(LevelUpError::Unreadable)?,
        approved_by: Some(user),
        applied_at: Some(change.now()),
    };
    if !store::decide(change.tx(), scope, id, decided).await? {
        // PostgreSQL: another decision was faster.
        drop(change);
        return store::get(state.db.read(), scope, id)
            .await?
            .ok_or(LevelUpError::NotFound);
    }
    carry_out(&mut change, &by_gateway, &approved).await?;
    for item in by_person {
        tracing::info!(proposal = %id, item = item.id, kind = item.kind.as_str(), "an approved item of a level-up needs a person");
        let details = serde_json::json!({
            "item": item.id, "kind": item.kind, "summary": item.summary, "agent": item.agent_name,
            "roster": item.roster, "bundles": item.bundles,
        });
        change.record("levelup.needs_human", ("level_up", &id), details);
    }
    let details = serde_json::json!({
        "agent_id": row.agent_id, "team_id": row.team_id, "applied": applied, "for_a_person": payload.for_a_person,
        "left_out": payload.items.len() - items.len(),
    });
    change.record("levelup.applied", ("level_up", &id), details);
    let version = Status::Applied.version();
    change.event(Event::changed(ResourceKind::LevelUp, id, version));
    kill_point!(state.kill_points, "levelups.apply.before_commit");
    change.commit().await?;
    kill_point!(state.kill_points, "levelups.apply.after_commit");
    store::get(state.db.read(), scope, id)
        .await?
        .ok_or(LevelUpError::NotFound)
}

/// Carries out all items. Reports all that do not fit any more, and then nothing is applied.
async fn carry_out(
    change: &mut Change,
    items: &[&Item],
    approved: &[String],
) -> Result<(), LevelUpError> {
    let mut stale = Vec::new();
    for item in items {
        match effects::apply(change, item).await {
            Ok(()) => {}
            Err(effects::Failed::Stale(reason)) => {
                let place = approved.iter().position(|id| *id == item.id);
                stale.push(Stale {
                    item: item.id.clone(),
                    place: place.unwrap_or(0),
                    reason,
                });
            }
            // On PostgreSQL a refused statement ends the transaction, and each later one fails.
            Err(effects::Failed::Other(_)) if !stale.is_empty() => break,
            Err(effects::Failed::Other(error)) => return Err(error),
        }
    }
    match stale.is_empty() {
        true => Ok(()),
        false => Err(LevelUpError::Outdated(stale)),
    }
}

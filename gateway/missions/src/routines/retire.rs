//! Deletes the teams of a routine's earlier missions, because each of its missions mints new ones.

use super::entity::firing;
use super::{RoutinesContext, store};
use crate::{levelups, missions};
use roost_organisation::teams;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Begins the deletion of the teams whose missions ended before that of this firing. A team that is at work stays, and so
/// does one with a proposal on which a person has to decide. The end of the next mission looks at them again.
///
/// # Errors
/// When the database fails.
pub async fn earlier_teams(
    state: &RoutinesContext,
    change: &mut Change,
    firing: &firing::Model,
) -> Result<(), sea_orm::DbErr> {
    let scope = WorkspaceScope::of_row(firing.workspace_id);
    let earlier = store::other_missions(change.tx(), scope, firing).await?;
    let minted = missions::teams_of_ended(change.tx(), scope, &earlier).await?;
    let present = teams::names(change.tx(), scope, &minted).await?;
    // In the order of their ids, so that transactions cannot deadlock.
    for team in minted.into_iter().filter(|team| present.contains_key(team)) {
        let seats = teams::members(change.tx(), &[team]).await?;
        let agents: Vec<ClawId> = seats.iter().map(|seat| seat.agent_id).collect();
        if levelups::is_pending_for(change.tx(), scope, team, &agents).await? {
            continue;
        }
        let now = change.now();
        let retired = teams::retire(change, &state.ids, now, scope, team).await?;
        if let Some(fact) = retired {
            change.record(
                "team.deleted",
                ("team", &team),
                serde_json::json!({
                    "name": present[&team], "with_agents": true, "routine": firing.routine_id,
                }),
            );
            change.event(fact);
            change.wake(&state.missions.teams.claws.sagas);
        }
    }
    Ok(())
}

//! Deletes the teams of a routine's earlier missions, because each of its missions mints new ones.

use super::RoutinesContext;
use crate::{levelups, missions};
use roost_organisation::teams;
use roost_platform::ids::{ClawId, MissionId, RoutineId};
use roost_tenancy::change::Change;

/// Begins the deletion of the teams of the missions that this routine launched before this one and that have ended. A team
/// that is at work stays, and so does one with a proposal on which a person has to decide. The end of the next mission looks
/// at them again.
///
/// # Errors
/// When the database fails.
pub async fn earlier_teams(
    state: &RoutinesContext,
    change: &mut Change,
    routine: RoutineId,
    ended: MissionId,
) -> Result<(), sea_orm::DbErr> {
    let scope = change.scope();
    let minted = missions::teams_of_earlier(change.tx(), scope, routine, ended).await?;
    let present = teams::names(change.tx(), scope, &minted).await?;
    // In the order of their ids, so that transactions cannot deadlock.
    for team in minted.into_iter().filter(|team| present.contains_key(team)) {
        // No proposal and no run can be added to a team whose row is held.
        let Some(row) = teams::hold_idle(change, scope, team, None).await? else {
            continue;
        };
        let seats = teams::members(change.tx(), &[team]).await?;
        let agents: Vec<ClawId> = seats.iter().map(|seat| seat.agent_id).collect();
        if levelups::is_pending_for(change.tx(), scope, team, &agents).await? {
            continue;
        }
        let (now, person) = (change.now(), row.created_by);
        let fact = teams::take_down(change, &state.ids, now, scope, person, row).await?;
        let details = serde_json::json!({
            "name": present[&team], "with_agents": true, "routine": routine,
        });
        change.record("team.deleted", ("team", &team), details);
        change.event(fact);
        change.wake(&state.missions.teams.claws.sagas);
    }
    Ok(())
}

//! The end of teams. An ephemeral team is deleted after its last run, and a person may delete any team with its
//! agents.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::team;
use super::model::State;
use super::store;
use roost_execution::runs;
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RunId, SharedIds, TeamId, UserId};
use roost_platform::sagas::{self, Kind};
use roost_tenancy::auth::WorkspaceScope;

/// Whether the team is being deleted. No run of it can begin then.
pub fn is_going(row: &team::Model) -> bool {
    State::from_stored(&row.state) == State::Going
}

/// Removes a team with its seats, and begins the removal of what it leaves: its sandbox and its files. Its agents stay.
/// Returns the event to append.
///
/// # Errors
/// When the database fails.
pub async fn remove(
    tx: &mut WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    scope: WorkspaceScope,
    user: UserId,
    row: &team::Model,
) -> Result<Event, DbErr> {
    store::remove(&**tx, scope, row.id).await?;
    begin_removal(tx, ids, now, scope, user, row.id).await?;
    Ok(Event::changed(ResourceKind::Team, row.id, row.version + 1))
}

/// Begins the removal of the sandbox and the files of a team whose row is gone, or goes with its workspace.
///
/// # Errors
/// When the database fails.
pub async fn begin_removal(
    tx: &mut WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    scope: WorkspaceScope,
    user: UserId,
    team: TeamId,
) -> Result<(), DbErr> {
    let removal = sagas::New {
        kind: Kind::TeamRemoval,
        subject: team.0,
        scope,
        user,
        now,
    };
    sagas::begin_once(tx, ids, removal).await.map(drop)
}

/// A run that has ended, and that named the team or pinned it.
#[derive(Debug, Clone, Copy)]
pub struct RunOver {
    pub scope: WorkspaceScope,
    pub run: RunId,
}

/// Called when runs have ended, in the transaction that ends them, with the last run of each team. Returns an event for
/// each team that ends with its run. A saga then waits to be carried out.
///
/// # Errors
/// When the database fails.
pub async fn after_runs(
    tx: &mut WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    over: &BTreeMap<TeamId, RunOver>,
) -> Result<Vec<(RunOver, Event)>, DbErr> {
    let passing = store::ephemeral(&**tx, over.keys().copied()).await?;
    let mut events = Vec::new();
    // In the order of their ids, so that transactions cannot deadlock.
    for (team, over) in over {
        if passing.contains(team) {
            let idle = hold_idle(tx, over.scope, *team, Some(over.run)).await?;
            if let Some(row) = idle {
                let person = row.created_by;
                let event = take_down(tx, ids, now, over.scope, person, row).await?;
                events.push((*over, event));
            }
        }
    }
    Ok(events)
}

/// The row of a team, held until the transaction ends. `None` when the team is at work, is gone, or is being deleted. `over`
/// is a run that has ended in this transaction.
///
/// # Errors
/// When the database fails.
pub async fn hold_idle(
    tx: &WriteTx,
    scope: WorkspaceScope,
    team: TeamId,
    over: Option<RunId>,
) -> Result<Option<team::Model>, DbErr> {
    let row = store::locked(tx, scope, team).await?;
    let Some(row) = row.filter(|row| !is_going(row)) else {
        return Ok(None);
    };
    let works =
        runs::open_of_team(&**tx, team, over).await? || runs::is_pinned(&**tx, team).await?;
    Ok((!works).then_some(row))
}

/// Begins the deletion of a team with its agents. The caller must hold the row. Returns the event to append.
///
/// # Errors
/// When the database fails.
pub async fn take_down(
    tx: &mut WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    scope: WorkspaceScope,
    user: UserId,
    row: team::Model,
) -> Result<Event, DbErr> {
    let from = row.version;
    let row = team::Model {
        state: State::Going.as_str().to_owned(),
        updated_at: now,
        version: from + 1,
        ..row
    };
    store::replace(&**tx, &row, from).await?;
    let end = sagas::New {
        kind: Kind::TeamTeardown,
        subject: row.id.0,
        scope,
        user,
        now,
    };
    sagas::begin_once(tx, ids, end).await?;
    Ok(Event::changed(ResourceKind::Team, row.id, row.version))
}

//! How teams end: an ephemeral one is taken down after its last run, any one when a person deletes it with its agents.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::entity::team;
use super::model::{Lifecycle, State};
use super::store;
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs::store as runs;
use crate::events::{Event, ResourceKind};
use crate::ids::{RunId, SharedIds, TeamId, UserId};
use crate::sagas::{self, Kind};

/// Whether it is being taken down: nothing begins with it any more.
pub fn is_going(row: &team::Model) -> bool {
    State::from_stored(&row.state) == State::Going
}

/// A run of the team has ended, in the transaction that ends it. What is to be told when the team goes with it; then a saga
/// waits.
///
/// # Errors
/// When the database fails.
pub async fn after_run(
    tx: &mut WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    scope: WorkspaceScope,
    team: TeamId,
    run: RunId,
) -> Result<Option<Event>, DbErr> {
    let Some(row) = store::get(&**tx, scope, team).await? else {
        return Ok(None);
    };
    let passing = Lifecycle::from_stored(&row.lifecycle) == Lifecycle::Ephemeral
        && State::from_stored(&row.state) == State::Ready;
    if !passing {
        return Ok(None);
    }
    let Some(row) = store::held(tx, scope, team)
        .await?
        .filter(|row| !is_going(row))
    else {
        return Ok(None);
    };
    if runs::open_of_team(&**tx, team, run).await? {
        return Ok(None);
    }
    let user = row.created_by;
    take_down(tx, ids, now, scope, user, row).await.map(Some)
}

/// Begins to take a team down with its agents; the row must be held. What is to be told.
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

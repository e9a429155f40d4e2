//! The next version of a mission, which each of its changes writes.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::context::MissionsContext;
use super::entity::mission;
use super::model::{RuntimeState, Status};
use super::{pdfs, runtime, store};
use roost_platform::db::WriteTx;
use roost_platform::events::{About, Event, ResourceKind};
use roost_platform::ids::{MissionId, SharedIds, UserId};
use roost_platform::sagas;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// What the events of a mission are about.
pub fn about(mission: MissionId) -> About {
    About {
        mission: Some(mission.0),
        ..About::default()
    }
}

/// As [`touch`], for a mission that has just got a final status: its sandbox and its files end with it, and its report is
/// made as a PDF if it ever worked.
///
/// # Errors
/// When the database fails.
pub async fn end(
    change: &mut Change,
    state: &MissionsContext,
    row: mission::Model,
) -> Result<mission::Model, DbErr> {
    let (scope, now, user) = (change.scope(), change.now(), change.actor());
    let mut row = row;
    runtime::forget_code(change, state, &mut row).await?;
    if row.runtime_state.is_some() {
        row.runtime_state = Some(RuntimeState::Gone.as_str().to_owned());
        row.runtime_detail = Some("The mission has ended.".to_owned());
    }
    begin_removal(change, &state.ids, now, scope, user, row.id).await?;
    change.wake(&state.teams.claws.sagas);
    if row.launched_at.is_some() {
        pdfs::want(change, state, &row, pdfs::Source::Report).await?;
    }
    touch(change, row).await
}

/// Begins the removal of the sandbox and the files of a mission.
///
/// # Errors
/// When the database fails.
pub async fn begin_removal(
    tx: &mut WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    scope: WorkspaceScope,
    user: UserId,
    mission: MissionId,
) -> Result<(), DbErr> {
    let removal = sagas::New {
        kind: sagas::Kind::MissionRemoval,
        subject: mission.0,
        scope,
        user,
        now,
    };
    sagas::begin_once(tx, ids, removal).await.map(drop)
}

/// As [`touch`], for a change of a card: it reads and holds the mission. The PDF of a report that has the earlier card is made
/// again. Nothing happens to a mission that was deleted.
///
/// # Errors
/// When the database fails.
pub async fn announce_card(
    change: &mut Change,
    state: &MissionsContext,
    mission: MissionId,
) -> Result<(), DbErr> {
    let scope = change.scope();
    let Some(row) = store::locked(change, scope, mission).await? else {
        return Ok(());
    };
    let row = touch(change, row).await?;
    if row.launched_at.is_some() && Status::parse(&row.status).is_some_and(Status::is_final) {
        pdfs::want(change, state, &row, pdfs::Source::Report).await?;
    }
    Ok(())
}

/// Writes the next version of a mission, and announces it. The caller holds the row.
///
/// # Errors
/// When the database fails.
pub async fn touch(change: &mut Change, row: mission::Model) -> Result<mission::Model, DbErr> {
    let row = mission::Model {
        version: row.version + 1,
        updated_at: change.now(),
        ..row
    };
    store::replace(change, &row).await?;
    let event = Event::changed(ResourceKind::Mission, row.id, row.version);
    change.event(event.about(about(row.id)));
    Ok(row)
}

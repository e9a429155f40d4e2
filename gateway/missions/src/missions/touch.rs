//! The next version of a mission, which each of its changes writes.

use sea_orm::DbErr;

use super::entity::mission;
use super::store;
use roost_platform::events::{About, Event, ResourceKind};
use roost_platform::ids::MissionId;
use roost_tenancy::change::Change;

/// What the events of a mission are about.
pub fn about(mission: MissionId) -> About {
    About {
        mission: Some(mission.0),
        ..About::default()
    }
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

//! The relay: looks where the logs stand that somebody listens to, so that events which another gateway wrote reach
//! subscribers here. A missed look costs one period, never an event.

use std::time::Duration;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use super::{EventId, Hub, entity};
use crate::db::Db;

/// How often it looks.
pub const PERIOD: Duration = Duration::from_millis(500);

/// One look.
///
/// # Errors
/// When the database fails.
pub async fn look(db: &Db, hub: &Hub) -> Result<(), DbErr> {
    let workspaces = hub.workspaces();
    // SQLite's parameters are bounded; so is what one statement should ask for.
    for some in workspaces.chunks(500) {
        let heads = entity::head::Entity::find()
            .filter(entity::head::Column::WorkspaceId.is_in(some.iter().copied()))
            .all(db.read())
            .await?;
        for head in heads {
            let id = EventId {
                epoch: head.epoch,
                seq: head.seq,
            };
            hub.stands_at(head.workspace_id, id);
        }
    }
    Ok(())
}

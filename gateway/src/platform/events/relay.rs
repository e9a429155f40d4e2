//! The relay compares each channel of the hub with the head of its log, twice a second and when the hub finds a gap.
//! It delivers the missing events: those of another gateway, and those that arrived out of order. It reads them once
//! for all listeners. A missed pass delays an event by one period and loses none.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use super::{EventId, Hub, Replay, entity, store};
use crate::platform::db::Db;
use crate::platform::ids::WorkspaceId;

/// The time between two passes.
pub const PERIOD: Duration = Duration::from_millis(500);
/// Events per read.
const PAGE: u64 = 256;
/// Pages per workspace in one pass. Listeners that are further behind read the store themselves.
const PAGES: usize = 8;

/// One pass.
///
/// # Errors
/// When the database fails.
pub async fn look(db: &Db, hub: &Hub) -> Result<(), DbErr> {
    let standings = hub.standings();
    // The parameters of a SQLite statement are limited, and one statement should not ask for too much.
    for some in standings.chunks(500) {
        let ids = some.iter().map(|standing| standing.workspace);
        let heads = entity::head::Entity::find()
            .filter(entity::head::Column::WorkspaceId.is_in(ids))
            .all(db.read())
            .await?;
        let heads: HashMap<WorkspaceId, EventId> = heads
            .into_iter()
            .map(|row| {
                let (epoch, seq) = (row.epoch, row.seq);
                (row.workspace_id, EventId { epoch, seq })
            })
            .collect();
        for standing in some {
            match (standing.told, heads.get(&standing.workspace)) {
                (Some(told), Some(head)) if told < *head => {
                    tell(db, hub, standing.workspace, told, *head).await?;
                }
                (None, Some(head)) => hub.skip_to(standing.workspace, *head),
                _ => {}
            }
        }
    }
    Ok(())
}

async fn tell(
    db: &Db,
    hub: &Hub,
    workspace: WorkspaceId,
    mut told: EventId,
    head: EventId,
) -> Result<(), DbErr> {
    for _ in 0..PAGES {
        let events = match store::replay(db.read(), workspace, told, PAGE).await? {
            Replay::Events(events) => events,
            Replay::Reset { head, .. } => {
                hub.skip_to(workspace, head);
                return Ok(());
            }
        };
        let Some(last) = events.last() else {
            return Ok(());
        };
        told = last.id;
        hub.tell(workspace, events.into_iter().map(Arc::new));
        if told >= head {
            return Ok(());
        }
    }
    hub.skip_to(workspace, head);
    Ok(())
}

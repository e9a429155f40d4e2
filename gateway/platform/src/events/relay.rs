//! The relay compares each channel of the hub with the head of its log, twice a second and when the hub finds a gap.
//! It delivers the missing events: those of another gateway, and those that arrived out of order. It reads them once
//! for all listeners. A missed pass delays an event by one period and loses none.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use super::{EventId, Hub, Replay, entity, replay};
use crate::db::Db;
use crate::ids::WorkspaceId;

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
pub async fn deliver_missed(db: &Db, hub: &Hub) -> Result<(), DbErr> {
    let positions = hub.positions();
    // The parameters of a SQLite statement are limited, and one statement should not ask for too much.
    for some in positions.chunks(500) {
        let ids = some.iter().map(|position| position.workspace);
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
        for position in some {
            match (position.delivered, heads.get(&position.workspace)) {
                (Some(delivered), Some(head)) if delivered < *head => {
                    deliver(db, hub, position.workspace, delivered, *head).await?;
                }
                (None, Some(head)) => hub.skip_to(position.workspace, *head),
                _ => {}
            }
        }
    }
    Ok(())
}

async fn deliver(
    db: &Db,
    hub: &Hub,
    workspace: WorkspaceId,
    mut delivered: EventId,
    head: EventId,
) -> Result<(), DbErr> {
    for _ in 0..PAGES {
        let page = match replay(db.read(), workspace, delivered, PAGE).await? {
            // The hub delivers without gaps. Each listener reads the rest itself, and names the gap to its client.
            Replay::Page(page) if page.trimmed_to.is_some() => break,
            Replay::Page(page) => page,
            Replay::Reset { head, .. } => {
                hub.skip_to(workspace, head);
                return Ok(());
            }
        };
        delivered = page.position;
        hub.deliver(workspace, page.events.into_iter().map(Arc::new));
        if page.at_head || delivered >= head {
            return Ok(());
        }
    }
    hub.skip_to(workspace, head);
    Ok(())
}

//! The relay: looks where the logs stand that somebody listens to, twice a second and when the hub found a hole, and
//! tells what was not told yet: events that another gateway wrote, or that came out of order. It reads them once for all
//! listeners. A missed look costs one period, never an event.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use super::{EventId, Hub, Replay, entity, store};
use crate::db::Db;
use crate::ids::WorkspaceId;

/// How often it looks.
pub const PERIOD: Duration = Duration::from_millis(500);
/// Events that one read brings.
const PAGE: u64 = 256;
/// Pages that it reads for a workspace in one look; whoever is further behind reads the store by itself.
const PAGES: usize = 8;

/// One look.
///
/// # Errors
/// When the database fails.
pub async fn look(db: &Db, hub: &Hub) -> Result<(), DbErr> {
    let standings = hub.standings();
    // SQLite's parameters are bounded; so is what one statement should ask for.
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

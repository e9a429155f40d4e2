//! Moves of a mission and its phases that several steps share.

use sea_orm::DbErr;

use super::{Done, Driver, Ready};
use crate::missions::decide::Next;
use crate::missions::model::{Reason, Status};
use crate::missions::store;
use crate::missions::touch::{end, touch};
use crate::tasks::Applied;
use roost_platform::ids::MissionId;
use roost_platform::supervision::{Failure, JobContext};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Writes how many tasks a phase had no room for.
pub(super) async fn record_dropped(
    change: &Change,
    scope: WorkspaceScope,
    mission: MissionId,
    applied: &Applied,
) -> Result<(), DbErr> {
    for (phase, dropped) in &applied.dropped {
        if let Some(mut row) = store::phase(change.tx(), scope, mission, *phase).await? {
            row.dropped_tasks = i32::try_from(*dropped).unwrap_or(i32::MAX);
            store::replace_phase(change, &row).await?;
        }
    }
    Ok(())
}

impl Driver {
    /// Completes the mission, or pauses it because its node is gone.
    pub(super) async fn move_on(&mut self, cx: &JobContext, next: Next) -> Result<Done, Failure> {
        let (mut change, loaded) = match self.change_for(&next).await? {
            Ready::Now(change, loaded) => (*change, *loaded),
            Ready::Otherwise => return Ok(Done::Changed),
            Ready::Lost => return Ok(Done::Lost),
        };
        let mut row = loaded.mission;
        if next == Next::Complete {
            Status::Completed.as_str().clone_into(&mut row.status);
            row.ended_at = Some(change.now());
            (row.status_reason, row.status_detail) = (None, None);
            let details = serde_json::json!({ "title": row.title });
            change.record("mission.completed", ("mission", &row.id), details);
        } else {
            Status::Paused.as_str().clone_into(&mut row.status);
            row.status_reason = Some(Reason::NodeDeleted.as_str().to_owned());
            row.status_detail = Some("The target node was deleted.".to_owned());
            let details = serde_json::json!({ "title": row.title });
            change.record("mission.node_deleted", ("mission", &row.id), details);
        }
        match next {
            Next::Complete => end(&mut change, &self.state, row).await?,
            _ => touch(&mut change, row).await?,
        };
        self.commit(cx, change).await
    }
}

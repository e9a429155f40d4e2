//! `team.teardown`: each agent that was made for a team and sits in no other is purged, the others leave their seats, then the
//! team goes. Looked at again and again until no agent is left, so that it does not matter where it was cut off.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws::ClawError;
use crate::domains::claws::commands::{Authority, purge_in};
use crate::domains::claws::store as claws;
use crate::domains::teams::store;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{ClawId, SharedIds, TeamId};
use crate::sagas::{Carrier, Next, Step, saga};

/// How soon it looks again while agents are on their way out.
const AGAIN: Duration = Duration::from_millis(500);

/// The end of a team.
pub(super) struct TeamEnd {
    pub(super) ids: SharedIds,
}

impl Carrier for TeamEnd {
    fn effect<'a>(&'a self, _: &'a saga::Model, _: Step) -> BoxFuture<'a, Result<(), String>> {
        async { Ok(()) }.boxed()
    }

    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        saga: &'a saga::Model,
        _: Step,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Next, DbErr>> {
        async move {
            let scope = WorkspaceScope::of_row(saga.workspace_id);
            let team = TeamId(saga.subject_id);
            let on = Authority {
                ids: &self.ids,
                now,
                scope,
                user: saga.requested_by,
            };
            // A purged agent leaves its seats, so those that are left are those that are still there.
            let seats = store::members(&**tx, &[team]).await?;
            let agents: Vec<ClawId> = seats.iter().map(|seat| seat.agent_id).collect();
            // All before the first event: whoever writes in this workspace has agents first and the log after them.
            claws::hold(tx, agents.iter().copied()).await?;
            let going = store::only_here(&**tx, team, &agents).await?;
            for seat in &seats {
                if !going.contains(&seat.agent_id) {
                    store::leave(&**tx, team, seat.agent_id).await?;
                    continue;
                }
                match purge_in(tx, &on, seat.agent_id).await {
                    Ok(_) => {}
                    Err(ClawError::NotFound) => {
                        store::forget_agent(&**tx, scope, seat.agent_id).await?;
                    }
                    Err(ClawError::Db(error)) => return Err(error),
                    Err(error) => return Err(DbErr::Custom(error.to_string())),
                }
            }
            if !seats.is_empty() {
                return Ok(Next::Again(AGAIN));
            }
            if let Some(row) = store::get(&**tx, scope, team).await? {
                store::remove(&**tx, scope, team).await?;
                let fact = Event::changed(ResourceKind::Team, team, row.version + 1);
                events::append(tx, scope.workspace(), now, [fact]).await?;
            }
            Ok(Next::Onward)
        }
        .boxed()
    }
}

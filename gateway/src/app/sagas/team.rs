//! The end of teams and of missions.
//!
//! - `team.teardown`: purges each agent that was created for this team and is in no other team, removes the others from
//!   their seats, then removes the team. The step repeats until no agent is left, so it may be interrupted anywhere.
//! - `team.removal`: ends the sandbox of a team that was removed, and deletes its files.
//! - `mission.removal`: the same for a mission that ended.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use roost_agents::claws::{self, Authority, ClawError, purge_in};
use roost_machines::sandboxes::{self, SandboxError, SandboxOwner, SandboxesHandle};
use roost_organisation::teams;
use roost_platform::db::WriteTx;
use roost_platform::events;
use roost_platform::ids::{ClawId, MissionId, SharedIds, TeamId};
use roost_platform::sagas::{Kind, Next, SagaHandler, Step, saga};
use roost_tenancy::auth::WorkspaceScope;

/// The time until the next try while agents are leaving.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The end of a team with its agents.
pub(super) struct TeamEnd {
    pub(super) ids: SharedIds,
}

impl SagaHandler for TeamEnd {
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
            // A purged agent leaves its seats, so the remaining seats belong to agents that still exist.
            let seats = teams::members(&**tx, &[team]).await?;
            let agents: Vec<ClawId> = seats.iter().map(|seat| seat.agent_id).collect();
            // Locked before the first event: every writer in this workspace locks agents first and the log after them.
            claws::lock(tx, agents.iter().copied()).await?;
            let going = teams::only_here(&**tx, team, &agents).await?;
            for seat in &seats {
                if !going.contains(&seat.agent_id) {
                    teams::leave(&**tx, team, seat.agent_id).await?;
                    continue;
                }
                match purge_in(tx, &on, seat.agent_id).await {
                    Ok(_) => {}
                    Err(ClawError::NotFound) => {
                        teams::forget_seats(&**tx, seat.agent_id).await?;
                    }
                    Err(ClawError::Db(error)) => return Err(error),
                    Err(error) => return Err(DbErr::Custom(error.to_string())),
                }
            }
            if !seats.is_empty() {
                return Ok(Next::CheckAgain(CHECK_INTERVAL));
            }
            if let Some(row) = teams::find(&**tx, scope, team).await? {
                let user = saga.requested_by;
                let fact = teams::remove(tx, &self.ids, now, scope, user, &row).await?;
                events::append(tx, scope.workspace(), now, [fact]).await?;
            }
            Ok(Next::Advance)
        }
        .boxed()
    }
}

/// The end of what a removed team or an ended mission leaves.
pub(super) struct OwnerRemoval {
    pub(super) sandboxes: SandboxesHandle,
}

impl SagaHandler for OwnerRemoval {
    fn effect<'a>(
        &'a self,
        saga: &'a saga::Model,
        step: Step,
    ) -> BoxFuture<'a, Result<(), String>> {
        async move {
            if step != Step::Sandbox {
                return Ok(());
            }
            let (scope, owner) = (WorkspaceScope::of_row(saga.workspace_id), owner(saga));
            let said = |error: SandboxError| error.to_string();
            sandboxes::destroy_for_good(&self.sandboxes, scope, owner)
                .await
                .map_err(said)?;
            sandboxes::forget_archives(&self.sandboxes, scope, owner)
                .await
                .map_err(said)
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        saga: &'a saga::Model,
        step: Step,
        now: DateTime<Utc>,
    ) -> BoxFuture<'a, Result<Next, DbErr>> {
        async move {
            if step == Step::Rows {
                let scope = WorkspaceScope::of_row(saga.workspace_id);
                sandboxes::remove_of(tx, scope, owner(saga), now).await?;
            }
            Ok(Next::Advance)
        }
        .boxed()
    }
}

fn owner(saga: &saga::Model) -> SandboxOwner {
    match Kind::from_stored(&saga.kind) {
        Some(Kind::MissionRemoval) => MissionId(saga.subject_id).into(),
        _ => TeamId(saga.subject_id).into(),
    }
}

//! `workspace.purge`: removes the rest of a workspace after its members lost access. Machines are deleted first, so
//! that sandboxes on a machine that never answers count as lost and do not delay the purge. Then each agent's own purge
//! runs, then the rows are removed. The step repeats until nothing is left, so it may be interrupted anywhere.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use roost_agents::claws;
use roost_connections::apps::{self, Which};
use roost_connections::doors;
use roost_connections::mesh;
use roost_connections::repos;
use roost_connections::supplies;
use roost_connections::uploads;
use roost_execution::{models, runs};
use roost_machines::fleet::{self, FleetHandle};
use roost_machines::sandboxes::{self, OwnerKind};
use roost_missions::levelups;
use roost_missions::missions;
use roost_missions::routines;
use roost_organisation::skills;
use roost_organisation::teams;
use roost_organisation::templates;
use roost_platform::db::WriteTx;
use roost_platform::events;
use roost_platform::ids::{MissionId, SharedIds, TeamId};
use roost_platform::sagas::{self, Kind, Next, SagaHandler, Step, saga};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces;
use roost_web::pagination::PageRequest;

/// The time until the next try while agents or machines are leaving.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// A machine's actor has 30 s to end its work, and writes to the workspace's log during that time.
const MACHINES_LEAVE: TimeDelta = TimeDelta::seconds(40);
/// The agents whose purge one step begins.
const SOME: PageRequest = PageRequest {
    limit: 100,
    after: None,
};

/// The end of a workspace.
pub(super) struct WorkspaceEnd {
    pub(super) ids: SharedIds,
    pub(super) fleet: FleetHandle,
    /// The packages of workspaces on this gateway's disk.
    pub(super) supplies: PathBuf,
}

impl SagaHandler for WorkspaceEnd {
    fn effect<'a>(&'a self, saga: &'a saga::Model, _: Step) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let scope = WorkspaceScope::of_row(saga.workspace_id);
            let gone = fleet::remove_all(&self.fleet, scope, saga.requested_by).await;
            gone.map_err(|error| error.to_string())?;
            let gone = supplies::remove_of(&self.supplies, scope.workspace()).await;
            gone.map_err(|error| {
                format!("The folder of its packages could not be deleted: {error}.")
            })
        }
        .boxed()
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
            let agents = claws::list(&**tx, scope, SOME, true).await?;
            for agent in &agents {
                let purge = sagas::New {
                    kind: Kind::ClawPurge,
                    subject: agent.id.0,
                    scope,
                    user: saga.requested_by,
                    now,
                };
                sagas::begin_once(tx, &self.ids, purge).await?;
            }
            let user = saga.requested_by;
            let teams = sandboxes::owners_with_anything(&**tx, scope, OwnerKind::Team).await?;
            for team in &teams {
                let team = TeamId(team.0);
                teams::begin_removal(tx, &self.ids, now, scope, user, team).await?;
            }
            let of_missions =
                sandboxes::owners_with_anything(&**tx, scope, OwnerKind::Mission).await?;
            for mission in &of_missions {
                let mission = MissionId(mission.0);
                missions::begin_removal(tx, &self.ids, now, scope, user, mission).await?;
            }
            let leaving = fleet::deleted_after(&**tx, scope, now - MACHINES_LEAVE).await?;
            if !agents.is_empty() || !teams.is_empty() || !of_missions.is_empty() || leaving {
                return Ok(Next::CheckAgain(CHECK_INTERVAL));
            }
            apps::end_connections(tx, scope, Which::All, now).await?;
            doors::remove_all(tx, scope).await?;
            sandboxes::remove_all(tx, scope).await?;
            fleet::remove_rows(&**tx, scope).await?;
            repos::remove_all(tx, scope, now).await?;
            uploads::remove_all(tx, scope, now).await?;
            mesh::remove_all(tx, scope, now).await?;
            levelups::remove_all(&**tx, scope).await?;
            templates::remove_all(&**tx, scope).await?;
            skills::remove_bindings(&**tx, scope).await?;
            skills::remove_all(&**tx, scope).await?;
            models::remove_all(tx, scope, now).await?;
            routines::remove_all(tx, scope).await?;
            missions::remove_all(tx, scope, now).await?;
            runs::remove_all(tx, scope).await?;
            events::remove_log(tx, scope.workspace()).await?;
            workspaces::remove(tx, scope).await?;
            Ok(Next::Advance)
        }
        .boxed()
    }
}

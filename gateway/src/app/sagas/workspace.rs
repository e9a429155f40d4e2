//! `workspace.purge`: what is left of a workspace after its people are gone. Machines are deleted first, so that
//! sandboxes on one that never answers count as lost and nothing waits for it; then each agent's own purge runs; then the
//! rows go. Looked at again and again until nothing is left, so that it does not matter where it was cut off.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::DbErr;

use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::domains::fleet::{self, FleetHandle};
use crate::domains::{
    apps, claws, doors, mesh, models, repos, sandboxes, skills, templates, workspaces,
};
use crate::http::pagination::PageRequest;
use crate::ids::SharedIds;
use crate::sagas::{self, Carrier, Kind, Next, Step, saga};

/// How soon it looks again while agents or machines are on their way out.
const AGAIN: Duration = Duration::from_secs(1);
/// A machine's actor has 30 s to end what runs there and writes to the workspace's log meanwhile.
const MACHINES_LEAVE: TimeDelta = TimeDelta::seconds(40);
/// Agents whose purge one look begins.
const SOME: PageRequest = PageRequest {
    limit: 100,
    after: None,
};

/// The end of a workspace.
pub(super) struct WorkspaceEnd {
    pub(super) ids: SharedIds,
    pub(super) fleet: FleetHandle,
}

impl Carrier for WorkspaceEnd {
    fn effect<'a>(&'a self, saga: &'a saga::Model, _: Step) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let scope = WorkspaceScope::of_row(saga.workspace_id);
            let gone = fleet::commands::remove_all(&self.fleet, scope, saga.requested_by).await;
            gone.map_err(|error| error.to_string())
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
            let agents = claws::store::list(&**tx, scope, SOME, true).await?;
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
            let leaving = fleet::store::deleted_after(&**tx, scope, now - MACHINES_LEAVE).await?;
            if !agents.is_empty() || leaving {
                return Ok(Next::Again(AGAIN));
            }
            apps::store::end(tx, scope, apps::store::Which::All, now).await?;
            doors::store::remove_all(tx, scope).await?;
            sandboxes::store::remove_all(&**tx, scope).await?;
            fleet::store::remove_all(&**tx, scope).await?;
            repos::commands::remove_all(tx, scope, now).await?;
            mesh::remove_all(tx, scope, now).await?;
            templates::store::remove_all(&**tx, scope).await?;
            skills::store_choices::remove_bindings(&**tx, scope).await?;
            skills::store::remove_all(&**tx, scope).await?;
            models::commands::remove_all(tx, scope, now).await?;
            workspaces::store::remove(&**tx, scope).await?;
            Ok(Next::Onward)
        }
        .boxed()
    }
}

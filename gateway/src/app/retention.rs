//! Retention: applies the rules of [`super::retained`]. Events are swept each minute, and the rest less often.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::retained::{MONTH_DAYS, Rule, UNJOINED_DAYS, UNUSED_DAYS};
use crate::config::Retention;
use roost_connections::{apps, checkouts, doors, supplies, uploads};
use roost_execution::runs;
use roost_machines::fleet::{self, FleetHandle, operations};
use roost_machines::sandboxes;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::db::lease::Lease;
use roost_platform::supervision::Nudge;
use roost_platform::{events, sagas};
use roost_tenancy::auth::{self, WorkspaceScope};
use roost_tenancy::workspaces::{self, invitations};
use roost_web::idempotency;
use sea_orm::DbErr;

/// The time between two sweeps of the events. A busy workspace writes megabytes of ephemeral events in a minute.
pub const EVENTS_PERIOD: Duration = Duration::from_secs(60);
/// The time between two sweeps of everything else.
pub const PERIOD: Duration = Duration::from_secs(600);
const LEASE_TTL: Duration = Duration::from_secs(120);

/// What the sweeper needs.
#[derive(Clone)]
pub struct Sweeper {
    pub db: Db,
    pub clock: SharedClock,
    pub events: Retention,
    /// How long outputs of runs and ended operations are kept after their end.
    pub outputs: Duration,
    pub fleet: FleetHandle,
    /// Wakes the worker that has the broker delete what is left of uploads.
    pub credentials: Nudge,
    /// The packages of workspaces on this gateway's disk.
    pub supplies: PathBuf,
    /// The name of this instance in the lease.
    pub owner: String,
}

impl Sweeper {
    /// One sweep by all rules except the one of the events, unless another gateway has the lease.
    ///
    /// # Errors
    /// When the database or the disk fails.
    pub async fn sweep(&self) -> anyhow::Result<()> {
        // Each gateway has a disk of its own, so this needs no lease.
        self.packages().await?;
        for rule in Rule::ALL {
            // A fresh lease for each rule: an interrupted sweep continues with the next one.
            let name = "retention";
            let Some(lease) = Lease::acquire(&self.db, name, &self.owner, LEASE_TTL).await? else {
                return Ok(());
            };
            self.apply(rule).await?;
            lease.release(&self.db).await?;
        }
        Ok(())
    }

    /// One sweep of the events, unless another gateway has the lease.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_events(&self) -> Result<(), DbErr> {
        let name = "event-retention";
        let Some(lease) = Lease::acquire(&self.db, name, &self.owner, LEASE_TTL).await? else {
            return Ok(());
        };
        events::sweep(&self.db, self.clock.now(), &self.events).await?;
        lease.release(&self.db).await
    }

    async fn apply(&self, rule: Rule) -> anyhow::Result<()> {
        let now = self.clock.now();
        let days = |days| now - TimeDelta::days(days);
        match rule {
            // They have a lease and a period of their own.
            Rule::Events => {}
            Rule::SignIns => {
                let tx = self.db.write().await?;
                auth::forget_expired(&*tx, now).await?;
                auth::hosted::store::forget_sign_ins(&*tx, now).await?;
                auth::hosted::store::forget_codes(&*tx, now).await?;
                auth::hosted::revalidation::release_idle_grants(&tx, now).await?;
                tx.commit().await?;
            }
            Rule::Devices => {
                let tx = self.db.write().await?;
                auth::devices::forget_unused(&*tx, now).await?;
                tx.commit().await?;
            }
            Rule::AppSignIns => {
                let tx = self.db.write().await?;
                apps::forget_expired(&*tx, now).await?;
                tx.commit().await?;
            }
            Rule::IdempotencyKeys => {
                idempotency::forget_before(&self.db, now).await?;
            }
            Rule::MachineAverages => {
                let tx = self.db.write().await?;
                fleet::history::forget_before(&tx, now).await?;
                tx.commit().await?;
            }
            Rule::RunOutputs => self.in_parts(Part::Outputs).await?,
            Rule::Operations => {
                let before = before(now, self.outputs);
                self.in_parts(Part::Operations { before }).await?;
            }
            Rule::Invitations => {
                let tx = self.db.write().await?;
                invitations::forget_ended(&*tx, days(MONTH_DAYS)).await?;
                tx.commit().await?;
            }
            Rule::Deletions => {
                let tx = self.db.write().await?;
                sagas::forget_done(&tx, days(MONTH_DAYS)).await?;
                tx.commit().await?;
            }
            Rule::UnjoinedMachines => {
                fleet::remove_unjoined(&self.fleet, days(UNJOINED_DAYS)).await?;
            }
            Rule::Snapshots => {
                let before = days(MONTH_DAYS);
                self.in_parts(Part::Snapshots { before }).await?;
            }
            Rule::Uploads => self.uploads(days(UNUSED_DAYS)).await?,
            Rule::Doors => {
                let before = before(now, self.outputs);
                self.in_parts(Part::Doors { before }).await?;
            }
            Rule::Sandboxes => {
                let before = days(MONTH_DAYS);
                self.in_parts(Part::Sandboxes { before }).await?;
            }
        }
        Ok(())
    }

    /// Removes the packages of workspaces that are deleted, and what was left half-written.
    async fn packages(&self) -> anyhow::Result<()> {
        for workspace in supplies::workspaces(&self.supplies).await? {
            let scope = WorkspaceScope::of_row(workspace);
            if workspaces::find(self.db.read(), scope).await?.is_none() {
                supplies::remove_of(&self.supplies, workspace).await?;
            } else {
                supplies::remove_half_written(&self.supplies, workspace).await?;
            }
        }
        Ok(())
    }

    /// Deletes uploads from before that moment whose runs have no outputs any more.
    async fn uploads(&self, before: DateTime<Utc>) -> Result<(), DbErr> {
        let mut tx = self.db.write().await?;
        for row in uploads::from_before(&tx, before).await? {
            let scope = WorkspaceScope::of_row(row.workspace_id);
            let bound = checkouts::runs_of_upload(&*tx, scope, row.id).await?;
            if !runs::retention::any_has_outputs(&tx, &bound).await? {
                uploads::forget_unused(&tx, &row, self.clock.now()).await?;
            }
        }
        tx.wake(&self.credentials);
        tx.commit().await
    }

    /// A part in each transaction, while there may be more. The lease is renewed in the part's transaction, so a sweeper
    /// that lost it stops.
    async fn in_parts(&self, part: Part) -> Result<(), DbErr> {
        loop {
            let tx = self.db.write().await?;
            let lease = Lease::acquire_in(&tx, "retention", &self.owner, LEASE_TTL).await?;
            if lease.is_none() {
                return Ok(());
            }
            let more = match part {
                Part::Outputs => runs::retention::delete_outputs(&tx, self.outputs).await?,
                Part::Operations { before } => operations::forget_ended(&tx, before).await?,
                Part::Snapshots { before } => sandboxes::forget_snapshots(&tx, before).await?,
                Part::Doors { before } => doors::forget_ended(&tx, before).await?,
                Part::Sandboxes { before } => sandboxes::forget_ended(&tx, before).await?,
            };
            tx.commit().await?;
            if !more {
                return Ok(());
            }
        }
    }
}

/// What is deleted in parts, because there may be much of it.
#[derive(Debug, Clone, Copy)]
enum Part {
    Outputs,
    Operations { before: DateTime<Utc> },
    Snapshots { before: DateTime<Utc> },
    Doors { before: DateTime<Utc> },
    Sandboxes { before: DateTime<Utc> },
}

fn before(now: DateTime<Utc>, age: Duration) -> DateTime<Utc> {
    now - TimeDelta::from_std(age).unwrap_or(TimeDelta::days(36_500))
}

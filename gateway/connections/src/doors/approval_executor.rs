//! Performs approved doors, ends expired ones, and reports those that were cut off.
//!
//! Position: `foundation/door-executor`. Children: none. Restart: permanent; it holds no state between two passes.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use futures::future::join_all;
use roost_secret_broker::wire::FaultCode;
use sea_orm::DbErr;

use super::catalogue::{self, Work};
use super::entity::Model;
use super::model::{DoorState, Outcome};
use super::{AskingRuns, store};
use crate::apps::{AppCaller, CallError};
use crate::checkouts::{self, CheckoutsContext, OfferedBranch, OfferedPackages, PullWords};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::{Decision, Event, ResourceKind};
use roost_platform::ids::{SharedIds, UserId};
use roost_platform::kill_point;
use roost_platform::supervision::KillPoints;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::{Change, ChangeContext};

/// The interval of its passes without a nudge.
pub const PERIOD: Duration = Duration::from_secs(2);
/// The most doors that are performed at the same time.
const AT_ONCE: u64 = 8;
/// After this time the gateway that began the call counts as dead: a call ends much earlier.
const LONGEST: TimeDelta = TimeDelta::minutes(2);

#[derive(Clone)]
pub struct ApprovalExecutor {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub apps: AppCaller,
    pub checkouts: CheckoutsContext,
    pub kill_points: KillPoints,
    /// The runs that request doors.
    pub runs: Arc<dyn AskingRuns>,
}

impl ApprovalExecutor {
    /// One pass. Each step is a statement that only one gateway wins, so all gateways may run passes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn run_pass(&self) -> Result<(), DbErr> {
        self.expire().await?;
        self.end_cut_off().await?;
        loop {
            let some = store::approved(self.db.read(), AT_ONCE).await?;
            if some.is_empty() {
                return Ok(());
            }
            for done in join_all(some.into_iter().map(|door| self.perform(door))).await {
                done?;
            }
        }
    }

    async fn expire(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        loop {
            let over = store::overdue(self.db.read(), now, AT_ONCE).await?;
            for door in &over {
                self.expire_one(door).await?;
            }
            if (over.len() as u64) < AT_ONCE {
                return Ok(());
            }
        }
    }

    async fn expire_one(&self, door: &Model) -> Result<(), DbErr> {
        let scope = WorkspaceScope::of_row(door.workspace_id);
        let mut change = Change::begin(self, scope, authority(door)).await?;
        self.lock_run(&change, door).await?;
        if store::expire(&change, door.id, change.now()).await? {
            self.runs.wake(&mut change, door.id).await?;
            change.record("door.expired", ("door", &door.id), details(door, None));
            change.events(store::resolved(door, Decision::Deny, None));
            change.commit().await?;
        }
        Ok(())
    }

    /// A transaction locks the run of a door before the door.
    async fn lock_run(&self, change: &Change, door: &Model) -> Result<(), DbErr> {
        if let Some(run) = door.run_id {
            self.runs.lock(change, run).await?;
        }
        Ok(())
    }

    async fn end_cut_off(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        for door in store::cut_off(self.db.read(), now - LONGEST).await? {
            let outcome = match (&door.packages, door.sending_at) {
                (Some(_), Some(_)) => Outcome::packages_cut_off(),
                (_, sending) => Outcome::cut_off(sending.is_some()),
            };
            self.end(&door, &outcome).await?;
        }
        Ok(())
    }

    async fn perform(&self, door: Model) -> Result<(), DbErr> {
        let tx = self.db.write().await?;
        let mine = store::take(&tx, door.id, self.clock.now()).await?;
        tx.commit().await?;
        if !mine {
            return Ok(());
        }
        kill_point!(self.kill_points, "doors.perform.after_take");
        // A gateway of another version may have written this row.
        let plan = catalogue::action(&door.action)
            .and_then(|action| Some((action.provider, action.plan(&door.params).ok()?)));
        let outcome = match plan {
            Some((provider, plan)) => {
                let tx = self.db.write().await?;
                let mine = store::sending(&tx, door.id, self.clock.now()).await?;
                tx.commit().await?;
                if !mine {
                    return Ok(());
                }
                kill_point!(self.kill_points, "doors.perform.before_send");
                self.send(&door, provider, plan.work).await
            }
            None => Outcome::not_sent("This gateway's catalogue has no such action any more."),
        };
        kill_point!(self.kill_points, "doors.perform.after_call");
        self.end(&door, &outcome).await
    }

    async fn send(&self, door: &Model, provider: &str, work: Work) -> Outcome {
        let scope = WorkspaceScope::of_row(door.workspace_id);
        let key = door.id.to_string();
        match (work, offered(door)) {
            (Work::App(outgoing), _) => {
                let called = self
                    .apps
                    .call(
                        scope,
                        door.agent_id,
                        provider,
                        outgoing,
                        &door.address,
                        &key,
                    )
                    .await;
                if let Err(error) = &called {
                    warn(door, error);
                }
                Outcome::of(&called)
            }
            (Work::PushBranch, Some(offered)) => {
                let what = (Some(offered.branch), Some(offered.commit));
                let by = authority(door);
                let pushed =
                    checkouts::push(&self.checkouts, scope, by, offered.run_id, what).await;
                if let Err(error) = &pushed {
                    warn(door, error);
                }
                Outcome::of_push(&pushed)
            }
            (Work::OpenPull(words), Some(offered)) => self.open_pull(door, &offered, words).await,
            (Work::AddPackages { .. }, _) => self.add_packages(door).await,
            (Work::PushBranch | Work::OpenPull(_), None) => {
                Outcome::not_sent("The request names no branch of a run; let the agent ask again.")
            }
        }
    }

    async fn add_packages(&self, door: &Model) -> Outcome {
        let packages = door.packages.as_deref();
        let packages = packages.and_then(|json| serde_json::from_str::<OfferedPackages>(json).ok());
        let Some(packages) = packages else {
            return Outcome::not_sent("The request names no packages; let the agent ask again.");
        };
        let scope = WorkspaceScope::of_row(door.workspace_id);
        let (by, run) = (authority(door), door.run_id);
        let added = checkouts::add_packages(&self.checkouts, scope, by, run, &packages).await;
        if let Err(error) = &added {
            warn(door, error);
        }
        Outcome::of_packages(&added)
    }

    async fn open_pull(&self, door: &Model, offered: &OfferedBranch, words: PullWords) -> Outcome {
        let scope = WorkspaceScope::of_row(door.workspace_id);
        let request = match checkouts::pull_request(&self.checkouts, scope, offered, words).await {
            Ok(request) => request,
            Err(error) => return Outcome::not_sent(&error.words()),
        };
        if request.url.as_str() != door.address {
            return Outcome::not_sent(
                "The repository got another address after the request, so nothing was sent; let the agent ask again.",
            );
        }
        let on_behalf = format!("agent {}, request {}", door.agent_id, door.id);
        let called = self.apps.open_pull(request, on_behalf).await;
        if let Err(error) = &called {
            warn(door, error);
        }
        match called {
            Err(CallError::NotSent(error)) if error.code() == Some(FaultCode::NotAllowed) => {
                Outcome::not_sent(
                    "The code host was connected before Roost could open pull requests. Connect it again, then let the agent ask again.",
                )
            }
            called => Outcome::of(&called),
        }
    }

    async fn end(&self, door: &Model, outcome: &Outcome) -> Result<(), DbErr> {
        let scope = WorkspaceScope::of_row(door.workspace_id);
        let mut change = Change::begin(self, scope, authority(door)).await?;
        self.lock_run(&change, door).await?;
        if store::end(&change, door, outcome, change.now()).await? {
            let action = format!("door.{}", outcome.state.as_str());
            self.runs.wake(&mut change, door.id).await?;
            if outcome.state == DoorState::Performed
                && let (Some(offered), Some(url)) = (offered(door), &outcome.url)
            {
                checkouts::record_pull(&mut change, &offered, url).await?;
            }
            change.record(&action, ("door", &door.id), details(door, outcome.status));
            change.event(Event::changed(ResourceKind::Door, door.id, 3));
            change.commit().await?;
        }
        Ok(())
    }
}

impl ChangeContext for ApprovalExecutor {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

fn warn(door: &Model, error: &(dyn std::error::Error + 'static)) {
    tracing::warn!(door = %door.id, action = door.action, error, "the gateway could not execute an approved door");
}

/// The branch that the door sends.
fn offered(door: &Model) -> Option<OfferedBranch> {
    serde_json::from_str(door.branch.as_deref()?).ok()
}

/// The person who decided, or else the person who requested.
fn authority(door: &Model) -> UserId {
    door.decided_by.unwrap_or(door.requested_by)
}

fn details(door: &Model, status: Option<u16>) -> serde_json::Value {
    serde_json::json!({
        "action": door.action, "target": door.target, "agent_id": door.agent_id,
        "agent": door.agent_name, "status": status,
    })
}

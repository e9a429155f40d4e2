//! Drives one live mission: reads the markers of its runs, and carries out what [`super::decide`] says, one step in each
//! transaction. Each transaction renews the mission's lease first, so it fails when another gateway drives the mission.
//!
//! Parent: `roost/missions/live`. Restart: transient. All its state is in rows; a restart reads the markers once more, and each
//! counts once.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use sea_orm::DbErr;

use super::decide::{self, Next};
use super::facts::{self, Loaded};
use super::handle::MissionsHandle;
use super::touch::touch;
use super::{MissionsContext, store};
use crate::tasks::{self, Scan, Window};
use roost_execution::runs::{self, RunError};
use roost_platform::db::lease::Lease;
use roost_platform::ids::{MissionId, RunId, UserId};
use roost_platform::kill_point;
use roost_platform::supervision::{Failure, JobContext};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

mod begin;
mod branches;
mod end;
mod moves;
mod probe;
mod runtime;

/// How often the mission is looked at without a nudge. Its runs may work on another gateway.
const PERIOD: Duration = Duration::from_secs(1);
/// The most steps of one look. A mission settles after far fewer.
const MOST_STEPS: usize = 50;

/// The driver of a mission.
pub(super) struct Driver {
    pub(super) state: MissionsContext,
    pub(super) id: MissionId,
    pub(super) scope: WorkspaceScope,
    /// The person on whose authority the mission works.
    user: UserId,
    lease: Option<Lease>,
    renewed: Option<Instant>,
    window: Window,
    /// Markers that were read already.
    seen: HashSet<(RunId, String)>,
}

/// Whether the actor continues.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Live,
    /// The mission needs no actor, or another gateway drives it.
    Over,
}

/// Drives the mission until it needs no actor.
///
/// # Errors
/// When the database fails. The supervisor then starts the actor again.
pub(super) async fn drive(
    state: MissionsContext,
    scope: WorkspaceScope,
    id: MissionId,
    cx: JobContext,
) -> Result<(), Failure> {
    let nudge = state.handle.starts(id);
    let _ended = Ended(state.handle.clone(), id);
    let mut driver = Driver {
        state,
        id,
        scope,
        user: UserId::SYSTEM,
        lease: None,
        renewed: None,
        window: Window::default(),
        seen: HashSet::new(),
    };
    while driver.look(&cx).await? == Standing::Live {
        nudge.wait(PERIOD).await;
    }
    if let Some(lease) = driver.lease.take() {
        lease.remove(&driver.state.db).await?;
    }
    Ok(())
}

/// Forgets the actor's nudge, also when the actor is stopped at an await.
struct Ended(MissionsHandle, MissionId);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.has_ended(self.1);
    }
}

impl Driver {
    async fn look(&mut self, cx: &JobContext) -> Result<Standing, Failure> {
        for _ in 0..MOST_STEPS {
            let Some(loaded) = self.load().await? else {
                return Ok(Standing::Over);
            };
            self.user = loaded.mission.created_by;
            if !self.read_marks().await? || !self.watch_runtime(&loaded).await? {
                return Ok(Standing::Over);
            }
            let next = decide::next(&loaded.facts());
            let done = match next {
                Next::Over => return Ok(Standing::Over),
                Next::Rest => {
                    return Ok(match self.keep().await? {
                        true => Standing::Live,
                        false => Standing::Over,
                    });
                }
                next => self.carry_out(cx, &loaded, next).await?,
            };
            if done == Done::Lost {
                return Ok(Standing::Over);
            }
        }
        tracing::warn!(mission = %self.id, "a mission did not settle; it is looked at again");
        Ok(Standing::Live)
    }

    async fn load(&self) -> Result<Option<Loaded>, DbErr> {
        facts::load(self.state.db.read(), self.scope, self.id).await
    }

    async fn carry_out(
        &mut self,
        cx: &JobContext,
        loaded: &Loaded,
        next: Next,
    ) -> Result<Done, Failure> {
        match &next {
            Next::Hold(runs) => self.hold(cx, runs).await,
            Next::Resume(runs) => self.resume(cx, runs).await,
            Next::Cancel(runs) => self.cancel(runs).await,
            Next::BootRuntime => self.boot(cx, next).await,
            Next::Begin(phase) => self.begin(cx, next.clone(), *phase).await,
            Next::End(phase, status, reason) => {
                let left = self.left_by(loaded, *phase).await?;
                let end = (*phase, *status, reason.as_str());
                self.end(cx, next.clone(), end, left).await
            }
            Next::LoseNode | Next::Complete => self.move_on(cx, next).await,
            Next::Rest | Next::Over => Ok(Done::Changed),
        }
    }

    /// Begins a change while this gateway has the mission's lease. `None` when another gateway has it.
    async fn change(&mut self) -> Result<Option<Change>, DbErr> {
        let tx = self.state.db.write().await?;
        let owner = self.state.handle.owner();
        let lease =
            Lease::acquire_in(&tx, &store::lease_name(self.id), owner, store::LEASE).await?;
        let Some(lease) = lease else {
            return Ok(None);
        };
        self.lease = Some(lease);
        self.renewed = Some(self.state.clock.monotonic());
        Ok(Some(Change::within(&self.state, tx, self.scope, self.user)))
    }

    /// As [`change`](Self::change), when the mission still needs this step. The rows are read again in the transaction.
    async fn change_for(&mut self, next: &Next) -> Result<Ready, DbErr> {
        let Some(change) = self.change().await? else {
            return Ok(Ready::Lost);
        };
        if store::locked(&change, self.scope, self.id).await?.is_none() {
            return Ok(Ready::Lost);
        }
        let loaded = facts::load(change.tx(), self.scope, self.id).await?;
        Ok(match loaded {
            Some(loaded) if decide::next(&loaded.facts()) == *next => {
                Ready::Now(Box::new(change), Box::new(loaded))
            }
            Some(_) => Ready::Otherwise,
            None => Ready::Lost,
        })
    }

    /// Commits a step, between its kill points.
    async fn commit(&mut self, cx: &JobContext, change: Change) -> Result<Done, Failure> {
        kill_point!(cx, "missions.step.before_commit");
        change.commit().await?;
        kill_point!(cx, "missions.step.after_commit");
        Ok(Done::Changed)
    }

    /// Renews the lease when a third of it is over. Returns false when another gateway has it.
    async fn keep(&mut self) -> Result<bool, DbErr> {
        let now = self.state.clock.monotonic();
        let is_fresh = self
            .renewed
            .is_some_and(|at| now.duration_since(at) < store::LEASE / 3);
        if is_fresh {
            return Ok(true);
        }
        match self.change().await? {
            Some(change) => {
                change.commit().await?;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Reads what was said since the last look, and moves the tasks. Returns false when another gateway has the lease.
    async fn read_marks(&mut self) -> Result<bool, DbErr> {
        let now = self.state.clock.monotonic();
        let since = self.window.since_ms(now);
        let Scan { found, until_ms } =
            tasks::scan(self.state.db.read(), self.scope, self.id, since).await?;
        let new: Vec<_> = found
            .into_iter()
            .filter(|found| !self.seen.contains(&(found.run, found.place.clone())))
            .collect();
        if !new.is_empty() {
            let places: Vec<_> = new
                .iter()
                .map(|found| (found.run, found.place.clone()))
                .collect();
            let Some(mut change) = self.change().await? else {
                return Ok(false);
            };
            let Some(mission) = store::locked(&change, self.scope, self.id).await? else {
                return Ok(false);
            };
            let applied = tasks::apply(&mut change, self.id, new, &self.state.ids).await?;
            moves::record_dropped(&change, self.scope, self.id, &applied).await?;
            if applied.moved > 0 {
                touch(&mut change, mission).await?;
            }
            change.commit().await?;
            self.seen.extend(places);
        }
        // Only now: what was read and not applied is read again.
        self.window.has_read(now, until_ms);
        Ok(true)
    }

    async fn hold(&mut self, cx: &JobContext, runs: &[RunId]) -> Result<Done, Failure> {
        // First the row: a gateway that dies in between knows that the mission pauses them.
        let Some(change) = self.change().await? else {
            return Ok(Done::Lost);
        };
        store::set_held(&change, self.scope, runs, true).await?;
        change.commit().await?;
        kill_point!(cx, "missions.hold.after_mark");
        for run in runs {
            let paused = runs::pause(&self.state.teams.runs, self.scope, self.user, *run).await;
            unless_over(paused)?;
        }
        Ok(Done::Changed)
    }

    async fn resume(&mut self, cx: &JobContext, runs: &[RunId]) -> Result<Done, Failure> {
        for run in runs {
            let resumed = runs::resume(&self.state.teams.runs, self.scope, self.user, *run).await;
            unless_over(resumed)?;
        }
        kill_point!(cx, "missions.resume.after_runs");
        let Some(change) = self.change().await? else {
            return Ok(Done::Lost);
        };
        store::set_held(&change, self.scope, runs, false).await?;
        change.commit().await?;
        Ok(Done::Changed)
    }

    async fn cancel(&mut self, runs: &[RunId]) -> Result<Done, Failure> {
        if !self.keep().await? {
            return Ok(Done::Lost);
        }
        for run in runs {
            let cancelled = runs::cancel(&self.state.teams.runs, self.scope, self.user, *run).await;
            unless_over(cancelled)?;
        }
        Ok(Done::Changed)
    }
}

/// Whether a step was carried out.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    /// Look again.
    Changed,
    /// Another gateway has the lease, or the mission is gone.
    Lost,
}

/// A change for a step.
enum Ready {
    Now(Box<Change>, Box<Loaded>),
    /// The rows changed since the decision.
    Otherwise,
    Lost,
}

/// A run that ended in between needs nothing more.
fn unless_over<T>(done: Result<T, RunError>) -> Result<(), Failure> {
    match done {
        Ok(_) | Err(RunError::Over | RunError::NotFound) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

//! The scheduler of mirrors: assigns each mirror that is wanted or dropped to one gateway.

mod run;

use std::time::Duration;

use super::{ReposContext, store_mirrors};
use roost_platform::ids::fresh;
use roost_platform::supervision::{
    ActorKind, AnyChild, ChildSpec, Failure, NoMessages, StartError, SupervisorHandle,
    SupervisorSpec, Tenant,
};

/// The interval of its passes without a nudge: another gateway may have requested a mirror, or died with one.
const EVERY: Duration = Duration::from_secs(15);
/// The most fetches that a gateway requests at once. The broker has its own limit, and reports a fetch that waits.
const AT_ONCE: usize = 4;

/// The supervisor of the jobs, and the scheduler that starts them.
pub(super) fn children(state: &ReposContext) -> (AnyChild, ChildSpec<NoMessages>) {
    let (mirrors, jobs) = SupervisorSpec::new("mirrors")
        .serves("repositories that are being fetched")
        .with_handle();
    let nudge = state.mirrors.clone();
    let scheduler = Scheduler {
        state: state.clone(),
        jobs,
    };
    let child = ChildSpec::periodic(
        "mirror-scheduler",
        ActorKind::RepoMirror,
        EVERY,
        &nudge,
        move |_| {
            let scheduler = scheduler.clone();
            async move { scheduler.run_pass().await }
        },
    );
    (mirrors, child.serves("mirrors to fetch or to delete"))
}

#[derive(Clone)]
struct Scheduler {
    state: ReposContext,
    jobs: SupervisorHandle,
}

impl Scheduler {
    /// Starts a job for each mirror that is due, while there is room.
    async fn run_pass(&self) -> Result<(), Failure> {
        let room = AT_ONCE.saturating_sub(self.jobs.len());
        let (db, now) = (self.state.db.read(), self.state.clock.now());
        for row in store_mirrors::due(db, now, room as u64).await? {
            let holder = fresh(&self.state.ids);
            let Some(claimed) = run::claim(&self.state, row.repo_id, holder).await? else {
                continue;
            };
            let (state, tenant) = (self.state.clone(), Tenant::new(claimed.workspace_id));
            let name = format!("mirror-{}", claimed.repo_id);
            let started = self
                .jobs
                .spawn_job(name, Some(tenant), move |_| async move {
                    run::run(&state, &claimed, holder).await?;
                    // Now another mirror can start.
                    state.mirrors.nudge();
                    Ok(())
                });
            match started.await {
                Ok(_) => {}
                // The job before has lost its hold and ends soon; then it nudges the scheduler.
                Err(StartError::NameTaken { .. }) => {
                    run::release(&self.state, row.repo_id, holder).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

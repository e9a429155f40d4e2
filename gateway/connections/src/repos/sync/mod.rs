//! The branch `repos` of the tree.
//!
//! ```text
//! repos
//! ├─ syncs             one job for each sync under way
//! ├─ sync-scheduler    assigns the syncs that are wanted
//! ├─ mirrors           one job for each mirror at work
//! └─ mirror-scheduler  assigns the mirrors that are wanted or dropped
//! ```

mod remote;
mod run;

use std::time::Duration;

use super::{ReposContext, mirroring, store};
use roost_platform::ids::fresh;
use roost_platform::supervision::{
    ActorKind, ChildSpec, Failure, StartError, SupervisorHandle, SupervisorSpec, Tenant,
};

/// The interval of its passes without a nudge: another gateway may have requested a sync, or died with one.
const EVERY: Duration = Duration::from_secs(15);
/// The most syncs that run at once on a gateway.
const AT_ONCE: usize = 8;

/// The whole branch.
pub fn branch(state: &ReposContext) -> SupervisorSpec {
    let (syncs, jobs) = SupervisorSpec::new("syncs")
        .serves("lists of code hosts that are being read")
        .with_handle();
    let scheduler = Scheduler {
        state: state.clone(),
        jobs,
    };
    let in_pass = scheduler.clone();
    let child = ChildSpec::periodic(
        "sync-scheduler",
        ActorKind::RepoSync,
        EVERY,
        &scheduler.state.syncs,
        move |_| {
            let scheduler = in_pass.clone();
            async move { scheduler.run_pass().await }
        },
    );
    let (mirrors, mirror_scheduler) = mirroring::children(state);
    SupervisorSpec::new("repos")
        .serves("repositories of code hosts")
        .child(syncs)
        .child(child.serves("syncs that are wanted"))
        .child(mirrors)
        .child(mirror_scheduler)
}

/// Assigns syncs.
#[derive(Clone)]
struct Scheduler {
    state: ReposContext,
    jobs: SupervisorHandle,
}

impl Scheduler {
    /// Starts a job for each sync that is due, while there is room.
    async fn run_pass(&self) -> Result<(), Failure> {
        let room = AT_ONCE.saturating_sub(self.jobs.len());
        let due = store::due(self.state.db.read(), self.state.clock.now(), room as u64).await?;
        for row in due {
            let holder = fresh(&self.state.ids);
            let Some(claimed) = run::claim(&self.state, &row, holder).await? else {
                continue;
            };
            let (state, tenant) = (self.state.clone(), Tenant::new(claimed.workspace_id));
            let name = format!("sync-{}", claimed.id);
            let started = self
                .jobs
                .spawn_job(name, Some(tenant), move |_| async move {
                    run::run(&state, &claimed, holder).await?;
                    // Now another sync can start.
                    state.syncs.nudge();
                    Ok(())
                });
            match started.await {
                // The job before has lost its hold and ends soon; then this sync is due again.
                Ok(_) | Err(StartError::NameTaken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

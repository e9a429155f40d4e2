//! The desk of mirrors: gives out those that are wanted, and those that shall go, each to one gateway.

mod carry;

use std::time::Duration;

use super::routes::ReposState;
use super::store_mirrors;
use crate::ids::fresh;
use crate::supervision::{
    ActorKind, AnyChild, ChildSpec, Failure, NoMessages, StartError, SupervisorHandle,
    SupervisorSpec, Tenant,
};

/// How often the desk looks without being nudged: another gateway may have wanted one, or died with one.
const EVERY: Duration = Duration::from_secs(15);
/// Fetches that a gateway asks the broker for at once; the broker has its own limit, and says that one waits.
const AT_ONCE: usize = 4;

/// The supervisor of the jobs, and the desk that starts them.
pub(super) fn children(state: &ReposState) -> (AnyChild, ChildSpec<NoMessages>) {
    let (mirrors, jobs) = SupervisorSpec::new("mirrors")
        .serves("repositories that are being fetched")
        .with_handle();
    let nudge = state.mirrors.clone();
    let desk = Desk {
        state: state.clone(),
        jobs,
    };
    let child = ChildSpec::periodic(
        "mirror-desk",
        ActorKind::RepoMirror,
        EVERY,
        &nudge,
        move |_| {
            let desk = desk.clone();
            async move { desk.look().await }
        },
    );
    (
        mirrors,
        child.serves("mirrors that are wanted, or shall go"),
    )
}

#[derive(Clone)]
struct Desk {
    state: ReposState,
    jobs: SupervisorHandle,
}

impl Desk {
    /// Starts a job for each that is due, as far as there is room.
    async fn look(&self) -> Result<(), Failure> {
        let room = AT_ONCE.saturating_sub(self.jobs.len());
        let (db, now) = (self.state.db.read(), self.state.clock.now());
        for row in store_mirrors::due(db, now, room as u64).await? {
            let holder = fresh(&self.state.ids);
            let Some(claimed) = carry::claim(&self.state, row.repo_id, holder).await? else {
                continue;
            };
            let (state, tenant) = (self.state.clone(), Tenant::new(claimed.workspace_id));
            let name = format!("mirror-{}", claimed.repo_id);
            let started = self
                .jobs
                .spawn_job(name, Some(tenant), move |_| async move {
                    carry::carry(&state, &claimed, holder).await?;
                    // There is room for one that waited.
                    state.mirrors.nudge();
                    Ok(())
                });
            match started.await {
                Ok(_) => {}
                // The one before has lost its hold and is about to notice; it nudges the desk when it is over.
                Err(StartError::NameTaken { .. }) => {
                    carry::release(&self.state, row.repo_id, holder).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

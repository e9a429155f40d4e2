//! The branch `repos` of the tree.
//!
//! ```text
//! repos
//! ├─ syncs        one job a sync under way
//! ├─ desk         gives out the syncs that are wanted
//! ├─ mirrors      one job a mirror at work
//! └─ mirror-desk  gives out the mirrors that are wanted, or shall go
//! ```

mod carry;
mod remote;

use std::time::Duration;

use super::routes::ReposState;
use super::{mirroring, store};
use crate::ids::fresh;
use crate::supervision::{
    ActorKind, ChildSpec, Failure, StartError, SupervisorHandle, SupervisorSpec, Tenant,
};

/// How often the desk looks without being nudged: another gateway may have wanted one, or died with one.
const EVERY: Duration = Duration::from_secs(15);
/// Syncs that run at once on a gateway.
const AT_ONCE: usize = 8;

/// The whole branch.
pub fn branch(state: &ReposState) -> SupervisorSpec {
    let (syncs, jobs) = SupervisorSpec::new("syncs")
        .serves("lists of code hosts that are being read")
        .with_handle();
    let desk = Desk {
        state: state.clone(),
        jobs,
    };
    let looking = desk.clone();
    let child = ChildSpec::periodic(
        "desk",
        ActorKind::RepoSync,
        EVERY,
        &desk.state.syncs,
        move |_| {
            let desk = looking.clone();
            async move { desk.look().await }
        },
    );
    let (mirrors, mirror_desk) = mirroring::children(state);
    SupervisorSpec::new("repos")
        .serves("repositories of code hosts")
        .child(syncs)
        .child(child.serves("syncs that are wanted"))
        .child(mirrors)
        .child(mirror_desk)
}

/// Gives out syncs.
#[derive(Clone)]
struct Desk {
    state: ReposState,
    jobs: SupervisorHandle,
}

impl Desk {
    /// Starts a job for each that is due, as far as there is room.
    async fn look(&self) -> Result<(), Failure> {
        let room = AT_ONCE.saturating_sub(self.jobs.len());
        let due = store::due(self.state.db.read(), self.state.clock.now(), room as u64).await?;
        for row in due {
            let holder = fresh(&self.state.ids);
            let Some(claimed) = carry::claim(&self.state, &row, holder).await? else {
                continue;
            };
            let (state, tenant) = (self.state.clone(), Tenant::new(claimed.workspace_id));
            let name = format!("sync-{}", claimed.id);
            let started = self
                .jobs
                .spawn_job(name, Some(tenant), move |_| async move {
                    carry::carry(&state, &claimed, holder).await?;
                    // There is room for one that waited.
                    state.syncs.nudge();
                    Ok(())
                });
            match started.await {
                // The one before has lost its hold and is about to notice; this one comes up again when it is over.
                Ok(_) | Err(StartError::NameTaken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

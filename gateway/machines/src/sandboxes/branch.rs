//! The branch `sandboxes` of the tree.
//!
//! ```text
//! sandboxes
//! ├─ transitions     one job for each provision, destroy or command under way
//! ├─ local           the engine on this host, if it is on
//! ├─ facts           receives the facts that machines report by themselves
//! ├─ orphan-sweeper  sends machines the list of what should exist on them
//! ├─ recovery        continues transitions that were cut off
//! ├─ drains          saves the sandboxes of draining machines, and moves them elsewhere
//! ├─ chunk-store     whether the bucket of chunks can be used, where there is one
//! ├─ chunk-sweeper   removes chunks that no snapshot needs
//! └─ images          writes what this host has of the catalogue of images (added by the wiring)
//! ```

use tokio::sync::broadcast;

use super::snapshots::sweep::{self, Sweeper};
use super::{SandboxesHandle, drains, listen, purges, recovery};
use crate::fleet::FleetHandle;
use crate::fleet::local::LocalFact;
use roost_platform::supervision::{
    ActorKind, AnyChild, ChildSpec, Nudge, SupervisorHandle, SupervisorSpec,
};

/// How often machines get the list of what should exist on them.
const SWEEP_EVERY: std::time::Duration = std::time::Duration::from_secs(120);

/// The supervisor of the jobs; created first because the handle needs it.
pub fn transitions() -> (AnyChild, SupervisorHandle) {
    SupervisorSpec::new("transitions")
        .serves("what is under way in sandboxes")
        .with_handle()
}

/// The whole branch.
pub fn branch(
    sandboxes: &SandboxesHandle,
    transitions: AnyChild,
    local_engine: Option<AnyChild>,
    fleet: &FleetHandle,
    local: &broadcast::Sender<LocalFact>,
) -> SupervisorSpec {
    let mut branch = SupervisorSpec::new("sandboxes")
        .serves("sandboxes on this host and everywhere")
        .child(transitions);
    let (draining, machines) = (sandboxes.clone(), fleet.clone());
    let (hearing, fleet, local) = (sandboxes.clone(), fleet.clone(), local.clone());
    // Starts before the engine, so that it receives the engine's first facts.
    branch = branch.child(
        ChildSpec::worker("facts", ActorKind::Worker, move |_| {
            let (sandboxes, fleet, local) = (hearing.clone(), fleet.clone(), local.subscribe());
            async move { listen::listen(&sandboxes, &fleet, local).await }
        })
        .serves("what machines tell by themselves"),
    );
    if let Some(engine) = local_engine {
        branch = branch.child(engine);
    }
    let sweeping = sandboxes.clone();
    branch = branch.child(
        ChildSpec::periodic(
            "orphan-sweeper",
            ActorKind::OrphanSweeper,
            SWEEP_EVERY,
            &Nudge::default(),
            move |_| {
                let sandboxes = sweeping.clone();
                async move {
                    recovery::reconcile(&sandboxes, None).await?;
                    for node in recovery::nodes_to_reconcile(&sandboxes).await? {
                        recovery::reconcile(&sandboxes, Some(node)).await?;
                    }
                    Ok(purges::send_all(&sandboxes).await?)
                }
            },
        )
        .serves("containers that no row claims"),
    );
    if sandboxes.chunks.is_bucket() {
        branch = branch.child(sweep::watcher(sandboxes.chunks.clone()));
    }
    branch = branch.child(sweep::sweeper(Sweeper {
        db: sandboxes.db.clone(),
        clock: sandboxes.clock.clone(),
        chunks: sandboxes.chunks.clone(),
        owner: sandboxes.settings.replica.clone(),
    }));
    branch = branch.child(
        ChildSpec::periodic(
            "drains",
            ActorKind::Worker,
            drains::EVERY,
            &sandboxes.drains,
            move |_| {
                let (sandboxes, fleet) = (draining.clone(), machines.clone());
                async move { drains::round(&sandboxes, &fleet).await }
            },
        )
        .serves("sandboxes of draining machines"),
    );
    let resuming = sandboxes.clone();
    branch.child(
        ChildSpec::periodic(
            "recovery",
            ActorKind::Worker,
            recovery::EVERY,
            &Nudge::default(),
            move |_| {
                let sandboxes = resuming.clone();
                async move { Ok(recovery::resume(&sandboxes).await?) }
            },
        )
        .serves("transitions that were cut off"),
    )
}

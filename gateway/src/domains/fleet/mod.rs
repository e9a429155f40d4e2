//! Machines that people own: pairing, the channel to their daemons, health, tools, draining.
//!
//! Invariants: tokens and join codes are stored hashed; a join code is redeemed once (the same token again gets the same
//! answer); a connection's epoch only rises and every write of a connection is conditional on it (P6); what a node says
//! is bounded and cleaned, and counts only for its own workspace; draining survives disconnects, and "drained" is said
//! only by the machine itself (P7); losing contact destroys nothing (P8). Tables: `nodes`, `node_health`,
//! `node_history`, `node_tools`.
//!
//! ```text
//! fleet
//! ├─ recovery        starts an actor for each paired machine
//! ├─ health-writer   writes the latest heartbeats, a batch a second, and each minute's averages
//! └─ node:<id>       one for each paired machine, connected or not
//!    └─ socket       one job for each connection
//! ```

pub(crate) mod actor;
mod beats;
mod code;
pub mod commands;
pub mod describe;
pub mod download;
pub mod dto;
pub mod entity;
mod error;
mod facts;
mod handle;
pub mod history;
mod hygiene;
pub mod line;
pub mod model;
mod recovery;
pub mod routes;
mod session;
mod standing;
pub mod store;
mod store_connection;

pub use error::FleetError;
pub use facts::NodeFact;
pub use handle::{FleetHandle, FleetParts, FleetSettings};
pub use recovery::release_dead_holders;
pub use standing::{Capacity, Standing, capacities, names_of, standing};

use crate::events::Hub;
use crate::supervision::{AnyChild, Nudge, SupervisorSpec};

/// The branch of the tree, and the handle to it. The handle is good before the branch is started.
pub fn branch(parts: FleetParts, hub: Hub) -> (AnyChild, FleetHandle) {
    let beats = beats::Beats::default();
    let (db, clock) = (parts.db.clone(), parts.clock.clone());
    // The supervisor's handle exists once its children are fixed, and they need it: they find it when they run.
    let late: std::sync::Arc<std::sync::OnceLock<FleetHandle>> = std::sync::Arc::default();
    let found = late.clone();
    let recovery = crate::supervision::ChildSpec::periodic(
        "recovery",
        crate::supervision::ActorKind::Worker,
        recovery::EVERY,
        &Nudge::default(),
        move |_| {
            let fleet = found.get().cloned();
            async move {
                match fleet {
                    Some(fleet) => recovery::recover(&fleet).await,
                    None => Ok(()),
                }
            }
        },
    )
    .serves("an actor for each paired machine");
    let (child, supervisor) = SupervisorSpec::new("fleet")
        .serves("the machines that people own")
        .child(beats.clone().writer(db, clock, hub))
        .child(recovery)
        .with_handle();
    let fleet = FleetHandle::new(parts, supervisor, beats);
    fleet.find_actors_for_operations();
    // Set once, right here.
    let _ = late.set(fleet.clone());
    (child, fleet)
}

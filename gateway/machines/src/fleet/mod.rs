//! Machines that people own: pairing, the channel to their daemons, health, tools, draining.
//!
//! Invariants: tokens and join codes are stored hashed; a join code is redeemed once (the same token again gets the same
//! answer); a connection's epoch only rises and every write of a connection is conditional on it (P6); a node's reports
//! are bounded and cleaned, and count only for its own workspace; draining survives disconnects, and only the machine
//! itself reports "drained" (P7); a lost connection destroys nothing (P8). Tables: `nodes`, `node_health`,
//! `node_history`, `node_tools`.
//!
//! ```text
//! fleet
//! ├─ recovery        starts an actor for each paired machine
//! ├─ health-writer   writes the latest heartbeats, a batch a second, and each minute's averages
//! └─ node:<id>       one for each paired machine, connected or not
//!    └─ socket       one job for each connection
//! ```

mod bounds;
mod code;
mod commands;
mod context;
mod describe;
mod download;
pub mod dto;
pub(crate) mod entity;
mod error;
mod facts;
mod handle;
mod heartbeat_buffer;
pub mod history;
mod line;
pub mod local;
mod model;
mod node;
pub mod operations;
mod problems;
mod read_models;
mod recovery;
mod routes;
mod sanitize;
mod store;
mod store_connection;

pub use commands::remove_all;
pub use context::FleetContext;
pub use error::FleetError;
pub use facts::NodeFact;
pub use handle::{FleetHandle, FleetParts, FleetSettings};
pub use read_models::{Availability, Capacity, availability, capacities, names_of};
pub use recovery::release_dead_holders;
pub use routes::router;
pub use store::{by_id, deleted_after, get as find, list, remove_all as remove_rows};

use roost_platform::events::Hub;
use roost_platform::supervision::{AnyChild, Nudge, SupervisorSpec};

/// The branch of the tree, and its handle. The handle can be used before the branch is started.
pub fn branch(parts: FleetParts, hub: Hub) -> (AnyChild, FleetHandle) {
    let heartbeats = heartbeat_buffer::HeartbeatBuffer::default();
    let (db, clock) = (parts.db.clone(), parts.clock.clone());
    // The supervisor's handle exists once its children are fixed, but the children need it. They find it when they run.
    let late: std::sync::Arc<std::sync::OnceLock<FleetHandle>> = std::sync::Arc::default();
    let found = late.clone();
    let recovery = roost_platform::supervision::ChildSpec::periodic(
        "recovery",
        roost_platform::supervision::ActorKind::Worker,
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
        .child(heartbeats.clone().writer(db, clock, hub))
        .child(recovery)
        .with_handle();
    let fleet = FleetHandle::new(parts, supervisor, heartbeats);
    // Set once, right here.
    let _ = late.set(fleet.clone());
    (child, fleet)
}

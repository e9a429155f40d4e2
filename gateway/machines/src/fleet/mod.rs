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
//! ├─ watch           looks at the contact of all machines once a second
//! ├─ activity        shows the begin and the end of work on machines in the world view
//! └─ node:<id>       one for each paired machine, connected or not; its sockets are its tasks
//! ```

mod bounds;
mod code;
mod commands;
mod context;
mod describe;
mod download;
mod drain_store;
mod draining;
pub mod dto;
pub(crate) mod entity;
mod error;
mod facts;
mod handle;
mod heartbeat_buffer;
pub mod history;
mod joined_name;
mod line;
pub mod local;
mod machine_token;
mod model;
mod node;
pub mod operations;
mod problems;
mod pulse;
mod read_models;
mod recovery;
mod routes;
mod sample;
mod sanitize;
mod store;
mod store_beats;
#[cfg(test)]
mod store_beats_tests;
mod store_connection;
mod waiting_work;
mod watch;

pub use commands::set_emptied;
pub use commands::{remove_all, remove_unjoined};
pub use context::FleetContext;
pub use drain_store::{draining_of, draining_on, still_moves_locked};
pub use draining::{Drain, Draining};
pub use error::FleetError;
pub use facts::NodeFact;
pub use handle::{FleetHandle, FleetParts, FleetSettings};
pub use joined_name::{NAME_COLUMNS, joined_name, name_in};
pub use machine_token::calling_machine;
pub use read_models::{Availability, Capacity, availability, capacities, names_of};
pub use recovery::release_dead_holders;
pub use routes::router;
#[cfg(test)]
pub use store::insert;
pub use store::{by_id, deleted_after, get as find, list, remove_all as remove_rows};
pub use waiting_work::{WaitingWork, is_away_locked};

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use roost_platform::events::Hub;
use roost_platform::supervision::{ActorKind, AnyChild, ChildSpec, Nudge, SupervisorSpec};

/// The branch of the tree, and its handle. The handle can be used before the branch is started.
pub fn branch(parts: FleetParts, hub: Hub) -> (AnyChild, FleetHandle) {
    let heartbeats = heartbeat_buffer::HeartbeatBuffer::default();
    let (db, clock) = (parts.db.clone(), parts.clock.clone());
    let activities = operations::Activities::default();
    let activity = activities.worker(parts.events.clone());
    let wanted = Arc::new(store_connection::Wanted {
        image: parts.settings.image.clone(),
        catalogue: parts.settings.images.clone(),
    });
    // The supervisor's handle exists once its children are fixed, but the children need it. They find it when they run.
    let late: Arc<OnceLock<FleetHandle>> = Arc::default();
    let found = late.clone();
    let recovery = ChildSpec::periodic(
        "recovery",
        ActorKind::Worker,
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
    let (found, turn) = (late.clone(), Arc::new(AtomicU64::default()));
    let watch = ChildSpec::periodic(
        "watch",
        ActorKind::Worker,
        watch::EVERY,
        &Nudge::default(),
        move |_| {
            let (fleet, turn) = (found.get().cloned(), turn.clone());
            async move {
                if let Some(fleet) = fleet {
                    watch::look(&fleet, &turn).await;
                }
                Ok(())
            }
        },
    )
    .serves("the contact of all machines");
    let (child, supervisor) = SupervisorSpec::new("fleet")
        .serves("the machines that people own")
        .child(heartbeats.clone().writer(db, clock, hub, wanted))
        .child(recovery)
        .child(watch)
        .child(activity)
        .with_handle();
    let fleet = FleetHandle::new(parts, supervisor, heartbeats, activities);
    // Set once, right here.
    let _ = late.set(fleet.clone());
    (child, fleet)
}

//! The lowest wing: every other wing uses it, and it imports none of them.
//!
//! The database and its transactions, the event log and the hub that delivers it, supervision, sagas, the secret broker, requests to addresses that
//! others choose, back-off, the clock, ids, telemetry, and the program's memory.

pub mod backoff;
pub mod broker;
pub mod clock;
pub mod committer;
pub mod db;
pub mod events;
pub mod hub;
pub mod ids;
pub mod memory;
pub mod outbound;
pub mod promises;
pub mod sagas;
mod scope;
pub mod supervision;
mod tables;
pub mod telemetry;
pub mod wiping;

pub use scope::WorkspaceScope;
pub use tables::tables;

/// The build: set by releases, otherwise the version. The header `roost-build` carries it.
pub const BUILD_ID: &str = match option_env!("ROOST_BUILD_ID") {
    Some(id) => id,
    None => env!("CARGO_PKG_VERSION"),
};

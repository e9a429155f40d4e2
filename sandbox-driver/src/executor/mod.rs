//! The one executor of operations: the daemon drives it over a WebSocket, the gateway's local engine in its own process.
//!
//! Messages go in by [`ExecutorHandle`], [`Event`]s come out by [`Events`]; both are the channel's own types, so a
//! sandbox on the gateway's host and one on a node go through the same lines. The truth is on disk in the state folder:
//! the ledger (what was accepted and how it ended) and the spools (what it said). An event stream may be dropped at any
//! time and another attached; nothing is lost by that.
//!
//! Reading order: [`handle`] → [`event`] → [`config`] → [`policy`].

pub mod admission;
pub mod chaos;
pub mod config;
pub mod event;
pub mod handle;
pub mod lease;
pub mod ledger;
pub mod orphan;
pub mod owner_log;
pub mod policy;
pub mod spool;
pub mod stream;

pub use config::{ExecutorClock, ExecutorConfig, ExecutorError};
pub use event::{Event, Events};
pub use handle::{Executor, ExecutorHandle};
pub use policy::OwnerPolicy;

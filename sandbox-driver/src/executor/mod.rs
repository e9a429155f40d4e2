//! The one executor of operations: the daemon drives it over a WebSocket, the gateway's local engine in its own process.
//!
//! Messages go in by [`ExecutorHandle`], [`Event`]s come out by [`Events`]; both are the channel's own types, so a
//! sandbox on the gateway's host and one on a node go through the same lines. The truth is on disk in the state folder:
//! the ledger (what was accepted and how it ended) and the spools (what it said). An event stream may be dropped at any
//! time and another attached; nothing is lost by that. Decisions are those of [`roost_protocol::machine`].
//!
//! Reading order: [`handle`] → `take` → `work` → `shared` → `stream`; beside them `control`, `reconcile`, `rounds`
//! (what happens without being asked), `session`, `start`; on disk [`ledger`], [`spool`], [`owner_log`].

pub mod chaos;
pub mod config;
mod control;
mod engine;
pub mod event;
pub mod handle;
pub mod ledger;
pub mod owner_log;
pub mod policy;
mod reconcile;
mod rounds;
mod session;
mod shared;
pub mod spool;
mod start;
pub mod status;
mod stream;
mod take;
mod work;

pub use config::{ExecutorClock, ExecutorConfig, ExecutorError};
pub use event::{Event, Events};
pub use handle::{Executor, ExecutorHandle};
pub use policy::OwnerPolicy;
pub use start::AGENT_IMAGE;
pub use status::{ExecutorStatus, Machine};

//! The executor of operations. The daemon drives it over a WebSocket, the gateway's local engine in its own process.
//!
//! Messages enter through [`ExecutorHandle`] and [`Event`]s leave through [`Events`]. Both are the channel's own types,
//! so a sandbox on the gateway's host and one on a node run the same code. The state is on disk in the state folder:
//! the ledger (what was accepted and how it ended) and the spools (output). An event stream may be dropped at any time
//! and another attached; this loses nothing. The decisions are those of [`roost_protocol::machine`].
//!
//! Reading order: [`handle`] → `admit` → `work` → `shared` → `stream`. Beside them are `control`, `reconcile`, `rounds`
//! (background work), `session` and `start`; on disk [`ledger`], [`spool`] and [`owner_log`].

mod admit;
pub mod config;
mod control;
mod engine;
pub mod event;
pub mod handle;
mod images;
pub mod ledger;
pub mod owner_log;
pub mod policy;
mod purge;
mod reconcile;
mod rounds;
mod session;
mod shared;
mod snapshots;
pub mod spool;
mod start;
pub mod status;
mod stream;
mod uploads;
mod wanted;
mod work;

pub use crate::chaos;
pub use config::{ExecutorClock, ExecutorConfig, ExecutorError, SNAPSHOTS_EVERY};
pub use event::{Event, Events};
pub use handle::{Executor, ExecutorHandle};
pub use policy::OwnerPolicy;
pub use status::{ExecutorStatus, Machine};
pub use wanted::{AGENT_IMAGE, remembered as remembered_image};

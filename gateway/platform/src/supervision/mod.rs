//! Supervision: the only way to start an actor or a task. `tokio::spawn` and `Actor::spawn*` are banned elsewhere.
//!
//! # Why
//! Every actor may be killed at any line without a loss. The database is the truth; an actor is the single writer and
//! cache of one living thing. So a failed actor is discarded and created again from the store. ractor gives actors,
//! links and kills. This module decides which actor is restarted, how often, after which wait, and what happens when
//! restarts do not help. It also holds the roster that operators read, because it starts everything.
//!
//! # How to use it
//! - An **actor** is a type that implements [`Serve`]: a message enum, `start`, `handle`, `stop`.
//! - A **[`ChildSpec`]** describes a child as data: name, [`ActorKind`], tenant, what it serves, restart policy,
//!   grace, bound of its mailbox. Its closure makes fresh arguments for each start.
//! - A **[`SupervisorSpec`]** lists static children in the order of their start. `with_handle` gives the
//!   [`SupervisorHandle`] before the tree starts; `start_child`, `ensure_child` and `find` handle dynamic children,
//!   such as one actor for each connected node.
//! - An **[`Address`]** stays valid across restarts. `cast` and `call` return a typed [`NoAnswer`] when the actor is
//!   not alive, the mailbox is full or the time is up. Every call has a timeout. Domains wrap it in their handle.
//! - **Slow work** of an actor is a job: `cx.job("probe", work, |outcome| Msg::Probed(outcome))` runs beside it, is
//!   below it in the roster and ends with it. **Loops** are [`ChildSpec::worker`] and [`ChildSpec::periodic`]. Work
//!   that belongs to no actor is [`SupervisorHandle::spawn_job`]. A loop that is a part of its actor, such as its
//!   socket's, is a task: `cx.task(…)` is a job without a row.
//! - **[`Tree::start`]** starts the root; [`Tree::ended`] resolves when the root gives up (exit with an error);
//!   [`Tree::shutdown`] stops everything in reverse order. [`TreeView`] is for readers.
//! - **`kill_point!(cx, "domain.actor.place")`** marks each await and each gap between two effects.
//!
//! ```
//! use std::time::Duration;
//! use roost_platform::supervision::*;
//!
//! enum Msg { Add(u64), Total(Reply<u64>) }
//! struct Counter { total: u64 }
//!
//! impl Serve for Counter {
//!     type Msg = Msg;
//!     type Args = u64;
//!     async fn start(first: u64, _: &Context<Msg>) -> Result<Self, Failure> { Ok(Self { total: first }) }
//!     async fn handle(&mut self, msg: Msg, _: &Context<Msg>) -> Result<(), Failure> {
//!         match msg {
//!             Msg::Add(n) => self.total = self.total.checked_add(n).ok_or("the counter is full")?,
//!             Msg::Total(reply) => { reply.send(self.total); }
//!         }
//!         Ok(())
//!     }
//! }
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let (counters, handle) = SupervisorSpec::new("counters").with_handle();
//! let tree = Tree::start(TreeOptions::default(), SupervisorSpec::new("roost").child(counters)).await.unwrap();
//! let counter = handle.start_child(ChildSpec::actor::<Counter>("counter:1", ActorKind::Worker, || 40)).await.unwrap();
//! counter.cast(Msg::Add(2)).unwrap();
//! assert_eq!(counter.call(Duration::from_secs(5), Msg::Total).await, Ok(42));
//! assert_eq!(counter.path(), "roost/counters/counter:1");
//! tree.shutdown(Duration::from_secs(5)).await;
//! # });
//! ```
//!
//! # Promises, each with its test
//! - The first start of a child is never repeated; its error goes to the caller. When the tree starts, the first child
//!   that fails stops it all in reverse order. Later failures are restarted with back-off.
//! - Two incarnations never exist at once: a start waits until the former state, and all below it, is gone.
//! - Static children share an allowance of restarts and escalate. Dynamic ones have one each and become a tombstone.
//! - A stop asks, waits for the grace, kills, counts. Dynamic children stop together, then the static ones in reverse
//!   order.
//! - Static children stay in the roster. Dynamic ones leave it when they end cleanly. Failed ones stay, up to a limit.
//! - A snapshot sends no message to an actor. Text, DOT and JSON come from the same snapshot.
//! - Nothing here is global: trees in one process do not affect each other. A tree that is dropped alive fails a test.
//!
//! # What is not used
//! ractor's name registry (process-global), its supervision defaults (they stop the parent), its process groups.
// The ban exempts this module: only it may spawn.
#![allow(clippy::disallowed_methods)]

mod address;
mod birth;
mod branch;
mod carried;
mod context;
mod failure;
mod gauge;
mod handle;
mod job;
mod killpoint_table;
pub mod killpoints;
mod kinds;
mod lag;
mod render;
pub mod restart;
mod roster;
mod serve;
mod snapshot;
mod spec;
mod supervisor;
mod task;
mod tree;
mod view;
mod worker;

#[cfg(test)]
mod tests;

pub use address::{Address, Reply};
pub use context::{Context, Timer};
pub use failure::{Failure, NoAnswer, StartError};
pub use handle::SupervisorHandle;
pub use job::{JobContext, JobFailure, JobHandle};
pub use killpoints::{KILL_POINTS, KillPoints};
pub use kinds::{ActorKind, Lifetime, Ownership};
pub use lag::Lag;
pub use restart::{BackOff, Intensity, Restart};
pub use roster::{ActorState, EndCause, LastFailure, PastEnd};
pub use serve::Serve;
pub use snapshot::{ActorSnapshot, MailboxSnapshot, TreeSnapshot};
pub use spec::{AnyChild, ChildMeta, ChildSpec, Tenant};
pub use supervisor::SupervisorSpec;
pub use tree::{Jitter, Leaks, ShutdownReport, Tree, TreeContext, TreeEnd, TreeOptions};
pub use view::TreeView;
pub use worker::{NoMessages, Nudge};

//! Supervision: the only way to start anything that lives. `tokio::spawn` and `Actor::spawn*` are banned elsewhere.
//!
//! # Why
//! Every actor may be killed at any line with nothing lost: the database is the truth, an actor is the single writer
//! and cache of one living thing. So an actor that fails is thrown away and made again from the store. ractor gives
//! actors, links and kills; who is restarted, how often, after which wait, and what happens when that does not help
//! is here, and so is the roster that operators read, because what starts everything knows everything.
//!
//! # How to use it
//! - An **actor** is a type that implements [`Serve`]: a message enum, `start`, `handle`, `stop`.
//! - A **[`ChildSpec`]** says as data how it lives: name, [`ActorKind`], tenant, what it serves, restart policy,
//!   grace, bound of its mailbox. Its closure makes fresh arguments at each start.
//! - A **[`SupervisorSpec`]** lists static children in the order of their start. `with_handle` gives the
//!   [`SupervisorHandle`] before anything lives; `start_child`, `ensure_child`, `stop_child` and `find` handle
//!   dynamic children, such as one actor for each connected node.
//! - An **[`Address`]** stays good across restarts. `cast` and `call` answer with a typed [`NoAnswer`] when nobody
//!   is there, the mailbox is full or the time is up. Every call has a timeout. Domains wrap it in their handle.
//! - **Slow work** of an actor is a job: `cx.job("probe", work, |outcome| Msg::Probed(outcome))` runs beside it, hangs
//!   below it in the roster, dies with it. **Loops** are [`ChildSpec::worker`] and [`ChildSpec::periodic`]. Work of
//!   nobody in particular is [`SupervisorHandle::spawn_job`].
//! - **[`Tree::start`]** starts the root; [`Tree::ended`] resolves when the root gives up (exit with an error);
//!   [`Tree::shutdown`] stops everything in reverse order. [`TreeView`] is for readers.
//! - **`kill_point!(cx, "domain.actor.place")`** marks each await and each gap between two effects.
//!
//! ```
//! use std::time::Duration;
//! use roost_gateway::supervision::*;
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
//! - The first start of a child is never repeated; its error goes to whoever asked. At the start of the tree the
//!   first child that fails ends it all in reverse order. Later failures are restarted with back-off.
//! - There are never two incarnations at once: a start waits until the former state, and all below it, is gone.
//! - Static children share an allowance of restarts and escalate; dynamic ones have one each and become a tombstone.
//! - A stop asks, waits for the grace, kills, counts. Dynamic children stop together, then the static ones backwards.
//! - Static children stay in the roster, dynamic ones leave it when they end well, failed ones stay, bounded.
//! - A snapshot asks no actor; text, DOT and JSON come from the same one.
//! - Nothing here is global: trees in one process do not meet. A tree that is dropped alive fails a test.
//!
//! # What is absent
//! ractor's name registry (process-global), its supervision defaults (they stop the parent), its process groups.
// This module is what the ban protects: the one place that may spawn.
#![allow(clippy::disallowed_methods)]

mod address;
mod birth;
mod branch;
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
pub use restart::{BackOff, Intensity, Restart, Strategy};
pub use roster::{ActorState, EndCause, LastFailure, PastEnd};
pub use serve::Serve;
pub use snapshot::{ActorSnapshot, MailboxSnapshot, TreeSnapshot};
pub use spec::{AnyChild, ChildMeta, ChildSpec, Tenant};
pub use supervisor::SupervisorSpec;
pub use tree::{Jitter, Leaks, ShutdownReport, Tree, TreeContext, TreeEnd, TreeOptions};
pub use view::TreeView;
pub use worker::{NoMessages, Nudge};

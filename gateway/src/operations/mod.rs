//! Operations from the caller's side: work that a machine (or the gateway's own host) is asked to do.
//!
//! Invariants: a row is written before anything is sent (`store`); it takes exactly one terminal state, whoever dies
//! (P1); whoever waits is told only what the row has; a report counts only from the newest connection of the machine
//! that was asked (P6) and only when it answers what was asked; output is numbered, replayed from the ring or from the
//! machine, and what is gone is marked (P3). Table: `node_operations`.
//!
//! Other domains see [`OperationsHandle`]. The actor of an engine (a node's in `domains/fleet`, the local one in
//! [`local`]) owns a [`Desk`], which does the work. No actors here but the local engine.

mod desk;
pub(crate) mod entity;
mod error;
mod handle;
mod line;
mod link;
mod live;
pub mod local;
pub mod model;
mod pace;
mod registry;
mod ring;
mod stdin;
pub mod store;
mod stream;

pub use desk::{Desk, Flow, TICK};
pub use entity::{Column as OperationColumn, Entity as OperationEntity, Model as OperationRow};
pub use error::OperationsError;
pub use handle::{OperationsHandle, Standing};
pub use line::{EngineCall, Line};
pub use link::{Clogged, Link};
pub use model::{OperationRef, OperationState, Target};
pub use registry::Finder;
pub use ring::Part;
pub use store::Fence;
pub use stream::{Heard, OutputStream};

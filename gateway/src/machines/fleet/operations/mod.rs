//! Operations from the caller's side: work that a machine (or the gateway's own host) is asked to do.
//!
//! Invariants: a row is written before anything is sent (`store`); it reaches exactly one terminal state, whichever
//! process dies (P1); waiters get only what the row has; a report counts only from the newest connection of the machine
//! that got the request (P6), and only if it answers that request; output is numbered and replayed from the ring or from
//! the machine, and lost output is marked (P3). Table: `node_operations`.
//!
//! Other domains use [`OperationsHandle`]. The actor of an engine (a node's in `machines/fleet`, the local one in
//! [`local`]) owns a [`Desk`], which does the work. The local engine is the only actor in this domain.

mod desk;
pub(crate) mod entity;
mod error;
mod facts;
mod handle;
mod line;
mod link;
mod live;
pub mod local;
mod model;
mod output;
mod pace;
mod registry;
mod ring;
mod stdin;
mod store;
mod stream;

pub use desk::{Desk, Flow, TICK};
pub use entity::{Column as OperationColumn, Entity as OperationEntity, Model as OperationRow};
pub use error::OperationsError;
pub use facts::CommandFacts;
pub use handle::{OperationsHandle, Standing};
pub use line::{EngineCall, Line};
pub use link::{Clogged, Link};
pub use model::{OperationRef, OperationState, Target};
pub use registry::Finder;
pub use ring::Part;
pub use store::{Fence, any_command_open, latest_on, of_agent, open_commands};
pub use stream::{Heard, OutputStream};

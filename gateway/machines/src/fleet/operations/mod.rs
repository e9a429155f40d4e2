//! What an engine is asked, from the caller's side: submit, cancel, stdin, output, the end.
//!
//! Invariants: a row is written before anything is sent (`store`); it reaches exactly one terminal state, whichever
//! process dies (P1); waiters get only what the row has, and on this host what the executor's
//! ledger has; a report counts only from the newest connection of the machine
//! that got the request (P6), and only if it answers that request; output is numbered and replayed from the ring or from
//! the machine, and lost output is marked (P3). The gateway keeps the begin and the end of each command's output
//! ([`kept`]). Tables: `node_operations`, `command_outputs`.
//!
//! Other rooms use [`OperationsHandle`]. It sends each call to the engine's actor over a [`Line`]. The actor (a node's in
//! [`node`](super::node), this host's in [`local`](super::local)) owns a [`Dispatcher`], which decides and writes, and
//! sends over a [`Link`].

mod activity;
mod command_store;
mod dispatcher;
mod doers;
pub(crate) mod entity;
mod error;
mod facts;
mod handle;
mod keeping;
mod kept;
pub(crate) mod kept_entity;
mod line;
mod link;
mod live;
mod model;
mod output;
mod pace;
mod record;
mod registry;
mod ring;
mod stdin;
mod store;
mod stream;
mod submission;

pub(super) use activity::Activities;
pub use command_store::{CommandFilter, ended_without_output};
pub(super) use dispatcher::{Dispatcher, Flow, TICK};
pub use doers::{CommandAgent, CommandDoer, Doers};
pub use entity::{Column as OperationColumn, Entity as OperationEntity, Model as OperationRow};
pub use error::OperationsError;
pub use facts::CommandFacts;
pub use handle::{OperationStatus, OperationsHandle};
pub(super) use line::{EngineCall, Line};
pub(super) use link::Link;
pub(super) use model::fit;
pub use model::{OperationRef, OperationState, Target};
pub use record::{CommandRecord, quoted, typed};
pub use ring::Part;
pub(super) use store::Fence;
pub use store::{
    any_command_ended_after, any_command_open, any_work_open, forget_ended, latest_on,
    open_commands, remove_of,
};
pub use stream::{OutputItem, OutputStream};
pub use submission::PersonsEntry;

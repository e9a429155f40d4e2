//! Sandboxes of agents: the registry of their containers, where new ones go, and the commands that run in them.
//!
//! Invariants: an agent has at most one live sandbox (a partial unique index); an agent keeps the machine that is recorded
//! for its sandbox; a request may name the machine of a sandbox that is to be made, and never the machine, container or
//! sandbox that it reaches, so routing cannot be forged; each change of state is one transaction with its quota and its event; a transition that is under way is a row with an
//! operation's id, and a job (`settle`) that is started again after a crash ([`recovery`]).
//! Tables: `agent_containers`, `workspace_placements`. In the tree: `sandboxes`, with one job a transition.

mod branch;
pub mod commands;
pub mod dto;
pub mod entity;
mod error;
mod handle;
mod hardening;
mod listen;
pub mod model;
mod reading;
pub mod recovery;
pub mod routes;
mod settle;
pub mod store;
mod working;

pub use branch::{branch, transitions};
pub use commands::has_machine;
pub use error::SandboxError;
pub use handle::{SandboxesHandle, Settings};
pub use reading::sandboxes_of;

//! Agents, called claws: created, changed, deleted softly, purged for good by a saga.
//!
//! Invariants: each has a person who manages it; a deleted one gives its quota back and keeps its name for history; a
//! change and its event are one transaction. Tables: `claws`, `claw_brains`, `claw_avatars`. In the tree:
//! `foundation/saga-driver`.

pub mod activity;
pub mod avatar;
pub mod brain;
pub mod commands;
pub mod dto;
mod elsewhere;
pub mod entity;
mod error;
pub mod routes;
pub mod status;
pub mod store;

pub use error::ClawError;

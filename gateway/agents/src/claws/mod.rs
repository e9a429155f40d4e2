//! Agents, called claws: created, changed, deleted softly, and purged by a saga.
//!
//! Invariants: each agent has a person that manages it; a deleted agent returns its quota and keeps its name for
//! history; a change and its event are one transaction; `agent_state.at_work` is the number of the agent's steps at
//! work. Tables: `claws`, `agent_state`, `runtime_agents`, `claw_brains`, `claw_avatars`. In the tree:
//! `foundation/saga-driver`.

pub use commands::{Authority, Configured, configure_in, create_in, purge_in};
pub use context::ClawsContext;
pub use dto::NewClaw;
pub use entity::claw::Model as ClawRow;
pub use error::ClawError;
pub use routes::router;
pub use sandbox::{SandboxBrief, SandboxBriefs, SandboxState};
pub use state_store::{at_work, ids_in_state, of as states};
pub use store::{
    get as find, hand_over, is_called, list, living_with_version, lock, lock_living, rebind,
    remove, replace, some as find_some,
};

pub mod avatar;
pub mod brain;
mod commands;
mod context;
mod dto;
pub(crate) mod entity;
mod error;
mod routes;
pub mod runtime_record;
mod sandbox;
mod state_store;
pub mod status;
mod store;
mod view_store;

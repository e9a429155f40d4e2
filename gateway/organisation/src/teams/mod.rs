//! Teams: a topology whose nodes are agents (or other teams), its template, and the permissions of its agents.
//!
//! Invariants:
//! * A team is created completely or not at all: agents, brains, seats and topology are one transaction.
//! * The runtime's record of an agent is `toolfree` with the bundle `door`. The team's effective profile and bundles
//!   decide at each call what a step may use.
//! * A saga deletes an ephemeral team after its last run. The saga completes after a crash at any point.
//!
//! Tables: `teams`, `team_members`, `runtime_agents`. No actors.

mod commands;
mod context;
mod dto;
mod effective_settings;
pub(crate) mod entity;
mod error;
mod lifecycle;
mod model;
mod nested;
mod plan;
mod routes;
mod store;

pub use commands::BUILT_IN;
pub use context::TeamsContext;
pub use effective_settings::{EffectiveSettings, effective_settings, of_team};
pub use entity::team::Model as TeamRow;
pub use error::TeamError;
pub use lifecycle::{after_run, is_going};
pub use routes::router;
pub use store::{
    forget_agent, get as find, leave, locked, members, only_here, remove, runtime_agent, seat,
    seats_of,
};

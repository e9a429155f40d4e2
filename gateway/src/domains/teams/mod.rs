//! Teams: a topology whose nodes are agents (or other teams), where it came from, and what its agents may use.
//!
//! Invariants:
//! * A team is made whole or not at all: agents, brains, seats and topology are one transaction.
//! * What the runtime stores of an agent is `toolfree` with the door; what a step may use follows from the team's effective
//!   profile and bundles, at each call.
//! * An ephemeral team goes after its last run, by a saga that finishes when it is killed anywhere.
//!
//! Tables: `teams`, `team_members`, `runtime_agents`. No actors.

pub mod commands;
pub mod dto;
pub mod entity;
mod error;
pub mod lifecycle;
pub mod model;
mod nested;
mod plan;
pub mod routes;
mod standing;
pub mod store;

pub use error::TeamError;
pub use lifecycle::{after_run, is_going};
pub use standing::{Standing, of_team, standing};

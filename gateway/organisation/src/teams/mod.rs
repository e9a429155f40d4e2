//! Teams: a topology whose nodes are agents (or other teams), its template, and the permissions of its agents.
//!
//! Invariants:
//! * A team is created completely or not at all: agents, brains, seats and topology are one transaction.
//! * The runtime's record of a new agent is `toolfree` with the bundle `door`. The gateway decides at each call what the
//!   record, the template and the team allow together.
//! * A team that shares a sandbox owns it. When the team is deleted, a saga ends the sandbox and deletes its files.
//! * A saga deletes an ephemeral team after its last run. The saga completes after a crash at any point.
//!
//! Tables: `teams`, `team_members`. No actors.

mod commands;
mod context;
mod dto;
mod effective_settings;
pub(crate) mod entity;
mod error;
mod layout;
mod lifecycle;
mod model;
mod nested;
mod plan;
mod routes;
mod store;

pub use commands::{Work, create_in, run_in};
pub use context::TeamsContext;
pub use dto::{NewTeam, RunTeam, TeamRepo};
pub use effective_settings::{EffectiveImage, EffectiveSettings, effective_settings, of_team};
pub use entity::team::Model as TeamRow;
pub use error::TeamError;
pub use lifecycle::{RunOver, after_runs, begin_removal, hold_idle, is_going, remove, take_down};
pub use model::Lifecycle;
pub use routes::router;
pub use store::{
    forget_seats, get as find, leave, list, locked, members, names, of_template, only_here, seat,
    seats_of, templates,
};

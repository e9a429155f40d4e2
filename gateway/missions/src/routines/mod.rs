//! Routines: work that begins by a schedule. A routine has a schedule, a recipe, and two policies: for due times at which no
//! gateway worked, and for due times at which an earlier firing still works.
//!
//! Invariants:
//! * A firing, what it starts and the next due time are one transaction. So a due time starts something once, or not at all.
//! * One leased worker fires routines, and each firing renews its lease in its own transaction. So two gateways never fire
//!   one due time twice.
//! * A routine acts for the person who made it, and is refused what that person may not do at the time of the firing.
//! * What is missing is said when the routine is made: its recipe is tried in a transaction that is taken back.
//! * Each due time leaves a line in the journal: what it started, or why it started nothing.
//!
//! Tables: `routines`, `routine_firings`. In the tree: `missions/routines`.

mod commands;
mod context;
mod dto;
pub mod entity;
mod error;
mod model;
mod of_missions;
mod read;
mod recipe;
mod retire;
mod routes;
mod schedule;
#[cfg(test)]
mod schedule_tests;
mod scheduler;
mod settle;
mod store;
mod touch;
mod zone;

pub use context::{RoutinesContext, RoutinesHandle};
pub use error::RoutineError;
pub use of_missions::OfMissions;
pub use routes::router;
pub use scheduler::child;
pub use store::{after_runs, remove_all};

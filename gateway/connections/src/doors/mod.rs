//! Doors: actions outside Roost that agents request, and that a person approves or denies.
//!
//! Invariants: a request names an action of the closed catalogue, with parameters that fit its schema; nothing is sent
//! before a person has approved, and of several concurrent decisions only one counts; a door is sent at most once: one
//! statement gives an approved door to one gateway, and a door whose gateway died during the call becomes unclear and is
//! never sent again; a door without a decision in time expires. The broker sends it with the agent's own connection, and the
//! branch of a run with the credential of its code host: exactly the commit that the door names. A call of a run requests a
//! door at most once, because the door's id comes from the call. The end of a run withdraws its doors.
//! Tables: `doors`. In the tree: `foundation/door-executor`.

mod approval_executor;
mod asking_runs;
mod catalogue;
mod commands;
mod context;
mod dto;
pub(crate) mod entity;
mod error;
mod model;
mod routes;
mod store;

pub use approval_executor::{ApprovalExecutor, PERIOD};
pub use asking_runs::AskingRuns;
pub use catalogue::actions_of;
pub use commands::{Asked, Place, ask};
pub use context::DoorsContext;
pub use entity::Model as DoorRow;
pub use error::DoorError;
pub use model::{DoorState, result_text};
pub use routes::router;
pub use store::{
    asked_since, forget_ended, is_open, is_waited_for, remove_all, withdraw_of, withdraw_of_runs,
};

//! Level-ups: proposals that improve an agent or a team, made by a model from what they did, and reviewed by a person.
//!
//! Invariants:
//! * The model's answer is untrusted. It has a limited size, follows a JSON Schema, and names only agents, skills and
//!   passages that the gateway gave it ([`vet`]). An item that does not fit is kept apart with the reason.
//! * A text that the model saw only in part is never replaced, because its rest would be lost.
//! * A decision is one transaction with one winner. A later decision changes nothing.
//! * An applied item never overwrites a text that somebody changed since the proposal was made.
//!
//! Table: `level_up_proposals`. In the tree: nothing.

mod answer;
mod ask;
mod commands;
mod context;
mod dto;
pub mod entity;
mod error;
mod facts;
mod gather;
mod material;
mod model;
mod prompt;
mod routes;
mod schema;
mod store;
mod vet;

pub use context::{InFlight, LevelUpsContext};
pub use error::LevelUpError;
pub use model::{Item, Kind, Payload, Status};
pub use routes::router;
pub use store::{is_pending_for, remove_all, remove_of, spent_since, withdraw_of};

//! The models of a workspace: their providers, addresses and prices, and the ceilings for spending.
//!
//! Invariants: the secret broker keeps each key. The API never shows a key again. A key goes only to requests below
//! its model's address, and the broker deletes it with the row. The outbound policy allows every address. At most one
//! model is the default. A price that was not given is unknown, never zero. `execution::providers` has the clients
//! that talk to the models. Tables: `models`, `model_settings`. No actors.

mod commands;
mod context;
mod dto;
pub(crate) mod entity;
mod error;
mod model;
mod resolve;
mod routes;
pub mod store;

pub use commands::remove_all;
pub use context::ModelsContext;
pub use error::ModelsError;
pub use model::Ceilings;
pub use resolve::{Resolved, Resolver, SCRIPTED};
pub use routes::router;
pub use store::{ceilings, is_there, names};

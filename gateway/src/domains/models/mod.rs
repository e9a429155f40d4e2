//! The models that a workspace's agents think with: which there are, where, at what price, and what may be spent.
//!
//! Invariants: a key is with the secret broker, is never shown again, goes only to posts below the model's address, and
//! is forgotten with the row; an address is one that outbound policy allows; at most one model is the default; a price
//! that nobody gave is unknown, never zero. How a model is spoken to is `runtime::models`' business. Tables: `models`,
//! `model_settings`. No actors.

pub mod commands;
pub mod dto;
pub mod entity;
mod error;
pub mod model;
mod resolve;
pub mod routes;
pub mod store;

pub use error::ModelsError;
pub use model::Ceilings;
pub use resolve::{Resolved, Resolver, SCRIPTED};

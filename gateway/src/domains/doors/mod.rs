//! Doors: what an agent wants to do in the world outside, and a person who lets it or not.
//!
//! Invariants: only actions of the closed catalogue, with parameters that fit its schema, are asked for; nothing happens
//! before a person approved, and of many who decide at once one wins; it is sent at most once: a gateway takes an
//! approved door in a statement, and a door whose gateway died in the middle is told as unclear, never sent again;
//! nobody's answer in time is a no. The broker sends it with the agent's own connection. Tables: `doors`. In the tree:
//! `foundation/door-keeper`.

pub mod catalogue;
mod commands;
mod dto;
pub mod entity;
mod error;
mod keeper;
mod model;
pub mod routes;
pub mod store;

pub use error::DoorError;
pub use keeper::{DoorKeeper, PERIOD};
pub use store::withdraw_of;

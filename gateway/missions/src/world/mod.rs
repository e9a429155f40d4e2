//! The world view: the landmarks of a workspace (missions in flight, teams, agents, machines), and what happens at them.
//!
//! Invariants: a landmark has the name that the events use for it (`events::WorldNodeId`); the landmarks of a frame replace
//! those of the frame before; only this stream sends them. It has no table of its own.

mod context;
mod feed;
mod landmarks;
mod read;
mod routes;

pub use context::WorldContext;
pub use routes::router;

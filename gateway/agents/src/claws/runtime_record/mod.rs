//! The runtime's record of an agent: its runtime, its model, its profile, its bundles, and the image and limits of its
//! sandboxes. Each agent has one, which is created and purged with it. A step of the agent reads it. The gateway decides at each call of a tool what the record,
//! the team and the template allow together.
//!
//! Invariant: the record's model is the agent's `model_binding`. The store writes both in the same transaction. Table:
//! `runtime_agents`.

pub(crate) mod entity;
mod model;
pub(super) mod store;

pub use entity::record::Model as RecordRow;
pub use model::{BUILT_IN, Bundle, Profile, Record};
pub use store::{Set, get, minted, put, remove_of};

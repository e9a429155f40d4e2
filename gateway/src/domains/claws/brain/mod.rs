//! The brain of an agent: `agent_md`, Markdown that it keeps about itself and its work. Each version is a row that is
//! never changed; the newest is the brain, and the newest [`KEPT`] are its history. A write names the version that it was made from, a seed never overwrites what
//! is there, a consolidation does. Table: `claw_brains`.

pub mod dto;
pub mod entity;
mod model;
pub mod routes;
pub mod store;
mod write;

pub use model::{Cause, KEPT};
pub use write::{Write, write, write_in};

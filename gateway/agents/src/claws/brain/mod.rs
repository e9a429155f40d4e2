//! The brain of an agent: `agent_md`, Markdown that it keeps about itself and its work. Each version is a row that
//! never changes. The newest version is the brain, and the newest [`KEPT`] versions are its history. A write names the
//! version from which it was made. A seed never overwrites existing text; a consolidation does. Table: `claw_brains`.

pub(super) mod dto;
pub(crate) mod entity;
mod model;
pub(super) mod routes;
pub(super) mod store;
mod write;

pub use entity::brain::Model as BrainRow;
pub use model::{Cause, KEPT};
pub use store::{newest, remove_of};
pub use write::{Write, write, write_in};

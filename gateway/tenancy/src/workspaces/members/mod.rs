//! The members of a workspace, and their roles.
//!
//! Invariants: a workspace always has an Owner; a member cannot give or take a role above their own; a removed member
//! loses tokens, streams and sessions of the workspace at once. Changes of one workspace's members run one by one,
//! because each begins with a lock on the workspace's row. Tables: `members`.

pub(super) mod commands;
pub(super) mod dto;
pub mod model;
pub(super) mod routes;
pub(super) mod store;

pub use commands::take_out;
pub use store::{first_owner, get as find, owners, set_role, take_turn};

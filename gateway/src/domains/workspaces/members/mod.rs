//! Who belongs to a workspace, and in which role.
//!
//! Invariants: a workspace has an Owner as long as it is there; nobody gives or takes more than they have; whoever is
//! removed loses tokens, streams and sessions of the workspace at once. Changes of one workspace happen one after the
//! other, because each begins by taking its row. Tables: `members`.

pub mod commands;
pub mod dto;
pub mod model;
pub mod routes;
pub mod store;

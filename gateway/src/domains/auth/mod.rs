//! Who is asking, for which workspace, and what they may do.
//!
//! Invariants: a handler's parameter type is its permission level ([`Authenticated`], [`Scoped`], [`OperatorOnly`]);
//! only this domain makes a [`WorkspaceScope`]; tokens and one-time logins are stored as SHA-256 only; passwords are
//! Argon2id; a failed sign-in takes the same time whatever was wrong; a stream ends within a second of its session. Tables:
//! `users`, `sessions`, `one_time_logins`, `operator_grants`, and those of `hosted/`. In the tree: `foundation/stream-watch`.

pub mod commands;
pub mod dto;
pub mod entity;
mod error;
mod extract;
pub mod hosted;
mod middleware;
pub mod model;
mod password;
pub mod public_routes;
pub mod routes;
mod scope;
pub mod store;
mod streams;
mod throttle;
mod token;

pub use error::AuthError;
pub use extract::{Authenticated, MayTry, OperatorOnly, Scoped, Within};
pub use middleware::{AuthLayer, Caller, Credential, Identity, Membership, authenticate};
pub use model::{PERMISSIONS, Role, Verb, can};
pub use password::Passwords;
pub use scope::WorkspaceScope;
pub use streams::{
    Authority, Bearing, HeldByItself, OpenStreams, PERIOD as STREAM_WATCH_PERIOD, StreamHold,
};
pub use throttle::Throttle;
pub use token::{Token, sha256_hex};

//! Sign-in: the caller of a request, its workspace, and its permissions.
//!
//! Invariants: a handler's parameter type is its permission level ([`Authenticated`], [`Scoped`], [`OperatorOnly`]);
//! only this domain makes a [`WorkspaceScope`]; tokens and one-time logins are stored as SHA-256 only; passwords are
//! Argon2id; every failed sign-in takes the same time; a revocation holds for the next request on this gateway, and within
//! half a second on another one; a stream ends within a second of its session. Tables:
//! `users`, `user_avatars`, `sessions`, `one_time_logins`, `known_devices`, `refused_sign_ins`, `operator_grants`, and those
//! of `hosted/`. In the tree: `foundation/stream-watch`, `foundation/refused-sign-ins`.

mod account_store;
mod brief;
mod cache;
mod commands;
mod context;
pub mod devices;
mod dto;
pub mod entity;
mod error;
mod extract;
pub mod hosted;
mod middleware;
mod model;
mod noted;
mod password;
mod public_address;
pub mod public_routes;
mod refused;
mod routes;
mod scopes;
pub mod store;
mod streams;
mod throttle;
mod token;

pub use account_store::{deployment_owner, with_notices};
pub use brief::{BRIEF_COLUMNS, brief_in, joined_brief};
pub use cache::{KEPT as AUTHORITY_KEPT, RecentCallers};
pub use commands::{Grant, Granted, first_owner, grant_operator, issue_one_time};
pub use context::AuthContext;
pub use dto::{UserBrief, check_email};
pub use error::AuthError;
pub use extract::{
    AnyToken, Authenticated, MayTry, MemberOrOperator, OperatorOnly, Scoped, Within,
};
pub use middleware::{AuthLayer, Caller, Credential, Identity, Membership, authenticate};
pub use model::{EmailBy, PERMISSIONS, Role, Verb, can};
pub use password::Passwords;
pub use public_address::{PublicAddress, deployment_id};
pub use refused::{PERIOD as REFUSED_PERIOD, RefusedSignIns};
pub use roost_platform::WorkspaceScope;
pub use routes::router;
pub use scopes::Scopes;
pub use store::{
    forget_expired, hold_user, leave_workspace, linked_with_own_password, unvouched_among,
    user_by_email, user_by_id, users_by_id,
};
pub use streams::{
    Authority, Bearing, HeldByItself, OpenStreams, PERIOD as STREAM_WATCH_PERIOD, StreamHold,
};
pub use throttle::{Against, Throttle};
pub use token::{Token, sha256_hex};

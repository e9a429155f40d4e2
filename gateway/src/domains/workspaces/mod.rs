//! Tenants: workspaces, their members, their plan and what of it is used.
//!
//! Invariants: each workspace has at least one Owner, an event log and a counter a quota; counting and taking a quota is
//! one statement. Tables: `workspaces`, `members`, `invitations`, `quota_usage`. No actors.

pub mod commands;
pub mod dto;
pub mod entity;
mod error;
pub mod invitations;
pub mod members;
mod plans;
pub mod quota;
pub mod routes;
pub mod store;

pub use error::WorkspaceError;
pub use plans::{Plan, Plans};
pub use quota::{QuotaError, QuotaKind};

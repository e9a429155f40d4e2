//! Tenants: workspaces, their members, their plan, and how much of it is used.
//!
//! Invariants: each workspace has at least one Owner, an event log, and one counter for each quota; one statement
//! checks and takes a quota. Tables: `workspaces`, `members`, `invitations`, `quota_usage`,
//! `plan_limits`. No actors.

pub use context::WorkspacesContext;
pub use departures::Departures;
pub use entity::member::Model as MemberRow;
pub use entity::workspace::Model as WorkspaceRow;
pub use error::WorkspaceError;
pub use file_policy::FilePolicy;
pub use plans::{Plan, Plans};
pub use push_policy::PushPolicy;
pub use quota::{QuotaError, QuotaKind};
pub use routes::router;
pub use settings::Settings;
pub use store::{
    are_colleagues, by_id, count, file_policy, first_membership, first_place, get as find, insert,
    insert_member, lock, membership, memberships_of, of_user, push_policy, remove, settings,
};
pub use workflow_policy::WorkflowPolicy;

mod commands;
mod context;
mod departures;
mod dto;
pub mod entity;
mod error;
mod file_policy;
pub mod invitations;
pub mod members;
mod plan_store;
mod plans;
mod push_policy;
pub mod quota;
mod routes;
mod settings;
mod store;
mod workflow_policy;

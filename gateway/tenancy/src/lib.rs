//! Callers and their workspaces: sign-in, sessions, roles, members, plans, the audit log, the unit of work of a
//! command, and the event streams that end with the session that opened them.

pub mod audit;
pub mod auth;
pub mod change;
pub mod mail;
pub mod streams;
mod tables;
pub mod workspaces;

pub use tables::tables;

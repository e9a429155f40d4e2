//! Callers and their workspaces: sign-in, sessions, roles, members, plans, the audit log, and the event streams that
//! end with the session that opened them.

pub mod audit;
pub mod auth;
pub mod streams;
pub mod workspaces;

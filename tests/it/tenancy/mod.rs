//! Tenancy: people, sign-in, workspaces, roles, limits, the audit log, live streams.

mod account;
mod audit;
mod auth;
mod authorisation;
mod identity;
pub(crate) mod mail;
mod members;
mod personal_limits;
mod plans;
mod revocation;
mod set_up;
mod stream_sockets;
mod streams;
mod token_scopes;
mod two_people;

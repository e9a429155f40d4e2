//! Apps that agents are connected to, by OAuth.
//!
//! Invariants: a token is exchanged and kept in the secret broker, and a row holds only the name of its record; a sign-in
//! ends once (its state is deleted and read in one statement), by the browser or by time; a connection, its audit entry
//! and its event are one transaction, and what is made in the broker before it is forgotten when that transaction never
//! comes; an agent has one connection a provider, and loses them all when it is deleted. Tables: `oauth_states`,
//! `app_connections`.

mod call;
mod commands;
mod discovery;
mod dto;
pub mod entity;
mod error;
mod model;
pub mod routes;
pub mod store;

pub use call::{AppCaller, CallError, Called, Outgoing};
pub use error::AppError;

use roost_secret_broker::wire::RecordName;
use sea_orm::DbErr;

/// The record in the secret broker that holds a connection's token.
///
/// # Errors
/// When the row holds no name, which those that we write never do.
pub fn record_of(row: &entity::connection::Model) -> Result<RecordName, DbErr> {
    RecordName::new(row.workspace_id.to_string(), row.secret_ref.clone())
        .map_err(|error| DbErr::Custom(format!("app_connections {}: {error}", row.id)))
}

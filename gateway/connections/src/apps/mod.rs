//! Apps that agents are connected to, by OAuth.
//!
//! Invariants: the broker exchanges the code and keeps the token, and a row has only the name of its record; a sign-in
//! ends once (one statement deletes and returns its state), by the browser or by time; a connection, its audit entry and
//! its event are one transaction, and the broker deletes an earlier credential if that transaction never comes; an agent
//! has one connection to each provider, and loses all of them when it is deleted. Tables: `oauth_states`,
//! `app_connections`.

mod call;
mod commands;
mod context;
mod discovery;
mod dto;
pub(crate) mod entity;
mod error;
mod model;

pub use call::{AppCaller, CallError, Called, Outgoing};
pub use context::AppsContext;
pub use error::AppError;
pub use routes::router;
pub use settings::OAuth;
pub use store::{Which, connected, end as end_connections, forget_expired, providers_of};

use roost_secret_broker::wire::RecordName;
use sea_orm::DbErr;

use roost_platform::broker::credential;

mod routes;
mod settings;
mod store;

/// The record in the secret broker that holds a connection's token.
///
/// # Errors
/// When the name in the row is invalid, which never happens with the gateway's own names.
pub fn record_of(row: &entity::connection::Model) -> Result<RecordName, DbErr> {
    credential::name_of(row.workspace_id, &row.secret_ref)
}

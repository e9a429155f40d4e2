//! What else happens in the transaction in which a person loses access. Agents and their tokens belong to higher wings,
//! so the gateway connects their implementation at wiring.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use roost_platform::WorkspaceScope;
use roost_platform::db::WriteTx;
use roost_platform::events::Event;
use roost_platform::ids::UserId;

/// What other wings do when a person loses access.
#[async_trait]
pub trait Departures: Send + Sync + 'static {
    /// `user` leaves the workspace: the agents' tokens that they created end, and `heir` manages their agents from now
    /// on. Returns one event for each changed agent, for the caller to append.
    ///
    /// # Errors
    /// When the database fails.
    async fn leave(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        user: UserId,
        heir: UserId,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, DbErr>;

    /// Ends all agents' tokens that `user` created, in every workspace. Returns their number.
    ///
    /// # Errors
    /// When the database fails.
    async fn end_tokens(
        &self,
        tx: &WriteTx,
        user: UserId,
        now: DateTime<Utc>,
    ) -> Result<u64, DbErr>;
}

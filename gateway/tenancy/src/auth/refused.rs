//! Refused sign-ins, for the audit log. The request inserts one row, with or without an account of that address, so that
//! the time of the answer does not tell whether there is one. A worker writes the entries.
//!
//! Parent: `foundation`, as a periodic worker. Children: none. Restart: permanent; uncommitted work is repeated.

use std::time::Duration;

use sea_orm::{DbErr, EntityTrait, IntoActiveModel, QueryOrder, QuerySelect};

use super::commands::Origin;
use super::entity::refused_sign_in as refused;
use super::noted::{self, AboutAccount};
use super::{AuthContext, store};
use roost_platform::db::{Db, WriteTx};
use roost_platform::ids::{SharedIds, UserId, fresh};

/// The time between two runs. An entry is in the audit log within about this time.
pub const PERIOD: Duration = Duration::from_secs(1);
/// The most rows of one transaction.
const AT_ONCE: u64 = 100;

/// Notes that a sign-in was refused because of its password. `user` is the account with that address, if there is one.
///
/// # Errors
/// When the database fails.
pub(super) async fn note(
    state: &AuthContext,
    user: Option<UserId>,
    from: &Origin,
) -> Result<(), DbErr> {
    let row = refused::Model {
        id: fresh(&state.ids),
        user_id: user,
        from_address: from.address.to_string(),
        device: from.kept_device(),
        at: state.clock.now(),
    };
    let tx = state.db.write().await?;
    refused::Entity::insert(row.into_active_model())
        .exec_without_returning(&*tx)
        .await?;
    tx.commit().await
}

/// The worker that writes the entries.
#[derive(Clone)]
pub struct RefusedSignIns {
    pub db: Db,
    pub ids: SharedIds,
}

impl RefusedSignIns {
    /// Writes an entry for each row, in each workspace of its account, and removes the row.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_all(&self) -> Result<(), DbErr> {
        while self.record_some().await? {}
        Ok(())
    }

    /// `true` when there may be more.
    async fn record_some(&self) -> Result<bool, DbErr> {
        let rows = refused::Entity::find()
            .order_by_asc(refused::Column::At)
            .order_by_asc(refused::Column::Id)
            .limit(AT_ONCE)
            .all(self.db.read())
            .await?;
        if rows.is_empty() {
            return Ok(false);
        }
        let tx = self.db.write().await?;
        for row in &rows {
            self.record(&tx, row).await?;
        }
        tx.commit().await?;
        Ok(rows.len() as u64 == AT_ONCE)
    }

    async fn record(&self, tx: &WriteTx, row: &refused::Model) -> Result<(), DbErr> {
        let removed = refused::Entity::delete_by_id(row.id).exec(&**tx).await?;
        let user = match row.user_id {
            // Another gateway has recorded it.
            _ if removed.rows_affected == 0 => return Ok(()),
            Some(user) => store::user_by_id(&**tx, user).await?,
            None => None,
        };
        let Some(user) = user else {
            return Ok(());
        };
        let details = serde_json::json!({
            "email": user.email,
            "from": row.from_address,
            "device": row.device,
        });
        let entry = AboutAccount {
            account: user.id,
            // Nobody knows who it was.
            actor: UserId::SYSTEM,
            action: "session.refused",
            details,
            at: row.at,
        };
        noted::in_each_workspace(tx, &self.ids, entry).await
    }
}

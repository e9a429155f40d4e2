//! Requests the due deletions from the broker, again and again until each succeeds.

use std::time::Duration;

use roost_secret_broker::wire::RecordName;
use sea_orm::DbErr;

use super::store;
use crate::backoff::BackOff;
use crate::broker::BrokerHandle;
use crate::clock::SharedClock;
use crate::db::Db;

/// How often the sweeper runs without a nudge. Another gateway may have written rows.
pub const PERIOD: Duration = Duration::from_secs(5);
/// Rows in one sweep.
const SOME: u64 = 50;
/// The time until the next attempt for a row.
const BACK_OFF: BackOff = BackOff {
    first: Duration::from_secs(30),
    cap: Duration::from_secs(3_600),
};

/// What the sweeper needs.
#[derive(Clone)]
pub struct CredentialSweeper {
    pub db: Db,
    pub clock: SharedClock,
    pub broker: BrokerHandle,
}

impl CredentialSweeper {
    /// Requests due deletions. It stops at the first that the broker cannot do.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        for row in store::due(self.db.read(), now, SOME).await? {
            let tx = self.db.write().await?;
            let mine = store::take(&tx, &row, now + wait(row.attempts)).await?;
            tx.commit().await?;
            if !mine {
                continue;
            }
            let Ok(name) = RecordName::new(&row.tenant, &row.connection) else {
                tracing::error!(
                    tenant = row.tenant,
                    connection = row.connection,
                    "the deletion queue has an invalid credential name"
                );
                continue;
            };
            if let Err(error) = self.broker.delete(name).await {
                tracing::warn!(%error, attempts = row.attempts + 1, "the secret broker could not delete a credential; the gateway tries again");
                return Ok(());
            }
            let tx = self.db.write().await?;
            store::done(&tx, &row).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}

/// The wait until the next attempt, after this number of attempts.
fn wait(attempts: i32) -> Duration {
    BACK_OFF.whole(u32::try_from(attempts).unwrap_or(0).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_grows_to_an_hour() {
        assert_eq!(wait(0), BACK_OFF.first);
        assert_eq!(wait(3), 8 * BACK_OFF.first);
        assert_eq!(wait(1_000), BACK_OFF.cap);
    }
}

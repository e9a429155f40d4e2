//! Sends the queued messages. Parent: `foundation`. Restart: permanent. All its state is in rows.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::DbErr;

use super::entity::Model;
use super::sender::{SendError, send};
use super::{MailSettings, store};
use roost_platform::backoff::BackOff;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;

/// How often the worker runs without a nudge. Another gateway may have written rows.
pub const PERIOD: Duration = Duration::from_secs(10);
/// Messages in one pass.
const SOME: u64 = 20;
/// The time until the next attempt. The first is longer than one attempt takes.
const BACK_OFF: BackOff = BackOff {
    first: Duration::from_secs(120),
    cap: Duration::from_secs(3_600),
};
/// A message that waits longer than this is given up.
const MOST_HOURS: i64 = 24;

/// What the worker needs.
#[derive(Clone)]
pub struct MailWorker {
    pub db: Db,
    pub clock: SharedClock,
    /// Absent: there is no server, and the worker does nothing.
    pub settings: Option<MailSettings>,
}

impl MailWorker {
    /// Sends the messages that are due.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn run_pass(&self) -> Result<(), DbErr> {
        let Some(settings) = &self.settings else {
            return Ok(());
        };
        let tx = self.db.write().await?;
        store::forget(&tx, self.clock.now()).await?;
        tx.commit().await?;
        for row in store::due(self.db.read(), self.clock.now(), SOME).await? {
            self.attempt(settings, &row).await?;
        }
        Ok(())
    }

    async fn attempt(&self, settings: &MailSettings, row: &Model) -> Result<(), DbErr> {
        let tx = self.db.write().await?;
        let until = self.clock.now() + wait(row.attempts);
        let mine = store::claim(&tx, row, until).await?;
        tx.commit().await?;
        if !mine {
            return Ok(());
        }
        let sent = send(settings, row).await;
        let now = self.clock.now();
        let ended = ends(row, &sent, now).then_some(now);
        if let Err(error) = &sent {
            let (attempts, given_up) = (row.attempts + 1, ended.is_some());
            tracing::warn!(mail = %row.id, %error, attempts, given_up, "a mail was not sent");
        }
        let tx = self.db.write().await?;
        store::note(&tx, row, sent.err().map(|error| error.to_string()), ended).await?;
        tx.commit().await
    }
}

/// The wait until the next attempt, after this number of attempts.
fn wait(attempts: i32) -> Duration {
    BACK_OFF.whole(u32::try_from(attempts).unwrap_or(0).saturating_add(1))
}

/// Whether a message ends with this attempt.
fn ends(row: &Model, sent: &Result<(), SendError>, now: DateTime<Utc>) -> bool {
    match sent {
        Ok(()) => true,
        Err(error) => !error.may_pass() || now - row.created_at >= TimeDelta::hours(MOST_HOURS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roost_platform::ids::MailId;

    #[test]
    fn message_ends_when_it_is_sent_refused_or_a_day_old() {
        let created_at = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let row = Model {
            id: MailId(uuid::Uuid::nil()),
            about: "run-ended/1".to_owned(),
            recipient: "a@example.test".to_owned(),
            subject: String::new(),
            text: String::new(),
            created_at,
            due_at: created_at,
            attempts: 3,
            ended_at: None,
            error: None,
        };
        let later = || Err(SendError::Later("busy".to_owned()));
        let refused = Err(SendError::Refused("no such user".to_owned()));
        let day = created_at + TimeDelta::hours(24);
        assert!(ends(&row, &Ok(()), created_at));
        assert!(ends(&row, &refused, created_at));
        assert!(!ends(&row, &later(), day - TimeDelta::seconds(1)));
        assert!(ends(&row, &later(), day));
        assert_eq!(wait(0), BACK_OFF.first);
        assert_eq!(wait(100), BACK_OFF.cap);
    }
}

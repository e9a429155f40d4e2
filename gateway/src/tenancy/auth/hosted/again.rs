//! Asking the issuer again about a person that is signed in with a browser: whether they still belong, and in which
//! role. The gateway asks at most every five minutes for each person. One request asks; all others continue meanwhile.

use chrono::{DateTime, TimeDelta, Utc};

use super::grant::Said;
use super::{Hosted, HostedError, store};
use crate::platform::broker::outbox;
use crate::tenancy::auth::entity::user;
use crate::tenancy::auth::store as accounts;

/// The time between two questions about one person.
pub const PERIOD: TimeDelta = TimeDelta::minutes(5);
/// How long a session continues without an answer of the issuer. A session without a renewable grant lasts at most this
/// long.
pub const TRUST: TimeDelta = TimeDelta::hours(1);

/// The result for a request by an issuer's session.
pub enum Again {
    /// The request continues, as this user.
    As(Box<user::Model>),
    /// The session is over.
    Over,
}

/// What to do about a person now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Nothing,
    Ask,
}

/// Decides whether to ask. A session without a grant ends by its own time.
fn due(asked_at: Option<DateTime<Utc>>, has_grant: bool, now: DateTime<Utc>) -> Due {
    match asked_at {
        Some(asked_at) if has_grant && now - asked_at >= PERIOD => Due::Ask,
        _ => Due::Nothing,
    }
}

/// Whether the last answer is too old to rely on.
fn is_stale(answered_at: Option<DateTime<Utc>>, has_grant: bool, now: DateTime<Utc>) -> bool {
    has_grant && answered_at.is_none_or(|answered_at| now - answered_at >= TRUST)
}

impl Hosted {
    /// Reads the user of an issuer's session, and asks the issuer where that is due.
    ///
    /// # Errors
    /// [`HostedError::NotNow`] when the issuer has not answered for [`TRUST`]; when the database fails.
    pub async fn again(&self, user: user::Model) -> Result<Again, HostedError> {
        let now = self.clock.now();
        let has_grant = user.issuer_grant.is_some();
        if due(user.issuer_asked_at, has_grant, now) == Due::Ask
            && store::take_question(&self.db, &user, now).await?
        {
            match self.renew(&user).await {
                Ok(Said::Still(facts)) => {
                    store::note_answer(&self.db, user.id, now).await?;
                    return Ok(Again::As(Box::new(self.arrive(&facts).await?)));
                }
                Ok(Said::Gone) => {
                    self.end_sessions(&user).await?;
                    return Ok(Again::Over);
                }
                Err(error) => tracing::warn!(
                    user = %user.id,
                    error = %roost_secret_broker::outbound::chain(&error),
                    "the issuer could not be asked about a person who is signed in"
                ),
            }
        }
        match is_stale(user.issuer_answered_at, has_grant, now) {
            true => Err(HostedError::NotNow { retry_after_s: 60 }),
            false => Ok(Again::As(Box::new(user))),
        }
    }

    /// Ends the sessions that rest on the issuer's word, and forgets the grant.
    async fn end_sessions(&self, user: &user::Model) -> Result<(), HostedError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        store::end_issuer_sessions(&*tx, user.id).await?;
        if let Some(name) = store::take_grant(&*tx, user.id).await? {
            outbox::forget(&tx, &name, now).await?;
        }
        let details = serde_json::json!({ "issuer": self.settings.issuer });
        self.note_in_each(&tx, user, "session.ended_by_issuer", &details, now)
            .await?;
        tx.wake(&self.credentials);
        tx.wake(self.streams.nudge());
        tx.commit().await?;
        tracing::info!(user = %user.id, "the issuer took its grant back; the person's browser sessions are over");
        Ok(())
    }
}

/// Removes the grants of people that have no session by the issuer any more. The sweep of expired rows calls it, and so
/// does the end of a session.
///
/// # Errors
/// When the database fails.
pub async fn release_idle_grants(
    tx: &crate::platform::db::WriteTx,
    now: DateTime<Utc>,
) -> Result<(), sea_orm::DbErr> {
    for user in accounts::users_with_idle_grant(&**tx, now).await? {
        if let Some(name) = store::take_grant(&**tx, user).await? {
            outbox::forget(tx, &name, now).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_000_000 + minutes * 60, 0).unwrap()
    }

    #[test]
    fn the_issuer_is_asked_every_five_minutes_and_believed_for_an_hour() {
        for (asked, has_grant, now, expected) in [
            (Some(at(0)), true, at(4), Due::Nothing),
            (Some(at(0)), true, at(5), Due::Ask),
            (Some(at(0)), false, at(500), Due::Nothing),
            (None, true, at(500), Due::Nothing),
        ] {
            assert_eq!(due(asked, has_grant, now), expected, "{asked:?} {now}");
        }
        assert!(!is_stale(Some(at(0)), true, at(59)));
        assert!(is_stale(Some(at(0)), true, at(60)));
        assert!(
            !is_stale(Some(at(0)), false, at(600)),
            "it ends by its own time"
        );
        assert!(is_stale(None, true, at(0)));
    }
}

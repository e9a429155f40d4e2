//! Asking the issuer again about a person that is signed in with a browser: whether they still belong, and in which
//! role. The gateway asks at most every five minutes for each person. One request asks; all others continue meanwhile.

use chrono::{DateTime, TimeDelta, Utc};

use super::grant::GrantAnswer;
use super::{Hosted, HostedError, store};
use crate::auth::entity::user;
use crate::auth::store as accounts;
use roost_platform::broker::outbox;

/// The time between two questions about one person.
pub const PERIOD: TimeDelta = TimeDelta::minutes(5);
/// How long a session continues without an answer of the issuer. A session without a renewable grant lasts at most this
/// long.
pub const TRUST: TimeDelta = TimeDelta::hours(1);

/// The result for a request by an issuer's session.
pub enum Revalidated {
    /// The request continues, as this user.
    User(Box<user::Model>),
    /// The session is over.
    SessionEnded,
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
    pub async fn revalidate(&self, user: user::Model) -> Result<Revalidated, HostedError> {
        let now = self.clock.now();
        let has_grant = user.issuer_grant.is_some();
        if due(user.issuer_asked_at, has_grant, now) == Due::Ask
            && store::take_question(&self.db, &user, now).await?
        {
            match self.renew(&user).await {
                Ok(GrantAnswer::Active(facts)) => {
                    store::note_answer(&self.db, user.id, now).await?;
                    return Ok(Revalidated::User(Box::new(self.arrive(&facts).await?)));
                }
                Ok(GrantAnswer::Revoked) => {
                    self.end_sessions(&user).await?;
                    return Ok(Revalidated::SessionEnded);
                }
                Err(error) => tracing::warn!(
                    user = %user.id,
                    error = %roost_secret_broker::outbound::chain(&error),
                    "the gateway could not revalidate a signed-in person with the issuer"
                ),
            }
        }
        match is_stale(user.issuer_answered_at, has_grant, now) {
            true => Err(HostedError::NotNow { retry_after_s: 60 }),
            false => Ok(Revalidated::User(Box::new(user))),
        }
    }

    /// Ends the sessions that rest on the issuer's word, and forgets the grant.
    async fn end_sessions(&self, user: &user::Model) -> Result<(), HostedError> {
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        store::end_issuer_sessions(&tx, user.id).await?;
        if let Some(name) = store::take_grant(&*tx, user.id).await? {
            outbox::forget(&tx, &name, now).await?;
        }
        let details = serde_json::json!({ "issuer": self.settings.issuer });
        self.note_in_each(&tx, user, "session.ended_by_issuer", &details, now)
            .await?;
        tx.wake(&self.credentials);
        tx.wake(self.streams.nudge());
        tx.commit().await?;
        tracing::info!(user = %user.id, "the issuer revoked its grant; the gateway ended the person's browser sessions");
        Ok(())
    }
}

/// Removes the grants of people that have no session by the issuer any more. The sweep of expired rows calls it, and so
/// does the end of a session.
///
/// # Errors
/// When the database fails.
pub async fn release_idle_grants(
    tx: &roost_platform::db::WriteTx,
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

//! Queues notices about runs that ended or wait, and about approvals that are waited for, for the people who want them.
//!
//! Parent: `foundation`. Restart: permanent. Rows say who wants notices and what happened, and the queue has one mail for
//! each thing, so a pass that is repeated, here or on another gateway, sends nothing twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::DbErr;

use super::contexts::without_slash;
use super::shared::Shared;
use roost_connections::doors;
use roost_execution::runs::{self, EndedRun, RunStatus, WaitOn, Waiting};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{SharedIds, UserId};
use roost_tenancy::auth;
use roost_tenancy::mail::{self, Mail, MailQueue, MailWorker, RunEnd};

/// How often the gateway looks for something to say.
pub const PERIOD: Duration = Duration::from_secs(15);
/// What happened longer ago is not news.
const LATELY_HOURS: i64 = 24;
/// The most notices of a kind in one pass.
const MOST: u64 = 200;

/// A completed run that took this long gets a notice: the person has probably turned to something else.
const LONG: TimeDelta = TimeDelta::minutes(5);
/// A run that waits this long for a machine gets a notice. A machine that restarts is back sooner.
const LONG_AWAY: TimeDelta = TimeDelta::minutes(5);

/// What the worker needs.
#[derive(Clone)]
pub struct Notices {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    /// Absent: there is no server, and nobody gets notices.
    pub mail: Option<MailQueue>,
    /// The address with which links begin, without a slash at its end.
    pub public_url: Option<Arc<str>>,
}

/// The worker that queues notices.
pub(super) fn of(shared: &Shared<'_>) -> Notices {
    Notices {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        mail: shared.mail(),
        public_url: shared.config.public_url.as_ref().map(without_slash),
    }
}

/// The worker that sends mail.
pub(super) fn sender(shared: &Shared<'_>) -> MailWorker {
    MailWorker {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        settings: shared.config.mail.clone(),
    }
}

/// Someone who wants notices.
struct Reader {
    email: String,
    since: DateTime<Utc>,
}

impl Notices {
    /// Queues what is new.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn run_pass(&self) -> Result<(), DbErr> {
        let Some(queue) = &self.mail else {
            return Ok(());
        };
        let readers: HashMap<UserId, Reader> = auth::with_notices(self.db.read())
            .await?
            .into_iter()
            .filter_map(|user| {
                let since = user.mail_notices_at?;
                let email = user.email;
                Some((user.id, Reader { email, since }))
            })
            .collect();
        if readers.is_empty() {
            return Ok(());
        }
        let mut mails = self.ended(&readers).await?;
        mails.extend(self.waiting(&readers).await?);
        mails.extend(self.asked(&readers).await?);
        let mails = mail::unknown_among(self.db.read(), mails).await?;
        if mails.is_empty() {
            return Ok(());
        }
        let mut tx = self.db.write().await?;
        for mail in mails {
            mail::queue(&tx, &self.ids, self.clock.now(), mail).await?;
        }
        tx.wake(&queue.nudge);
        tx.commit().await
    }

    fn lately(&self) -> DateTime<Utc> {
        self.clock.now() - TimeDelta::hours(LATELY_HOURS)
    }

    async fn ended(&self, readers: &HashMap<UserId, Reader>) -> Result<Vec<Mail>, DbErr> {
        let people: Vec<UserId> = readers.keys().copied().collect();
        let since = self.lately().timestamp_millis();
        let long = LONG.num_milliseconds();
        let ended = runs::ended_since(self.db.read(), &people, since, long, MOST).await?;
        let mails = ended.iter().filter_map(|run| {
            let reader = readers.get(&run.created_by)?;
            let end = notable_end(run)?;
            let link = self.link(&format!("/runs/{}", run.id));
            (run.ended_ms > reader.since.timestamp_millis())
                .then(|| Mail::run_ended(run.id, &reader.email, (&run.title, end), &link))
        });
        Ok(mails.collect())
    }

    async fn waiting(&self, readers: &HashMap<UserId, Reader>) -> Result<Vec<Mail>, DbErr> {
        let people: Vec<UserId> = readers.keys().copied().collect();
        let waiting = runs::waiting(self.db.read(), &people, MOST).await?;
        let now = self.clock.now().timestamp_millis();
        let mails = waiting.iter().filter_map(|run| {
            let reader = readers.get(&run.created_by)?;
            let link = self.link(&format!("/runs/{}", run.id));
            let since = run.waiting.since_ms;
            (is_notable_wait(&run.waiting, now) && since > reader.since.timestamp_millis()).then(
                || {
                    let said = (&*run.title, &*run.waiting.text);
                    Mail::run_waits((run.id, since), &reader.email, said, &link)
                },
            )
        });
        Ok(mails.collect())
    }

    async fn asked(&self, readers: &HashMap<UserId, Reader>) -> Result<Vec<Mail>, DbErr> {
        let people: Vec<UserId> = readers.keys().copied().collect();
        let doors = doors::asked_since(self.db.read(), &people, self.lately(), MOST).await?;
        let mails = doors.into_iter().filter_map(|door| {
            let reader = readers.get(&door.requested_by)?;
            let what = format!("{} ({})", door.summary, door.target);
            let link = self.link(&format!("/approvals/{}", door.id));
            (door.created_at > reader.since)
                .then(|| Mail::approval(door.id, &reader.email, (&door.agent_name, &what), &link))
        });
        Ok(mails.collect())
    }

    /// A link, or where to look when the gateway does not know its address.
    fn link(&self, path: &str) -> String {
        match &self.public_url {
            Some(base) => format!("{base}{path}"),
            None => format!("Open Roost, and there {path}"),
        }
    }
}

/// The end that a person wants to know. A mission tells of its phases itself, so only what went wrong in one counts.
fn notable_end(run: &EndedRun) -> Option<RunEnd<'_>> {
    let took = TimeDelta::milliseconds(run.ended_ms - run.created_ms);
    match (RunStatus::parse(&run.status), run.outcome.as_deref()) {
        (Some(RunStatus::Failed), _) => Some(RunEnd::Failed(reason(run.error.as_ref()))),
        (_, Some("rejected")) => Some(RunEnd::Rejected(reason(run.outcome_reason.as_ref()))),
        _ if run.mission_id.is_none() && took >= LONG => Some(RunEnd::Completed),
        _ => None,
    }
}

/// Whether a person wants to know of a wait. An approval has its own notice, and the others end by themselves.
fn is_notable_wait(waiting: &Waiting, now_ms: i64) -> bool {
    let waited = TimeDelta::milliseconds(now_ms - waiting.since_ms);
    matches!(waiting.on, WaitOn::Machine { .. }) && waited >= LONG_AWAY
}

fn reason(said: Option<&String>) -> &str {
    said.map_or("no reason is known", String::as_str)
}

#[cfg(test)]
mod tests {
    use roost_platform::ids::{MissionId, NodeId, RunId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn person_is_told_of_what_went_wrong_and_of_what_took_long() {
        let minute = 60_000;
        let mission = Some(MissionId(Uuid::from_u128(2)));
        for (status, outcome, mission_id, took, told) in [
            ("failed", None, None, 0, Some(RunEnd::Failed("It broke."))),
            (
                "failed",
                None,
                mission,
                0,
                Some(RunEnd::Failed("It broke.")),
            ),
            (
                "completed",
                Some("rejected"),
                mission,
                0,
                Some(RunEnd::Rejected("The check failed.")),
            ),
            ("completed", Some("accepted"), None, 4 * minute, None),
            (
                "completed",
                Some("accepted"),
                None,
                5 * minute,
                Some(RunEnd::Completed),
            ),
            ("completed", Some("accepted"), mission, 60 * minute, None),
        ] {
            let run = EndedRun {
                id: RunId(Uuid::from_u128(1)),
                created_by: UserId::SYSTEM,
                title: "Mend the parser".to_owned(),
                status: status.to_owned(),
                mission_id,
                error: Some("It broke.".to_owned()),
                outcome: outcome.map(str::to_owned),
                outcome_reason: Some("The check failed.".to_owned()),
                created_ms: 1_000,
                ended_ms: 1_000 + took,
            };
            assert_eq!(notable_end(&run), told, "{status} {outcome:?} {took}");
        }
    }

    #[test]
    fn person_is_told_of_a_machine_that_stays_away() {
        let machine = NodeId(Uuid::from_u128(3));
        let waiting = |on| Waiting {
            on,
            text: "The machine den is not connected.".to_owned(),
            since_ms: 1_000,
        };
        let away = waiting(WaitOn::Machine { machine });
        assert!(!is_notable_wait(
            &away,
            1_000 + LONG_AWAY.num_milliseconds() - 1
        ));
        assert!(is_notable_wait(&away, 1_000 + LONG_AWAY.num_milliseconds()));
        let child = waiting(WaitOn::Child {
            run: RunId(Uuid::from_u128(4)),
        });
        assert!(!is_notable_wait(&child, i64::MAX / 2));
    }
}

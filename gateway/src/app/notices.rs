//! Queues notices about runs that failed and about approvals that are waited for, for the people who want them.
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
use roost_execution::runs;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{SharedIds, UserId};
use roost_tenancy::auth;
use roost_tenancy::mail::{self, Mail, MailQueue, MailWorker};

/// How often the gateway looks for something to say.
pub const PERIOD: Duration = Duration::from_secs(15);
/// What happened longer ago is not news.
const LATELY_HOURS: i64 = 24;
/// The most notices of a kind in one pass.
const MOST: u64 = 200;

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
        let mut mails = self.failed(&readers).await?;
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

    async fn failed(&self, readers: &HashMap<UserId, Reader>) -> Result<Vec<Mail>, DbErr> {
        let people: Vec<UserId> = readers.keys().copied().collect();
        let since = self.lately().timestamp_millis();
        let failed = runs::failed_since(self.db.read(), &people, since, MOST).await?;
        let mails = failed.into_iter().filter_map(|run| {
            let reader = readers.get(&run.created_by)?;
            let reason = run.error.as_deref().unwrap_or("it gave no reason");
            let link = self.link(&format!("/runs/{}", run.id));
            (run.ended_ms > reader.since.timestamp_millis())
                .then(|| Mail::run_failed(run.id, &reader.email, (&run.title, reason), &link))
        });
        Ok(mails.collect())
    }

    async fn asked(&self, readers: &HashMap<UserId, Reader>) -> Result<Vec<Mail>, DbErr> {
        let people: Vec<UserId> = readers.keys().copied().collect();
        let doors = doors::asked_since(self.db.read(), &people, self.lately(), MOST).await?;
        let mails = doors.into_iter().filter_map(|door| {
            let reader = readers.get(&door.requested_by)?;
            let what = format!("{} to {}", door.action, door.target);
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

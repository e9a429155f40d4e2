//! Queues notices about runs and missions that ended or wait, and about approvals that are waited for, for the people who want
//! them and may still know of it.
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
use roost_execution::runs::{self, EndedRun, Outcome, RunStatus};
use roost_missions::missions::{self, MissionStatus, NotableMission};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{MissionId, SharedIds, UserId, WorkspaceId};
use roost_tenancy::auth::{self, Role};
use roost_tenancy::mail::{self, Mail, MailQueue, MailWorker, Purpose, WorkEnd};
use roost_tenancy::workspaces;

/// How often the gateway looks for something to say.
pub const PERIOD: Duration = Duration::from_secs(15);
/// What happened longer ago is not news.
const LATELY_HOURS: i64 = 24;
/// The most notices of a kind in one pass.
const MOST: u64 = 200;
/// The most runs that are looked at because they wait. Those that were told already are among them.
const MOST_WAITS: u64 = 5_000;

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

/// All who want notices.
struct Readers {
    people: HashMap<UserId, Reader>,
    members: HashMap<(UserId, WorkspaceId), Role>,
}

impl Readers {
    /// The person, if that person may know what happened in this workspace at this time, and wanted notices then.
    fn of(&self, person: UserId, workspace: WorkspaceId, at: DateTime<Utc>) -> Option<&Reader> {
        let reader = self.people.get(&person)?;
        let is_member = self.members.contains_key(&(person, workspace));
        (is_member && at > reader.since).then_some(reader)
    }

    fn ids(&self) -> Vec<UserId> {
        self.people.keys().copied().collect()
    }
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
        let people: HashMap<UserId, Reader> = auth::with_notices(self.db.read())
            .await?
            .into_iter()
            .filter_map(|user| {
                let since = user.mail_notices_at?;
                let email = user.email;
                Some((user.id, Reader { email, since }))
            })
            .collect();
        if people.is_empty() {
            return Ok(());
        }
        let ids = people.keys().copied().collect();
        let members = workspaces::memberships_of(self.db.read(), ids).await?;
        let readers = Readers { people, members };
        let mut mails = self.ended(&readers).await?;
        mails.extend(self.waiting(&readers).await?);
        mails.extend(self.missions(&readers).await?);
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

    async fn ended(&self, readers: &Readers) -> Result<Vec<Mail>, DbErr> {
        let (people, since) = (readers.ids(), self.lately().timestamp_millis());
        let long = LONG.num_milliseconds();
        let ended = runs::ended_since(self.db.read(), &people, since, long, MOST).await?;
        let mails = ended.iter().filter_map(|run| {
            let at = DateTime::from_timestamp_millis(run.ended_ms)?;
            let reader = readers.of(run.created_by, run.workspace_id, at)?;
            let (end, about) = (end_of_run(run)?, Purpose::RunEnded(run.id));
            let link = self.link(&format!("/runs/{}", run.id));
            let what = ("run", run.title.as_str());
            Some(Mail::ended(about, &reader.email, what, end, &link))
        });
        Ok(mails.collect())
    }

    async fn waiting(&self, readers: &Readers) -> Result<Vec<Mail>, DbErr> {
        let people = readers.ids();
        let waiting = runs::waiting_for_machines(self.db.read(), &people, MOST_WAITS).await?;
        let now = self.clock.now();
        let mails = waiting.iter().filter_map(|run| {
            let since = run.waiting.since_ms;
            let at = DateTime::from_timestamp_millis(since)?;
            let reader = readers.of(run.created_by, run.workspace_id, at)?;
            let link = self.link(&format!("/runs/{}", run.id));
            let said = (&*run.title, &*run.waiting.text);
            (now - at >= LONG_AWAY)
                .then(|| Mail::run_waits((run.id, since), &reader.email, said, &link))
        });
        Ok(mails.collect())
    }

    async fn missions(&self, readers: &Readers) -> Result<Vec<Mail>, DbErr> {
        let (db, people) = (self.db.read(), readers.ids());
        let found = missions::notable_since(db, &people, self.lately(), MOST).await?;
        let ids: Vec<MissionId> = found.iter().map(|mission| mission.id).collect();
        let mut attempts: HashMap<MissionId, i32> = HashMap::new();
        for (mission, attempt) in missions::attempts(db, &ids).await? {
            *attempts.entry(mission).or_default() += attempt;
        }
        let mails = found.iter().filter_map(|mission| {
            let at = mission.updated_at;
            let reader = readers.of(mission.created_by, mission.workspace_id, at)?;
            let attempts = attempts.get(&mission.id).copied().unwrap_or(0);
            let (about, end) = end_of_mission(mission, attempts)?;
            let link = self.link(&format!("/missions/{}", mission.id));
            let what = ("mission", mission.title.as_str());
            Some(Mail::ended(about, &reader.email, what, end, &link))
        });
        Ok(mails.collect())
    }

    async fn asked(&self, readers: &Readers) -> Result<Vec<Mail>, DbErr> {
        let people = readers.ids();
        let doors = doors::asked_since(self.db.read(), &people, self.lately(), MOST).await?;
        let mails = doors.into_iter().filter_map(|door| {
            let reader = readers.of(door.requested_by, door.workspace_id, door.created_at)?;
            let what = format!("{} ({})", door.summary, door.target);
            let link = self.link(&format!("/approvals/{}", door.id));
            let said = (door.agent_name.as_str(), what.as_str());
            Some(Mail::approval(door.id, &reader.email, said, &link))
        });
        Ok(mails.collect())
    }

    fn link(&self, path: &str) -> String {
        match &self.public_url {
            Some(base) => format!("{base}{path}"),
            None => format!("{path} on the page of Roost"),
        }
    }
}

/// The end of a run that a person wants to know. Phases of a mission end often, so one that went well is not told.
fn end_of_run(run: &EndedRun) -> Option<WorkEnd<'_>> {
    let took = TimeDelta::milliseconds(run.ended_ms - run.created_ms);
    let outcome = run.outcome.as_deref().and_then(Outcome::parse);
    match (RunStatus::parse(&run.status), outcome) {
        (Some(RunStatus::Failed), _) => Some(WorkEnd::Failed(reason(run.error.as_ref()))),
        (_, Some(Outcome::Rejected)) => {
            Some(WorkEnd::Rejected(reason(run.outcome_reason.as_ref())))
        }
        _ if run.mission_id.is_none() && took >= LONG => Some(WorkEnd::Completed),
        _ => None,
    }
}

/// What a person wants to know of a mission: that something paused it, or that it is complete after a long time. Its phases
/// have begun `attempts` times.
fn end_of_mission(mission: &NotableMission, attempts: i32) -> Option<(Purpose, WorkEnd<'_>)> {
    let took = mission.updated_at - mission.launched_at?;
    let paused = Purpose::MissionPaused {
        mission: mission.id,
        attempts,
    };
    match MissionStatus::parse(&mission.status) {
        Some(MissionStatus::Paused) => {
            let why = reason(mission.status_detail.as_ref());
            Some((paused, WorkEnd::Paused(why)))
        }
        Some(MissionStatus::Completed) if took >= LONG => {
            Some((Purpose::MissionEnded(mission.id), WorkEnd::Completed))
        }
        _ => None,
    }
}

fn reason(said: Option<&String>) -> &str {
    said.map_or("no reason is known", String::as_str)
}

#[cfg(test)]
mod tests {
    use roost_platform::ids::RunId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn person_is_told_of_what_went_wrong_and_of_what_took_long() {
        let minute = 60_000;
        let mission = Some(MissionId(Uuid::from_u128(2)));
        for (status, outcome, mission_id, took, told) in [
            ("failed", None, None, 0, Some(WorkEnd::Failed("It broke."))),
            (
                "failed",
                None,
                mission,
                0,
                Some(WorkEnd::Failed("It broke.")),
            ),
            (
                "completed",
                Some("rejected"),
                mission,
                0,
                Some(WorkEnd::Rejected("The check failed.")),
            ),
            ("completed", Some("accepted"), None, 4 * minute, None),
            (
                "completed",
                Some("accepted"),
                None,
                5 * minute,
                Some(WorkEnd::Completed),
            ),
            ("completed", Some("accepted"), mission, 60 * minute, None),
        ] {
            let run = EndedRun {
                id: RunId(Uuid::from_u128(1)),
                workspace_id: WorkspaceId(Uuid::from_u128(4)),
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
            assert_eq!(end_of_run(&run), told, "{status} {outcome:?} {took}");
        }
    }

    #[test]
    fn person_is_told_of_a_mission_that_something_paused_or_that_took_long() {
        let at = |minutes: i64| DateTime::from_timestamp(minutes * 60, 0).unwrap();
        let mission = |status: &str, minutes: i64| NotableMission {
            id: MissionId(Uuid::from_u128(2)),
            workspace_id: WorkspaceId(Uuid::from_u128(4)),
            created_by: UserId::SYSTEM,
            title: "Faster".to_owned(),
            status: status.to_owned(),
            status_detail: Some("The run of Coders failed.".to_owned()),
            launched_at: Some(at(0)),
            updated_at: at(minutes),
        };
        for (status, minutes, told) in [
            (
                "paused",
                1,
                Some(WorkEnd::Paused("The run of Coders failed.")),
            ),
            ("completed", 4, None),
            ("completed", 5, Some(WorkEnd::Completed)),
            ("running", 9, None),
        ] {
            let mission = mission(status, minutes);
            let end = end_of_mission(&mission, 1).map(|(_, end)| end);
            assert_eq!(end, told, "{status} {minutes}");
        }
    }

    #[test]
    fn person_is_told_only_while_a_member_and_only_of_what_came_after_the_wish() {
        let at = |s: i64| DateTime::from_timestamp(s, 0).unwrap();
        let (person, workspace) = (UserId::SYSTEM, WorkspaceId(Uuid::from_u128(4)));
        let mut readers = Readers {
            people: HashMap::new(),
            members: HashMap::from([((person, workspace), Role::Viewer)]),
        };
        assert!(readers.of(person, workspace, at(11)).is_none());
        let reader = Reader {
            email: "a@example.test".to_owned(),
            since: at(10),
        };
        readers.people.insert(person, reader);
        assert!(readers.of(person, workspace, at(11)).is_some());
        assert!(readers.of(person, workspace, at(10)).is_none());
        readers.members.clear();
        assert!(readers.of(person, workspace, at(11)).is_none());
    }
}

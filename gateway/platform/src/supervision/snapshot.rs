//! The wire types of the tree, for operators and tools. They are a contract and separate from the live entries of
//! `roster.rs`. A snapshot locks rows one by one and sends no message to an actor.

use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::kinds::{ActorKind, Lifetime, Ownership};
use super::lag::{Lag, LagReader};
use super::restart::Restart;
use super::roster::{ActorState, Entry, LastFailure};
use super::spec::Tenant;
use super::tree::TreeContext;

/// The supervision tree at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct TreeSnapshot {
    /// The time of the snapshot.
    pub at: DateTime<Utc>,
    /// Living actors, supervisors and jobs; in a tenant's view, only the tenant's.
    pub living: u64,
    /// Actors that were killed since the start because they did not stop in time.
    pub forced_kills: u64,
    /// The root.
    pub root: ActorSnapshot,
}

/// One actor.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ActorSnapshot {
    /// Stable across restarts: names from the root down, joined by `/`.
    pub id: String,
    /// The last part of the id.
    pub name: String,
    /// The kind of the actor.
    pub kind: ActorKind,
    /// Which gateway may run it when several share a database.
    pub ownership: Ownership,
    /// Whether it is part of the fixed tree or temporary.
    pub lifetime: Lifetime,
    /// Whether it is restarted when it ends.
    pub restart: Restart,
    /// The workspace that it works for.
    pub tenant: Option<Tenant>,
    /// The thing that it serves, in people's words.
    pub serves: Option<String>,
    /// Its state.
    pub state: ActorState,
    /// The time of the first start, which restarts do not change.
    pub created_at: Option<DateTime<Utc>>,
    /// The time of the latest start.
    pub started_at: Option<DateTime<Utc>>,
    /// The number of restarts.
    pub restarts: u64,
    /// Milliseconds until its restart, while it is backing off.
    pub restart_in_ms: Option<u64>,
    /// Its last failure.
    pub last_failure: Option<LastFailure>,
    /// Whether an operator may restart it.
    pub restartable: bool,
    /// Messages handled since `created_at`.
    pub handled: u64,
    /// Messages that were lost unread when an incarnation ended.
    pub lost: u64,
    /// Its mailbox; absent for jobs and for actors that are not alive.
    pub mailbox: Option<MailboxSnapshot>,
    /// How far the connection is behind, for an actor that feeds one.
    pub lag: Option<Lag>,
    /// Children and jobs in the order of their start.
    // Only on this field: on the struct it would remove the schemas of all other fields from the document.
    #[schema(no_recursion)]
    pub children: Vec<ActorSnapshot>,
}

/// A mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct MailboxSnapshot {
    /// Messages that wait or are being handled.
    pub len: u64,
    /// Milliseconds since the oldest of these was sent.
    pub oldest_ms: Option<u64>,
    /// The length at which senders are refused; absent without a bound.
    pub bound: Option<u64>,
}

impl TreeSnapshot {
    pub(super) fn take(context: &TreeContext, root: &Arc<Entry>) -> Self {
        let now = context.clock().monotonic();
        let root = ActorSnapshot::of(root, now, false);
        let living = u64::try_from(context.living()).unwrap_or(0);
        Self {
            at: context.clock().now(),
            living,
            forced_kills: context.forced_kills(),
            root,
        }
    }

    /// The view of a workspace's Owner: the actors that work for `tenant`, and the supervisors above them. Those
    /// supervisors show only name, kind and state, because their failures may reveal facts about other tenants.
    pub fn for_tenant(&self, tenant: &Tenant) -> Self {
        let root = self
            .root
            .for_tenant(tenant)
            .unwrap_or_else(|| self.root.bare(Vec::new()));
        let living = root.count(&|actor| actor.tenant.as_ref() == Some(tenant) && actor.lives());
        Self {
            at: self.at,
            living,
            forced_kills: 0,
            root,
        }
    }

    /// The actor with that id.
    pub fn find(&self, id: &str) -> Option<&ActorSnapshot> {
        self.root.find(id)
    }
}

impl ActorSnapshot {
    /// `supervised`: the parent is a supervisor, which can restart it. The root and the jobs of actors have no
    /// supervisor.
    fn of(entry: &Arc<Entry>, now: Instant, supervised: bool) -> Self {
        let meta = &entry.meta;
        let life = entry.life().clone();
        let (handled, lost, reading) = entry.traffic();
        let branch = entry.branch_if_any();
        let ms =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let mailbox = reading
            .filter(|_| meta.counts_messages)
            .map(|reading| MailboxSnapshot {
                len: reading.open as u64,
                oldest_ms: reading.oldest.map(ms),
                bound: meta.mailbox_bound.map(|bound| bound as u64),
            });
        Self {
            id: entry.path().to_owned(),
            name: meta.name.clone(),
            kind: meta.kind,
            ownership: meta.kind.ownership(),
            lifetime: if entry.is_dynamic() {
                Lifetime::Temporary
            } else {
                Lifetime::Static
            },
            restart: meta.restart,
            tenant: meta.tenant.clone(),
            serves: meta.serves.clone(),
            state: life.state,
            created_at: life.created_at,
            started_at: life.started_at,
            restarts: life.restarts,
            restart_in_ms: life
                .restart_due
                .map(|due| ms(due.saturating_duration_since(now))),
            last_failure: life.last_failure,
            restartable: supervised && meta.repeatable,
            handled: if meta.counts_messages { handled } else { 0 },
            lost: if meta.counts_messages { lost } else { 0 },
            mailbox,
            lag: meta.lag.as_ref().map(LagReader::read),
            children: branch.map_or_else(Vec::new, |branch| {
                let supervised = branch.is_supervised();
                branch
                    .entries()
                    .iter()
                    .map(|child| Self::of(child, now, supervised))
                    .collect()
            }),
        }
    }

    fn for_tenant(&self, tenant: &Tenant) -> Option<Self> {
        match &self.tenant {
            Some(own) if own == tenant => return Some(self.clone()),
            Some(_) => return None,
            None => {}
        }
        let children: Vec<_> = self
            .children
            .iter()
            .filter_map(|child| child.for_tenant(tenant))
            .collect();
        (!children.is_empty()).then(|| self.bare(children))
    }

    fn bare(&self, children: Vec<Self>) -> Self {
        Self {
            id: self.id.clone(),
            name: self.name.clone(),
            children,
            created_at: None,
            started_at: None,
            restarts: 0,
            restart_in_ms: None,
            last_failure: None,
            restartable: false,
            handled: 0,
            lost: 0,
            mailbox: None,
            lag: None,
            tenant: None,
            serves: None,
            ..*self
        }
    }

    fn lives(&self) -> bool {
        matches!(
            self.state,
            ActorState::Starting | ActorState::Running | ActorState::Stopping
        )
    }

    fn count(&self, which: &dyn Fn(&Self) -> bool) -> u64 {
        u64::from(which(self))
            + self
                .children
                .iter()
                .map(|child| child.count(which))
                .sum::<u64>()
    }

    fn find(&self, id: &str) -> Option<&Self> {
        if self.id == id {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(id))
    }
}

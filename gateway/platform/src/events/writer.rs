//! The writer of one workspace's ephemeral events. It appends its collected events in one transaction, which also takes
//! or renews its lease. After a pause an event is appended at once. Under load a group starts 10 ms after the one
//! before it, or at 64 KB. While another gateway has the lease, the writer waits for its turn.
//!
//! Parent: `foundation/events`. Children: none. Restart: transient. A crash loses the collected events, which is
//! allowed for ephemeral events. The writer stops itself after a minute without events.

use std::time::{Duration, Instant};

use super::{Stamped, append};
use crate::WorkspaceScope;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::db::lease::Lease;
use crate::kill_point;
use crate::supervision::{Context, Failure, Serve};

/// The time from the end of a commit to the next one. It limits both the rate of disk syncs and the delay of an event.
const GROUP_TIME: Duration = Duration::from_millis(10);
const GROUP_BYTES: usize = 64 << 10;
/// The lease outlives a group commit only by this time, so another gateway's writer of the same workspace gets its
/// turn.
const LEASE_TTL: Duration = Duration::from_millis(100);
/// The most events that are kept while another gateway holds the lease. The oldest are dropped first.
const MOST_KEPT: usize = 10_000;
const IDLE: Duration = Duration::from_secs(60);

/// The writer's messages.
pub enum Msg {
    /// An event happened.
    Append(Stamped),
    /// The group's time has elapsed.
    GroupElapsed,
    /// Check whether the writer is idle.
    IdleElapsed,
}

/// The writer's start arguments.
pub struct Args {
    pub db: Db,
    pub clock: SharedClock,
    pub scope: WorkspaceScope,
    /// This incarnation's name in the lease.
    pub owner: String,
}

/// The actor.
pub struct EventWriter {
    args: Args,
    group: Vec<Stamped>,
    bytes: usize,
    /// When the pending `GroupElapsed` message was scheduled.
    timer: Option<Instant>,
    last: Instant,
    committed: Option<Instant>,
}

impl Serve for EventWriter {
    type Msg = Msg;
    type Args = Args;

    async fn start(args: Args, cx: &Context<Msg>) -> Result<Self, Failure> {
        cx.cast_self_after(IDLE, Msg::IdleElapsed);
        Ok(Self {
            args,
            group: Vec::new(),
            bytes: 0,
            timer: None,
            last: cx.monotonic(),
            committed: None,
        })
    }

    async fn handle(&mut self, message: Msg, cx: &Context<Msg>) -> Result<(), Failure> {
        match message {
            Msg::Append(event) => {
                self.last = cx.monotonic();
                self.bytes += event.event.data().len();
                self.group.push(event);
                // A full mailbox rejects a timer's message. So a message that is long overdue will not arrive.
                let missed = self
                    .timer
                    .is_some_and(|since| self.last - since > 2 * LEASE_TTL);
                if self.bytes >= GROUP_BYTES || missed {
                    self.commit(cx).await?;
                } else if self.timer.is_none() {
                    self.timer = Some(self.last);
                    let since = self.committed.map_or(GROUP_TIME, |then| self.last - then);
                    match GROUP_TIME.checked_sub(since).filter(|left| !left.is_zero()) {
                        Some(left) => drop(cx.cast_self_after(left, Msg::GroupElapsed)),
                        // The message queues behind the present content of the mailbox, so a burst becomes one group.
                        None => drop(cx.cast_self(Msg::GroupElapsed)),
                    }
                }
            }
            Msg::GroupElapsed => {
                self.timer = None;
                self.commit(cx).await?;
            }
            Msg::IdleElapsed => {
                if self.group.is_empty() && cx.monotonic() - self.last >= IDLE {
                    cx.stop();
                } else {
                    cx.cast_self_after(IDLE, Msg::IdleElapsed);
                }
            }
        }
        Ok(())
    }

    async fn stop(&mut self, cx: &Context<Msg>) -> Result<(), Failure> {
        self.commit(cx).await
    }
}

impl EventWriter {
    async fn commit(&mut self, cx: &Context<Msg>) -> Result<(), Failure> {
        if self.group.is_empty() {
            return Ok(());
        }
        let workspace = self.args.scope.workspace();
        let lease = format!("event-writer/{workspace}");
        let mut tx = self.args.db.write().await?;
        if Lease::acquire_in(&tx, &lease, &self.args.owner, LEASE_TTL)
            .await?
            .is_none()
        {
            drop(tx);
            self.wait_for_our_turn(cx);
            return Ok(());
        }
        let count = self.group.len();
        let now = self.args.clock.now();
        append(&mut tx, workspace, now, self.group.iter().cloned()).await?;
        kill_point!(cx, "events.writer.before_commit");
        tx.commit().await?;
        kill_point!(cx, "events.writer.after_commit");
        self.group.clear();
        self.bytes = 0;
        self.committed = Some(cx.monotonic());
        metrics::counter!("roost_events_appended_total").increment(count as u64);
        Ok(())
    }

    fn wait_for_our_turn(&mut self, cx: &Context<Msg>) {
        if self.group.len() > MOST_KEPT {
            let over = self.group.len() - MOST_KEPT;
            self.group.drain(..over);
            metrics::counter!("roost_events_dropped_total").increment(over as u64);
        }
        // The wait starts the next group.
        self.bytes = 0;
        self.timer = Some(cx.monotonic());
        cx.cast_self_after(LEASE_TTL, Msg::GroupElapsed);
    }
}

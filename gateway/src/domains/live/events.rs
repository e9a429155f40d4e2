//! The feed of `/api/events`: first what is in the store after the cursor, then what the hub tells, spliced by sequence.
//! In the usual case nothing of this runs: the hub puts the shared bytes of an event right into the connection's queue.
//! Who overflows the queue, or has a hole, reads the store until it is level with the hub again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use sea_orm::DbErr;
use tokio::sync::Notify;

use super::dto::Reset;
use super::handle::Feed;
use super::outlet::{Full, Gone, Outlet};
use crate::db::Db;
use crate::events::{self, EventId, Filter, Hub, Listener, Listening, Replay, StoredEvent};
use crate::ids::WorkspaceId;

/// Events that one read of the store brings.
const PAGE: u64 = 256;

/// The events of a workspace for one connection.
pub(super) struct EventFeed {
    db: Db,
    workspace: WorkspaceId,
    splice: Arc<Splice>,
    listening: Listening,
}

/// Where the connection stands.
struct Splice {
    outlet: Outlet,
    filter: Filter,
    place: Mutex<Place>,
    /// It is not live any more.
    behind: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The last event that it was given, or that it does not want.
    cursor: EventId,
    /// The hub gives it what follows.
    live: bool,
}

/// What an event is for one who stands at a cursor.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Known,
    Next,
    AfterAHole,
}

impl Place {
    fn step(self, event: EventId) -> Step {
        if event <= self.cursor {
            Step::Known
        } else if event.follows(self.cursor) {
            Step::Next
        } else {
            Step::AfterAHole
        }
    }
}

impl EventFeed {
    /// Listens from now on. Without a cursor the connection begins where the log stands now: what happens after a client
    /// saw its stream open is in it.
    pub(super) async fn begin(
        db: &Db,
        hub: &Hub,
        workspace: WorkspaceId,
        filter: Filter,
        cursor: Option<EventId>,
        outlet: &Outlet,
    ) -> Result<Self, DbErr> {
        let splice = Arc::new(Splice {
            outlet: outlet.clone(),
            filter,
            place: Mutex::new(Place {
                cursor: cursor.unwrap_or(EventId { epoch: 0, seq: 0 }),
                live: false,
            }),
            behind: Notify::new(),
        });
        let listening = hub.listen(workspace, splice.clone());
        let feed = Self {
            db: db.clone(),
            workspace,
            splice,
            listening,
        };
        let begin = match cursor {
            Some(cursor) => cursor,
            None => {
                let head = events::head(db.read(), workspace).await?;
                head.unwrap_or(EventId { epoch: 0, seq: 0 })
            }
        };
        feed.splice.lock().cursor = begin;
        feed.splice.outlet.begins_at(begin);
        if cursor.is_some() || !feed.go_live() {
            feed.splice.behind.notify_one();
        }
        Ok(feed)
    }

    /// Whether it is level with the hub.
    fn go_live(&self) -> bool {
        let cursor = self.splice.lock().cursor;
        self.listening
            .go_live(cursor, || self.splice.lock().live = true)
    }

    /// Reads the store until it is level with the hub.
    async fn catch_up(&self) -> Result<Result<(), Gone>, DbErr> {
        let (splice, outlet) = (&self.splice, &self.splice.outlet);
        loop {
            // A page is read when there is room for it: what a slow reader holds up lies in the store, not here.
            if outlet.half_empty().await.is_err() {
                return Ok(Err(Gone));
            }
            let cursor = splice.lock().cursor;
            let events = events::replay(self.db.read(), self.workspace, cursor, PAGE).await?;
            let level = match events {
                Replay::Events(events) => {
                    let all = (events.len() as u64) < PAGE;
                    for event in events {
                        if splice.give(event).await.is_err() {
                            return Ok(Err(Gone));
                        }
                    }
                    all
                }
                Replay::Reset { head, reason } => {
                    let frame = StoredEvent::frame(head, "reset", &Reset { reason }.encoded());
                    if outlet.send_event(head, frame).await.is_err() {
                        return Ok(Err(Gone));
                    }
                    outlet.begins_at(head);
                    splice.lock().cursor = head;
                    false
                }
            };
            if level && self.go_live() {
                return Ok(Ok(()));
            }
        }
    }
}

impl Feed for EventFeed {
    async fn run(self, _: Outlet) -> Result<(), DbErr> {
        loop {
            self.splice.behind.notified().await;
            // Boxed, because most connections wait here most of the time, and need not be as large as a query for it.
            if Box::pin(self.catch_up()).await?.is_err() {
                return Ok(());
            }
        }
    }
}

impl Splice {
    /// Gives an event of the store to the connection; waits for room.
    async fn give(&self, event: StoredEvent) -> Result<(), Gone> {
        if self.filter.wants(&event) {
            self.outlet.send_event(event.id, event.frame).await?;
        } else {
            self.outlet.pass_over(event.id);
        }
        self.lock().cursor = event.id;
        Ok(())
    }

    fn fall_behind(&self, mut place: MutexGuard<'_, Place>) {
        place.live = false;
        drop(place);
        self.behind.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Place> {
        // Nothing panics while it holds this lock; if it did, the place is still whole.
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Splice {
    fn hear(&self, event: &Arc<StoredEvent>) -> Option<Waker> {
        let mut place = self.lock();
        if !place.live {
            // It will read this one; it only shows how far behind it is.
            self.outlet.note_newest(event.id);
            return None;
        }
        match place.step(event.id) {
            Step::Known => return None,
            Step::Next if !self.filter.wants(event) => {
                self.outlet.pass_over(event.id);
                place.cursor = event.id;
                return None;
            }
            Step::Next => match self.outlet.offer_event(event.id, &event.frame) {
                Ok(reader) => {
                    place.cursor = event.id;
                    return reader;
                }
                Err(Full) => {
                    metrics::counter!("roost_live_queue_overflows_total").increment(1);
                }
            },
            Step::AfterAHole => {}
        }
        self.outlet.note_newest(event.id);
        self.fall_behind(place);
        None
    }

    fn fell_behind(&self, head: EventId) {
        let place = self.lock();
        self.outlet.note_newest(head);
        if place.live && place.cursor < head {
            self.fall_behind(place);
        }
    }
}

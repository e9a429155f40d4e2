//! The feed of `/api/events`: first the stored events after the cursor, then the hub's live events, joined by sequence.
//! Usually this code does not run: the hub puts the shared bytes of an event directly into the connection's queue. A
//! connection with a full queue or a gap reads the store until it has caught up with the hub.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::Bytes;
use sea_orm::DbErr;
use tokio::sync::Notify;

use super::dto::{Reset, Trimmed};
use super::phase::Input;
use super::send_queue::{Full, Gone, SendQueue};
use roost_platform::db::Db;
use roost_platform::events::{
    self, About, Event, EventId, Filter, Hub, Listener, Listening, Page, Replay, StoredEvent,
};
use roost_platform::ids::WorkspaceId;

/// The most events of one read of the store.
const PAGE: u64 = 256;

/// The events of a workspace for one connection.
pub struct EventFeed {
    db: Db,
    workspace: WorkspaceId,
    splice: Arc<Splice>,
    listening: Listening,
}

/// The position of the connection.
struct Splice {
    queue: SendQueue,
    filter: Filter,
    place: Mutex<Place>,
    behind: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The last event that the connection got, or that its filter excludes.
    cursor: EventId,
    /// The hub delivers the following events.
    live: bool,
    /// The connection knows that ephemeral events up to this one are deleted.
    trimmed_to: EventId,
}

/// An event's relation to a connection's cursor.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Known,
    Next,
    AfterGap,
}

impl Place {
    fn step(self, event: EventId) -> Step {
        if event <= self.cursor {
            Step::Known
        } else if event.follows(self.cursor) {
            Step::Next
        } else {
            Step::AfterGap
        }
    }
}

impl EventFeed {
    /// Subscribes from now on. Without a cursor the connection begins at the present end of the log, so it gets every
    /// event after the client saw its stream open.
    pub async fn begin(
        db: &Db,
        hub: &Hub,
        workspace: WorkspaceId,
        filter: Filter,
        cursor: Option<EventId>,
        queue: &SendQueue,
    ) -> Result<Self, DbErr> {
        let splice = Arc::new(Splice {
            queue: queue.clone(),
            filter,
            place: Mutex::new(Place {
                cursor: cursor.unwrap_or(EventId { epoch: 0, seq: 0 }),
                live: false,
                trimmed_to: EventId { epoch: 0, seq: 0 },
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
        feed.splice.queue.start_at(begin);
        if cursor.is_none() {
            // Otherwise the stream's work reads the log first.
            feed.go_live();
        }
        Ok(feed)
    }

    /// Whether the hub delivers the connection's events.
    pub(super) fn is_live(&self) -> bool {
        self.splice.lock().live
    }

    /// Waits until the connection has fallen behind the hub. Cancel-safe. For feeds that have other work as well.
    pub async fn fell_behind(&self) {
        self.splice.behind.notified().await;
    }

    /// Switches to live events. `false` when the connection has not caught up with the hub.
    fn go_live(&self) -> bool {
        let cursor = self.splice.lock().cursor;
        self.listening
            .go_live(cursor, || self.splice.lock().live = true)
    }

    /// Reads the store until the connection has caught up with the hub. At once when it has.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn catch_up(&self) -> Result<Result<(), Gone>, DbErr> {
        let (splice, queue) = (&self.splice, &self.splice.queue);
        while !self.is_live() {
            // A page is read when the queue has room for it, so a slow reader's events wait in the store, not in
            // memory.
            if queue.wait_half_empty().await.is_err() {
                return Ok(Err(Gone));
            }
            let cursor = splice.lock().cursor;
            let replay = events::replay(self.db.read(), self.workspace, cursor, PAGE).await?;
            let level = match replay {
                Replay::Page(page) => {
                    let at_head = page.at_head;
                    if splice.send_page(page).await.is_err() {
                        return Ok(Err(Gone));
                    }
                    at_head
                }
                Replay::Reset { head, reason } => {
                    let frame = StoredEvent::frame(
                        head,
                        "reset",
                        &About::default(),
                        &Reset { reason }.encoded(),
                    );
                    if queue.send_event(head, frame).await.is_err() {
                        return Ok(Err(Gone));
                    }
                    queue.start_at(head);
                    splice.lock().cursor = head;
                    false
                }
            };
            if level && self.go_live() {
                break;
            }
        }
        Ok(Ok(()))
    }
}

impl Splice {
    /// Sends a page of the store to the connection; waits for room. Deleted events are announced once, before the others.
    async fn send_page(&self, page: Page) -> Result<(), Gone> {
        if let Some(frame) = page.trimmed_to.and_then(|to| self.trimmed(to)) {
            self.queue.send(frame).await?;
        }
        for event in page.events {
            self.send_stored(event).await?;
        }
        let mut place = self.lock();
        if place.cursor < page.position {
            place.cursor = page.position;
            self.queue.skip_event(page.position);
        }
        Ok(())
    }

    /// The frame for the ephemeral events up to `to` that the connection does not get, unless it was sent before, or the
    /// filter excludes all of their types. The frame has no id: the client's cursor moves with the facts that follow.
    fn trimmed(&self, to: EventId) -> Option<Bytes> {
        let mut place = self.lock();
        let known = place.cursor.max(place.trimmed_to);
        if to <= known {
            return None;
        }
        place.trimmed_to = to;
        let types = ephemeral_types(&self.filter);
        let from = EventId {
            seq: known.seq + 1,
            ..to
        };
        (!types.is_empty()).then(|| Trimmed::new(from, to, types).frame())
    }

    /// Sends a stored event to the connection; waits for room.
    async fn send_stored(&self, event: StoredEvent) -> Result<(), Gone> {
        if self.filter.wants(&event) {
            self.queue.send_event(event.id, event.frame).await?;
        } else {
            self.queue.skip_event(event.id);
        }
        self.lock().cursor = event.id;
        Ok(())
    }

    fn fall_behind(&self, mut place: MutexGuard<'_, Place>) {
        place.live = false;
        drop(place);
        self.behind.notify_one();
        self.queue.report(Input::FellBehind);
    }

    fn lock(&self) -> MutexGuard<'_, Place> {
        // Nothing panics while it holds this lock. If it did, the place would still be valid.
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The types that the filter selects and that retention deletes early.
fn ephemeral_types(filter: &Filter) -> Vec<&'static str> {
    let wanted = |name: &&str| filter.types.is_empty() || filter.types.iter().any(|t| t == name);
    Event::EPHEMERAL.iter().copied().filter(wanted).collect()
}

impl Listener for Splice {
    fn on_event(&self, event: &Arc<StoredEvent>) -> Option<Waker> {
        let mut place = self.lock();
        if !place.live {
            // The connection reads this event from the store. Here it only counts towards the lag.
            self.queue.note_newest(event.id);
            return None;
        }
        match place.step(event.id) {
            Step::Known => return None,
            Step::Next if !self.filter.wants(event) => {
                self.queue.skip_event(event.id);
                place.cursor = event.id;
                return None;
            }
            Step::Next => match self.queue.offer_event(event.id, &event.frame) {
                Ok(reader) => {
                    place.cursor = event.id;
                    return reader;
                }
                Err(Full) => {
                    metrics::counter!("roost_live_queue_overflows_total").increment(1);
                }
            },
            Step::AfterGap => {}
        }
        self.queue.note_newest(event.id);
        self.fall_behind(place);
        None
    }

    fn on_lag(&self, head: EventId) {
        let place = self.lock();
        self.queue.note_newest(head);
        if place.live && place.cursor < head {
            self.fall_behind(place);
        }
    }
}

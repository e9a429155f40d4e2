//! One subscriber: splices replay and live events and writes frames to its connection.
//!
//! Parent: `live`. Children: none. Restart: temporary; the client comes back with its cursor.

use bytes::{Bytes, BytesMut};
use sea_orm::DbErr;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::db::Db;
use crate::domains::auth::{WorkspaceScope, store as auth};
use crate::events::{self, EventId, Filter, Received, Replay, StoredEvent, Subscription};
use crate::http::sse;
use crate::ids::{SessionId, UserId};

/// Events that one read of the store brings.
const BATCH: u64 = 500;
/// Frames are joined up to this size before they are handed to the connection.
const CHUNK: usize = 64 << 10;

/// Everything that a subscriber needs.
pub(super) struct Subscriber {
    pub db: Db,
    pub scope: WorkspaceScope,
    pub user: UserId,
    pub session: SessionId,
    pub filter: Filter,
    /// Where the client stands; absent: from now on.
    pub cursor: Option<EventId>,
    pub subscription: Subscription,
    pub out: mpsc::Sender<Bytes>,
    /// The gateway stops.
    pub draining: CancellationToken,
}

/// The client went away, or shall go.
struct Over;

impl Subscriber {
    /// Runs until the client is gone, the session ends, the gateway stops, or it is time to rotate.
    pub(super) async fn run(mut self) -> Result<(), DbErr> {
        let rotate = Instant::now() + sse::ROTATE_AFTER;
        let draining = self.draining.clone();
        tokio::select! {
            outcome = self.follow() => outcome.map(|_: Over| ()),
            () = draining.cancelled() => Ok(()),
            () = tokio::time::sleep_until(rotate) => Ok(()),
        }
    }

    async fn follow(&mut self) -> Result<Over, DbErr> {
        if self.out.send(sse::hello()).await.is_err() {
            return Ok(Over);
        }
        let mut cursor = match self.cursor {
            Some(cursor) => cursor,
            None => match events::head(self.db.read(), self.scope.workspace()).await? {
                Some(head) => head,
                None => return Ok(Over),
            },
        };
        let mut beat = interval_at(Instant::now() + sse::BEAT_EVERY, sse::BEAT_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if self.cursor.is_some() && self.read_store(&mut cursor).await?.is_err() {
            return Ok(Over);
        }
        loop {
            let sent = tokio::select! {
                received = self.subscription.changed() => match received {
                    Received::Behind => self.read_store(&mut cursor).await?,
                    Received::Events(events) => self.splice(&mut cursor, events).await?,
                },
                _ = beat.tick() => {
                    if !self.may_go_on().await? {
                        return Ok(Over);
                    }
                    self.out.send(sse::beat()).await.map_err(|_| Over)
                }
                () = self.out.closed() => return Ok(Over),
            };
            if sent.is_err() {
                return Ok(Over);
            }
        }
    }

    /// Sends what continues the sequence; a hole is filled from the store.
    async fn splice(
        &self,
        cursor: &mut EventId,
        events: impl IntoIterator<Item = StoredEvent>,
    ) -> Result<Result<(), Over>, DbErr> {
        let mut ready = Vec::new();
        for event in events {
            if event.id <= *cursor {
                continue;
            }
            if event.id.epoch != cursor.epoch || event.id.seq != cursor.seq + 1 {
                if self.send(&ready).await.is_err() {
                    return Ok(Err(Over));
                }
                return self.read_store(cursor).await;
            }
            *cursor = event.id;
            ready.push(event);
        }
        Ok(self.send(&ready).await)
    }

    /// Reads the store from the cursor to the head.
    async fn read_store(&self, cursor: &mut EventId) -> Result<Result<(), Over>, DbErr> {
        loop {
            let workspace = self.scope.workspace();
            match events::replay(self.db.read(), workspace, *cursor, BATCH).await? {
                Replay::Events(events) => {
                    let last = events.last().map(|event| event.id);
                    if self.send(&events).await.is_err() {
                        return Ok(Err(Over));
                    }
                    *cursor = last.unwrap_or(*cursor);
                    if (events.len() as u64) < BATCH {
                        return Ok(Ok(()));
                    }
                }
                Replay::Reset { head, reason } => {
                    *cursor = head;
                    let frame = format!(
                        "id: {head}\nevent: reset\ndata: {}\n\n",
                        serde_json::json!({ "reason": reason })
                    );
                    return Ok(self.out.send(frame.into()).await.map_err(|_| Over));
                }
            }
        }
    }

    async fn send(&self, events: &[StoredEvent]) -> Result<(), Over> {
        let mut wanted = events.iter().filter(|event| self.filter.wants(event));
        let Some(first) = wanted.next() else {
            return Ok(());
        };
        let Some(second) = wanted.next() else {
            // The usual case: the bytes that all subscribers share.
            return self.out.send(first.frame.clone()).await.map_err(|_| Over);
        };
        let mut chunk = BytesMut::with_capacity(CHUNK);
        for event in [first, second].into_iter().chain(wanted) {
            if !chunk.is_empty() && chunk.len() + event.frame.len() > CHUNK {
                let full = chunk.split().freeze();
                self.out.send(full).await.map_err(|_| Over)?;
            }
            chunk.extend_from_slice(&event.frame);
        }
        self.out.send(chunk.freeze()).await.map_err(|_| Over)
    }

    /// Whether the session still lives and the user is still a member.
    async fn may_go_on(&self) -> Result<bool, DbErr> {
        let db = self.db.read();
        Ok(auth::session_exists(db, self.session).await?
            && auth::membership(db, self.user, self.scope.workspace())
                .await?
                .is_some())
    }
}

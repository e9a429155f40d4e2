//! One follower of the tree, or of the promises: how it is, then what changes.
//!
//! Parent: `live`. Children: none. Restart: temporary; the client comes back and gets a snapshot. The queue to the
//! connection is bounded and nothing waits in front of it: a reader that takes a frame late gets one larger change
//! instead of many small ones, and holds up nobody.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sea_orm::DbErr;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::dto::Promises;
use super::lately::Lately;
use super::model::Told;
use super::reader::TreeReader;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::http::sse;
use crate::supervision::{TreeSnapshot, TreeView};

/// How often the tree is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Everything that a follower needs.
pub(super) struct TreeSubscriber {
    pub db: Db,
    pub clock: SharedClock,
    pub view: TreeView,
    pub lately: Lately,
    pub reader: TreeReader,
    /// Whether it follows the promises instead of the tree.
    pub promises: bool,
    /// Operators by configuration, for looking again whether the reader is one.
    pub operators: Arc<[String]>,
    pub out: mpsc::Sender<Bytes>,
    /// The gateway stops.
    pub draining: CancellationToken,
}

/// The client went away, or shall go.
struct Over;

/// What the client has on its page.
enum Shown {
    Tree(Told),
    Promises(Promises),
}

impl TreeSubscriber {
    /// Runs until the client is gone, its right ends, the gateway stops, or it is time to rotate.
    pub(super) async fn run(self) -> Result<(), DbErr> {
        let rotate = Instant::now() + sse::ROTATE_AFTER;
        tokio::select! {
            outcome = self.follow() => match outcome? {
                Err(Over) => Ok(()),
                Ok(never) => match never {},
            },
            () = self.draining.cancelled() => Ok(()),
            () = tokio::time::sleep_until(rotate) => Ok(()),
        }
    }

    async fn follow(&self) -> Result<Result<Infallible, Over>, DbErr> {
        let (first, mut shown) = self.begin();
        if self.send(sse::hello()).await.is_err() || self.send(first).await.is_err() {
            return Ok(Err(Over));
        }
        let every = |period| {
            let mut interval = interval_at(Instant::now() + period, period);
            interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
            interval
        };
        let (mut look, mut beat) = (every(LOOK_EVERY), every(sse::BEAT_EVERY));
        loop {
            let sent = tokio::select! {
                _ = look.tick() => match self.news(&mut shown) {
                    Some(frame) => self.send(frame).await,
                    None => Ok(()),
                },
                _ = beat.tick() => {
                    if !self.reader.still_may(&self.db, &self.operators).await? {
                        return Ok(Err(Over));
                    }
                    self.send(sse::beat()).await
                }
                () = self.out.closed() => Err(Over),
            };
            if let Err(over) = sent {
                return Ok(Err(over));
            }
        }
    }

    /// The first frame, and what it showed.
    fn begin(&self) -> (Bytes, Shown) {
        let tree = self.look();
        if self.promises {
            let promises = Promises::now(tree.root.created_at);
            return (sse::frame("promises", &promises), Shown::Promises(promises));
        }
        let told = Told::of(&tree);
        (sse::frame("tree", &*tree), Shown::Tree(told))
    }

    /// What has changed since.
    fn news(&self, shown: &mut Shown) -> Option<Bytes> {
        match shown {
            Shown::Tree(told) => told
                .news(&self.look())
                .map(|delta| sse::frame("delta", &delta)),
            Shown::Promises(before) => {
                // They are few and short: whoever changed is told with the others.
                let now = Promises::now(before.since);
                (now != *before).then(|| {
                    *before = now;
                    sse::frame("promises", &*before)
                })
            }
        }
    }

    fn look(&self) -> Arc<TreeSnapshot> {
        let whole = self.lately.snapshot(&self.view, &self.clock);
        self.reader.part_of(&whole).map_or(whole, Arc::new)
    }

    async fn send(&self, frame: Bytes) -> Result<(), Over> {
        self.out.send(frame).await.map_err(|_| Over)
    }
}

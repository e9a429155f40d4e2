//! The feed of `/api/ops/tree/stream`: first the tree or the promises, then their changes, at most once a second. A
//! client that reads slowly gets one larger change instead of many small ones.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sea_orm::DbErr;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::dto::Promises;
use super::model::SentTree;
use super::reader::TreeReader;
use super::snapshot_cache::SnapshotCache;
use roost_platform::clock::SharedClock;
use roost_platform::supervision::{TreeSnapshot, TreeView};
use roost_tenancy::streams::{Feed, Gone, SendQueue};
use roost_web::sse;

/// The time between two reads of the tree.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The tree for one client.
pub(super) struct TreeFeed {
    pub clock: SharedClock,
    pub view: TreeView,
    pub snapshots: SnapshotCache,
    pub reader: TreeReader,
    /// Whether the client follows the promises instead of the tree.
    pub promises: bool,
}

/// What the client has received.
enum SentState {
    Tree(SentTree),
    Promises(Promises),
}

impl Feed for TreeFeed {
    async fn run(self, queue: SendQueue) -> Result<(), DbErr> {
        // The feed ends only when the client is gone.
        let Err(Gone) = self.follow(&queue).await;
        Ok(())
    }
}

impl TreeFeed {
    async fn follow(&self, queue: &SendQueue) -> Result<std::convert::Infallible, Gone> {
        let (first, mut sent_state) = self.begin();
        queue.send(first).await?;
        let mut tick = interval_at(Instant::now() + LOOK_EVERY, LOOK_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            // While the client has not taken the last frame, nothing is added. The next frame contains all changes.
            queue.drained().await?;
            if let Some(frame) = self.changes_since(&mut sent_state) {
                queue.send(frame).await?;
            }
        }
    }

    /// The first frame, and its content.
    fn begin(&self) -> (Bytes, SentState) {
        let tree = self.snapshot_now();
        if self.promises {
            let promises = Promises::now(tree.root.created_at);
            return (
                sse::frame("promises", &promises),
                SentState::Promises(promises),
            );
        }
        let sent = SentTree::of(&tree);
        (sse::frame("tree", &*tree), SentState::Tree(sent))
    }

    /// The changes since the last frame.
    fn changes_since(&self, sent_state: &mut SentState) -> Option<Bytes> {
        match sent_state {
            SentState::Tree(sent) => sent
                .changes_since(&self.snapshot_now())
                .map(|delta| sse::frame("delta", &delta)),
            SentState::Promises(before) => {
                // The promises are few and short, so one change sends all of them.
                let now = Promises::now(before.since);
                (now != *before).then(|| {
                    *before = now;
                    sse::frame("promises", &*before)
                })
            }
        }
    }

    fn snapshot_now(&self) -> Arc<TreeSnapshot> {
        let whole = self.snapshots.snapshot(&self.view, &self.clock);
        self.reader.part_of(&whole).map_or(whole, Arc::new)
    }
}

//! The feed of `/api/ops/tree/stream`: how the tree or the promises are, then what changes, at most once a second. A reader
//! that takes a frame late gets one larger change instead of many small ones.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use sea_orm::DbErr;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::dto::Promises;
use super::lately::Lately;
use super::model::Told;
use super::reader::TreeReader;
use crate::clock::SharedClock;
use crate::domains::live::{Feed, Gone, Outlet};
use crate::http::sse;
use crate::supervision::{TreeSnapshot, TreeView};

/// How often the tree is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The tree for one follower.
pub(super) struct TreeFeed {
    pub clock: SharedClock,
    pub view: TreeView,
    pub lately: Lately,
    pub reader: TreeReader,
    /// Whether it follows the promises instead of the tree.
    pub promises: bool,
}

/// What the follower has on its page.
enum Shown {
    Tree(Told),
    Promises(Promises),
}

impl Feed for TreeFeed {
    async fn run(self, outlet: Outlet) -> Result<(), DbErr> {
        // Only that the follower went away ends it.
        let Err(Gone) = self.follow(&outlet).await;
        Ok(())
    }
}

impl TreeFeed {
    async fn follow(&self, outlet: &Outlet) -> Result<std::convert::Infallible, Gone> {
        let (first, mut shown) = self.begin();
        outlet.send(first).await?;
        let mut look = interval_at(Instant::now() + LOOK_EVERY, LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            // What the follower has not taken yet is not added to: the next look has all of it.
            outlet.drained().await?;
            if let Some(frame) = self.news(&mut shown) {
                outlet.send(frame).await?;
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
}

//! The feed of `/api/ops/tree/stream`: the snapshot, then what changes, at most once a second. A reader that takes a frame
//! late gets one larger change instead of many small ones.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::DbErr;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

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
        let first = self.look();
        let mut told = Told::of(&first);
        outlet.send(sse::frame("tree", &*first)).await?;
        drop(first);
        let mut look = interval_at(Instant::now() + LOOK_EVERY, LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            // What the follower has not taken yet is not added to: the next look has all of it.
            outlet.drained().await?;
            if let Some(delta) = told.news(&self.look()) {
                outlet.send(sse::frame("delta", &delta)).await?;
            }
        }
    }

    fn look(&self) -> Arc<TreeSnapshot> {
        let whole = self.lately.snapshot(&self.view, &self.clock);
        self.reader.part_of(&whole).map_or(whole, Arc::new)
    }
}

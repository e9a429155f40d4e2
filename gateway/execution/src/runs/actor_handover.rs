//! How a live run moves to the gateway that holds the machine of a step. `handovers` has the rows.

use std::time::Duration;

use super::actor::{Msg, RunActor};
use super::fence::FenceError;
use super::handovers;
use super::model::Class;
use crate::topology::StepRef;
use roost_platform::events;
use roost_platform::kill_point;
use roost_platform::supervision::Context;

/// The shortest time that a run is left to another gateway. Each gateway looks at the queue once a second.
const LEAST: Duration = Duration::from_secs(3);

impl RunActor {
    /// Another gateway holds the machine of a step, so the run begins to move there. No job starts here any more.
    pub(super) async fn elsewhere(
        &mut self,
        cx: &Context<Msg>,
        at: StepRef,
        owner: String,
        detail: String,
    ) -> Result<(), FenceError> {
        if owner == self.runs.inner.owner {
            // The machine came here in the meantime.
            return self.failed(cx, at, Class::Away, detail, None).await;
        }
        self.leaves_to.get_or_insert(owner);
        Ok(())
    }

    /// Hands the run over as soon as no step works here. A step at work ends here first: it may use a machine that this
    /// gateway holds, and two gateways that interrupt each other's steps would finish none.
    pub(super) async fn hand_over(&mut self, cx: &Context<Msg>) -> Result<(), FenceError> {
        let Some(to) = &self.leaves_to else {
            return Ok(());
        };
        if self.over || !self.jobs.is_empty() || !self.resting.is_empty() {
            return Ok(());
        }
        let inner = &self.runs.inner;
        let mut tx = inner.db.write().await?;
        let while_ = LEAST.max(inner.lease / 3);
        let passed = handovers::hand_over(&tx, self.fence, to, while_).await?;
        let changed = self.fence.changed(passed.version);
        // Do this last: other writers of the workspace wait from here until the commit.
        events::append(&mut tx, self.fence.workspace, inner.clock.now(), [changed]).await?;
        kill_point!(cx, "runs.hand_over.before_commit");
        tx.commit().await?;
        kill_point!(cx, "runs.hand_over.after_commit");
        tracing::info!(run = %self.row.id, to, "the run continues on the gateway that holds its machine");
        self.over = true;
        cx.stop();
        self.runs.leaves_place(self.row.id);
        Ok(())
    }
}

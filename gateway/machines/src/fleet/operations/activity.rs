//! The begin and the end of work on machines, for the world view. They are ephemeral, and the transaction that appends
//! them takes the one writer of SQLite. So they wait for a moment, and a short command is over before they are written.
//!
//! Position of the worker: child of `fleet`; permanent. A crash loses the events that wait, which is allowed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use roost_platform::events::{EventLog, Stamped};
use roost_platform::ids::WorkspaceId;
use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages, Nudge};
use roost_tenancy::auth::WorkspaceScope;

/// How long they wait at most, besides the time of the event writer.
const WAIT: Duration = Duration::from_millis(40);
/// The worker looks this often although nothing nudged it.
const IDLE: Duration = Duration::from_secs(60);
/// The most events that wait. More are dropped.
const MOST: usize = 4_096;

/// The events that wait. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::fleet) struct Activities {
    waiting: Arc<Mutex<Vec<(WorkspaceId, Stamped)>>>,
    nudge: Nudge,
}

impl Activities {
    pub(super) fn put(&self, workspace: WorkspaceId, event: Stamped) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push((workspace, event));
        }
        drop(waiting);
        self.nudge.nudge();
    }

    fn take(&self) -> Vec<(WorkspaceId, Stamped)> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The worker that appends them.
    pub(in crate::fleet) fn worker(&self, events: EventLog) -> ChildSpec<NoMessages> {
        let (this, nudge) = (self.clone(), self.nudge.clone());
        ChildSpec::periodic("activity", ActorKind::Worker, IDLE, &nudge, move |_| {
            let (this, events) = (this.clone(), events.clone());
            async move {
                tokio::time::sleep(WAIT).await;
                for (workspace, event) in this.take() {
                    events.emit(WorkspaceScope::of_row(workspace), event).await;
                }
                Ok(())
            }
        })
        .serves("the begin and end of work, in the world view")
    }
}

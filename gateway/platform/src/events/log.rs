//! The handle for ephemeral events. It finds or starts the workspace's writer and hands the event over.

use std::sync::Arc;

use super::writer::{self, EventWriter};
use super::{Hub, Stamped};
use crate::WorkspaceScope;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::ids::SharedIds;
use crate::supervision::{ActorKind, ChildSpec, SupervisorHandle, Tenant};

/// Emits ephemeral events. Cheap to clone. Facts do not use it: they are appended in their own transaction.
#[derive(Clone)]
pub struct EventLog {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    hub: Hub,
    clock: SharedClock,
    ids: SharedIds,
    writers: SupervisorHandle,
}

impl EventLog {
    /// `writers` is the supervisor of the writers.
    pub fn new(
        db: Db,
        hub: Hub,
        clock: SharedClock,
        ids: SharedIds,
        writers: SupervisorHandle,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                hub,
                clock,
                ids,
                writers,
            }),
        }
    }

    /// The hub of the live subscribers.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    /// Hands an ephemeral event to the workspace's writer. It is in the log within 50 ms. If no writer accepts it, it
    /// is dropped and counted: no code may depend on an ephemeral event.
    pub async fn emit(&self, scope: WorkspaceScope, event: impl Into<Stamped>) {
        let name = format!("writer:{}", scope.workspace());
        let message = writer::Msg::Append(event.into());
        let writer = match self.inner.writers.find(&name) {
            Some(writer) => Ok(writer),
            None => {
                self.inner
                    .writers
                    .ensure_child(self.spec(name, scope))
                    .await
            }
        };
        let refused = match writer {
            Ok(writer) => writer.cast(message).is_err(),
            Err(error) => {
                tracing::warn!(%error, "an event writer did not start");
                true
            }
        };
        if refused {
            metrics::counter!("roost_events_dropped_total").increment(1);
        }
    }

    fn spec(&self, name: String, scope: WorkspaceScope) -> ChildSpec<writer::Msg> {
        let inner = self.inner.clone();
        ChildSpec::actor::<EventWriter>(name, ActorKind::EventWriter, move || writer::Args {
            db: inner.db.clone(),
            clock: inner.clock.clone(),
            scope,
            owner: inner.ids.next().to_string(),
        })
        .tenant(Tenant::new(scope.workspace()))
        .serves("ephemeral events")
        .mailbox_bound(10_000)
        .drains()
    }
}

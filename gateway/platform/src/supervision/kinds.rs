//! All kinds of actors in one table: how each is owned and how long it lives. The roster, the test of two gateways on
//! one database, and people read it. A new kind of actor is a new row here.

use serde::Serialize;
use utoipa::ToSchema;

/// Which gateway may run an actor of a kind when several share one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ownership {
    /// A row with owner and epoch names the gateway that runs it. Every write is conditional on the epoch. If a write
    /// changes no row, the actor stops at once and discards its work.
    Leased,
    /// It lives in the gateway that has its socket. Another gateway cannot run it.
    SocketBound,
    /// Every gateway runs its own.
    Local,
}

/// How long an actor of a kind lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// It has a fixed name in the tree from start to shutdown. After its end it stays visible as a tombstone.
    Static,
    /// It exists as long as the thing that it serves. It leaves the roster when it ends cleanly.
    Temporary,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident, $slug:literal, $ownership:ident, $lifetime:ident;)+) => {
        /// Every kind of actor that the gateway knows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum ActorKind { $($(#[doc = $doc])+ $variant,)+ }

        impl ActorKind {
            /// The whole table, in its written order.
            pub const ALL: &'static [ActorKind] = &[$(ActorKind::$variant),+];

            /// The name on the wire and in the text tree, snake_case.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ }
            }

            /// Which gateway may run it when several share one database.
            pub const fn ownership(self) -> Ownership {
                match self { $(Self::$variant => Ownership::$ownership,)+ }
            }

            /// Whether it is part of the fixed tree or temporary.
            pub const fn lifetime(self) -> Lifetime {
                match self { $(Self::$variant => Lifetime::$lifetime,)+ }
            }

            /// One sentence for people.
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)+ }
            }
        }
    };
}

kinds! {
    /// Starts, watches and restarts its children.
    Supervisor, "supervisor", Local, Static;
    /// Runs long work of one actor or request beside it, and ends with the work.
    Job, "job", Local, Temporary;
    /// Repeats one task on a period or when nudged.
    Worker, "worker", Local, Static;
    /// Delivers events to subscribers: those of another gateway, and those that arrived out of order.
    EventRelay, "event_relay", Local, Static;
    /// Wakes many subscribers in batches, so that other work is not delayed.
    WakeBatches, "wake_batches", Local, Static;
    /// Ends the streams whose session or membership has ended.
    StreamWatch, "stream_watch", Local, Static;
    /// Times the heartbeats and the ends of all streams.
    StreamClock, "stream_clock", Local, Static;
    /// Writes the bytes of streams to their connections.
    StreamSender, "stream_sender", Local, Static;
    /// Writes what the owners of runs write, in group commits.
    Committer, "committer", Local, Static;
    /// Appends one workspace's ephemeral events in group commits.
    EventWriter, "event_writer", Leased, Temporary;
    /// Appends the hashes of the audit chain.
    AuditChain, "audit_chain", Leased, Static;
    /// One paired machine: owns its connection, operations and streams.
    Node, "node", SocketBound, Temporary;
    /// Writes the latest health of nodes in batches.
    HealthWriter, "health_writer", Local, Static;
    /// The container engine on the gateway's own host.
    LocalEngine, "local_engine", Local, Static;
    /// Starts the secret broker's process and keeps it running.
    SecretBroker, "secret_broker", Local, Static;
    /// Requests the deletion of unused credentials from the secret broker.
    CredentialSweeper, "credential_sweeper", Local, Static;
    /// Records refused sign-ins in the audit log.
    RefusedSignIns, "refused_sign_ins", Local, Static;
    /// Sends the queued mails.
    MailSender, "mail_sender", Leased, Static;
    /// Queues notices about runs for the people who want them.
    MailNotices, "mail_notices", Leased, Static;
    /// Performs approved actions of agents, and ends requests that were not decided in time.
    DoorExecutor, "door_executor", Local, Static;
    /// Removes containers that no row claims any more.
    OrphanSweeper, "orphan_sweeper", Leased, Static;
    /// Assigns each pending sync of a code host to one gateway.
    RepoSync, "repo_sync", Leased, Static;
    /// Assigns each repository mirror that must be fetched or removed to one gateway.
    RepoMirror, "repo_mirror", Leased, Static;
    /// Continues interrupted sagas until they are complete.
    SagaDriver, "saga_driver", Leased, Static;
    /// One live topology run.
    Run, "run", Leased, Temporary;
    /// One live mission.
    Mission, "mission", Leased, Temporary;
    /// Makes pending PDF artifacts with a process of its own for each.
    PdfRenderer, "pdf_renderer", Leased, Static;
    /// Fires the routines that are due, and notes the ends of what they started.
    RoutineScheduler, "routine_scheduler", Leased, Static;
    /// Lets a model write the narratives of summary cards.
    Summarizer, "summarizer", Leased, Static;
    /// Puts stale runs back into the queue.
    RunSweeper, "run_sweeper", Leased, Static;
    /// One subscriber of live events.
    Subscriber, "subscriber", SocketBound, Temporary;
    /// Accepts the public HTTP connections.
    HttpListener, "http_listener", Local, Static;
    /// Accepts the operators' HTTP connections.
    OperatorListener, "operator_listener", Local, Static;
    /// Returns unused memory to the system.
    MemoryTrimmer, "memory_trimmer", Local, Static;
    /// Deletes what is past its retention.
    RetentionSweeper, "retention_sweeper", Leased, Static;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_kind_is_called_on_the_wire_as_its_slug_says_and_no_two_share_one() {
        let mut seen = HashSet::new();
        for kind in ActorKind::ALL {
            let wire = serde_json::to_value(kind).expect("a unit variant serialises");
            assert_eq!(wire, kind.slug(), "{kind:?}");
            assert!(seen.insert(kind.slug()), "{} twice", kind.slug());
        }
    }
}

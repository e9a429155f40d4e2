//! What kinds of actors exist, as one table: how each is owned and how long it lives. Read by the roster, by the
//! test of two gateways on one database, and by people. A new kind of actor is a new row here.

use serde::Serialize;
use utoipa::ToSchema;

/// Who may run an actor of a kind when several gateways share one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ownership {
    /// A row with owner and epoch says which gateway runs it. Every write is conditional on the epoch; zero rows
    /// changed means: stop at once and discard.
    Leased,
    /// It lives where its socket ends; another gateway cannot have it.
    SocketBound,
    /// Every gateway runs its own.
    Local,
}

/// How long an actor of a kind lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// Named in the tree from start to shutdown; stays visible as a tombstone after it ended.
    Static,
    /// Comes and goes with the thing it serves; leaves the roster when it ends well.
    Temporary,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident, $slug:literal, $ownership:ident, $lifetime:ident;)+) => {
        /// Every kind of actor that the gateway knows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum ActorKind { $($(#[doc = $doc])+ $variant,)+ }

        impl ActorKind {
            /// The whole table, in the order in which it is written.
            pub const ALL: &'static [ActorKind] = &[$(ActorKind::$variant),+];

            /// The name on the wire and in the text tree, snake_case.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ }
            }

            /// Who may run it when several gateways share one database.
            pub const fn ownership(self) -> Ownership {
                match self { $(Self::$variant => Ownership::$ownership,)+ }
            }

            /// Whether it is part of the fixed tree or comes and goes.
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
    /// Long work of one actor or request, run beside it and gone when it is done.
    Job, "job", Local, Temporary;
    /// Does one thing again and again on a period or when nudged.
    Worker, "worker", Local, Static;
    /// Tells subscribers what another gateway committed, or what came out of order.
    EventRelay, "event_relay", Local, Static;
    /// Wakes a crowd of subscribers in parts, so that other work is not held up.
    EventWakes, "event_wakes", Local, Static;
    /// Ends the streams whose session or membership is gone.
    StreamWatch, "stream_watch", Local, Static;
    /// Appends one workspace's ephemeral events in group commits.
    EventWriter, "event_writer", Leased, Temporary;
    /// Appends the hashes of the audit chain.
    AuditChain, "audit_chain", Leased, Static;
    /// One paired machine: owns its connection, operations and streams.
    Node, "node", SocketBound, Temporary;
    /// Reads or writes one node's socket.
    NodeSocket, "node_socket", SocketBound, Temporary;
    /// Evaluates the rules that drain, undrain and alert.
    RuleEvaluator, "rule_evaluator", Leased, Static;
    /// Looks up the latest versions of the tools that nodes report.
    ToolVersionCheck, "tool_version_check", Leased, Static;
    /// Reads metrics from the users' monitoring hubs.
    MetricsPoller, "metrics_poller", Leased, Static;
    /// Writes the latest health of nodes in batches.
    HealthWriter, "health_writer", Local, Static;
    /// The container engine on the gateway's own host.
    LocalEngine, "local_engine", Local, Static;
    /// One sandbox at work.
    Sandbox, "sandbox", Leased, Temporary;
    /// Starts the secret broker's process and keeps it running.
    SecretBroker, "secret_broker", Local, Static;
    /// Has the secret broker forget what nothing belongs to any more.
    CredentialSweeper, "credential_sweeper", Local, Static;
    /// Performs what people approved for agents, and ends what nobody decided.
    DoorKeeper, "door_keeper", Local, Static;
    /// Removes containers that no row claims any more.
    OrphanSweeper, "orphan_sweeper", Leased, Static;
    /// Gives out the syncs of code hosts that are wanted, each to one gateway.
    RepoSync, "repo_sync", Leased, Static;
    /// Gives out mirrors of repositories that are wanted, or shall go, each to one gateway.
    RepoMirror, "repo_mirror", Leased, Static;
    /// Finishes or undoes sagas that were cut off.
    SagaDriver, "saga_driver", Leased, Static;
    /// One live topology run.
    Run, "run", Leased, Temporary;
    /// Puts stale runs back into the queue.
    RunSweeper, "run_sweeper", Leased, Static;
    /// One live mission.
    Mission, "mission", Leased, Temporary;
    /// Turns the text of runs into tasks.
    TaskParser, "task_parser", Leased, Static;
    /// Renders queued reports as PDF.
    PdfRenderer, "pdf_renderer", Leased, Static;
    /// Writes the summary card of an ended phase.
    Summarizer, "summarizer", Leased, Static;
    /// One agent at work.
    Agent, "agent", Leased, Temporary;
    /// One conversation room.
    Room, "room", Leased, Temporary;
    /// One scheduled or triggered routine.
    Routine, "routine", Leased, Temporary;
    /// One open terminal.
    Terminal, "terminal", SocketBound, Temporary;
    /// One subscriber of live events.
    Subscriber, "subscriber", SocketBound, Temporary;
    /// Accepts the public HTTP connections.
    HttpListener, "http_listener", Local, Static;
    /// Accepts the operators' HTTP connections.
    OperatorListener, "operator_listener", Local, Static;
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

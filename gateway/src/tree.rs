//! The supervision tree as data: every static child, its restart policy, its order. Starts go downwards, stops upwards.
//!
//! ```text
//! roost
//! ├─ foundation   secret broker (where this gateway starts it) · committer · credential sweeper · refused sign-ins · mail sender · mail notices · door executor · saga driver · audit chain · event relay · wake batches · stream watch · retention · event retention
//! ├─ events       one writer for each workspace that has ephemeral events
//! ├─ live         one actor for each open stream
//! ├─ operations   work that operators requested
//! ├─ fleet        one actor for each paired machine · recovery · health writer
//! ├─ sandboxes    transitions · local engine (where `sandboxes.local` is on) · facts · recovery
//! ├─ repos        sync scheduler and syncs · mirror scheduler and mirrors
//! ├─ runs         one actor for each live run · lease renewer · sweeper · claimer · telemetry
//! ├─ missions     one actor for each live mission · scheduler · PDF renderer · routines
//! └─ http         operator listener · certificate (where `tls` is set) · public listener (last up, first down)
//! ```

use std::time::Duration;

use crate::app::notices::{self, Notices};
use crate::app::retention;
use crate::edge::server::certificate::Certificate;
use crate::edge::server::serve::{self, Listener};
use roost_connections::doors::{self, ApprovalExecutor};
use roost_execution::runs::Lane;
use roost_platform::broker::outbox::{self, CredentialSweeper};
use roost_platform::broker::{self, Embedded};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::{Hub, WakeBatches, relay};
use roost_platform::memory;
use roost_platform::sagas::SagaDriver;
use roost_platform::supervision::{
    ActorKind, AnyChild, ChildSpec, Nudge, SupervisorHandle, SupervisorSpec,
};
use roost_tenancy::audit::{self, ChainWriter};
use roost_tenancy::auth::{OpenStreams, REFUSED_PERIOD, RefusedSignIns, STREAM_WATCH_PERIOD};
use roost_tenancy::mail::{self, MailWorker};
use roost_tenancy::streams::LiveHandle;

/// The parts of the tree.
pub struct Parts {
    pub db: Db,
    pub hub: Hub,
    pub sagas: SagaDriver,
    pub saga_nudge: Nudge,
    pub audit_chain: ChainWriter,
    pub open_streams: OpenStreams,
    /// Open streams: their timer and their sender are workers.
    pub live: LiveHandle,
    pub clock: SharedClock,
    /// The secret broker, where this gateway starts it.
    pub broker: Option<Embedded>,
    pub refused_sign_ins: RefusedSignIns,
    pub mail: MailWorker,
    pub mail_nudge: Nudge,
    pub notices: Notices,
    pub credentials: CredentialSweeper,
    pub credential_nudge: Nudge,
    pub doors: ApprovalExecutor,
    pub door_nudge: Nudge,
    pub sweeper: retention::Sweeper,
    pub branches: Branches,
    /// The branch `fleet`.
    pub fleet: AnyChild,
    /// The branch `sandboxes`.
    pub sandboxes: SupervisorSpec,
    /// The branch `repos`.
    pub repos: SupervisorSpec,
    /// The branch `runs`.
    pub runs: SupervisorSpec,
    /// The branch `missions`.
    pub missions: SupervisorSpec,
    /// The committer of runs.
    pub committer: Lane,
    pub public: Listener,
    pub operator: Listener,
}

/// Supervisors of children that come and go. They are created first, because handlers need their handles.
pub struct Branches {
    events: AnyChild,
    live: AnyChild,
    operations: AnyChild,
}

/// The handles of [`Branches`].
#[derive(Clone)]
pub struct Handles {
    pub events: SupervisorHandle,
    pub live: SupervisorHandle,
    pub operations: SupervisorHandle,
}

/// Creates the supervisors of children that come and go, and their handles.
pub fn branches() -> (Branches, Handles) {
    let branch = |name: &str, serves: &str| SupervisorSpec::new(name).serves(serves).with_handle();
    let (events, events_handle) = branch("events", "writers of ephemeral events");
    let (live, live_handle) = branch("live", "open streams");
    let (operations, operations_handle) = branch("operations", "what operators asked for");
    (
        Branches {
            events,
            live,
            operations,
        },
        Handles {
            events: events_handle,
            live: live_handle,
            operations: operations_handle,
        },
    )
}

/// How often the sagas are checked without a nudge, because another replica may have written.
const SAGA_PERIOD: Duration = Duration::from_secs(2);

/// The root and all static children.
pub fn root(parts: Parts) -> SupervisorSpec {
    SupervisorSpec::new("roost")
        .child(foundation(&parts))
        .child(parts.branches.events)
        .child(parts.branches.live)
        .child(parts.branches.operations)
        .child(parts.fleet)
        .child(parts.sandboxes)
        .child(parts.repos)
        .child(parts.runs)
        .child(parts.missions)
        .child(http(parts.public, parts.operator))
}

fn foundation(parts: &Parts) -> SupervisorSpec {
    let sagas = parts.sagas.clone();
    let (db, hub) = (parts.db.clone(), parts.hub.clone());
    let batches = parts.hub.wake_batches().clone();
    let (sweeper, event_sweeper) = (parts.sweeper.clone(), parts.sweeper.clone());
    let (credentials, doors) = (parts.credentials.clone(), parts.doors.clone());
    let (sender, noticed) = (parts.mail.clone(), parts.notices.clone());
    let refused = parts.refused_sign_ins.clone();
    let chain = parts.audit_chain.clone();
    let (streams, clock) = (parts.open_streams.clone(), parts.clock.clone());
    let watched = parts.db.clone();
    let foundation = SupervisorSpec::new("foundation").serves("what everything else rests on");
    let foundation = match parts.broker.clone() {
        Some(embedded) => foundation.child(broker::child(embedded)),
        None => foundation,
    };
    foundation
        .child(parts.committer.child())
        .child(ChildSpec::periodic(
            "credential-sweeper",
            ActorKind::CredentialSweeper,
            outbox::PERIOD,
            &parts.credential_nudge,
            move |_| {
                let credentials = credentials.clone();
                async move { Ok(credentials.sweep().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "refused-sign-ins",
            ActorKind::RefusedSignIns,
            REFUSED_PERIOD,
            &Nudge::default(),
            move |_| {
                let refused = refused.clone();
                async move { Ok(refused.record_all().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "mail-sender",
            ActorKind::MailSender,
            mail::PERIOD,
            &parts.mail_nudge,
            move |_| {
                let mail = sender.clone();
                async move { Ok(mail.run_pass().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "mail-notices",
            ActorKind::MailNotices,
            notices::PERIOD,
            &Nudge::default(),
            move |_| {
                let notices = noticed.clone();
                async move { Ok(notices.run_pass().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "door-executor",
            ActorKind::DoorExecutor,
            doors::PERIOD,
            &parts.door_nudge,
            move |_| {
                let doors = doors.clone();
                async move { Ok(doors.run_pass().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "saga-driver",
            ActorKind::SagaDriver,
            SAGA_PERIOD,
            &parts.saga_nudge,
            move |_| {
                let sagas = sagas.clone();
                async move { Ok(sagas.run_due().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "audit-chain",
            ActorKind::AuditChain,
            audit::PERIOD,
            &Nudge::default(),
            move |_| {
                let chain = chain.clone();
                async move { Ok(chain.append_all().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "event-relay",
            ActorKind::EventRelay,
            relay::PERIOD,
            parts.hub.gap(),
            move |_| {
                let (db, hub) = (db.clone(), hub.clone());
                async move { Ok(relay::deliver_missed(&db, &hub).await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "wake-batches",
            ActorKind::WakeBatches,
            WakeBatches::PERIOD,
            parts.hub.wake_batches().nudge(),
            move |_| {
                let batches = batches.clone();
                async move {
                    batches.wake_rest().await;
                    Ok(())
                }
            },
        ))
        .child(ChildSpec::periodic(
            "stream-watch",
            ActorKind::StreamWatch,
            STREAM_WATCH_PERIOD,
            parts.open_streams.nudge(),
            move |_| {
                let (streams, db, clock) = (streams.clone(), watched.clone(), clock.clone());
                async move { Ok(streams.end_revoked(&db, &clock).await?) }
            },
        ))
        .child(parts.live.clock())
        .child(parts.live.sender())
        .child(ChildSpec::periodic(
            "memory-trimmer",
            ActorKind::MemoryTrimmer,
            memory::PERIOD,
            &Nudge::default(),
            move |_| async {
                memory::give_back().await;
                Ok(())
            },
        ))
        .child(ChildSpec::periodic(
            "retention",
            ActorKind::RetentionSweeper,
            retention::PERIOD,
            &Nudge::default(),
            move |_| {
                let sweeper = sweeper.clone();
                async move { Ok(sweeper.sweep().await?) }
            },
        ))
        .child(ChildSpec::periodic(
            "event-retention",
            ActorKind::RetentionSweeper,
            retention::EVENTS_PERIOD,
            &Nudge::default(),
            move |_| {
                let sweeper = event_sweeper.clone();
                async move { Ok(sweeper.sweep_events().await?) }
            },
        ))
}

fn http(public: Listener, operator: Listener) -> SupervisorSpec {
    let certificate = public.tls.as_ref().map(Certificate::child);
    let branch = SupervisorSpec::new("http").serves("the listeners");
    let branch = match certificate {
        Some(certificate) => branch.child(certificate),
        None => branch,
    };
    branch
        .child(serve::child(
            "operator",
            ActorKind::OperatorListener,
            operator,
        ))
        .child(serve::child("public", ActorKind::HttpListener, public))
}

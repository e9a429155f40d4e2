//! Opening a stream: a route takes a slot, creates the queue, starts the actor, and answers with the queue's receiver.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::response::Response;
use sea_orm::DbErr;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::actor::{Parts, Source, StreamMsg, Subscriber};
use super::clock::{StreamClock, Timing};
use super::events::EventFeed;
use super::send_queue::{self, SendQueue, SendQueueReader};
use super::sender::StreamSender;
use super::slots::{Limits, Slot, Slots};
use super::wire::Wire;
use crate::auth::{Authority, HeldByItself, OpenStreams};
use roost_platform::ids::{SharedIds, UserId, WorkspaceId};
use roost_platform::supervision::{
    ActorKind, ChildSpec, NoMessages, Restart, SupervisorHandle, Tenant,
};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::sse;

/// The content of a stream. A feed puts frames into the queue until it has no more. It does not handle heartbeats,
/// rotation or the end. It is dropped at an await when the stream ends.
pub trait Feed: Send + 'static {
    /// Runs for the stream's whole life.
    fn run(self, queue: SendQueue) -> impl Future<Output = Result<(), DbErr>> + Send;
}

/// What is opened, and for which user.
pub struct Opening {
    /// The first part of the actor's name.
    pub what: &'static str,
    /// The authority of the stream. Absent on the operators' listener, where access is itself the permission.
    pub authority: Option<Authority>,
    /// The workspace whose data the stream shows; absent for the whole deployment.
    pub workspace: Option<WorkspaceId>,
    /// The name that people see.
    pub serves: String,
    /// The connection of the request.
    pub wire: Wire,
}

/// Opens streams. Cheap to clone.
#[derive(Clone)]
pub struct LiveHandle {
    inner: Arc<Inner>,
}

struct Inner {
    slots: Slots,
    open: OpenStreams,
    ids: SharedIds,
    /// The supervisor below which the actors live.
    live: SupervisorHandle,
    clock: StreamClock,
    sender: StreamSender,
    draining: CancellationToken,
}

/// An admitted stream: its slot is taken and its queue exists.
pub struct Admission {
    live: LiveHandle,
    opening: Opening,
    slot: Slot,
    queue: SendQueue,
    reader: SendQueueReader,
}

impl LiveHandle {
    /// `draining` is cancelled when the gateway begins to stop, so that open streams do not delay the stop.
    pub fn new(
        limits: Limits,
        open: OpenStreams,
        ids: SharedIds,
        live: SupervisorHandle,
        draining: CancellationToken,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                slots: Slots::new(limits),
                open,
                ids,
                live,
                clock: StreamClock::default(),
                sender: StreamSender::default(),
                draining,
            }),
        }
    }

    /// The timer of all streams, as a worker.
    pub fn clock(&self) -> ChildSpec<NoMessages> {
        let inner = Arc::clone(&self.inner);
        ChildSpec::worker("stream-clock", ActorKind::StreamClock, move |_| {
            let inner = Arc::clone(&inner);
            async move {
                inner.clock.run(&inner.open, &inner.draining).await;
                Ok(())
            }
        })
    }

    #[cfg(test)]
    pub(super) fn stream_clock(&self) -> &StreamClock {
        &self.inner.clock
    }

    /// The sender of all streams, as a worker.
    pub fn sender(&self) -> ChildSpec<NoMessages> {
        let sender = self.inner.sender.clone();
        ChildSpec::worker_that_winds_down("stream-sender", ActorKind::StreamSender, move |cx| {
            let sender = sender.clone();
            async move {
                sender.run(cx.cancellation()).await;
                Ok(())
            }
        })
    }

    /// Takes a slot.
    ///
    /// # Errors
    /// 429 when the user or the workspace has the most streams that are allowed.
    pub fn admit(&self, opening: Opening) -> ApiResult<Admission> {
        let user = opening
            .authority
            .as_ref()
            .map_or(UserId::SYSTEM, |authority| authority.user);
        let slot = self.inner.slots.take(user, opening.workspace)?;
        let (queue, reader) = send_queue::pair();
        queue.offer_heartbeat(sse::hello());
        Ok(Admission {
            live: self.clone(),
            opening,
            slot,
            queue,
            reader,
        })
    }
}

impl Admission {
    /// The queue, for what must be connected to it before the stream begins.
    pub fn queue(&self) -> &SendQueue {
        &self.queue
    }

    /// Starts the actor of a feed and answers.
    ///
    /// # Errors
    /// When the gateway is stopping.
    pub async fn open(self, feed: impl Feed) -> ApiResult<Response> {
        let work = Box::pin(feed.run(self.queue.clone()));
        self.start(Source::Feed(Some(work))).await
    }

    /// As [`open`](Self::open), for the events of a workspace.
    ///
    /// # Errors
    /// When the gateway is stopping.
    pub async fn open_events(self, feed: EventFeed) -> ApiResult<Response> {
        self.start(Source::Events(Arc::new(feed))).await
    }

    async fn start(self, source: Source) -> ApiResult<Response> {
        let live = &self.live.inner;
        let id = live.ids.next();
        // Spread over time, so that streams that were opened together do not reconnect together.
        let early = Duration::from_millis((id.as_u128() % 60_000) as u64);
        let parts = Parts {
            source,
            queue: self.queue.clone(),
            timing: Timing {
                beat_every: sse::BEAT_EVERY,
                ends: Instant::now() + sse::ROTATE_AFTER - early,
                hold: self
                    .opening
                    .authority
                    .map(|authority| live.open.hold(authority)),
            },
            clock: live.clock.clone(),
            draining: live.draining.clone(),
            slot: self.slot,
        };
        let parts = Mutex::new(Some(Box::new(parts)));
        let spec: ChildSpec<StreamMsg> = ChildSpec::actor::<Subscriber>(
            format!("{}:{id}", self.opening.what),
            ActorKind::Subscriber,
            move || parts.lock().unwrap_or_else(PoisonError::into_inner).take(),
        )
        .restart(Restart::Temporary)
        .unrepeatable()
        .serves(self.opening.serves)
        .lag(move || self.queue.lag());
        let spec = match self.opening.workspace {
            Some(workspace) => spec.tenant(Tenant::new(workspace)),
            None => spec,
        };
        live.live.start_child(spec).await.map_err(|error| {
            ApiError::new(Code::Unavailable)
                .retry_after(2)
                .caused_by(error)
        })?;
        let mut response = self.opening.wire.answer(self.reader, &live.sender);
        response.extensions_mut().insert(HeldByItself);
        Ok(response)
    }
}

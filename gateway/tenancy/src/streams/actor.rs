//! One open stream. The actor decides over its life: catching up, its time, its authority, its end (`phase.rs`). The
//! bytes do not pass through it: the hub puts them into the stream's queue, and the connection takes them from there.
//! While the stream is live, the actor only waits for messages. It has no timer: `clock.rs` has one for all streams.
//!
//! Parent: `live`. Children: the work that reads the log or follows something. Restart: temporary; the client
//! reconnects, with its cursor where there is one.

use std::sync::Arc;

use futures::future::BoxFuture;
use sea_orm::DbErr;
use tokio_util::sync::CancellationToken;

use super::clock::{Registered, StreamClock, Timing};
use super::events::EventFeed;
use super::phase::{Input, Phase, Step};
use super::send_queue::SendQueue;
use super::slots::Slot;
use roost_platform::supervision::{Context, Failure, JobFailure, JobHandle, Serve};

/// What a stream's actor is told.
#[derive(Debug)]
pub(super) enum StreamMsg {
    /// Something happened to the stream.
    Happened(Input),
    /// Its work has ended.
    WorkEnded(Result<Result<(), DbErr>, JobFailure>),
}

/// What a stream sends.
pub(super) enum Source {
    /// The events of a workspace: work only while the connection is behind.
    Events(Arc<EventFeed>),
    /// A feed that works as long as the stream lives. Taken when the work starts.
    Feed(Option<BoxFuture<'static, Result<(), DbErr>>>),
}

/// Everything that a stream needs.
pub(super) struct Parts {
    pub(super) source: Source,
    pub(super) queue: SendQueue,
    pub(super) timing: Timing,
    pub(super) clock: StreamClock,
    /// Cancelled when the gateway stops.
    pub(super) draining: CancellationToken,
    pub(super) slot: Slot,
}

/// The actor.
pub(super) struct Subscriber {
    source: Source,
    queue: EndWhenDropped,
    phase: Phase,
    work: Option<JobHandle>,
    _registered: Registered,
    /// The slot is free when the connection is gone, not when the work has ended.
    _slot: Slot,
}

impl Serve for Subscriber {
    type Msg = StreamMsg;
    /// Absent at a second start, which never comes.
    type Args = Option<Box<Parts>>;

    async fn start(parts: Self::Args, cx: &Context<StreamMsg>) -> Result<Self, Failure> {
        let parts = *parts.ok_or("a stream is opened once")?;
        let queue = EndWhenDropped(parts.queue);
        // From here on nothing about the stream is missed.
        let address = cx.address();
        let gone = queue.0.report_to(move |input| {
            // An actor that has just ended needs no reports.
            drop(address.cast(StreamMsg::Happened(input)));
        });
        let registered = parts.clock.register(queue.0.clone(), parts.timing);
        let (phase, step) = Phase::begin(parts.source.is_live());
        let mut stream = Self {
            source: parts.source,
            queue,
            phase,
            work: None,
            _registered: registered,
            _slot: parts.slot,
        };
        stream.take(step, cx);
        if gone {
            cx.cast_self(StreamMsg::Happened(Input::ConnectionGone))?;
        } else if parts.draining.is_cancelled() {
            cx.cast_self(StreamMsg::Happened(Input::GatewayStops))?;
        }
        Ok(stream)
    }

    async fn handle(&mut self, message: StreamMsg, cx: &Context<StreamMsg>) -> Result<(), Failure> {
        let input = match message {
            StreamMsg::Happened(input) => input,
            StreamMsg::WorkEnded(outcome) => {
                self.work = None;
                match (outcome, &self.source) {
                    (Ok(done), Source::Events(_)) => {
                        done?;
                        Input::CaughtUp
                    }
                    (Ok(done), Source::Feed(_)) => {
                        done?;
                        Input::WorkOver
                    }
                    (Err(JobFailure::Cancelled), _) => Input::WorkOver,
                    (Err(failure), _) => return Err(failure.into()),
                }
            }
        };
        let step = self.phase.on(input);
        self.take(step, cx);
        Ok(())
    }
}

impl Subscriber {
    fn take(&mut self, step: Step, cx: &Context<StreamMsg>) {
        match step {
            Step::Nothing => {}
            Step::Work => {
                if let Some(work) = self.source.work() {
                    self.work = Some(cx.job("work", work, StreamMsg::WorkEnded));
                }
            }
            Step::End => {
                self.cancel_work();
                self.queue.0.end();
            }
            Step::Cut => {
                self.cancel_work();
                self.queue.0.discard();
            }
            Step::Stop => cx.stop(),
        }
    }

    fn cancel_work(&mut self) {
        if let Some(work) = self.work.take() {
            work.cancel();
        }
    }
}

impl Source {
    /// Whether the connection needs nothing from the log now.
    fn is_live(&self) -> bool {
        match self {
            Self::Events(feed) => feed.is_live(),
            Self::Feed(_) => false,
        }
    }

    fn work(&mut self) -> Option<BoxFuture<'static, Result<(), DbErr>>> {
        match self {
            Self::Events(feed) => {
                let feed = feed.clone();
                Some(Box::pin(async move {
                    // A connection that went away meanwhile reports it by itself.
                    feed.catch_up().await?.ok();
                    Ok(())
                }))
            }
            Self::Feed(work) => work.take(),
        }
    }
}

/// The connection ends however its actor ends.
struct EndWhenDropped(SendQueue);

impl Drop for EndWhenDropped {
    fn drop(&mut self) {
        self.0.report_to_nobody();
        self.0.end();
    }
}

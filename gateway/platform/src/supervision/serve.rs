//! The contract of an actor, and the adapter that runs it on ractor. The adapter counts messages, opens the tracing
//! span, passes the general kill points and waits for jobs at a stop. The actor's struct is its state. `start` creates
//! it, so a restart uses fresh arguments and the store, never the memory of a crashed actor.
//!
//! Position: any leaf of the tree. Parent: its supervisor. Children: its jobs. Restart: by its specification.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tracing::{Instrument, Span};

use super::birth::{Birth, LiveGuard};
use super::carried::Carried;
use super::context::Context;
use super::failure::Failure;
use super::roster::Entry;
use super::spec::Tenant;
use crate::kill_point;

/// An actor: one message enum, a state, and the handling of messages.
pub trait Serve: Sized + Send + 'static {
    /// The message type. Requests are imperative (reply port last), notifications are in the past tense.
    type Msg: Send + 'static;
    /// The start arguments, made new for each start.
    type Args: Send + 'static;

    /// Creates the actor. An error at the very first start goes to the caller that started it. At a restart it counts
    /// as one more failure.
    fn start(
        args: Self::Args,
        cx: &Context<Self::Msg>,
    ) -> impl Future<Output = Result<Self, Failure>> + Send;

    /// Handles one message. Slow awaits belong in a job. An error ends this incarnation.
    fn handle(
        &mut self,
        message: Self::Msg,
        cx: &Context<Self::Msg>,
    ) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Runs at an ordered stop, not after a failure or a kill. No code may depend on it.
    fn stop(
        &mut self,
        cx: &Context<Self::Msg>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = cx;
        async { Ok(()) }
    }
}

/// Makes the arguments of a start.
pub(super) type FreshArgs<S> = Arc<dyn Fn() -> <S as Serve>::Args + Send + Sync>;

/// Runs an `S` as a ractor actor.
pub(super) struct Served<S> {
    _actor: PhantomData<fn(S)>,
}

impl<S> Served<S> {
    pub(super) fn new() -> Self {
        Self {
            _actor: PhantomData,
        }
    }
}

/// A living `S`. The guard is dropped last: when its token fires, everything is gone.
pub(super) struct Live<S: Serve> {
    actor: Option<S>,
    cx: Context<S::Msg>,
    birth: Birth,
    guard: Option<LiveGuard>,
}

impl<S: Serve> Actor for Served<S> {
    type Msg = Carried<S::Msg>;
    type State = Live<S>;
    type Arguments = (Birth, FreshArgs<S>);

    async fn pre_start(
        &self,
        myself: ActorRef<Carried<S::Msg>>,
        (mut birth, args): Self::Arguments,
    ) -> Result<Live<S>, ActorProcessingErr> {
        let guard = birth.publish(&myself.get_cell());
        let cx = Context::new(&birth, myself.get_cell(), guard.gauge());
        let actor = S::start(args(), &cx).instrument(span(&birth.entry)).await?;
        Ok(Live {
            actor: Some(actor),
            cx,
            birth,
            guard: Some(guard),
        })
    }

    /// The future is on the heap only while a message is handled. Otherwise each actor would reserve its largest state
    /// for as long as it lives, and most actors wait most of the time.
    fn handle(
        &self,
        _: ActorRef<Carried<S::Msg>>,
        Carried { message, sender }: Carried<S::Msg>,
        live: &mut Live<S>,
    ) -> impl Future<Output = Result<(), ActorProcessingErr>> + Send {
        Box::pin(async move {
            let Live {
                actor: Some(actor),
                cx,
                ..
            } = live
            else {
                return Ok(());
            };
            let span = span_below(&sender, &cx.entry);
            async {
                kill_point!(cx, "actor.before_handle");
                actor.handle(message, cx).await?;
                kill_point!(cx, "actor.after_handle");
                cx.gauge.done();
                Ok(())
            }
            .instrument(span)
            .await
        })
    }

    async fn post_stop(
        &self,
        _: ActorRef<Carried<S::Msg>>,
        live: &mut Live<S>,
    ) -> Result<(), ActorProcessingErr> {
        let Live {
            actor: Some(actor),
            cx,
            ..
        } = live
        else {
            return Ok(());
        };
        actor.stop(cx).instrument(span(&cx.entry)).await?;
        cx.cancel.cancel();
        if let Some(jobs) = cx.entry.branch_if_any() {
            for job in jobs.entries() {
                for gone in job.signs_of_life() {
                    gone.cancelled().await;
                }
            }
        }
        live.actor = None;
        live.birth.mark_clean();
        live.guard = None;
        Ok(())
    }

    /// ractor's default handler would stop this actor when one of its jobs ends. Jobs report their end themselves.
    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Carried<S::Msg>>,
        _: SupervisionEvent,
        _: &mut Live<S>,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}

/// The tracing span for everything that an actor logs.
pub(super) fn span(entry: &Entry) -> Span {
    span_below(&Span::current(), entry)
}

/// As [`span`], below the span of a message's sender.
fn span_below(sender: &Span, entry: &Entry) -> Span {
    tracing::info_span!(
        parent: sender,
        "actor",
        path = entry.path(),
        kind = entry.meta.kind.slug(),
        tenant = entry.meta.tenant.as_ref().map(Tenant::as_str),
        serves = entry.meta.serves.as_deref(),
    )
}

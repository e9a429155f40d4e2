//! The contract of an actor, and the adapter that runs it on ractor: counts messages, opens the tracing span, passes
//! the general kill points, winds down jobs. The actor's struct is its state; `start` makes it, so a restart begins
//! from fresh arguments and from what the store says, never from what a crash left in memory.
//!
//! Position: any leaf of the tree. Parent: its supervisor. Children: its jobs. Restart: by its specification.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tracing::Instrument;

use super::birth::{Birth, LiveGuard};
use super::context::Context;
use super::failure::Failure;
use super::roster::Entry;
use super::spec::Tenant;
use crate::kill_point;

/// An actor: one message enum, a state, and what it does with the one in the other.
pub trait Serve: Sized + Send + 'static {
    /// Imperative for requests (reply port last), past tense for notifications.
    type Msg: Send + 'static;
    /// What it is started with; made afresh at each start.
    type Args: Send + 'static;

    /// Comes to life. An error at the very first start goes to whoever started it; at a restart it counts as
    /// one more failure.
    fn start(
        args: Self::Args,
        cx: &Context<Self::Msg>,
    ) -> impl Future<Output = Result<Self, Failure>> + Send;

    /// Handles one message. Awaits nothing slow (that is a job). An error ends this incarnation.
    fn handle(
        &mut self,
        message: Self::Msg,
        cx: &Context<Self::Msg>,
    ) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Says goodbye: runs at an ordered stop, not after a failure or a kill. Nothing may depend on it.
    fn stop(
        &mut self,
        cx: &Context<Self::Msg>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = cx;
        async { Ok(()) }
    }
}

/// Makes the arguments of one start.
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

/// A living `S`. The guard is dropped last: when it says "gone", everything is.
pub(super) struct Live<S: Serve> {
    actor: Option<S>,
    cx: Context<S::Msg>,
    birth: Birth,
    guard: Option<LiveGuard>,
}

impl<S: Serve> Actor for Served<S> {
    type Msg = S::Msg;
    type State = Live<S>;
    type Arguments = (Birth, FreshArgs<S>);

    async fn pre_start(
        &self,
        myself: ActorRef<S::Msg>,
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

    async fn handle(
        &self,
        _: ActorRef<S::Msg>,
        message: S::Msg,
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
        let span = span(&cx.entry);
        async {
            kill_point!(cx, "actor.before_handle");
            actor.handle(message, cx).await?;
            kill_point!(cx, "actor.after_handle");
            cx.gauge.done();
            Ok(())
        }
        .instrument(span)
        .await
    }

    async fn post_stop(
        &self,
        _: ActorRef<S::Msg>,
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

    /// Ractor's own handler would stop this actor when one of its jobs ends. Jobs report for themselves.
    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<S::Msg>,
        _: SupervisionEvent,
        _: &mut Live<S>,
    ) -> Result<(), ActorProcessingErr> {
        Ok(())
    }
}

/// The span in which everything that an actor does is logged.
pub(super) fn span(entry: &Entry) -> tracing::Span {
    tracing::info_span!(
        "actor",
        path = entry.path(),
        kind = entry.meta.kind.slug(),
        tenant = entry.meta.tenant.as_ref().map(Tenant::as_str),
        serves = entry.meta.serves.as_deref(),
    )
}

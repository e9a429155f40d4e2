//! The supervisor: an actor that starts its children in order and handles the end of each. It restarts the child, gives
//! up or escalates, as `restart.rs` decides.
//!
//! Position: inner nodes of the tree. Parent: another supervisor; the root has no parent. Children: static ones from
//! its specification, dynamic ones at run time. Restart: permanent. Its static children restart with it. Other code
//! must start its dynamic ones again (a static "recovery" worker that reads the store).
//!
//! Two rules differ from Erlang's on purpose. First, each dynamic child has its own allowance of restarts and becomes a
//! visible tombstone when it is used up, because one tenant's broken machine must not stop the branch of all others.
//! Static children share one allowance and escalate. Second, the first start of a child is never repeated: its error
//! goes to the caller.

mod child;
mod ending;
mod escalation;
mod exits;
mod requests;
mod starting;

use std::sync::Arc;

use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use tracing::Instrument;

use super::address::{Address, Reply};
use super::birth::{Birth, LiveGuard, spawn};
use super::branch::Branch;
use super::carried::Carried;
use super::failure::StartError;
use super::handle::SupervisorHandle;
use super::kinds::ActorKind;
use super::restart::{BackOff, Intensity, Restart};
use super::spec::{AnyChild, ChildMeta, ChildSpec, Starter, Tenant};

pub(super) use starting::{Started, start_child};

use child::SupervisorState;

/// Requests to a supervisor, and reports of its own tasks.
pub enum SupervisorMsg {
    /// Start this child and answer when it runs.
    StartChild(AnyChild, Reply<Result<(), StartError>>),
    /// Stop this child if it lives, start it, and answer when it runs.
    RestartChild(String, Reply<Result<(), StartError>>),
    /// A start has finished.
    #[doc(hidden)]
    ChildStarted(ChildStarted),
    /// A stop has finished.
    #[doc(hidden)]
    ChildStopped(ChildStopped),
    /// A wait before a restart has ended.
    #[doc(hidden)]
    BackOffElapsed(BackOffElapsed),
}

/// See [`SupervisorMsg::ChildStarted`].
pub struct ChildStarted {
    name: String,
    attempt: u64,
    outcome: Result<Started, StartError>,
}

/// See [`SupervisorMsg::ChildStopped`].
pub struct ChildStopped {
    name: String,
    attempt: u64,
}

/// See [`SupervisorMsg::BackOffElapsed`].
pub struct BackOffElapsed {
    name: String,
    attempt: u64,
}

/// A supervisor and its static children, as data.
pub struct SupervisorSpec {
    meta: ChildMeta,
    plan: Plan,
    tombstones: usize,
}

/// The part of the specification that the actor keeps.
#[derive(Clone)]
pub(super) struct Plan {
    intensity: Intensity,
    back_off: BackOff,
    children: Vec<AnyChild>,
}

impl SupervisorSpec {
    /// A supervisor without children.
    pub fn new(name: impl Into<String>) -> Self {
        let mut meta = ChildMeta::new(name, ActorKind::Supervisor);
        meta.grace = None;
        meta.start_within = None;
        let (intensity, back_off) = (Intensity::default(), BackOff::default());
        let plan = Plan {
            intensity,
            back_off,
            children: Vec::new(),
        };
        Self {
            meta,
            plan,
            tombstones: 32,
        }
    }

    /// Sets how many restarts are normal. The static children share this allowance; each dynamic child has its own.
    pub fn intensity(mut self, intensity: Intensity) -> Self {
        self.plan.intensity = intensity;
        self
    }

    /// Sets the waits before restarts.
    pub fn back_off(mut self, back_off: BackOff) -> Self {
        self.plan.back_off = back_off;
        self
    }

    /// Sets the workspace that the whole branch works for.
    pub fn tenant(mut self, tenant: Tenant) -> Self {
        self.meta.tenant = Some(tenant);
        self
    }

    /// Sets the purpose of the branch, in words.
    pub fn serves(mut self, thing: impl Into<String>) -> Self {
        self.meta.serves = Some(thing.into());
        self
    }

    /// Sets the restart policy of the supervisor itself (default: permanent).
    pub fn restart(mut self, policy: Restart) -> Self {
        self.meta.restart = policy;
        self
    }

    /// Sets how many failed dynamic children stay visible (default: 32).
    pub fn tombstones(mut self, count: usize) -> Self {
        self.tombstones = count;
        self
    }

    /// Adds a static child. Children start in this order and stop in reverse.
    pub fn child(mut self, child: impl Into<AnyChild>) -> Self {
        self.plan.children.push(child.into());
        self
    }

    /// The finished child and its handle, which is valid from now on.
    pub fn with_handle(self) -> (AnyChild, SupervisorHandle) {
        let branch = Branch::supervised(self.tombstones);
        let (child, address) = self.into_spec(&branch).with_address();
        (child, SupervisorHandle::new(address, branch))
    }

    fn into_spec(self, branch: &Arc<Branch>) -> ChildSpec<SupervisorMsg> {
        let (plan, own_branch) = (self.plan, Arc::clone(branch));
        let starter: Starter = Arc::new(move |birth| {
            let parent = birth.parent_cell();
            let handle = SupervisorHandle::new(
                Address::new(Arc::clone(&birth.entry)),
                Arc::clone(&own_branch),
            );
            Box::pin(spawn(parent, Supervisor, (birth, plan.clone(), handle)))
        });
        ChildSpec::with(self.meta, starter).owning(Arc::clone(branch))
    }
}

impl From<SupervisorSpec> for AnyChild {
    fn from(spec: SupervisorSpec) -> Self {
        spec.with_handle().0
    }
}

/// The ractor actor.
pub(super) struct Supervisor;

/// Its state. The guard is dropped last.
pub(super) struct Supervising {
    running: Option<SupervisorState>,
    birth: Birth,
    guard: Option<LiveGuard>,
}

impl Actor for Supervisor {
    type Msg = Carried<SupervisorMsg>;
    type State = Supervising;
    type Arguments = (Birth, Plan, SupervisorHandle);

    async fn pre_start(
        &self,
        myself: ActorRef<Carried<SupervisorMsg>>,
        (mut birth, plan, handle): Self::Arguments,
    ) -> Result<Supervising, ActorProcessingErr> {
        let guard = birth.publish(&myself.get_cell());
        let mut running =
            SupervisorState::new(&birth, myself.get_cell(), plan, handle, guard.gauge());
        running.start_statics().await?;
        Ok(Supervising {
            running: Some(running),
            birth,
            guard: Some(guard),
        })
    }

    async fn handle(
        &self,
        _: ActorRef<Carried<SupervisorMsg>>,
        Carried { message, sender }: Carried<SupervisorMsg>,
        state: &mut Supervising,
    ) -> Result<(), ActorProcessingErr> {
        let Some(running) = &mut state.running else {
            return Ok(());
        };
        let outcome = running.dispatch(message).instrument(sender).await;
        running.done();
        Ok(outcome?)
    }

    async fn handle_supervisor_evt(
        &self,
        _: ActorRef<Carried<SupervisorMsg>>,
        event: SupervisionEvent,
        state: &mut Supervising,
    ) -> Result<(), ActorProcessingErr> {
        let Some(running) = &mut state.running else {
            return Ok(());
        };
        Ok(running.on_event(event).await?)
    }

    async fn post_stop(
        &self,
        _: ActorRef<Carried<SupervisorMsg>>,
        state: &mut Supervising,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(mut running) = state.running.take() {
            running.stop_all().await;
        }
        state.birth.mark_clean();
        state.guard = None;
        Ok(())
    }
}

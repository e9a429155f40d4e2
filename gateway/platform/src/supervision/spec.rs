//! Child specifications: a child's identity and restart rules as data, and the closure that creates it at each start. A
//! specification also creates the child's address before the child lives, so handles can be passed around first and
//! need no later wiring.

use std::any::TypeId;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ractor::{ActorCell, SpawnErr};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::address::Address;
use super::birth::{Birth, spawn};
use super::branch::Branch;
use super::failure::StartError;
use super::kinds::{ActorKind, Lifetime};
use super::lag::{Lag, LagReader};
use super::restart::Restart;
use super::roster::Entry;
use super::serve::{FreshArgs, Serve, Served};

/// Failed jobs that an actor's entry keeps for operators.
pub(super) const JOB_TOMBSTONES: usize = 8;

/// The workspace that an actor works for. Absent for actors that serve the whole deployment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Tenant(String);

impl Tenant {
    /// From a workspace id, in its usual text form.
    pub fn new(workspace_id: impl fmt::Display) -> Self {
        Self(workspace_id.to_string())
    }

    /// The workspace id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The part of a specification that is data.
#[derive(Debug, Clone)]
pub struct ChildMeta {
    /// Unique among its siblings; the last part of its path.
    pub name: String,
    /// Its kind.
    pub kind: ActorKind,
    /// The workspace that it works for.
    pub tenant: Option<Tenant>,
    /// The thing that it serves, in people's words ("node kitchen-pc", "127.0.0.1:7667").
    pub serves: Option<String>,
    /// Whether it is restarted after its end.
    pub restart: Restart,
    /// How long it may take to stop before it is killed. `None`: it limits itself (supervisors do).
    pub grace: Option<Duration>,
    /// How long its start may take. `None`: it limits itself.
    pub start_within: Option<Duration>,
    /// Messages that may wait in its mailbox before senders are refused.
    pub mailbox_bound: Option<usize>,
    /// Whether it handles the messages in its mailbox before it stops.
    pub drains: bool,
    /// Whether its mailbox is shown (a job's is not).
    pub counts_messages: bool,
    /// Reads how far the connection that it feeds is behind.
    pub(super) lag: Option<LagReader>,
    /// Whether it can be started again. An actor of one connection or one piece of work cannot.
    pub repeatable: bool,
}

impl ChildMeta {
    pub(super) fn new(name: impl Into<String>, kind: ActorKind) -> Self {
        let restart = match kind.lifetime() {
            Lifetime::Static => Restart::Permanent,
            Lifetime::Temporary => Restart::Transient,
        };
        Self {
            name: name.into(),
            kind,
            tenant: None,
            serves: None,
            restart,
            grace: Some(Duration::from_secs(5)),
            start_within: Some(Duration::from_secs(30)),
            mailbox_bound: None,
            drains: false,
            counts_messages: true,
            lag: None,
            repeatable: true,
        }
    }

    pub(super) fn check_name(&self) -> Result<(), StartError> {
        let length = self.name.chars().count();
        let visible = self
            .name
            .chars()
            .all(|c| c != '/' && !c.is_control() && !c.is_whitespace());
        if (1..=160).contains(&length) && visible {
            return Ok(());
        }
        Err(StartError::BadName {
            name: self.name.clone(),
        })
    }
}

pub(super) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
pub(super) type Starter =
    Arc<dyn Fn(Birth) -> BoxFuture<Result<ActorCell, SpawnErr>> + Send + Sync>;

/// A child that takes messages of type `M`.
pub struct ChildSpec<M> {
    meta: ChildMeta,
    starter: Starter,
    branch: Option<Arc<Branch>>,
    _messages: PhantomData<fn(M)>,
}

/// A child without its message type: the form that supervisors hold.
#[derive(Clone)]
pub struct AnyChild {
    pub(super) entry: Arc<Entry>,
    pub(super) starter: Starter,
}

impl<M: Send + 'static> ChildSpec<M> {
    /// An actor that `S` implements. `args` is called for each start, so a restart gets fresh arguments.
    pub fn actor<S: Serve<Msg = M>>(
        name: impl Into<String>,
        kind: ActorKind,
        args: impl Fn() -> S::Args + Send + Sync + 'static,
    ) -> Self {
        let args = Arc::new(args);
        let starter: Starter = Arc::new(move |birth| {
            let (args, parent) = (Arc::clone(&args) as FreshArgs<S>, birth.parent_cell());
            Box::pin(spawn(parent, Served::<S>::new(), (birth, args)))
        });
        Self::with(ChildMeta::new(name, kind), starter)
    }

    pub(super) fn with(meta: ChildMeta, starter: Starter) -> Self {
        Self {
            meta,
            starter,
            branch: None,
            _messages: PhantomData,
        }
    }

    pub(super) fn owning(mut self, branch: Arc<Branch>) -> Self {
        self.branch = Some(branch);
        self
    }

    /// The part that is data.
    pub fn meta(&self) -> &ChildMeta {
        &self.meta
    }

    /// Sets the workspace that it works for.
    pub fn tenant(mut self, tenant: Tenant) -> Self {
        self.meta.tenant = Some(tenant);
        self
    }

    /// Sets the thing that it serves, in people's words.
    pub fn serves(mut self, thing: impl Into<String>) -> Self {
        self.meta.serves = Some(thing.into());
        self
    }

    /// Sets the restart policy. The default is permanent for static kinds and transient for temporary ones.
    pub fn restart(mut self, policy: Restart) -> Self {
        self.meta.restart = policy;
        self
    }

    /// Sets how long it may take to stop before it is killed (default: 5 s).
    pub fn grace(mut self, grace: Duration) -> Self {
        self.meta.grace = Some(grace);
        self
    }

    /// Sets how long its start may take (default: 30 s).
    pub fn start_within(mut self, limit: Duration) -> Self {
        self.meta.start_within = Some(limit);
        self
    }

    /// Refuses senders with [`NoAnswer::Full`](super::NoAnswer::Full) when this many messages wait.
    pub fn mailbox_bound(mut self, messages: usize) -> Self {
        self.meta.mailbox_bound = Some(messages);
        self
    }

    /// Sets how to read the backlog of the connection that it feeds. It is called for each snapshot of the tree.
    pub fn lag(mut self, read: impl Fn() -> Lag + Send + Sync + 'static) -> Self {
        self.meta.lag = Some(LagReader::new(read));
        self
    }

    /// Marks it as bound to one connection or one piece of work: it cannot be restarted, not even by operators.
    pub fn unrepeatable(mut self) -> Self {
        self.meta.repeatable = false;
        self
    }

    /// Makes it handle the messages in its mailbox before it stops, instead of dropping them.
    pub fn drains(mut self) -> Self {
        self.meta.drains = true;
        self
    }

    /// The finished specification and the child's address, which is valid from now on and across all restarts.
    pub fn with_address(self) -> (AnyChild, Address<M>) {
        let child = AnyChild::from(self);
        let address = Address::new(Arc::clone(&child.entry));
        (child, address)
    }
}

impl<M: Send + 'static> From<ChildSpec<M>> for AnyChild {
    fn from(spec: ChildSpec<M>) -> Self {
        let entry = Entry::new(spec.meta, TypeId::of::<M>());
        if let Some(branch) = spec.branch {
            entry.set_branch(branch);
        }
        Self {
            entry,
            starter: spec.starter,
        }
    }
}

impl AnyChild {
    /// Its name among its siblings.
    pub fn name(&self) -> &str {
        &self.entry.meta.name
    }

    /// The part that is data.
    pub fn meta(&self) -> &ChildMeta {
        &self.entry.meta
    }
}

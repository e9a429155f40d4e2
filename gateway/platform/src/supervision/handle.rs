//! A supervisor's handle: starts, finds and restarts its children. It exists before the supervisor and stays valid
//! across its restarts.

use std::any::TypeId;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::address::Address;
use super::branch::Branch;
use super::failure::{Failure, StartError};
use super::job::JobContext;
use super::kinds::ActorKind;
use super::roster::ActorState;
use super::spec::{ChildSpec, Tenant};
use super::supervisor::SupervisorMsg;
use super::worker::NoMessages;

/// The time that a supervisor needs for its answer in addition to its child's own limits.
const MARGIN: Duration = Duration::from_secs(15);
/// How long a caller waits for a child that limits itself (a nested supervisor).
const SELF_BOUNDED: Duration = Duration::from_secs(300);

/// The interface of a supervisor for the rest of the gateway. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SupervisorHandle {
    address: Address<SupervisorMsg>,
    branch: Arc<Branch>,
}

impl SupervisorHandle {
    pub(super) fn new(address: Address<SupervisorMsg>, branch: Arc<Branch>) -> Self {
        Self { address, branch }
    }

    pub(super) fn address(&self) -> &Address<SupervisorMsg> {
        &self.address
    }

    pub(super) fn branch(&self) -> &Arc<Branch> {
        &self.branch
    }

    /// The supervisor's stable id.
    pub fn path(&self) -> &str {
        self.address.path()
    }

    /// Starts a child and waits until it runs. If its start fails, the error is returned and no child stays behind.
    pub async fn start_child<M: Send + 'static>(
        &self,
        spec: ChildSpec<M>,
    ) -> Result<Address<M>, StartError> {
        let (child, address) = spec.with_address();
        let within = child
            .meta()
            .start_within
            .map_or(SELF_BOUNDED, |limit| limit + MARGIN);
        self.address
            .call(within, |reply| SupervisorMsg::StartChild(child, reply))
            .await??;
        Ok(address)
    }

    /// The address of the child with that name. It is started now if it does not exist.
    pub async fn ensure_child<M: Send + 'static>(
        &self,
        spec: ChildSpec<M>,
    ) -> Result<Address<M>, StartError> {
        let name = spec.meta().name.clone();
        if let Some(present) = self.find_living(&name) {
            return Ok(present);
        }
        match self.start_child(spec).await {
            Err(StartError::NameTaken { path }) => {
                self.find(&name).ok_or(StartError::NameTaken { path })
            }
            started => started,
        }
    }

    /// Stops a child if it lives and starts it again with an empty history. It also starts a child that failed
    /// permanently.
    pub async fn restart_child(&self, name: &str) -> Result<(), StartError> {
        let limits = |limit: Option<Duration>| limit.unwrap_or(SELF_BOUNDED);
        let within = match self.branch.get(name) {
            Some(entry) => limits(entry.meta.grace) + limits(entry.meta.start_within) + MARGIN,
            None => return Err(self.missing(name)),
        };
        self.address
            .call(within, |reply| {
                SupervisorMsg::RestartChild(name.to_owned(), reply)
            })
            .await?
    }

    /// The address of a child, by name. `None`: there is no such child, or it takes other messages.
    pub fn find<M: Send + 'static>(&self, name: &str) -> Option<Address<M>> {
        let entry = self.branch.get(name)?;
        (entry.message_type == TypeId::of::<M>()).then(|| Address::new(entry))
    }

    fn find_living<M: Send + 'static>(&self, name: &str) -> Option<Address<M>> {
        let ended = |state| {
            matches!(
                state,
                ActorState::Stopping | ActorState::Stopped | ActorState::Failed
            )
        };
        self.find(name)
            .filter(|address: &Address<M>| !ended(address.state()))
    }

    /// Names of all children in the order of their start, tombstones included.
    pub fn names(&self) -> Vec<String> {
        self.branch
            .entries()
            .iter()
            .map(|entry| entry.meta.name.clone())
            .collect()
    }

    /// Names of the children that live or will be restarted, in the order of their start.
    pub fn living(&self) -> Vec<String> {
        let lives = |state| {
            matches!(
                state,
                ActorState::Starting | ActorState::Running | ActorState::BackingOff
            )
        };
        let entries = self.branch.entries();
        let living = entries.iter().filter(|entry| lives(entry.life().state));
        living.map(|entry| entry.meta.name.clone()).collect()
    }

    /// The number of children, tombstones included.
    pub fn len(&self) -> usize {
        self.branch.len()
    }

    /// Whether there are no children.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs work that belongs to no actor, once. When the supervisor stops, the work is dropped at its next await. A
    /// failure is logged and stays in the roster for a while.
    pub async fn spawn_job<F>(
        &self,
        name: impl Into<String>,
        tenant: Option<Tenant>,
        work: impl FnOnce(JobContext) -> F + Send + 'static,
    ) -> Result<Address<NoMessages>, StartError>
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let spec = ChildSpec::once(name, ActorKind::Job, work);
        let spec = match tenant {
            Some(tenant) => spec.tenant(tenant),
            None => spec,
        };
        self.start_child(spec).await
    }

    pub(super) fn missing(&self, name: &str) -> StartError {
        StartError::NotRestartable {
            path: format!("{}/{name}", self.path()),
            why: "there is no such child",
        }
    }
}

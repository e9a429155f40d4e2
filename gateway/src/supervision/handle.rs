//! The handle of a supervisor: start, stop, find and restart its children. Exists before the supervisor does and
//! stays good across its restarts.

use std::any::TypeId;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::address::Address;
use super::branch::Branch;
use super::failure::{Failure, NoAnswer, StartError};
use super::job::JobContext;
use super::kinds::ActorKind;
use super::roster::ActorState;
use super::spec::{ChildSpec, Tenant};
use super::supervisor::SupervisorMsg;
use super::worker::NoMessages;

/// What a supervisor needs on top of its child's own limits before it must have answered.
const MARGIN: Duration = Duration::from_secs(15);
/// How long we wait for a child that bounds itself (a nested supervisor).
const SELF_BOUNDED: Duration = Duration::from_secs(300);

/// All that the rest of the gateway sees of a supervisor. Cheap to clone.
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

    /// Starts a child and waits until it is up. An error of its start comes back here and nothing stays behind.
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

    /// The address of the child of that name, started now if there is none.
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

    /// Stops a child within its grace, else kills it, and waits until it is gone. A dynamic child leaves the
    /// roster, a static one stays as a tombstone. Stopping what is not there is no error.
    pub async fn stop_child(&self, name: &str) -> Result<(), NoAnswer> {
        let Some(entry) = self.branch.get(name) else {
            return Ok(());
        };
        let within = entry
            .meta
            .grace
            .map_or(SELF_BOUNDED, |grace| grace + MARGIN);
        self.address
            .call(within, |reply| {
                SupervisorMsg::StopChild(name.to_owned(), reply)
            })
            .await
    }

    /// Stops a child if it lives and starts it afresh, with a clean record. Brings back what has failed for good.
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

    /// The address of a child, by name. `None`: there is none, or it takes other messages.
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

    /// Names of the children that live, or are about to live again, in the order of their start.
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

    /// How many children there are, tombstones included.
    pub fn len(&self) -> usize {
        self.branch.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs work that belongs to no actor, once. It is dropped at an await when the supervisor stops; a failure
    /// is logged and stays in the roster for a while.
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

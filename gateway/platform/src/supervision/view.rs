//! The readers' view of a running tree: snapshots, and the operator's restart. Cheap to clone; it is a part of the HTTP
//! state. It keeps no actor alive.

use std::sync::Arc;

use super::address::Address;
use super::failure::StartError;
use super::handle::SupervisorHandle;
use super::roster::PastEnd;
use super::snapshot::TreeSnapshot;
use super::tree::TreeContext;

/// The reason why an actor that is created only once cannot be restarted.
pub(super) const RUNS_ONCE: &str = "it is work that runs once";
const ROOT: &str = "it is the root; restart the gateway instead";
const NOBODY: &str = "there is no such actor";
const A_JOB: &str = "there is no such actor, or it is the job of an actor";

/// A view of a running tree.
#[derive(Debug, Clone)]
pub struct TreeView {
    context: TreeContext,
    root: SupervisorHandle,
}

impl TreeView {
    pub(super) fn new(context: TreeContext, root: SupervisorHandle) -> Self {
        Self { context, root }
    }

    /// The tree now.
    pub fn snapshot(&self) -> TreeSnapshot {
        TreeSnapshot::take(&self.context, self.root.address().entry())
    }

    /// Stops the actor with that id if it lives and starts it again with an empty history. A supervisor restarts with
    /// its static children. The root, jobs of actors and one-shot jobs cannot be restarted.
    pub async fn restart(&self, id: &str) -> Result<(), StartError> {
        let refuse = |why| StartError::NotRestartable {
            path: id.to_owned(),
            why,
        };
        let Some((parent_id, name)) = id.rsplit_once('/') else {
            return Err(refuse(if id == self.root.path() { ROOT } else { NOBODY }));
        };
        let parent = self.supervisor(parent_id).ok_or_else(|| refuse(A_JOB))?;
        parent.restart_child(name).await
    }

    /// Why [`restart`](Self::restart) would refuse this actor, known without a message to it; `None` when it would try.
    pub fn why_not_restartable(&self, id: &str) -> Option<&'static str> {
        let Some((parent_id, name)) = id.rsplit_once('/') else {
            return Some(if id == self.root.path() { ROOT } else { NOBODY });
        };
        let Some(parent) = self.supervisor(parent_id) else {
            return Some(A_JOB);
        };
        match parent.branch().get(name) {
            None => Some(NOBODY),
            Some(entry) if !entry.meta.repeatable => Some(RUNS_ONCE),
            Some(_) => None,
        }
    }

    /// The latest ends of an actor, oldest first; empty for an unknown id.
    pub fn past_ends(&self, id: &str) -> Vec<PastEnd> {
        let root = self.root.address().entry();
        let found = if id == root.path() {
            Some(Arc::clone(root))
        } else {
            id.rsplit_once('/').and_then(|(parent, name)| {
                self.supervisor(parent)
                    .and_then(|parent| parent.branch().get(name))
            })
        };
        found.map_or_else(Vec::new, |entry| {
            entry.life().past.iter().cloned().collect()
        })
    }

    /// The supervisor with that id.
    fn supervisor(&self, id: &str) -> Option<SupervisorHandle> {
        let mut names = id.split('/');
        if names.next() != Some(self.root.path()) {
            return None;
        }
        let mut present = self.root.clone();
        for name in names {
            let entry = present.branch().get(name)?;
            let branch = entry
                .branch_if_any()
                .filter(|branch| branch.is_supervised())?
                .clone();
            present = SupervisorHandle::new(Address::new(entry), branch);
        }
        Some(present)
    }
}

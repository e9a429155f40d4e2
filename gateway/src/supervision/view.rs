//! The readers' view of a running tree: snapshots, and the operator's restart. Cheap to clone; goes into the HTTP
//! state. Holding it keeps no actor alive.

use super::address::Address;
use super::failure::StartError;
use super::handle::SupervisorHandle;
use super::snapshot::TreeSnapshot;
use super::tree::TreeContext;

/// See the module.
#[derive(Debug, Clone)]
pub struct TreeView {
    context: TreeContext,
    root: SupervisorHandle,
}

impl TreeView {
    pub(super) fn new(context: TreeContext, root: SupervisorHandle) -> Self {
        Self { context, root }
    }

    /// The tree right now.
    pub fn snapshot(&self) -> TreeSnapshot {
        TreeSnapshot::take(&self.context, self.root.address().entry())
    }

    /// Stops the actor of that id if it lives and starts it afresh, with a clean record. Supervisors restart with
    /// their static children. The root, jobs of actors and one-shot jobs cannot be restarted.
    pub async fn restart(&self, id: &str) -> Result<(), StartError> {
        let refuse = |why| StartError::NotRestartable {
            path: id.to_owned(),
            why,
        };
        let Some((parent_id, name)) = id.rsplit_once('/') else {
            return Err(refuse(if id == self.root.path() {
                "it is the root; restart the gateway instead"
            } else {
                "there is no such actor"
            }));
        };
        let parent = self
            .supervisor(parent_id)
            .ok_or_else(|| refuse("there is no such actor, or it is the job of an actor"))?;
        parent.restart_child(name).await
    }

    /// The supervisor of that id.
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
                .filter(|branch| branch.strategy().is_some())?
                .clone();
            present = SupervisorHandle::new(Address::new(entry), branch);
        }
        Some(present)
    }
}

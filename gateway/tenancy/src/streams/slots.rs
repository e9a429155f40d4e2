//! The limits on open streams of a user and a workspace.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roost_platform::ids::{UserId, WorkspaceId};
use roost_web::error::{ApiError, ApiResult, Code};

/// The limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub a_user: usize,
    pub a_workspace: usize,
}

/// Counts the open streams. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    open: Arc<Mutex<Open>>,
    most: Limits,
}

#[derive(Debug, Default)]
struct Open {
    users: HashMap<UserId, usize>,
    workspaces: HashMap<WorkspaceId, usize>,
}

/// One open stream. The slot is returned on drop.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Slots,
    user: UserId,
    workspace: Option<WorkspaceId>,
}

impl Slots {
    pub(super) fn new(most: Limits) -> Self {
        Self {
            open: Arc::default(),
            most,
        }
    }

    /// Takes a slot of the user, and of the workspace when the stream belongs to one.
    ///
    /// # Errors
    /// 429 when all are taken.
    pub(super) fn take(&self, user: UserId, workspace: Option<WorkspaceId>) -> ApiResult<Slot> {
        let mut open = self.lock();
        let held = open.users.get(&user).copied().unwrap_or(0);
        if held >= self.most.a_user {
            return Err(full(
                "You hold",
                held,
                "close other tabs or clients",
                "streams_per_user",
            ));
        }
        if let Some(workspace) = workspace {
            let held = open.workspaces.get(&workspace).copied().unwrap_or(0);
            if held >= self.most.a_workspace {
                return Err(full(
                    "This workspace holds",
                    held,
                    "a member must close some",
                    "streams_per_workspace",
                ));
            }
            *open.workspaces.entry(workspace).or_default() += 1;
        }
        *open.users.entry(user).or_default() += 1;
        drop(open);
        metrics::gauge!("roost_live_subscribers").increment(1.0);
        Ok(Slot {
            slots: self.clone(),
            user,
            workspace,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing panics while it holds this lock. If it did, the counts would still be valid.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn full(who: &str, held: usize, what_to_do: &str, key: &str) -> ApiError {
    metrics::counter!("roost_live_streams_refused_total").increment(1);
    ApiError::new(Code::TooManyStreams)
        .retry_after(5)
        .limit(held as u64, held as u64)
        .detail(format!(
            "{who} {held} open streams, which is as many as may be: {what_to_do}, or have `limits.{key}` raised."
        ))
}

fn give_back<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.slots.lock();
        give_back(&mut open.users, &self.user);
        if let Some(workspace) = &self.workspace {
            give_back(&mut open.workspaces, workspace);
        }
        drop(open);
        metrics::gauge!("roost_live_subscribers").decrement(1.0);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_user_and_a_workspace_are_counted_apart_and_what_is_closed_is_free_again() {
        let slots = Slots::new(Limits {
            a_user: 2,
            a_workspace: 3,
        });
        let user = |n| UserId(Uuid::from_u128(n));
        let here = Some(WorkspaceId(Uuid::from_u128(9)));
        let first = slots.take(user(1), here).unwrap();
        let _second = slots.take(user(1), here).unwrap();
        let refused = slots.take(user(1), None).unwrap_err();
        assert!(refused.detail.unwrap().contains("streams_per_user"));
        let _third = slots.take(user(2), here).unwrap();
        let refused = slots.take(user(2), here).unwrap_err();
        assert!(refused.detail.unwrap().contains("streams_per_workspace"));
        // A refused stream took no slot, and a stream without a workspace does not count for any workspace.
        drop(slots.take(user(2), None).unwrap());
        drop(first);
        drop(slots.take(user(2), here).unwrap());
        drop(slots.take(user(1), here).unwrap());
    }
}

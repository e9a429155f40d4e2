//! The common limit of all spools of an executor, counted as they grow. Pure: it names the spools to remove, the folder
//! removes them.
//!
//! The oldest output of ended operations is removed first. A workspace that uses more than half of the limit removes
//! only its own output, so that one workspace's output does not remove another's.
use std::collections::{BTreeMap, HashMap};

use roost_protocol::ids::{OperationId, WorkspaceId};

/// One spool.
#[derive(Clone, Copy, Debug)]
struct Held {
    bytes: u64,
    /// Unknown for a spool of an operation that ended in an earlier process.
    workspace: Option<WorkspaceId>,
    /// Its place among the ended ones; `None` while its command runs.
    ended: Option<u64>,
}

/// All spools.
#[derive(Debug)]
pub(super) struct Room {
    most: u64,
    total: u64,
    spools: HashMap<OperationId, Held>,
    /// Ended spools, oldest end first.
    ended: BTreeMap<u64, OperationId>,
    by_workspace: HashMap<WorkspaceId, u64>,
    next: u64,
}

/// There is no room, and nothing can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoRoom;

impl Room {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            total: 0,
            spools: HashMap::new(),
            ended: BTreeMap::new(),
            by_workspace: HashMap::new(),
            next: 0,
        }
    }

    /// All operations with a spool.
    pub(super) fn operations(&self) -> Vec<OperationId> {
        self.spools.keys().copied().collect()
    }

    /// Bytes of all spools.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Adds a new or found spool. A known one is unchanged.
    pub(super) fn add(
        &mut self,
        operation: OperationId,
        workspace: Option<WorkspaceId>,
        bytes: u64,
    ) {
        if self.spools.contains_key(&operation) {
            return;
        }
        let held = Held {
            bytes: 0,
            workspace,
            ended: None,
        };
        self.spools.insert(operation, held);
        self.grow(operation, bytes);
    }

    /// Marks an operation as ended: its output may be removed when room is needed.
    pub(super) fn ended(&mut self, operation: OperationId) {
        if let Some(held) = self
            .spools
            .get_mut(&operation)
            .filter(|held| held.ended.is_none())
        {
            self.next += 1;
            held.ended = Some(self.next);
            self.ended.insert(self.next, operation);
        }
    }

    /// Reserves more bytes for a spool; returns the spools to remove for them.
    pub(super) fn take(
        &mut self,
        operation: OperationId,
        bytes: u64,
    ) -> Result<Vec<OperationId>, NoRoom> {
        let workspace = self.spools.get(&operation).ok_or(NoRoom)?.workspace;
        let mut gone = Vec::new();
        while self.total.saturating_add(bytes) > self.most {
            let Some(oldest) = self.oldest(operation, workspace, bytes) else {
                self.restore(gone);
                return Err(NoRoom);
            };
            gone.push((oldest, self.spools.get(&oldest).copied()));
            self.remove(oldest);
        }
        self.grow(operation, bytes);
        Ok(gone.into_iter().map(|(operation, _)| operation).collect())
    }

    /// Puts spools back that would not have made enough room.
    fn restore(&mut self, gone: Vec<(OperationId, Option<Held>)>) {
        for (operation, held) in gone {
            if let Some(held) = held {
                self.spools.insert(operation, Held { bytes: 0, ..held });
                self.ended
                    .extend(held.ended.map(|place| (place, operation)));
                self.grow(operation, held.bytes);
            }
        }
    }

    fn oldest(
        &self,
        except: OperationId,
        workspace: Option<WorkspaceId>,
        bytes: u64,
    ) -> Option<OperationId> {
        let has = workspace.and_then(|workspace| self.by_workspace.get(&workspace));
        let only_own = has.is_some_and(|has| has.saturating_add(bytes) > self.most / 2);
        let others = |operation: &OperationId| {
            let whose = self.spools.get(operation).and_then(|held| held.workspace);
            only_own && whose.is_some() && whose != workspace
        };
        let mut candidates = self
            .ended
            .values()
            .filter(|operation| **operation != except);
        candidates.find(|operation| !others(operation)).copied()
    }

    /// Releases reserved bytes that are not on disk.
    pub(super) fn give(&mut self, operation: OperationId, bytes: u64) {
        if let Some(held) = self.spools.get_mut(&operation) {
            let bytes = bytes.min(held.bytes);
            held.bytes -= bytes;
            self.total -= bytes;
            if let Some(all) = held
                .workspace
                .and_then(|workspace| self.by_workspace.get_mut(&workspace))
            {
                *all = all.saturating_sub(bytes);
            }
        }
    }

    fn grow(&mut self, operation: OperationId, bytes: u64) {
        if let Some(held) = self.spools.get_mut(&operation) {
            held.bytes += bytes;
            self.total += bytes;
            if let Some(workspace) = held.workspace {
                *self.by_workspace.entry(workspace).or_default() += bytes;
            }
        }
    }

    /// Removes a spool from the counters.
    pub(super) fn remove(&mut self, operation: OperationId) {
        self.give(operation, u64::MAX);
        if let Some(held) = self.spools.remove(&operation) {
            held.ended.map(|place| self.ended.remove(&place));
            let all = held
                .workspace
                .filter(|whose| self.by_workspace.get(whose) == Some(&0));
            all.map(|workspace| self.by_workspace.remove(&workspace));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(n: u128) -> OperationId {
        OperationId(uuid::Uuid::from_u128(n))
    }

    fn workspace(n: u128) -> Option<WorkspaceId> {
        Some(WorkspaceId(uuid::Uuid::from_u128(n)))
    }

    /// Ended operations 1, 2, … of these workspaces, ten bytes each.
    fn room(most: u64, of: &[Option<WorkspaceId>]) -> Room {
        let mut room = Room::new(most);
        for (n, whose) in (1..).zip(of) {
            room.add(operation(n), *whose, 0);
            assert_eq!(room.take(operation(n), 10), Ok(Vec::new()));
            room.ended(operation(n));
        }
        room
    }

    #[test]
    fn oldest_ended_output_is_removed_and_running_output_is_kept() {
        let mut room = room(40, &[None, None, None]);
        room.add(operation(9), None, 0);
        assert_eq!(room.take(operation(9), 10), Ok(Vec::new()));
        assert_eq!(
            room.take(operation(9), 15),
            Ok(vec![operation(1), operation(2)])
        );
        assert_eq!(room.total(), 35);
        assert_eq!(room.take(operation(9), 15), Ok(vec![operation(3)]));
        assert_eq!(room.take(operation(9), 1), Err(NoRoom));
        room.give(operation(9), 40);
        assert_eq!(room.take(operation(9), 40), Ok(Vec::new()));
    }

    #[test]
    fn output_is_kept_when_removing_it_would_not_make_enough_room() {
        let mut room = room(30, &[None, None]);
        room.add(operation(9), None, 0);
        assert_eq!(room.take(operation(9), 31), Err(NoRoom));
        assert_eq!(room.total(), 20);
        assert_eq!(room.take(operation(9), 20), Ok(vec![operation(1)]));
    }

    #[test]
    fn workspace_above_half_removes_only_its_own_output() {
        let (large, small) = (workspace(1), workspace(2));
        let mut room = room(100, &[small, small, small, large, large, large, large]);
        room.add(operation(9), large, 0);
        assert_eq!(room.take(operation(9), 30), Ok(Vec::new()));
        assert_eq!(room.take(operation(9), 10), Ok(vec![operation(4)]));
        // The small one may still remove the oldest output, including its own.
        room.add(operation(10), small, 0);
        assert_eq!(room.take(operation(10), 10), Ok(vec![operation(1)]));
        // The large one has no ended output left, so it gets no more room.
        for n in 5..=7 {
            room.remove(operation(n));
        }
        assert_eq!(room.take(operation(9), 30), Ok(Vec::new()));
        assert_eq!(room.take(operation(9), 10), Err(NoRoom));
    }

    #[test]
    fn unknown_operation_uses_no_room() {
        let mut room = Room::new(10);
        assert_eq!(room.take(operation(1), 1), Err(NoRoom));
        room.remove(operation(1));
        room.ended(operation(1));
        room.give(operation(1), 1);
        assert_eq!(room.total(), 0);
    }
}

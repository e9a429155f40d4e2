//! The costs of a tree of runs, and the accounts that they count on. Pure code.

use std::collections::{HashMap, HashSet};

use sea_orm::FromQueryResult;

use roost_platform::ids::RunId;

/// A run of a tree.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Branch {
    pub id: RunId,
    pub parent_run_id: Option<RunId>,
    /// The run's own cost and the cost of the children that are rolled up into it, in millionths of a US dollar.
    pub cost_microusd: i64,
    pub cost_ceiling_microusd: Option<i64>,
    pub turn_limit: Option<i32>,
    /// Whether the parent's cost includes this run's cost.
    pub rolled_up: bool,
}

/// The depth of run trees is below this limit. A longer chain of parents is a cycle.
const DEEPEST: usize = 16;

/// All runs of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(pub Vec<Branch>);

/// The ceiling and the spent amount of a run with all its descendants, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    pub run: RunId,
    pub ceiling: Option<i64>,
    pub spent: i64,
    pub turn_limit: Option<i32>,
}

impl Tree {
    /// A run with all its descendants.
    pub fn with_descendants(&self, run: RunId) -> HashSet<RunId> {
        let mut found = HashSet::from([run]);
        loop {
            let children = self.0.iter().filter(|branch| {
                let parent = branch.parent_run_id;
                !found.contains(&branch.id) && parent.is_some_and(|parent| found.contains(&parent))
            });
            let more: Vec<RunId> = children.map(|branch| branch.id).collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    /// The accounts that a turn of this run charges: its own, and those of its ancestors, the root's last.
    pub fn accounts(&self, run: RunId) -> Vec<Account> {
        let by_id: HashMap<RunId, &Branch> =
            self.0.iter().map(|branch| (branch.id, branch)).collect();
        let line = |from: RunId| -> Vec<RunId> {
            let mut line = Vec::new();
            let mut next = by_id.get(&from);
            while let Some(branch) = next.filter(|_| line.len() <= DEEPEST) {
                line.push(branch.id);
                next = branch.parent_run_id.and_then(|parent| by_id.get(&parent));
            }
            line
        };
        let above = line(run);
        let mut accounts: Vec<Account> = above
            .iter()
            .map(|id| Account {
                run: *id,
                ceiling: by_id[id].cost_ceiling_microusd,
                // The run's own cost includes what was rolled up into it.
                spent: by_id[id].cost_microusd,
                turn_limit: by_id[id].turn_limit,
            })
            .collect();
        // Costs that are not rolled up are added for each ancestor.
        for branch in self.0.iter().filter(|branch| !branch.rolled_up) {
            for top in line(branch.id).iter().skip(1) {
                if let Some(place) = above.iter().position(|id| id == top) {
                    accounts[place].spent =
                        accounts[place].spent.saturating_add(branch.cost_microusd);
                }
            }
        }
        accounts
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(n: u128) -> RunId {
        RunId(Uuid::from_u128(n))
    }

    fn branch(n: u128, parent: Option<u128>, cost: i64, ceiling: Option<i64>) -> Branch {
        Branch {
            id: id(n),
            parent_run_id: parent.map(id),
            cost_microusd: cost,
            cost_ceiling_microusd: ceiling,
            turn_limit: None,
            rolled_up: false,
        }
    }

    fn spent(tree: &Tree, run: u128) -> Vec<i64> {
        let accounts = tree.accounts(id(run));
        accounts.iter().map(|account| account.spent).collect()
    }

    #[test]
    fn turn_is_charged_to_the_run_and_all_its_ancestors() {
        let tree = Tree(vec![
            branch(1, None, 10, Some(100)),
            branch(2, Some(1), 20, Some(50)),
            branch(3, Some(2), 5, None),
            branch(4, Some(1), 7, None),
        ]);
        assert_eq!(spent(&tree, 3), [5, 25, 42]);
        assert_eq!(spent(&tree, 4), [7, 42]);
        let ceilings: Vec<_> = tree.accounts(id(3)).iter().map(|one| one.ceiling).collect();
        assert_eq!(ceilings, [None, Some(50), Some(100)]);
    }

    #[test]
    fn rolled_up_cost_counts_once() {
        let mut tree = Tree(vec![
            branch(1, None, 10, None),
            branch(2, Some(1), 20, None),
            branch(3, Some(2), 5, None),
        ]);
        assert_eq!(spent(&tree, 1), [35]);
        // The child's cost moves to its parent in one transaction.
        tree.0[2].rolled_up = true;
        tree.0[1].cost_microusd += 5;
        assert_eq!(spent(&tree, 1), [35]);
        tree.0[1].rolled_up = true;
        tree.0[0].cost_microusd += 25;
        assert_eq!(spent(&tree, 1), [35]);
        // The cost of a child that was given up while it was running is never rolled up. It still counts.
        tree.0.push(branch(4, Some(2), 3, None));
        assert_eq!(spent(&tree, 1), [38]);
    }

    #[test]
    fn accounts_end_at_a_cycle() {
        let tree = Tree(vec![
            branch(1, Some(2), 1, None),
            branch(2, Some(1), 1, None),
        ]);
        assert_eq!(tree.accounts(id(1)).len(), DEEPEST + 1);
        assert!(tree.accounts(id(9)).is_empty());
    }
}

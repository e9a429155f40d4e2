//! What turns in flight may cost. It is held on the accounts of a turn before its model is asked and given back when what it
//! did cost is written down, so that many turns at once keep a ceiling as one after the other would: the turn that crosses it
//! is the last. Whoever finds the rest of an account held waits until a turn in flight is settled.
//!
//! Held in this process: what another gateway's turns may cost is seen when they have cost it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sea_orm::DbErr;
use tokio::sync::Notify;

use super::Agents;
use super::models::{Price, Request, Usage};
use crate::domains::auth::WorkspaceScope;
use crate::domains::models::model::Ceilings;
use crate::domains::runs;
use crate::domains::runs::entity::run;
use crate::domains::runs::tree::Tree;
use crate::ids::{RunId, WorkspaceId};

/// An account that turns are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Account {
    /// A run with all that it starts.
    Run(RunId),
    /// All runs of a workspace within thirty days.
    Month(WorkspaceId),
}

/// What is held now; cheap to clone.
#[derive(Clone, Default)]
pub struct Spending {
    inner: Arc<Inner>,
}

struct Inner {
    /// Millionths of a US dollar.
    held: Mutex<HashMap<Account, u64>>,
    freed: Notify,
    /// Who looks whether there is room, and takes it, does so alone; each workspace has one of these.
    looking: [tokio::sync::Mutex<()>; LANES],
}

const LANES: usize = 64;

impl Default for Inner {
    fn default() -> Self {
        Self {
            held: Mutex::default(),
            freed: Notify::new(),
            looking: std::array::from_fn(|_| tokio::sync::Mutex::default()),
        }
    }
}

/// What a turn may cost, held until this is dropped.
pub(super) struct Hold {
    spending: Spending,
    accounts: Vec<Account>,
    amount: u64,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.spending.held();
        for account in &self.accounts {
            if let Some(amount) = held.get_mut(account) {
                *amount = amount.saturating_sub(self.amount);
                if *amount == 0 {
                    held.remove(account);
                }
            }
        }
        drop(held);
        self.spending.inner.freed.notify_waiters();
    }
}

impl Spending {
    fn held(&self) -> MutexGuard<'_, HashMap<Account, u64>> {
        self.inner
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What turns in flight hold on each of these.
    fn of(&self, accounts: &[Account]) -> Vec<u64> {
        let held = self.held();
        let of = |account| held.get(account).copied().unwrap_or(0);
        accounts.iter().map(of).collect()
    }

    fn hold(&self, accounts: Vec<Account>, amount: u64) -> Hold {
        let mut held = self.held();
        for account in &accounts {
            let all = held.entry(*account).or_default();
            *all = all.saturating_add(amount);
        }
        drop(held);
        Hold {
            spending: self.clone(),
            accounts,
            amount,
        }
    }

    fn lane(&self, workspace: WorkspaceId) -> &tokio::sync::Mutex<()> {
        let lane = workspace.0.as_u128() % LANES as u128;
        let lane = usize::try_from(lane).unwrap_or(0);
        &self.inner.looking[lane]
    }
}

/// Why a turn may not begin.
pub(super) enum Refused {
    /// A sentence for whoever looks at the run.
    Over(String),
    Db(DbErr),
}

impl From<DbErr> for Refused {
    fn from(error: DbErr) -> Self {
        Self::Db(error)
    }
}

/// What a turn may cost at most: a token is no less than two bytes of a request in any language that models are fed with.
pub(super) fn most(request: &Request, price: Option<Price>) -> u64 {
    let Some(price) = price else {
        return 0;
    };
    price.of(Usage {
        input: request.bytes().div_ceil(2) as u64,
        output: u64::from(request.max_tokens),
        cached: 0,
    })
}

/// Waits until a turn may begin, and holds what it may cost: on the run's own account, on those of the runs that it works for,
/// and on the workspace's. `None` when nobody bounds it.
pub(super) async fn hold(
    agents: &Agents,
    run: &run::Model,
    price: Option<Price>,
    most: u64,
) -> Result<Option<Hold>, Refused> {
    let scope = WorkspaceScope::of_row(run.workspace_id);
    let db = agents.db.read();
    let ceilings = agents.ceilings(scope).await?;
    let nobody_bounds = ceilings == Ceilings::default() && run.cost_ceiling_microusd.is_none();
    if nobody_bounds && run.parent_run_id.is_none() {
        return Ok(None);
    }
    let line: Vec<RunId> = match run.parent_run_id {
        None => vec![run.id],
        Some(_) => {
            let tree = runs::store::tree(db, run.root_run_id).await?;
            let accounts = tree.accounts(run.id);
            accounts.iter().map(|account| account.run).collect()
        }
    };
    let accounts = line.into_iter().map(Account::Run);
    let accounts: Vec<Account> = accounts.chain([Account::Month(run.workspace_id)]).collect();
    loop {
        let freed = agents.spending.inner.freed.notified();
        tokio::pin!(freed);
        // From here on nobody is missed who gives something back.
        freed.as_mut().enable();
        let alone = agents.spending.lane(run.workspace_id).lock().await;
        // Before what was spent is read: what is settled in between counts twice, and never not at all.
        let others = agents.spending.of(&accounts);
        let tree = runs::store::tree(db, run.root_run_id).await?;
        let month = match ceilings.month {
            Some(_) => agents.spent_lately(scope).await?,
            None => 0,
        };
        match room(&tree, run.id, ceilings, month, &others, price).map_err(Refused::Over)? {
            Room::Free => return Ok(Some(agents.spending.hold(accounts, most))),
            Room::Taken => drop(alone),
        }
        freed.await;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Free,
    /// What is left is held by turns in flight.
    Taken,
}

/// Whether another turn has room on all its accounts; `others` is what turns in flight hold on each, the workspace's last.
fn room(
    tree: &Tree,
    run: RunId,
    ceilings: Ceilings,
    month: u64,
    others: &[u64],
    price: Option<Price>,
) -> Result<Room, String> {
    let unsigned = |amount: i64| u64::try_from(amount).unwrap_or(0);
    let accounts = tree.accounts(run);
    let of_month = others.last().copied().unwrap_or(0);
    let mut room = Room::Free;
    for (place, account) in accounts.iter().enumerate() {
        // The workspace's is for a run with all that it starts.
        let of_workspace = ceilings.run.filter(|_| place + 1 == accounts.len());
        let own = account.ceiling.map(unsigned);
        let bounds = Ceilings {
            run: own.into_iter().chain(of_workspace).min(),
            month: ceilings.month,
        };
        let spent = unsigned(account.spent);
        bounds.allow(spent, month, price)?;
        let held = others.get(place).copied().unwrap_or(0);
        let with_held = bounds.allow(
            spent.saturating_add(held),
            month.saturating_add(of_month),
            price,
        );
        if with_held.is_err() {
            room = Room::Taken;
        }
    }
    Ok(room)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domains::runs::tree::Branch;

    const PRICE: Option<Price> = Some(Price {
        input: 1,
        output: 1,
    });

    fn tree(spent: i64, ceiling: Option<i64>) -> Tree {
        Tree(vec![Branch {
            id: RunId(Uuid::nil()),
            parent_run_id: None,
            cost_microusd: spent,
            cost_ceiling_microusd: ceiling,
            rolled_up: false,
        }])
    }

    fn looked(spent: i64, others: &[u64], month: u64) -> Result<Room, String> {
        let ceilings = Ceilings {
            run: None,
            month: Some(1_000),
        };
        let run = RunId(Uuid::nil());
        room(&tree(spent, Some(100)), run, ceilings, month, others, PRICE)
    }

    #[test]
    fn who_finds_the_rest_held_waits_and_who_finds_it_spent_is_refused() {
        assert_eq!(looked(99, &[0, 0], 0), Ok(Room::Free));
        assert_eq!(looked(60, &[40, 0], 0), Ok(Room::Taken));
        assert_eq!(looked(0, &[0, 1], 999), Ok(Room::Taken));
        assert!(looked(100, &[0, 0], 0).is_err());
        assert!(looked(0, &[0, 0], 1_000).is_err());
    }

    #[test]
    fn what_is_held_is_seen_by_those_after_and_given_back() {
        let spending = Spending::default();
        let account = || vec![Account::Run(RunId(Uuid::nil()))];
        let first = spending.hold(account(), 7);
        let second = spending.hold(account(), 5);
        assert_eq!(spending.of(&account()), [12]);
        drop(first);
        assert_eq!(spending.of(&account()), [5]);
        drop(second);
        assert!(spending.held().is_empty());
    }
}

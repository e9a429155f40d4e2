//! Reservations for turns in flight. Before the gateway asks a model, it reserves the turn and its maximum cost on each
//! account of the turn. It frees the reservation when the journal has the turn's real cost. So many parallel turns
//! keep a ceiling as sequential turns would: the turn that crosses the ceiling is the last one. A turn that cannot
//! reserve enough waits until a turn in flight settles.
//!
//! Reservations are in the memory of this process. The cost of another gateway's turns counts after they have ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sea_orm::DbErr;
use tokio::sync::Notify;

use super::Agents;
use roost_execution::models::Ceilings;
use roost_execution::providers::{Price, Request, Usage};
use roost_execution::runs::limits::{Turn, one_more_turn, turns_are_used};
use roost_execution::runs::tree::Tree;
use roost_execution::runs::{self, RunRow};
use roost_platform::ids::{RunId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// An account that a turn charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Account {
    /// A run with all its descendants.
    Run(RunId),
    /// All runs of a workspace in the last thirty days.
    Month(WorkspaceId),
}

/// The current reservations. Cheap to clone.
#[derive(Clone, Default)]
pub struct Spending {
    inner: Arc<Inner>,
}

/// What turns in flight have reserved on an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Held {
    /// Millionths of a US dollar.
    microusd: u64,
    turns: u64,
}

struct Inner {
    reserved: Mutex<HashMap<Account, Held>>,
    freed: Notify,
    /// One task at a time checks the accounts of a workspace and reserves on them. Workspaces share these locks.
    locks: [tokio::sync::Mutex<()>; LOCKS],
}

const LOCKS: usize = 64;

impl Default for Inner {
    fn default() -> Self {
        Self {
            reserved: Mutex::default(),
            freed: Notify::new(),
            locks: std::array::from_fn(|_| tokio::sync::Mutex::default()),
        }
    }
}

/// A reservation for one turn. Dropping it frees the amount.
pub(super) struct Reservation {
    spending: Spending,
    accounts: Vec<Account>,
    amount: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reserved = self.spending.reserved();
        for account in &self.accounts {
            if let Some(held) = reserved.get_mut(account) {
                held.microusd = held.microusd.saturating_sub(self.amount);
                held.turns = held.turns.saturating_sub(1);
                if held.turns == 0 {
                    reserved.remove(account);
                }
            }
        }
        drop(reserved);
        self.spending.inner.freed.notify_waiters();
    }
}

impl Spending {
    fn reserved(&self) -> MutexGuard<'_, HashMap<Account, Held>> {
        self.inner
            .reserved
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What turns in flight have reserved on each of these accounts.
    fn of(&self, accounts: &[Account]) -> Vec<Held> {
        let reserved = self.reserved();
        let of = |account| reserved.get(account).copied().unwrap_or_default();
        accounts.iter().map(of).collect()
    }

    fn reserve(&self, accounts: Vec<Account>, amount: u64) -> Reservation {
        let mut reserved = self.reserved();
        for account in &accounts {
            let held = reserved.entry(*account).or_default();
            held.microusd = held.microusd.saturating_add(amount);
            held.turns += 1;
        }
        drop(reserved);
        Reservation {
            spending: self.clone(),
            accounts,
            amount,
        }
    }

    fn lock_of(&self, workspace: WorkspaceId) -> &tokio::sync::Mutex<()> {
        let lock_of = workspace.0.as_u128() % LOCKS as u128;
        let lock_of = usize::try_from(lock_of).unwrap_or(0);
        &self.inner.locks[lock_of]
    }
}

/// Why a turn may not begin.
pub(super) enum Refused {
    /// A ceiling is reached. A sentence for the people who read the run.
    Over(String),
    /// The turns are used. A sentence for the people who read the run.
    NoTurns(String),
    Db(DbErr),
}

impl From<DbErr> for Refused {
    fn from(error: DbErr) -> Self {
        Self::Db(error)
    }
}

/// The maximum cost of a turn. It assumes that a token takes at least two bytes of the request.
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

/// Waits until a turn may begin, and reserves its maximum cost on the run's account, on its ancestors' accounts, and
/// on the workspace's. `None` when there is no limit.
pub(super) async fn reserve(
    agents: &Agents,
    run: &RunRow,
    price: Option<Price>,
    most: u64,
) -> Result<Option<Reservation>, Refused> {
    let scope = WorkspaceScope::of_row(run.workspace_id);
    let db = agents.db.read();
    let ceilings = agents.ceilings(scope).await?;
    let has_no_limit = ceilings == Ceilings::default()
        && run.cost_ceiling_microusd.is_none()
        && run.turn_limit.is_none();
    if has_no_limit && run.parent_run_id.is_none() {
        return Ok(None);
    }
    let charged: Vec<RunId> = match run.parent_run_id {
        None => vec![run.id],
        Some(_) => {
            let tree = runs::tree_of(db, run.root_run_id).await?;
            let accounts = tree.accounts(run.id);
            accounts.iter().map(|account| account.run).collect()
        }
    };
    let accounts = charged.into_iter().map(Account::Run);
    let accounts: Vec<Account> = accounts.chain([Account::Month(run.workspace_id)]).collect();
    loop {
        let freed = agents.spending.inner.freed.notified();
        tokio::pin!(freed);
        // From here on, this task misses no notification of a freed reservation.
        freed.as_mut().enable();
        let guard = agents.spending.lock_of(run.workspace_id).lock().await;
        // Read the reservations before the spent amounts. A turn that settles in between then counts twice, but never
        // zero times.
        let others = agents.spending.of(&accounts);
        let tree = runs::tree_of(db, run.root_run_id).await?;
        let month = match ceilings.month {
            Some(_) => agents.spent_lately(scope).await?,
            None => 0,
        };
        let made = match tree.0.iter().any(|branch| branch.turn_limit.is_some()) {
            true => runs::turns_of_tree(db, run.root_run_id).await?,
            false => HashMap::new(),
        };
        let turns = turn_admission(&tree, run.id, &made, &others).map_err(Refused::NoTurns)?;
        let cost = admission(&tree, run.id, ceilings, month, &others, price);
        match turns.and(cost.map_err(Refused::Over)?) {
            Admission::Fits => return Ok(Some(agents.spending.reserve(accounts, most))),
            Admission::Wait => drop(guard),
        }
        freed.await;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Admission {
    Fits,
    /// Turns in flight have reserved the rest.
    Wait,
}

impl Admission {
    fn and(self, other: Self) -> Self {
        match self {
            Self::Fits => other,
            Self::Wait => Self::Wait,
        }
    }
}

/// Whether one more turn fits under the limits of turns of the run and its ancestors. `made` holds the turns of each run.
fn turn_admission(
    tree: &Tree,
    run: RunId,
    made: &HashMap<RunId, i64>,
    others: &[Held],
) -> Result<Admission, String> {
    let mut admission = Admission::Fits;
    for (place, account) in tree.accounts(run).iter().enumerate() {
        let Some(limit) = account.turn_limit else {
            continue;
        };
        let below = tree.with_descendants(account.run);
        let turns = below.iter().filter_map(|id| made.get(id)).sum();
        let in_flight = others.get(place).map_or(0, |held| held.turns);
        match one_more_turn(limit, turns, in_flight) {
            Turn::Over => return Err(turns_are_used(limit)),
            Turn::Wait => admission = Admission::Wait,
            Turn::Fits => {}
        }
    }
    Ok(admission)
}

/// Whether the cost of one more turn fits on all its accounts. `others` holds the reservations on each account, the workspace's
/// last.
fn admission(
    tree: &Tree,
    run: RunId,
    ceilings: Ceilings,
    month: u64,
    others: &[Held],
    price: Option<Price>,
) -> Result<Admission, String> {
    let unsigned = |amount: i64| u64::try_from(amount).unwrap_or(0);
    let accounts = tree.accounts(run);
    let held = |place: usize| others.get(place).copied().unwrap_or_default().microusd;
    let of_month = held(others.len().saturating_sub(1));
    let mut admission = Admission::Fits;
    for (place, account) in accounts.iter().enumerate() {
        // The workspace's ceiling applies to a root run with all its descendants.
        let of_workspace = ceilings.run.filter(|_| place + 1 == accounts.len());
        let own = account.ceiling.map(unsigned);
        let bounds = Ceilings {
            run: own.into_iter().chain(of_workspace).min(),
            month: ceilings.month,
        };
        let spent = unsigned(account.spent);
        bounds.allow(spent, month, price)?;
        let with_reserved = bounds.allow(
            spent.saturating_add(held(place)),
            month.saturating_add(of_month),
            price,
        );
        if with_reserved.is_err() {
            admission = Admission::Wait;
        }
    }
    Ok(admission)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use roost_execution::runs::tree::Branch;

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
            turn_limit: Some(3),
            rolled_up: false,
        }])
    }

    fn held(microusd: u64) -> Held {
        Held { microusd, turns: 1 }
    }

    fn admit(spent: i64, others: [u64; 2], month: u64) -> Result<Admission, String> {
        let ceilings = Ceilings {
            run: None,
            month: Some(1_000),
        };
        let run = RunId(Uuid::nil());
        let others = others.map(held);
        admission(
            &tree(spent, Some(100)),
            run,
            ceilings,
            month,
            &others,
            PRICE,
        )
    }

    #[test]
    fn turn_waits_for_reserved_rest_and_is_refused_when_it_is_spent() {
        assert_eq!(admit(99, [0, 0], 0), Ok(Admission::Fits));
        assert_eq!(admit(60, [40, 0], 0), Ok(Admission::Wait));
        assert_eq!(admit(0, [0, 1], 999), Ok(Admission::Wait));
        assert!(admit(100, [0, 0], 0).is_err());
        assert!(admit(0, [0, 0], 1_000).is_err());
    }

    #[test]
    fn turn_waits_for_the_last_one_in_flight_and_is_refused_when_all_are_made() {
        let run = RunId(Uuid::nil());
        let admit = |made: i64, in_flight: u64| {
            let others = Held {
                microusd: 0,
                turns: in_flight,
            };
            let made = HashMap::from([(run, made)]);
            turn_admission(&tree(0, None), run, &made, &[others, Held::default()])
        };
        assert_eq!(admit(2, 0), Ok(Admission::Fits));
        assert_eq!(admit(1, 2), Ok(Admission::Wait));
        assert!(admit(3, 0).is_err());
    }

    #[test]
    fn reservations_add_up_and_are_freed_on_drop() {
        let spending = Spending::default();
        let account = || vec![Account::Run(RunId(Uuid::nil()))];
        let first = spending.reserve(account(), 7);
        let second = spending.reserve(account(), 5);
        let two = Held {
            microusd: 12,
            turns: 2,
        };
        assert_eq!(spending.of(&account()), [two]);
        drop(first);
        assert_eq!(spending.of(&account()), [held(5)]);
        drop(second);
        assert!(spending.reserved().is_empty());
    }
}

//! The journal of a step: what happened inside it. The next owner of the run continues from it.

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, Set,
    sea_query::{Expr, ExprTrait},
};

use super::entity::{call, run, state, step};
use super::entry::{ChildEnd, Entry, NewEntry, Unreadable};
use super::fence::{Fence, FenceError, Used, this_step};
use super::inbox::SharedInbox;
use super::messages::{self, Message};
use super::model::Status;
use super::store;
use super::writes::{self, Committer, RunWrite};
use crate::topology::StepRef;
use roost_platform::db::{Db, WriteTx};
use roost_platform::ids::{ClawId, RunId};

/// The maximum number of entries in the journal of one step.
pub const MOST_ENTRIES: usize = 100_000;
/// The maximum size of the journal of one step, in bytes.
pub const MOST_BYTES: usize = 256 << 20;
/// The number of entries that one query reads.
const PAGE: u64 = 500;

/// The journal of one step, written under the fence: its entries in their order.
#[derive(Clone)]
pub struct Journal {
    pub db: Db,
    pub(super) committer: Committer,
    pub fence: Fence,
    pub step: StepRef,
    /// Whether the step was waiting for something absent when this attempt began.
    pub waited: bool,
    /// What people want of the run, as the last write found it.
    pub inbox: SharedInbox,
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("database")]
    Db(#[from] DbErr),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// A step ends at this length, so that it cannot fill the gateway's memory.
    #[error(
        "The step's journal has reached its limit of {MOST_ENTRIES} entries or {} MiB. Divide the goal into smaller steps.",
        MOST_BYTES >> 20
    )]
    TooLong,
}

impl Journal {
    /// Reads the entries in pages, oldest first, and gives each to `visit` with its index.
    ///
    /// # Errors
    /// [`JournalError`].
    pub async fn replay(&self, mut visit: impl FnMut(u32, Entry)) -> Result<(), JournalError> {
        let (mut entries, mut bytes) = (0, 0);
        let mut after = -1;
        loop {
            let page =
                store::calls_after(self.db.read(), self.fence.run, &self.step, after, PAGE).await?;
            let Some(last) = page.last().map(|row| row.idx) else {
                return Ok(());
            };
            for row in page {
                entries += 1;
                bytes += row.content.len();
                if entries >= MOST_ENTRIES || bytes > MOST_BYTES {
                    return Err(JournalError::TooLong);
                }
                visit(u32::try_from(row.idx).unwrap_or(0), Entry::parse(&row)?);
            }
            after = last;
        }
    }

    /// Adds the usage of a child run to the run and the step, and writes the end of the child. Does so once: the mark
    /// on the child's row decides, in the same transaction.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn roll_up(
        &self,
        index: u32,
        child: &run::Model,
        status: Status,
    ) -> Result<(), FenceError> {
        let used = Used {
            tokens_in: child.tokens_in,
            tokens_out: child.tokens_out,
            cost_microusd: child.cost_microusd,
        };
        let end = ChildEnd {
            run: child.id,
            status,
        };
        let entry = NewEntry {
            index,
            name: child.title.clone(),
            entry: Entry::Child(end),
            took_ms: child.ended_ms.unwrap_or(child.updated_ms) - child.created_ms,
            used,
        };
        let mut tx = self.db.write().await?;
        self.fence.pass(&tx, Used::default(), 0).await?;
        let marked = state::Entity::update_many()
            .col_expr(state::Column::RolledUp, Expr::value(true))
            .filter(state::Column::RunId.eq(child.id))
            .filter(state::Column::RolledUp.eq(false))
            .exec(&*tx)
            .await?;
        if marked.rows_affected == 1 {
            self.write_in(&mut tx, entry).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Writes an entry. Its index must be free. It is free for every writer that passes the fence.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn write(&self, new: NewEntry) -> Result<(), FenceError> {
        let row = writes::Entry {
            index: stored(new.index),
            kind: new.entry.kind().as_str(),
            content: new.entry.to_json().to_string(),
            failed: new.entry.failed(),
            name: new.name,
            took_ms: new.took_ms,
        };
        let write = RunWrite {
            used: new.used,
            step: Some(self.step.clone()),
            entry: Some(row),
            waited: self.waited,
            ..RunWrite::of(self.fence)
        };
        self.commit(write).await
    }

    /// Adds the usage of a failed turn that has no entry.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn spend(&self, used: Used) -> Result<(), FenceError> {
        let write = RunWrite {
            used,
            step: Some(self.step.clone()),
            ..RunWrite::of(self.fence)
        };
        self.commit(write).await
    }

    async fn commit(&self, write: RunWrite) -> Result<(), FenceError> {
        let passed = writes::commit(&self.committer, write).await?;
        self.inbox.set(passed.inbox);
        Ok(())
    }

    /// What people said to the run and to the runs above it, as far as it is for this agent. Oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn messages(
        &self,
        root: RunId,
        agent: Option<ClawId>,
    ) -> Result<Vec<Message>, DbErr> {
        messages::for_step(self.db.read(), root, self.fence.run, agent).await
    }

    async fn add(&self, tx: &WriteTx, used: Used) -> Result<(), DbErr> {
        if used == Used::default() {
            return Ok(());
        }
        use step::Column::{CostMicrousd, TokensIn, TokensOut};
        let added = |column: step::Column, more: i64| Expr::col(column).add(more);
        step::Entity::update_many()
            .col_expr(TokensIn, added(TokensIn, used.tokens_in))
            .col_expr(TokensOut, added(TokensOut, used.tokens_out))
            .col_expr(CostMicrousd, added(CostMicrousd, used.cost_microusd))
            .filter(this_step(self.fence.run, &self.step))
            .exec(&**tx)
            .await
            .map(drop)
    }

    async fn write_in(&self, tx: &mut WriteTx, new: NewEntry) -> Result<(), FenceError> {
        let passed = self.fence.pass(tx, new.used, 0).await?;
        let now = passed.updated_ms;
        let row = call::ActiveModel {
            run_id: Set(self.fence.run),
            step_key: Set(self.step.key.clone()),
            lap: Set(stored(self.step.lap)),
            shard: Set(stored(self.step.shard)),
            idx: Set(stored(new.index)),
            kind: Set(new.entry.kind().as_str().to_owned()),
            name: Set(new.name),
            content: Set(new.entry.to_json().to_string()),
            failed: Set(new.entry.failed()),
            started_ms: Set(now - new.took_ms),
            ended_ms: Set(now),
            tokens_in: Set(new.used.tokens_in),
            tokens_out: Set(new.used.tokens_out),
            cost_microusd: Set(new.used.cost_microusd),
        };
        call::Entity::insert(row)
            .exec_without_returning(&**tx)
            .await?;
        self.add(tx, new.used).await?;
        // Do this last: it may append an event, and other writers of the workspace then wait until the commit.
        if self.waited {
            super::parking::forget(tx, self.fence.run, &self.step).await?;
            self.fence.clear_wait(tx, passed, &self.step).await?;
        }
        Ok(())
    }
}

/// A lap, a shard or an index in its column.
pub(super) fn stored(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

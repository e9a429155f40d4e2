//! The journal of a step: what happened inside it. The next owner of the run continues from it.

use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, Set,
    sea_query::{Expr, ExprTrait},
};

use super::entity::{call, run, step};
use super::fence::{Fence, FenceError, Used, this_step};
use super::model::Status;
use roost_platform::db::{Db, WriteTx};

/// The journal of one step, written under the fence: model turns and tool results, in their order.
#[derive(Clone)]
pub struct Journal {
    pub db: Db,
    pub fence: Fence,
    pub step: String,
    pub lap: u32,
    /// Whether the step was waiting for something absent when this attempt began.
    pub waited: bool,
}

/// An entry of the journal.
#[derive(Debug, Clone)]
pub struct Entry {
    pub index: u32,
    /// `model`, `tool` or `run`.
    pub kind: &'static str,
    pub name: String,
    /// JSON.
    pub content: String,
    pub failed: bool,
    pub took_ms: i64,
    pub used: Used,
}

impl Journal {
    /// The entries, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn read(&self) -> Result<Vec<call::Model>, DbErr> {
        super::store::calls_of(self.db.read(), self.fence.run, &self.step, self.lap).await
    }

    /// Adds the usage of a child run once. Its entry has index 0 of the step's journal, which has no other entries.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn roll_up(&self, child: &run::Model, used: Used) -> Result<(), FenceError> {
        if !self.read().await?.is_empty() {
            return Ok(());
        }
        let entry = Entry {
            index: 0,
            kind: "run",
            name: child.title.clone(),
            content: serde_json::json!({ "run": child.id, "status": child.status }).to_string(),
            failed: child.status != Status::Completed.as_str(),
            took_ms: child.ended_ms.unwrap_or(child.updated_ms) - child.created_ms,
            used,
        };
        let mut tx = self.db.write().await?;
        self.write_in(&mut tx, entry).await?;
        run::Entity::update_many()
            .col_expr(run::Column::RolledUp, Expr::value(true))
            .filter(run::Column::Id.eq(child.id))
            .exec(&*tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Writes an entry. Its index must be free. It is free for every writer that passes the fence.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn write(&self, entry: Entry) -> Result<(), FenceError> {
        let mut tx = self.db.write().await?;
        self.write_in(&mut tx, entry).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Adds the usage of a failed turn that has no entry.
    ///
    /// # Errors
    /// [`FenceError`].
    pub async fn spend(&self, used: Used) -> Result<(), FenceError> {
        let tx = self.db.write().await?;
        self.fence.pass(&tx, used, 0).await?;
        self.add(&tx, used).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn add(&self, tx: &WriteTx, used: Used) -> Result<(), DbErr> {
        if used == Used::default() {
            return Ok(());
        }
        let lap = i32::try_from(self.lap).unwrap_or(i32::MAX);
        use step::Column::{CostMicrousd, TokensIn, TokensOut};
        let added = |column: step::Column, more: i64| Expr::col(column).add(more);
        step::Entity::update_many()
            .col_expr(TokensIn, added(TokensIn, used.tokens_in))
            .col_expr(TokensOut, added(TokensOut, used.tokens_out))
            .col_expr(CostMicrousd, added(CostMicrousd, used.cost_microusd))
            .filter(this_step(self.fence.run, &self.step, lap))
            .exec(&**tx)
            .await
            .map(drop)
    }

    async fn write_in(&self, tx: &mut WriteTx, entry: Entry) -> Result<(), FenceError> {
        let passed = self.fence.pass(tx, entry.used, 0).await?;
        let now = passed.updated_ms;
        let lap = i32::try_from(self.lap).unwrap_or(i32::MAX);
        let row = call::ActiveModel {
            run_id: Set(self.fence.run),
            step_key: Set(self.step.clone()),
            lap: Set(lap),
            idx: Set(i32::try_from(entry.index).unwrap_or(i32::MAX)),
            kind: Set(entry.kind.to_owned()),
            name: Set(entry.name),
            content: Set(entry.content),
            failed: Set(entry.failed),
            started_ms: Set(now - entry.took_ms),
            ended_ms: Set(now),
            tokens_in: Set(entry.used.tokens_in),
            tokens_out: Set(entry.used.tokens_out),
            cost_microusd: Set(entry.used.cost_microusd),
        };
        call::Entity::insert(row)
            .exec_without_returning(&**tx)
            .await?;
        self.add(tx, entry.used).await?;
        // Do this last: it may append an event, and other writers of the workspace then wait until the commit.
        if self.waited {
            self.fence.clear_wait(tx, passed, &self.step, lap).await?;
        }
        Ok(())
    }
}

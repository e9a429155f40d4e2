//! Two retentions on one sequence. Facts are kept for days and by number, ephemeral events for hours and by size. Each
//! workspace has a row in `event_cuts`: up to where its facts and its ephemeral events are deleted, and how much is stored
//! above. So a sweep reads only what came since the last one, and deletes from the old end in short transactions.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{self, Expr, OnConflict};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr,
    EntityTrait, FromQueryResult, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, Select,
    Statement,
};

use super::entity::{cuts, event, head};
use crate::WorkspaceScope;
use crate::db::{Db, TenantEntity, WriteTx};
use crate::ids::WorkspaceId;

/// How long events are kept, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub facts_age: Duration,
    /// The most facts of a workspace.
    pub facts: u64,
    pub ephemera_age: Duration,
    /// The most bytes of a workspace's ephemeral events.
    pub ephemera_bytes: u64,
}

/// The sequence numbers of one transaction. Other writers wait for it on SQLite.
const PART: i64 = 2_000;

/// One sweep over all workspaces that have something to delete or to count. The caller holds a lease; a second sweeper at
/// the same moment is harmless, because a transaction that finds changed cuts is rolled back.
///
/// # Errors
/// When the database fails.
pub async fn sweep(db: &Db, now: DateTime<Utc>, keep: &Retention) -> Result<(), DbErr> {
    let limits = Limits::at(now, keep);
    for workspace in limits.candidates(db).await? {
        sweep_workspace(db, workspace, &limits).await?;
    }
    Ok(())
}

/// The retention's numbers at the moment of a sweep.
struct Limits {
    oldest_fact: DateTime<Utc>,
    oldest_ephemera: DateTime<Utc>,
    facts: i64,
    ephemera_bytes: i64,
}

/// Which of the two kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Fact,
    Ephemeral,
}

impl Class {
    fn condition(self) -> Condition {
        let bytes = event::Column::EphemeralBytes;
        Condition::all().add(match self {
            Self::Fact => bytes.is_null(),
            Self::Ephemeral => bytes.is_not_null(),
        })
    }
}

impl Limits {
    fn at(now: DateTime<Utc>, keep: &Retention) -> Self {
        let before = |age| now - TimeDelta::from_std(age).unwrap_or(TimeDelta::days(36_500));
        let number = |n| i64::try_from(n).unwrap_or(i64::MAX);
        Self {
            oldest_fact: before(keep.facts_age),
            oldest_ephemera: before(keep.ephemera_age),
            facts: number(keep.facts),
            ephemera_bytes: number(keep.ephemera_bytes),
        }
    }

    /// The workspaces whose log grew since the last sweep, or has something to delete.
    async fn candidates(&self, db: &Db) -> Result<Vec<WorkspaceId>, DbErr> {
        let sql = "SELECT h.workspace_id AS workspace_id FROM event_heads h \
                   LEFT JOIN event_cuts c ON c.workspace_id = h.workspace_id \
                   WHERE h.seq > 0 AND (c.workspace_id IS NULL OR c.epoch <> h.epoch OR c.counted <> h.seq \
                     OR c.facts > $1 OR c.ephemera_bytes > $2 OR c.oldest_fact < $3 OR c.oldest_ephemera < $4)";
        let values = [
            self.facts.into(),
            self.ephemera_bytes.into(),
            self.oldest_fact.into(),
            self.oldest_ephemera.into(),
        ];
        let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
        let rows = db.read().query_all_raw(statement).await?;
        rows.iter()
            .map(|row| row.try_get("", "workspace_id"))
            .collect()
    }
}

async fn sweep_workspace(db: &Db, workspace: WorkspaceId, limits: &Limits) -> Result<(), DbErr> {
    let scope = WorkspaceScope::of_row(workspace);
    let Some(mut log) = Log::count(db, scope, limits).await? else {
        return Ok(());
    };
    let facts_to = log.facts_cut(db, limits).await?;
    let ephemera_to = log.ephemera_cut(db, limits).await?.max(facts_to);
    // The ephemeral events go first, so that none is ever stored below the cut of the facts.
    for (class, to) in [(Class::Ephemeral, ephemera_to), (Class::Fact, facts_to)] {
        while log.cut(class) < to {
            let part = to.min(log.cut(class) + PART);
            if !log.delete(db, class, part).await? {
                return Ok(());
            }
        }
    }
    log.write_oldest(db, limits).await
}

/// A workspace's log during a sweep.
struct Log {
    scope: WorkspaceScope,
    row: cuts::Model,
}

#[derive(FromQueryResult)]
struct Counted {
    facts: i64,
    bytes: i64,
}

impl Log {
    /// Counts the events since the last sweep. `None` when the workspace is gone, or another sweeper is at work.
    async fn count(db: &Db, scope: WorkspaceScope, limits: &Limits) -> Result<Option<Self>, DbErr> {
        let tx = db.write().await?;
        let Some(head) = head::Entity::find_in(scope).one(&*tx).await? else {
            return Ok(None);
        };
        forget_former_epochs(&tx, scope, head.epoch, limits).await?;
        let known = cuts::Entity::find_in(scope).one(&*tx).await?;
        let before = known.filter(|row| row.epoch == head.epoch);
        let mut row = match &before {
            Some(row) => row.clone(),
            None => first_cuts(&tx, scope, &head).await?,
        };
        let counted = count_between(&tx, scope, row.epoch, (row.counted, head.seq)).await?;
        row.facts += counted.facts;
        row.ephemera_bytes += counted.bytes;
        row.counted = head.seq;
        let written = match &before {
            None => begin_epoch(&tx, row.clone()).await?,
            Some(before) => {
                let update = cuts::Entity::update_in(scope)
                    .filter(cuts::Column::Epoch.eq(before.epoch))
                    .filter(cuts::Column::Counted.eq(before.counted))
                    .filter(cuts::Column::FactsCut.eq(before.facts_cut))
                    .filter(cuts::Column::EphemeraCut.eq(before.ephemera_cut))
                    .set(cuts::ActiveModel {
                        counted: Set(row.counted),
                        facts: Set(row.facts),
                        ephemera_bytes: Set(row.ephemera_bytes),
                        ..Default::default()
                    });
                update.exec(&*tx).await?.rows_affected == 1
            }
        };
        if !written {
            return Ok(None);
        }
        tx.commit().await?;
        Ok(Some(Self { scope, row }))
    }

    fn cut(&self, class: Class) -> i64 {
        match class {
            Class::Fact => self.row.facts_cut,
            Class::Ephemeral => self.row.ephemera_cut,
        }
    }

    /// The stored and counted events of a class.
    fn stored(&self, class: Class) -> Select<event::Entity> {
        event::Entity::find_in(self.scope)
            .filter(event::Column::Epoch.eq(self.row.epoch))
            .filter(event::Column::Seq.gt(self.cut(class)))
            .filter(event::Column::Seq.lte(self.row.counted))
            .filter(class.condition())
    }

    /// The new cut of the facts.
    async fn facts_cut(&self, db: &Db, limits: &Limits) -> Result<i64, DbErr> {
        let by_age = self.cut_by_age(db, Class::Fact, limits.oldest_fact).await?;
        let too_many = u64::try_from(self.row.facts - limits.facts).unwrap_or(0);
        let by_count = match too_many.checked_sub(1) {
            Some(skipped) => first_seq(self.stored(Class::Fact).offset(skipped), db).await?,
            None => None,
        };
        Ok(by_age.max(by_count.unwrap_or(0)).max(self.row.facts_cut))
    }

    /// The new cut of the ephemeral events, by their own limits.
    async fn ephemera_cut(&self, db: &Db, limits: &Limits) -> Result<i64, DbErr> {
        let by_age = self
            .cut_by_age(db, Class::Ephemeral, limits.oldest_ephemera)
            .await?;
        let too_much = self.row.ephemera_bytes - limits.ephemera_bytes;
        let by_bytes = match too_much > 0 {
            true => self.cut_by_bytes(db, too_much).await?,
            false => 0,
        };
        Ok(by_age.max(by_bytes).max(self.row.ephemera_cut))
    }

    /// The last event before the first one that is young enough.
    async fn cut_by_age(&self, db: &Db, class: Class, oldest: DateTime<Utc>) -> Result<i64, DbErr> {
        let young = self.stored(class).filter(event::Column::At.gte(oldest));
        let old = match first_seq(young, db).await? {
            Some(first) => self.stored(class).filter(event::Column::Seq.lt(first)),
            None => self.stored(class),
        };
        let last = one_seq(old.order_by_desc(event::Column::Seq), db).await?;
        Ok(last.unwrap_or(0))
    }

    /// The event with which enough bytes are deleted, counted from the old end.
    async fn cut_by_bytes(&self, db: &Db, too_much: i64) -> Result<i64, DbErr> {
        let sql = "SELECT seq FROM (SELECT seq, SUM(ephemeral_bytes) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) AS total \
                   FROM events WHERE workspace_id = $1 AND epoch = $2 AND seq > $3 AND seq <= $4 \
                   AND ephemeral_bytes IS NOT NULL) AS sums WHERE total >= $5 ORDER BY seq LIMIT 1";
        let values = [
            self.row.workspace_id.into(),
            self.row.epoch.into(),
            self.row.ephemera_cut.into(),
            self.row.counted.into(),
            too_much.into(),
        ];
        let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
        let row = db.read().query_one_raw(statement).await?;
        row.map_or(Ok(0), |row| row.try_get("", "seq"))
    }

    /// Deletes the events of a class up to `to` and moves its cut there. `false` when another sweeper moved the cuts.
    async fn delete(&mut self, db: &Db, class: Class, to: i64) -> Result<bool, DbErr> {
        let tx = db.write().await?;
        let range = (self.cut(class), to);
        let counted = count_between(&tx, self.scope, self.row.epoch, range).await?;
        event::Entity::delete_in(self.scope)
            .filter(event::Column::Epoch.eq(self.row.epoch))
            .filter(event::Column::Seq.gt(range.0))
            .filter(event::Column::Seq.lte(range.1))
            .filter(class.condition())
            .exec(&*tx)
            .await?;
        let mut row = self.row.clone();
        match class {
            Class::Fact => {
                row.facts_cut = to;
                row.facts -= counted.facts;
            }
            Class::Ephemeral => {
                row.ephemera_cut = to;
                row.ephemera_bytes -= counted.bytes;
            }
        }
        let moved = cuts::Entity::update_in(self.scope)
            .filter(cuts::Column::Epoch.eq(self.row.epoch))
            .filter(cuts::Column::FactsCut.eq(self.row.facts_cut))
            .filter(cuts::Column::EphemeraCut.eq(self.row.ephemera_cut))
            .filter(cuts::Column::Counted.eq(self.row.counted))
            .set(cuts::ActiveModel {
                facts_cut: Set(row.facts_cut),
                ephemera_cut: Set(row.ephemera_cut),
                facts: Set(row.facts),
                ephemera_bytes: Set(row.ephemera_bytes),
                ..Default::default()
            })
            .exec(&*tx)
            .await?;
        if moved.rows_affected != 1 {
            return Ok(false);
        }
        tx.commit().await?;
        self.row = row;
        Ok(true)
    }

    /// Records the age of the oldest events that are kept, so that later sweeps know when to come back.
    async fn write_oldest(self, db: &Db, limits: &Limits) -> Result<(), DbErr> {
        let oldest = |class| {
            let stored = self.stored(class).order_by_asc(event::Column::Seq);
            stored.one(db.read())
        };
        // Without the check the search for an event of the class would read the whole log.
        let fact = match self.row.facts > 0 {
            true => oldest(Class::Fact).await?.map(|row| row.at),
            false => None,
        };
        let ephemera = match self.row.ephemera_bytes > 0 {
            true => oldest(Class::Ephemeral).await?.map(|row| row.at),
            false => None,
        };
        let former = event::Entity::find_in(self.scope)
            .filter(event::Column::Epoch.lt(self.row.epoch))
            .filter(event::Column::At.gte(limits.oldest_fact))
            .order_by_asc(event::Column::At)
            .one(db.read())
            .await?;
        let fact = fact.into_iter().chain(former.map(|row| row.at)).min();
        let tx = db.write().await?;
        cuts::Entity::update_in(self.scope)
            .filter(cuts::Column::Epoch.eq(self.row.epoch))
            .set(cuts::ActiveModel {
                oldest_fact: Set(fact),
                oldest_ephemera: Set(ephemera),
                ..Default::default()
            })
            .exec(&*tx)
            .await?;
        tx.commit().await
    }
}

/// The cuts of a log that no sweep has seen: everything before its oldest event is deleted.
async fn first_cuts(
    tx: &WriteTx,
    scope: WorkspaceScope,
    head: &head::Model,
) -> Result<cuts::Model, DbErr> {
    let oldest = event::Entity::find_in(scope)
        .filter(event::Column::Epoch.eq(head.epoch))
        .order_by_asc(event::Column::Seq)
        .one(&**tx)
        .await?;
    let cut = oldest.map_or(head.seq, |row| row.seq - 1);
    Ok(cuts::Model {
        workspace_id: head.workspace_id,
        epoch: head.epoch,
        facts_cut: cut,
        ephemera_cut: cut,
        counted: cut,
        facts: 0,
        ephemera_bytes: 0,
        oldest_fact: None,
        oldest_ephemera: None,
    })
}

/// Writes the first row of a log or of its new epoch. `false` when another sweeper did.
async fn begin_epoch(tx: &WriteTx, row: cuts::Model) -> Result<bool, DbErr> {
    use cuts::Column::{
        Counted, EphemeraBytes, EphemeraCut, Epoch, Facts, FactsCut, OldestEphemera, OldestFact,
        WorkspaceId,
    };
    let mut replace = OnConflict::column(WorkspaceId);
    replace.update_columns([
        Epoch,
        FactsCut,
        EphemeraCut,
        Counted,
        Facts,
        EphemeraBytes,
        OldestFact,
        OldestEphemera,
    ]);
    replace.action_and_where(sea_query::ExprTrait::lt(
        Expr::col((cuts::Entity, Epoch)),
        row.epoch,
    ));
    let written = cuts::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(replace)
        .exec_without_returning(&**tx)
        .await?;
    Ok(written == 1)
}

/// Events from before a restored backup are not replayed. They are part of the agents' history, and as old as facts may be.
async fn forget_former_epochs(
    tx: &WriteTx,
    scope: WorkspaceScope,
    epoch: i64,
    limits: &Limits,
) -> Result<(), DbErr> {
    event::Entity::delete_in(scope)
        .filter(event::Column::Epoch.lt(epoch))
        .filter(event::Column::At.lt(limits.oldest_fact))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The stored facts, and the bytes of the ephemeral events, of the sequence numbers after `range.0` and up to `range.1`.
async fn count_between(
    tx: &WriteTx,
    scope: WorkspaceScope,
    epoch: i64,
    range: (i64, i64),
) -> Result<Counted, DbErr> {
    let sql = "SELECT COUNT(*) - COUNT(ephemeral_bytes) AS facts, \
                 CAST(COALESCE(SUM(ephemeral_bytes), 0) AS BIGINT) AS bytes \
               FROM events WHERE workspace_id = $1 AND epoch = $2 AND seq > $3 AND seq <= $4";
    let values = [
        scope.workspace().into(),
        epoch.into(),
        range.0.into(),
        range.1.into(),
    ];
    let statement = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    let counted = Counted::find_by_statement(statement).one(&**tx).await?;
    Ok(counted.unwrap_or(Counted { facts: 0, bytes: 0 }))
}

async fn first_seq(select: Select<event::Entity>, db: &Db) -> Result<Option<i64>, DbErr> {
    one_seq(select.order_by_asc(event::Column::Seq), db).await
}

async fn one_seq(select: Select<event::Entity>, db: &Db) -> Result<Option<i64>, DbErr> {
    select
        .select_only()
        .column(event::Column::Seq)
        .into_tuple()
        .one(db.read())
        .await
}

//! All SQL of doors.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, UpdateMany,
    sea_query::{Expr, ExprTrait, Func},
};

use super::AskingRuns;
use super::entity::{ActiveModel, Column, Entity, Model};
use super::model::{DoorState, Outcome};
use roost_platform::db::{Backend, TenantEntity, WriteTx};
use roost_platform::events::{self, Decision, DoorResolve, Event, ResourceKind};
use roost_platform::ids::{ClawId, DoorId, RunId, UserId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// One door.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: DoorId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_in(scope)
        .filter(Column::Id.eq(id))
        .one(db)
        .await
}

/// Doors, newest first; optionally of one agent, or only those that wait.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: Option<ClawId>,
    pending: bool,
    request: PageRequest,
) -> Result<Vec<Model>, DbErr> {
    let mut query = Entity::find_in(scope);
    if let Some(agent) = agent {
        query = query.filter(Column::AgentId.eq(agent));
    }
    if pending {
        query = query.filter(Column::State.eq(DoorState::Pending.as_str()));
    }
    if let Some(after) = request.after {
        query = query.filter(Column::Id.lt(after));
    }
    query
        .order_by_desc(Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// The number of doors that wait for a decision.
pub async fn count_pending(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    Entity::find_in(scope)
        .filter(Column::State.eq(DoorState::Pending.as_str()))
        .count(db)
        .await
}

/// Whether one of these runs has a door that waits for a person.
///
/// # Errors
/// When the database fails.
pub async fn is_waited_for(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    runs: &[RunId],
) -> Result<bool, DbErr> {
    let waiting = Entity::find_in(scope)
        .filter(Column::State.eq(DoorState::Pending.as_str()))
        .filter(Column::RunId.is_in(runs.iter().copied()))
        .count(db)
        .await?;
    Ok(waiting > 0)
}

/// Inserts a door.
pub async fn insert(db: &impl ConnectionTrait, row: Model) -> Result<(), DbErr> {
    Entity::insert(ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Moves those of the rows that are in the state `from`.
fn transition(rows: UpdateMany<Entity>, from: DoorState, to: DoorState) -> UpdateMany<Entity> {
    rows.col_expr(Column::State, Expr::value(to.as_str()))
        .filter(Column::State.eq(from.as_str()))
}

/// Decides a door that waits and has not expired, with a reason for the agent. `None`: it was already decided, or it is over.
pub async fn decide(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: DoorId,
    (to, why): (DoorState, Option<&str>),
    by: UserId,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    let decided = transition(Entity::update_in(scope), DoorState::Pending, to)
        .col_expr(Column::DecidedBy, Expr::value(by.0))
        .col_expr(Column::DecidedAt, Expr::value(now))
        .col_expr(Column::ResultMessage, Expr::value(why))
        .filter(Column::Id.eq(id))
        .filter(Column::ExpiresAt.gt(now))
        .exec_with_returning(&**tx)
        .await?;
    Ok(decided.into_iter().next())
}

/// Waiting doors whose time is over. [`expire`] ends each.
pub async fn overdue(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::State.eq(DoorState::Pending.as_str()))
        .filter(Column::ExpiresAt.lte(now))
        .order_by_asc(Column::ExpiresAt)
        .limit(most)
        .all(db)
        .await
}

/// Ends a waiting door whose time is over. `false`: it was decided before.
pub async fn expire(tx: &WriteTx, id: DoorId, now: DateTime<Utc>) -> Result<bool, DbErr> {
    let expired = transition(
        Entity::update_many(),
        DoorState::Pending,
        DoorState::Expired,
    )
    .col_expr(Column::EndedAt, Expr::value(now))
    .filter(Column::Id.eq(id))
    .filter(Column::ExpiresAt.lte(now))
    .exec(&**tx)
    .await?;
    Ok(expired.rows_affected == 1)
}

/// An agent was deleted: denies its waiting doors, and its approved doors that were not begun.
///
/// # Errors
/// When the database fails.
pub async fn withdraw_of(
    tx: &mut WriteTx,
    runs: &dyn AskingRuns,
    scope: WorkspaceScope,
    agent: ClawId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let open = Entity::find_in(scope)
        .filter(Column::AgentId.eq(agent))
        .filter(Column::State.is_in(WITHDRAWN_FROM.map(DoorState::as_str)))
        .all(&**tx)
        .await?;
    let asking: BTreeSet<RunId> = open.iter().filter_map(|door| door.run_id).collect();
    for run in asking {
        runs.lock(tx, run).await?;
    }
    let these = Column::AgentId.eq(agent);
    let denied = withdraw(
        tx,
        Entity::update_in(scope),
        these,
        "The agent was deleted.",
        now,
    );
    let denied = denied.await?;
    for door in denied.iter().filter(|door| door.run_id.is_some()) {
        runs.wake(tx, door.id).await?;
    }
    for door in denied {
        publish_resolved(tx, &door, Decision::Deny, now).await?;
    }
    Ok(())
}

/// Runs end in this transaction, which has locked them: denies their doors that were not begun. Returns the events,
/// which the caller appends.
///
/// # Errors
/// When the database fails.
pub async fn withdraw_of_runs(
    tx: &WriteTx,
    runs: &[RunId],
    now: DateTime<Utc>,
) -> Result<Vec<(WorkspaceId, Event)>, DbErr> {
    let mut events = Vec::new();
    for some in runs.chunks(500) {
        let these = Column::RunId.is_in(some.iter().copied());
        let why = "The run that requested it has ended.";
        let denied = withdraw(tx, Entity::update_many(), these, why, now).await?;
        for door in denied {
            let facts = resolved(&door, Decision::Deny, None);
            events.extend(facts.map(|fact| (door.workspace_id, fact)));
        }
    }
    Ok(events)
}

/// The states in which nothing was sent.
const WITHDRAWN_FROM: [DoorState; 2] = [DoorState::Pending, DoorState::Approved];

async fn withdraw(
    tx: &WriteTx,
    rows: UpdateMany<Entity>,
    these: Expr,
    why: &str,
    now: DateTime<Utc>,
) -> Result<Vec<Model>, DbErr> {
    rows.col_expr(Column::State, Expr::value(DoorState::Denied.as_str()))
        .col_expr(Column::EndedAt, Expr::value(now))
        .col_expr(Column::ResultMessage, Expr::value(why))
        .filter(Column::State.is_in(WITHDRAWN_FROM.map(DoorState::as_str)))
        .filter(these)
        .exec_with_returning(&**tx)
        .await
}

/// Locks a door until the end of the transaction. Whether it has no end yet. `false` also when it does not exist.
///
/// # Errors
/// When the database fails.
#[expect(
    clippy::disallowed_methods,
    reason = "the lock is asked for on PostgreSQL only; SQLite has one writer"
)]
pub async fn is_open(tx: &WriteTx, id: DoorId) -> Result<bool, DbErr> {
    let mut query = Entity::find().filter(Column::Id.eq(id));
    if tx.backend() == Backend::Postgres {
        query = query.lock_exclusive();
    }
    let door = query.one(&**tx).await?;
    Ok(door.is_some_and(|door| !DoorState::from_stored(&door.state).is_final()))
}

/// The number of doors that an agent has requested since then.
pub async fn count_since(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    since: DateTime<Utc>,
) -> Result<u64, DbErr> {
    Entity::find_in(scope)
        .filter(Column::AgentId.eq(agent))
        .filter(Column::CreatedAt.gt(since))
        .count(db)
        .await
}

/// Records that the gateway sends the request from now on. `false` when the door has its end already.
pub async fn sending(tx: &WriteTx, id: DoorId, now: DateTime<Utc>) -> Result<bool, DbErr> {
    let marked = Entity::update_many()
        .col_expr(Column::SendingAt, Expr::value(now))
        .filter(Column::Id.eq(id))
        .filter(Column::State.eq(DoorState::Performing.as_str()))
        .exec(&**tx)
        .await?;
    Ok(marked.rows_affected == 1)
}

/// Approved doors that were not begun, oldest decision first.
pub async fn approved(db: &impl ConnectionTrait, most: u64) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::State.eq(DoorState::Approved.as_str()))
        .order_by_asc(Column::DecidedAt)
        .limit(most)
        .all(db)
        .await
}

/// Takes a door to perform it. Only one gateway gets `true`.
pub async fn take(tx: &WriteTx, id: DoorId, now: DateTime<Utc>) -> Result<bool, DbErr> {
    let taken = transition(
        Entity::update_many(),
        DoorState::Approved,
        DoorState::Performing,
    )
    .col_expr(Column::BegunAt, Expr::value(now))
    .filter(Column::Id.eq(id))
    .exec(&**tx)
    .await?;
    Ok(taken.rows_affected == 1)
}

/// Doors that were begun before `before` and never ended.
pub async fn cut_off(
    db: &impl ConnectionTrait,
    before: DateTime<Utc>,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::State.eq(DoorState::Performing.as_str()))
        .filter(Column::BegunAt.lt(before))
        .limit(100)
        .all(db)
        .await
}

/// Stores the result of a door that was performed; `false` when its end is already stored.
pub async fn end(
    tx: &WriteTx,
    door: &Model,
    outcome: &Outcome,
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let ended = transition(Entity::update_many(), DoorState::Performing, outcome.state)
        .col_expr(Column::EndedAt, Expr::value(now))
        .col_expr(
            Column::ResultStatus,
            Expr::value(outcome.status.map(i32::from)),
        )
        .col_expr(Column::ResultUrl, Expr::value(outcome.url.clone()))
        .col_expr(Column::ResultMessage, Expr::value(outcome.message.clone()))
        .filter(Column::Id.eq(door.id))
        .exec(&**tx)
        .await?;
    Ok(ended.rows_affected == 1)
}

/// Appends the events of a decision.
pub(super) async fn publish_resolved(
    tx: &mut WriteTx,
    door: &Model,
    decision: Decision,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    events::append(tx, door.workspace_id, now, resolved(door, decision, None)).await
}

/// The events of a decision; `by` is the name of the person who decided.
pub(super) fn resolved(door: &Model, decision: Decision, by: Option<String>) -> [Event; 2] {
    let resolved = Event::DoorResolve(DoorResolve {
        door_id: door.id,
        decision,
        by,
    });
    [resolved, Event::changed(ResourceKind::Door, door.id, 2)]
}

/// Rows that one transaction deletes.
const PART: u64 = 500;

/// Deletes some doors that ended before this time. `true`: there may be more. The audit log keeps who decided.
///
/// # Errors
/// When the database fails.
pub async fn forget_ended(tx: &WriteTx, before: DateTime<Utc>) -> Result<bool, DbErr> {
    let open = [
        DoorState::Pending,
        DoorState::Approved,
        DoorState::Performing,
    ];
    // A person who denies it ends it: such a door has the time of the decision only.
    let end = Func::coalesce([
        Expr::col(Column::EndedAt),
        Expr::col(Column::DecidedAt),
        Expr::col(Column::CreatedAt),
    ]);
    let old: Vec<DoorId> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::State.is_not_in(open.map(DoorState::as_str)))
        .filter(Expr::expr(end).lt(before))
        .limit(PART)
        .into_tuple()
        .all(&**tx)
        .await?;
    let many = old.len() as u64 >= PART;
    Entity::delete_many()
        .filter(Column::Id.is_in(old))
        .exec(&**tx)
        .await?;
    Ok(many)
}

/// Removes all doors of a workspace that is deleted.
pub async fn remove_all(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    Entity::delete_in(scope).exec(&**tx).await?;
    Ok(())
}

/// The requests on the authority of these people, in all their workspaces, that wait for a decision since a time or later;
/// the newest first.
///
/// # Errors
/// When the database fails.
pub async fn asked_since(
    db: &impl ConnectionTrait,
    people: &[UserId],
    since: DateTime<Utc>,
    most: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::RequestedBy.is_in(people.iter().copied()))
        .filter(Column::State.eq(DoorState::Pending.as_str()))
        .filter(Column::CreatedAt.gt(since))
        .order_by_desc(Column::CreatedAt)
        .limit(most)
        .all(db)
        .await
}

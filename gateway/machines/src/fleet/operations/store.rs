//! All SQL of operations.

use chrono::{DateTime, Utc};
use roost_protocol::machine::operation::{Caller, Stage};
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{Ended, Outcome};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select, Statement, Value,
};

use super::entity;
use super::model::{Asked, OperationState, Target};
use super::record::CommandRecord;
use roost_platform::db::WriteTx;
use roost_platform::db::{Older, TenantEntity};
use roost_platform::ids::{NodeId, OperationId, SandboxId, SandboxOwnerId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// The connection that brought a report. A write is void when a newer connection exists (promise P6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    pub node: NodeId,
    pub epoch: i64,
    pub held_by: String,
}

/// A new row.
#[derive(Debug)]
pub(super) struct NewOperation<'a> {
    pub(super) id: OperationId,
    pub(super) target: Target,
    pub(super) engine: &'a str,
    pub(super) asked: &'a Asked,
    /// The record of a command that a person or an agent runs.
    pub(super) record: Option<CommandRecord>,
    pub(super) request: serde_json::Value,
    /// The request in its wire form, kept until the end.
    pub(super) wire: Vec<u8>,
    pub(super) at: DateTime<Utc>,
    pub(super) give_up_at: DateTime<Utc>,
}

pub(super) async fn insert(tx: &WriteTx, new: NewOperation<'_>) -> Result<(), DbErr> {
    let is_shell = new.record.as_ref().is_some_and(|record| record.is_shell);
    let kind = new
        .record
        .as_ref()
        .map(|record| record.owner_kind.to_owned());
    let record = new.record.unwrap_or_default();
    let row = entity::ActiveModel {
        id: Set(new.id),
        node_id: Set(new.target.node()),
        engine: Set(new.target.node().is_none().then(|| new.engine.to_owned())),
        workspace_id: Set(new.asked.workspace.map(WorkspaceId)),
        owner_id: Set(new.asked.owner.map(SandboxOwnerId)),
        sandbox_id: Set(new.asked.sandbox.map(SandboxId)),
        kind: Set(new.asked.kind.clone()),
        request: Set(new.request),
        wire: Set(Some(new.wire)),
        cancelling: Set(false),
        state: Set(OperationState::Pending.as_str().to_owned()),
        outcome: Set(None),
        detail: Set(None),
        output_end: Set(0),
        output_dropped: Set(0),
        duration_ms: Set(None),
        created_at: Set(new.at),
        started_at: Set(None),
        finished_at: Set(None),
        give_up_at: Set(new.give_up_at),
        owner_kind: Set(kind),
        user_id: Set(record.user),
        agent_id: Set(record.agent),
        run_id: Set(record.run),
        step: Set(record.step),
        tool: Set(record.tool),
        command: Set(record.command),
        exit_code: Set(None),
        is_shell: Set(is_shell),
    };
    entity::Entity::insert(row)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

pub(super) async fn get(
    db: &impl ConnectionTrait,
    id: OperationId,
) -> Result<Option<entity::Model>, DbErr> {
    entity::Entity::find_by_id(id).one(db).await
}

/// Deletes operations that ended before this time, at most a few thousand. Returns whether there may be more.
///
/// # Errors
/// When the database fails.
pub async fn forget_ended(tx: &WriteTx, before: DateTime<Utc>) -> Result<bool, DbErr> {
    const AT_ONCE: u64 = 2_000;
    let some = entity::Entity::find()
        .select_only()
        .column(entity::Column::Id)
        .filter(entity::Column::FinishedAt.lt(before))
        .order_by(entity::Column::FinishedAt, Order::Asc)
        .limit(AT_ONCE)
        .into_query();
    let gone = entity::Entity::delete_many()
        .filter(entity::Column::Id.in_subquery(some))
        .exec(&**tx)
        .await?;
    Ok(gone.rows_affected == AT_ONCE)
}

/// Deletes the operations in the sandboxes of an owner that is removed, with what people and agents wrote. The outputs of
/// commands go with their rows.
///
/// # Errors
/// When the database fails.
pub async fn remove_of(
    tx: &WriteTx,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<(), DbErr> {
    entity::Entity::delete_in(scope)
        .filter(entity::Column::OwnerId.eq(owner))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// One operation of a workspace.
pub(super) async fn get_scoped(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: OperationId,
) -> Result<Option<entity::Model>, DbErr> {
    entity::Entity::find_by_id_in(scope, id).one(db).await
}

/// The open operations of an engine.
pub(super) async fn open_on(
    db: &impl ConnectionTrait,
    target: Target,
    engine: &str,
) -> Result<Vec<entity::Model>, DbErr> {
    let query = open();
    match target {
        Target::Node(node) => query.filter(entity::Column::NodeId.eq(node)),
        Target::Local => query
            .filter(entity::Column::NodeId.is_null())
            .filter(entity::Column::Engine.eq(engine)),
    }
    .all(db)
    .await
}

/// The latest operations of a node, newest first.
pub async fn latest_on(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    node: NodeId,
    before: Option<OperationId>,
    limit: u64,
) -> Result<Vec<entity::Model>, DbErr> {
    let mut query = entity::Entity::find_in(scope).filter(entity::Column::NodeId.eq(node));
    if let Some(before) = before {
        query = query.filter(entity::Column::Id.lt(before));
    }
    query
        .order_by(entity::Column::Id, Order::Desc)
        .limit(limit)
        .all(db)
        .await
}

/// The operations in sandboxes of an owner, newest first.
pub(super) async fn of_owner(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    older: Older<OperationId>,
    limit: u64,
) -> Result<Vec<entity::Model>, DbErr> {
    entity::Entity::find_in(scope)
        .filter(entity::Column::OwnerId.eq(owner))
        .filter(older.of(entity::Column::CreatedAt, entity::Column::Id))
        .order_by(entity::Column::CreatedAt, Order::Desc)
        .order_by(entity::Column::Id, Order::Desc)
        .limit(limit)
        .all(db)
        .await
}

/// The commands that are under way anywhere.
pub async fn open_commands(db: &impl ConnectionTrait) -> Result<Vec<entity::Model>, DbErr> {
    open_commands_query().all(db).await
}

/// Whether a command is under way in a sandbox.
pub async fn any_command_open(
    db: &impl ConnectionTrait,
    sandbox: SandboxId,
) -> Result<bool, DbErr> {
    let found = open_commands_query()
        .filter(entity::Column::SandboxId.eq(sandbox))
        .limit(1)
        .one(db)
        .await?;
    Ok(found.is_some())
}

/// Whether a command other than a person's shell is under way in a sandbox.
pub async fn any_work_open(db: &impl ConnectionTrait, sandbox: SandboxId) -> Result<bool, DbErr> {
    let found = open_commands_query()
        .filter(entity::Column::SandboxId.eq(sandbox))
        .filter(entity::Column::IsShell.eq(false))
        .limit(1)
        .one(db)
        .await?;
    Ok(found.is_some())
}

/// Whether a command of an owner ended in its sandbox after this time.
pub async fn any_command_ended_after(
    db: &impl ConnectionTrait,
    (owner, sandbox): (SandboxOwnerId, SandboxId),
    at: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let found = entity::Entity::find()
        .filter(entity::Column::OwnerId.eq(owner))
        .filter(entity::Column::SandboxId.eq(sandbox))
        .filter(entity::Column::Kind.eq("sb_exec"))
        .filter(entity::Column::FinishedAt.gt(at))
        .limit(1)
        .one(db)
        .await?;
    Ok(found.is_some())
}

fn open_commands_query() -> Select<entity::Entity> {
    open().filter(entity::Column::Kind.eq("sb_exec"))
}

fn open() -> Select<entity::Entity> {
    entity::Entity::find().filter(entity::Column::State.is_in([
        OperationState::Pending.as_str(),
        OperationState::Running.as_str(),
    ]))
}

/// Records that the machine has these operations.
pub(super) async fn note_running(
    tx: &WriteTx,
    ids: &[OperationId],
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    entity::Entity::update_many()
        .col_expr(
            entity::Column::State,
            OperationState::Running.as_str().into(),
        )
        .col_expr(entity::Column::StartedAt, Some(at).into())
        .filter(entity::Column::Id.is_in(ids.iter().copied()))
        .filter(entity::Column::State.eq(OperationState::Pending.as_str()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Records the request to cancel. `false`: the operation is over.
pub(super) async fn note_cancelling(tx: &WriteTx, id: OperationId) -> Result<bool, DbErr> {
    let done = entity::Entity::update_many()
        .col_expr(entity::Column::Cancelling, true.into())
        .filter(entity::Column::Id.eq(id))
        .filter(entity::Column::State.is_in([
            OperationState::Pending.as_str(),
            OperationState::Running.as_str(),
        ]))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Writes the end, unless the row has one or the reporting connection is not the newest. `false`: nothing changed.
pub(super) async fn finish(
    tx: &WriteTx,
    id: OperationId,
    fence: Option<&Fence>,
    ended: &Ended,
    at: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let outcome =
        serde_json::to_value(&ended.outcome).map_err(|error| DbErr::Json(error.to_string()))?;
    let mut sql = "UPDATE node_operations SET state = $1, outcome = $2, detail = $3, output_end = $4, \
                   output_dropped = $5, duration_ms = $6, wire = NULL, finished_at = $7, started_at = COALESCE(started_at, $7), \
                   exit_code = $9 WHERE id = $8 AND state IN ('pending', 'running')"
        .to_owned();
    let mut values: Vec<Value> = vec![
        OperationState::from(ended.state).as_str().into(),
        outcome.into(),
        detail(ended).into(),
        signed(ended.output_end).into(),
        signed(ended.output_dropped).into(),
        signed(ended.duration_ms).into(),
        at.into(),
        id.into(),
        exit_code(&ended.outcome).into(),
    ];
    if let Some(fence) = fence {
        sql.push_str(
            " AND node_id = $10 AND EXISTS (SELECT 1 FROM nodes WHERE id = $10 AND conn_epoch = $11 AND held_by = $12)",
        );
        values.extend([
            fence.node.into(),
            fence.epoch.into(),
            fence.held_by.clone().into(),
        ]);
    }
    let done = tx
        .execute_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            values,
        ))
        .await?;
    Ok(done.rows_affected() == 1)
}

fn exit_code(outcome: &Outcome) -> Option<i32> {
    match outcome {
        Outcome::Exited { code } => Some(*code),
        _ => None,
    }
}

fn detail(ended: &Ended) -> Option<String> {
    match &ended.outcome {
        Outcome::Error { error } => Some(error.detail.clone()),
        _ => None,
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

impl entity::Model {
    /// The state; an unknown word counts as lost.
    pub fn state(&self) -> OperationState {
        OperationState::from_stored(&self.state).unwrap_or(OperationState::Lost)
    }

    /// Where it runs.
    pub fn target(&self) -> Target {
        self.node_id.map_or(Target::Local, Target::Node)
    }

    /// The end, if it ended.
    pub fn ended(&self) -> Option<Ended> {
        use roost_protocol::report::Terminal;
        let state = match self.state() {
            OperationState::Pending | OperationState::Running => return None,
            OperationState::Done => Terminal::Done,
            OperationState::Failed => Terminal::Failed,
            OperationState::Cancelled => Terminal::Cancelled,
            OperationState::Lost => Terminal::Lost,
        };
        let outcome = self
            .outcome
            .clone()
            .and_then(|json| serde_json::from_value(json).ok());
        Some(Ended {
            state,
            outcome: outcome.unwrap_or(Outcome::Unknown),
            output_end: unsigned(self.output_end),
            output_dropped: unsigned(self.output_dropped),
            duration_ms: self.duration_ms.map_or(0, unsigned),
        })
    }

    /// Shows an end that the row does not have yet.
    pub(super) fn show_end(&mut self, ended: &Ended, at: DateTime<Utc>) {
        if self.state().is_final() {
            return;
        }
        self.state = OperationState::from(ended.state).as_str().to_owned();
        self.outcome = serde_json::to_value(&ended.outcome).ok();
        self.detail = detail(ended);
        self.exit_code = exit_code(&ended.outcome);
        self.output_end = signed(ended.output_end);
        self.output_dropped = signed(ended.output_dropped);
        self.duration_ms = Some(signed(ended.duration_ms));
        self.finished_at = Some(at);
        self.started_at = self.started_at.or(Some(at));
    }

    /// The pure state machine in the state that the store has.
    pub(super) fn caller(&self) -> Caller {
        let stage = match (self.state(), self.ended()) {
            (_, Some(ended)) => Stage::Ended(ended.state),
            (OperationState::Running, None) => Stage::Accepted,
            (_, None) => Stage::Sent,
        };
        Caller::restore(stage, self.cancelling)
    }

    /// The request, while the operation is open.
    pub(super) fn wire_request(&self) -> Option<OperationRequest> {
        self.wire
            .as_deref()
            .and_then(|bytes| rmp_serde::from_slice(bytes).ok())
    }

    pub(super) fn asked(&self) -> Asked {
        Asked {
            kind: self.kind.clone(),
            workspace: self.workspace_id.map(Into::into),
            owner: self.owner_id.map(Into::into),
            sandbox: self.sandbox_id.map(Into::into),
        }
    }
}

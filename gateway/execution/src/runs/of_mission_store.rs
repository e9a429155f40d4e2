//! Reads the runs of missions: which there are, and what was said in them.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use super::entity::{call, record, run, state, step};
use super::entry::{CommandMade, Entry, EntryKind};
use super::listed_store::narrow;
use super::store;
use roost_platform::db::TenantEntity;
use roost_platform::ids::{ClawId, MissionId, RunId};
use roost_tenancy::auth::WorkspaceScope;

/// The runs of a mission, also those below other runs, oldest first and at most `most`.
///
/// # Errors
/// When the database fails.
pub async fn of_mission(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    most: u64,
) -> Result<Vec<run::Listed>, DbErr> {
    narrow(scope)
        .filter(record::Column::MissionId.eq(mission))
        .order_by_asc(record::Column::Id)
        .limit(most)
        .into_model()
        .all(db)
        .await
}

/// What each of these runs has cost so far, in millionths of a US dollar.
///
/// # Errors
/// When the database fails.
pub async fn costs(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    runs: &[RunId],
) -> Result<HashMap<RunId, i64>, DbErr> {
    let found: Vec<(RunId, i64)> = state::Entity::find_in(scope)
        .select_only()
        .column(state::Column::RunId)
        .column(state::Column::CostMicrousd)
        .filter(state::Column::RunId.is_in(runs.iter().copied()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// Those of these runs that the workspace has, as lists show them.
///
/// # Errors
/// When the database fails.
pub async fn listed(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    runs: &[RunId],
) -> Result<Vec<run::Listed>, DbErr> {
    narrow(scope)
        .filter(record::Column::Id.is_in(runs.iter().copied()))
        .into_model()
        .all(db)
        .await
}

/// A text that was said in a step: a turn of its model, the result of a tool, a check or a note; or its output.
#[derive(Debug, Clone)]
pub struct SaidInStep {
    pub run: RunId,
    pub step: String,
    pub lap: i32,
    pub shard: i32,
    /// The place in the journal. Absent for the output of a step without a journal.
    pub idx: Option<i32>,
    pub agent: Option<ClawId>,
    pub text: String,
    pub at_ms: i64,
}

#[derive(FromQueryResult)]
struct CallRow {
    run_id: RunId,
    step_key: String,
    lap: i32,
    shard: i32,
    idx: i32,
    kind: String,
    content: String,
    ended_ms: i64,
}

#[derive(FromQueryResult)]
struct OutputRow {
    run_id: RunId,
    step_key: String,
    lap: i32,
    shard: i32,
    agent_id: Option<ClawId>,
    output: Option<String>,
    ended_ms: Option<i64>,
}

/// What was said in these runs since a time, oldest first: at most `most` entries of their journals, and the outputs of
/// steps without a journal.
///
/// # Errors
/// When the database fails.
pub async fn said_since(
    db: &impl ConnectionTrait,
    runs: &[RunId],
    since_ms: i64,
    most: u64,
) -> Result<Vec<SaidInStep>, DbErr> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let calls: Vec<CallRow> = call::Entity::find()
        .filter(call::Column::RunId.is_in(runs.iter().copied()))
        .filter(call::Column::EndedMs.gte(since_ms))
        // A run that a step started has a journal of its own.
        .filter(call::Column::Kind.ne(EntryKind::Child.as_str()))
        .order_by_asc(call::Column::EndedMs)
        .order_by_asc(call::Column::RunId)
        .order_by_asc(call::Column::StepKey)
        .order_by_asc(call::Column::Lap)
        .order_by_asc(call::Column::Shard)
        .order_by_asc(call::Column::Idx)
        .limit(most)
        .into_model()
        .all(db)
        .await?;
    let agents = agents_of(db, runs, &calls).await?;
    let mut said: Vec<SaidInStep> = calls
        .into_iter()
        .filter_map(|row| {
            let text = text_of(&row)?;
            let at = (row.run_id, row.step_key, row.lap, row.shard);
            let agent = agents.iter().find(|(step, _)| *step == at);
            Some(SaidInStep {
                agent: agent.and_then(|(_, agent)| *agent),
                run: at.0,
                step: at.1,
                lap: at.2,
                shard: at.3,
                idx: Some(row.idx),
                text,
                at_ms: row.ended_ms,
            })
        })
        .collect();
    said.extend(outputs_alone(db, runs, since_ms, most).await?);
    said.sort_by_key(|said| said.at_ms);
    Ok(said)
}

type At = (RunId, String, i32, i32);

/// The agents of the steps of these entries.
async fn agents_of(
    db: &impl ConnectionTrait,
    runs: &[RunId],
    calls: &[CallRow],
) -> Result<Vec<(At, Option<ClawId>)>, DbErr> {
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    use step::Column::{AgentId, Lap, RunId as Run, Shard, StepKey};
    let rows: Vec<(RunId, String, i32, i32, Option<ClawId>)> = step::Entity::find()
        .select_only()
        .columns([Run, StepKey, Lap, Shard, AgentId])
        .filter(Run.is_in(runs.iter().copied()))
        .into_tuple()
        .all(db)
        .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|(run, step, lap, shard, agent)| ((run, step, lap, shard), agent))
        .collect())
}

/// The text that an entry says. The words that a model thought are not said.
fn text_of(row: &CallRow) -> Option<String> {
    let kind = EntryKind::parse(&row.kind)?;
    let text = match Entry::read(kind, &row.content).ok()? {
        Entry::Model(turn) => turn.text,
        Entry::Tool(answer) => answer.text,
        Entry::Check(made) => made.text,
        Entry::Door(door) => door.answer.text,
        Entry::Note(note) => note.text,
        // What a command of Roost wrote is nothing that an agent said.
        Entry::Child(_) | Entry::Command(_) => return None,
    };
    Some(text)
}

/// The outputs of steps that have no journal.
async fn outputs_alone(
    db: &impl ConnectionTrait,
    runs: &[RunId],
    since_ms: i64,
    most: u64,
) -> Result<Vec<SaidInStep>, DbErr> {
    use step::Column::{AgentId, EndedMs, Lap, Output, RunId as Run, Shard, StepKey};
    let same = |of: call::Column, step: step::Column| {
        Expr::col((call::Entity, of)).equals((step::Entity, step))
    };
    let journal = Query::select()
        .expr(Expr::val(1))
        .from(call::Entity)
        .and_where(same(call::Column::RunId, Run))
        .and_where(same(call::Column::StepKey, StepKey))
        .and_where(same(call::Column::Lap, Lap))
        .and_where(same(call::Column::Shard, Shard))
        .to_owned();
    let rows: Vec<OutputRow> = step::Entity::find()
        .select_only()
        .columns([Run, StepKey, Lap, Shard, AgentId, Output, EndedMs])
        .filter(Run.is_in(runs.iter().copied()))
        .filter(EndedMs.gte(since_ms))
        .filter(Output.is_not_null())
        .filter(Expr::exists(journal).not())
        .order_by_asc(EndedMs)
        .limit(most)
        .into_model()
        .all(db)
        .await?;
    let said = rows.into_iter().filter_map(|row| {
        Some(SaidInStep {
            run: row.run_id,
            step: row.step_key,
            lap: row.lap,
            shard: row.shard,
            idx: None,
            agent: row.agent_id,
            text: row.output?,
            at_ms: row.ended_ms?,
        })
    });
    Ok(said.collect())
}

/// How often a model or a tool was used in runs.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct UsedInRuns {
    /// `model` or `tool`.
    pub kind: String,
    /// The name of the model or the tool.
    pub name: String,
    pub calls: i64,
    pub failed: i64,
    pub tokens: i64,
    pub cost_microusd: i64,
}

/// The models, tools and checks that were used in these runs, the most used ones first: at most `most`.
///
/// # Errors
/// When the database fails.
pub async fn used_in(
    db: &impl ConnectionTrait,
    runs: &[RunId],
    most: u64,
) -> Result<Vec<UsedInRuns>, DbErr> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    use call::Column::{CostMicrousd, Failed, Kind, Name, RunId as Run, TokensIn, TokensOut};
    let sum = |of: sea_orm::sea_query::SimpleExpr| {
        Expr::expr(sea_orm::sea_query::Func::coalesce([of.sum(), Expr::val(0)])).cast_as("BIGINT")
    };
    let failed = Expr::case(Failed.eq(true), 1).finally(0);
    call::Entity::find()
        .select_only()
        .column(Kind)
        .column(Name)
        .column_as(Kind.count(), "calls")
        .column_as(sum(failed.into()), "failed")
        .column_as(sum(Expr::col(TokensIn).add(Expr::col(TokensOut))), "tokens")
        .column_as(sum(Expr::col(CostMicrousd)), "cost_microusd")
        .filter(Run.is_in(runs.iter().copied()))
        .filter(
            Kind.is_in(
                [EntryKind::Model, EntryKind::Tool, EntryKind::Check].map(EntryKind::as_str),
            ),
        )
        .group_by(Kind)
        .group_by(Name)
        .order_by_desc(Kind.count())
        .order_by_asc(Name)
        .limit(most)
        .into_model()
        .all(db)
        .await
}

/// The commands that Roost itself ran in a run, in their order.
///
/// # Errors
/// When the database fails.
pub async fn commands_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Vec<CommandMade>, DbErr> {
    if store::get(db, scope, run).await?.is_none() {
        return Ok(Vec::new());
    }
    let rows = call::Entity::find()
        .filter(call::Column::RunId.eq(run))
        .filter(call::Column::Kind.eq(EntryKind::Command.as_str()))
        .order_by_asc(call::Column::Idx)
        .all(db)
        .await?;
    let made = rows.iter().filter_map(|row| match Entry::parse(row) {
        Ok(Entry::Command(made)) => Some(made),
        _ => None,
    });
    Ok(made.collect())
}

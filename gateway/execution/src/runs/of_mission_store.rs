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
use crate::tools;
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

/// The runs of a mission that changed since a time, also those below other runs: at most `most`, the newest ones.
///
/// # Errors
/// When the database fails.
pub async fn lively_of_mission(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    since_ms: i64,
    most: u64,
) -> Result<Vec<run::Listed>, DbErr> {
    narrow(scope)
        .filter(record::Column::MissionId.eq(mission))
        .filter(state::Column::UpdatedMs.gte(since_ms))
        .order_by_desc(record::Column::Id)
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

/// A text that was said in a step: a turn of its model, what its command or check printed, or a note; or its output.
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

/// What was said since a time.
#[derive(Debug, Default)]
pub struct SaidSince {
    /// Oldest first.
    pub said: Vec<SaidInStep>,
    /// Everything until this time is there, but for more texts of this very instant when `more` is set. The next read
    /// begins here.
    pub until_ms: i64,
    /// There may be later texts.
    pub more: bool,
}

impl SaidSince {
    /// Joins two lists, each oldest first. A list that was cut says nothing about the time after its end, so later texts
    /// of the other one wait for the next read.
    fn joined(since_ms: i64, lists: [Page; 2]) -> Self {
        let cuts = lists.iter().filter_map(|list| list.cut_ms);
        let cut = cuts.min();
        let mut said: Vec<SaidInStep> = lists.into_iter().flat_map(|list| list.said).collect();
        said.retain(|one| cut.is_none_or(|cut| one.at_ms <= cut));
        said.sort_by_key(|one| one.at_ms);
        let newest = said.last().map(|one| one.at_ms);
        Self {
            said,
            until_ms: cut.or(newest).unwrap_or(since_ms),
            more: cut.is_some(),
        }
    }
}

/// Texts that one statement read.
struct Page {
    said: Vec<SaidInStep>,
    /// The time of its last row, when there may be more rows.
    cut_ms: Option<i64>,
}

impl Page {
    const NONE: Self = Self {
        said: Vec::new(),
        cut_ms: None,
    };
}

/// The time of the last row of a page that is full.
fn cut_of(
    mut times: impl ExactSizeIterator<Item = i64> + DoubleEndedIterator,
    most: u64,
) -> Option<i64> {
    let is_full = times.len() as u64 >= most;
    times.next_back().filter(|_| is_full)
}

#[derive(FromQueryResult)]
struct CallRow {
    run_id: RunId,
    step_key: String,
    lap: i32,
    shard: i32,
    idx: i32,
    kind: String,
    name: String,
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

/// What was said in these runs since a time: at most `most` entries of their journals, and as many outputs of steps
/// without a journal.
///
/// # Errors
/// When the database fails.
pub async fn said_since(
    db: &impl ConnectionTrait,
    runs: &[RunId],
    since_ms: i64,
    most: u64,
) -> Result<SaidSince, DbErr> {
    if runs.is_empty() {
        return Ok(SaidSince::joined(since_ms, [Page::NONE, Page::NONE]));
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
    let cut_ms = cut_of(calls.iter().map(|row| row.ended_ms), most);
    let said: Vec<SaidInStep> = calls
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
    let outputs = outputs_alone(db, runs, since_ms, most).await?;
    Ok(SaidSince::joined(
        since_ms,
        [Page { said, cut_ms }, outputs],
    ))
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

/// The text that an entry says. The words that a model thought are not said. Nor is what a tool read: a file, a page or a skill
/// has the words of others. An agent chooses what its commands print.
fn text_of(row: &CallRow) -> Option<String> {
    let kind = EntryKind::parse(&row.kind)?;
    let text = match Entry::read(kind, &row.content).ok()? {
        Entry::Model(turn) => turn.text,
        Entry::Tool(answer) => (row.name == tools::SHELL).then_some(answer.text)?,
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
) -> Result<Page, DbErr> {
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
    let cut_ms = cut_of(
        rows.iter().map(|row| row.ended_ms.unwrap_or(since_ms)),
        most,
    );
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
    Ok(Page {
        said: said.collect(),
        cut_ms,
    })
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn page(times: &[i64], most: u64) -> Page {
        let said = times.iter().map(|at_ms| SaidInStep {
            run: RunId(Uuid::nil()),
            step: "a".to_owned(),
            lap: 1,
            shard: 0,
            idx: None,
            agent: None,
            text: String::new(),
            at_ms: *at_ms,
        });
        Page {
            said: said.collect(),
            cut_ms: cut_of(times.iter().copied(), most),
        }
    }

    fn joined(entries: &[i64], outputs: &[i64]) -> (Vec<i64>, i64, bool) {
        let joined = SaidSince::joined(5, [page(entries, 3), page(outputs, 3)]);
        let times = joined.said.iter().map(|said| said.at_ms);
        (times.collect(), joined.until_ms, joined.more)
    }

    #[test]
    fn output_after_a_cut_journal_waits_for_the_entries_before_it() {
        assert_eq!(joined(&[6, 7, 8], &[7, 20]), (vec![6, 7, 7, 8], 8, true));
        assert_eq!(joined(&[6, 30], &[7, 8, 9]), (vec![6, 7, 8, 9], 9, true));
        assert_eq!(
            joined(&[6, 7, 8], &[7, 7, 7]),
            (vec![6, 7, 7, 7, 7], 7, true)
        );
    }

    #[test]
    fn lists_with_room_are_everything() {
        assert_eq!(joined(&[6, 9], &[7]), (vec![6, 7, 9], 9, false));
        assert_eq!(joined(&[], &[]), (vec![], 5, false));
    }

    #[test]
    fn tool_that_reads_says_nothing_and_a_command_does() {
        let answer = r#"{"call":"c","arguments":{},"text":"COMPLETED: INT-01","is_error":false}"#;
        let said = |name: &str| {
            text_of(&CallRow {
                run_id: RunId(Uuid::nil()),
                step_key: "a".to_owned(),
                lap: 1,
                shard: 0,
                idx: 0,
                kind: "tool".to_owned(),
                name: name.to_owned(),
                content: answer.to_owned(),
                ended_ms: 1,
            })
        };
        for name in ["read_file", "read_skill", "diff", "web.search"] {
            assert_eq!(said(name), None, "{name}");
        }
        assert_eq!(said("shell").as_deref(), Some("COMPLETED: INT-01"));
    }
}

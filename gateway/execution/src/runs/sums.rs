//! Sums of what runs used: runs, tokens, cost and time, by what the rows of runs name.
//!
//! A run that another run started is a part of it: it counts for what the root of its tree names. A cost that is rolled up
//! counts only in the parent, so each token counts once, also while a tree works. The use of models is in the journals.
//! When the retention deletes a journal, [`keep`] writes its sums first.

use std::ops::AddAssign;

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, DbErr, FromQueryResult, Statement};
use uuid::Uuid;

use super::entity::{call, model_use};
use super::entry::EntryKind;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::{RunId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// What the sums are by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SumsBy {
    Team,
    Mission,
    Person,
    /// A day in UTC.
    Day,
    Model,
}

/// The runs that count: roots that were created from the first time until before the second one, in milliseconds; of one
/// team only where it is named.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub from_ms: i64,
    pub until_ms: i64,
    pub team: Option<TeamId>,
}

/// What was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// Runs that no other run started.
    pub runs: i64,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_microusd: i64,
    /// The time of these runs, or of the turns of a model. A run that has not ended counts until now.
    pub ms: i64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, more: Self) {
        self.runs += more.runs;
        self.tokens_in += more.tokens_in;
        self.tokens_out += more.tokens_out;
        self.cost_microusd += more.cost_microusd;
        self.ms += more.ms;
    }
}

/// The sums of one key. The key has the kind that was asked for. Without a key, the runs name nothing of this kind, or the
/// turns have no entry in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summed {
    pub id: Option<Uuid>,
    /// Days since 1970.
    pub day: Option<i64>,
    pub model: Option<String>,
    pub sums: Sums,
}

#[derive(FromQueryResult)]
struct Row {
    key_id: Option<Uuid>,
    key_day: Option<i64>,
    key_model: Option<String>,
    runs: i64,
    tokens_in: i64,
    tokens_out: i64,
    cost_microusd: i64,
    took_ms: i64,
}

impl From<Row> for Summed {
    fn from(row: Row) -> Self {
        Self {
            id: row.key_id,
            day: row.key_day,
            model: row.key_model,
            sums: Sums {
                runs: row.runs,
                tokens_in: row.tokens_in,
                tokens_out: row.tokens_out,
                cost_microusd: row.cost_microusd,
                ms: row.took_ms,
            },
        }
    }
}

/// The sums of a workspace by something, in no order.
///
/// # Errors
/// When the database fails.
pub async fn of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    by: SumsBy,
    times: Times,
) -> Result<Vec<Summed>, DbErr> {
    let (id, day) = match by {
        SumsBy::Team => ("top.team_id", NO_DAY),
        SumsBy::Mission => ("top.mission_id", NO_DAY),
        SumsBy::Person => ("top.created_by", NO_DAY),
        SumsBy::Day => (NO_ID, "top.created_ms / 86400000"),
        SumsBy::Model => return of_models(db, scope, times).await,
    };
    read(db, scope, times, &of_trees(db, id, day)).await
}

/// The sums of all runs of a workspace.
///
/// # Errors
/// When the database fails.
pub async fn all(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    times: Times,
) -> Result<Sums, DbErr> {
    let rows = read(db, scope, times, &of_trees(db, NO_ID, NO_DAY)).await?;
    Ok(rows.first().map_or(Sums::default(), |row| row.sums))
}

const NO_ID: &str = "CAST(NULL AS UUID)";
const NO_DAY: &str = "CAST(NULL AS BIGINT)";

fn of_trees(db: &impl ConnectionTrait, id: &str, day: &str) -> String {
    let now = match db.get_database_backend() {
        DbBackend::Postgres => Backend::Postgres.now_ms(),
        _ => Backend::Sqlite.now_ms(),
    };
    let own = |value: &str| sum(&format!("CASE WHEN r.id = top.id THEN {value} ELSE 0 END"));
    let once = |column: &str| sum(&format!("CASE WHEN s.rolled_up THEN 0 ELSE s.{column} END"));
    let grouped = match (id, day) {
        (NO_ID, NO_DAY) => "",
        (NO_ID, _) => "GROUP BY key_day",
        _ => "GROUP BY key_id",
    };
    format!(
        "SELECT {id} AS key_id, {day} AS key_day, CAST(NULL AS TEXT) AS key_model, {} AS runs, {} AS tokens_in, \
           {} AS tokens_out, {} AS cost_microusd, {} AS took_ms \
         FROM topology_runs top JOIN topology_runs r ON r.root_run_id = top.id JOIN run_state s ON s.run_id = r.id \
         WHERE {ROOTS} {grouped}",
        own("1"),
        once("tokens_in"),
        once("tokens_out"),
        once("cost_microusd"),
        own(&format!(
            "COALESCE(COALESCE(r.ended_ms, {now}) - s.started_ms, 0)"
        )),
    )
}

const ROOTS: &str = "top.workspace_id = $1 AND top.parent_run_id IS NULL AND top.created_ms >= $2 AND top.created_ms < $3 AND \
                     (CAST($4 AS UUID) IS NULL OR top.team_id = $4)";

fn sum(value: &str) -> String {
    format!("CAST(COALESCE(SUM({value}), 0) AS BIGINT)")
}

/// The sums by model. What the runs used beside their journals has no model: turns that failed, and journals that an older
/// gateway deleted.
async fn of_models(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    times: Times,
) -> Result<Vec<Summed>, DbErr> {
    let sql = format!(
        "SELECT {NO_ID} AS key_id, {NO_DAY} AS key_day, key_model, COUNT(DISTINCT root) AS runs, {} AS tokens_in, \
           {} AS tokens_out, {} AS cost_microusd, {} AS took_ms \
         FROM (\
           SELECT c.name AS key_model, r.root_run_id AS root, c.tokens_in, c.tokens_out, c.cost_microusd, \
             c.ended_ms - c.started_ms AS took_ms \
           FROM topology_runs top JOIN topology_runs r ON r.root_run_id = top.id JOIN run_calls c ON c.run_id = r.id \
           WHERE {ROOTS} AND {OF_MODELS} \
           UNION ALL \
           SELECT u.model, r.root_run_id, u.tokens_in, u.tokens_out, u.cost_microusd, u.took_ms \
           FROM topology_runs top JOIN topology_runs r ON r.root_run_id = top.id JOIN run_model_use u ON u.run_id = r.id \
           WHERE {ROOTS}\
         ) turns GROUP BY key_model",
        sum("tokens_in"),
        sum("tokens_out"),
        sum("cost_microusd"),
        sum("took_ms"),
    );
    let mut rows = read(db, scope, times, &sql).await?;
    let mut rest = all(db, scope, times).await?;
    for row in &rows {
        rest.tokens_in -= row.sums.tokens_in;
        rest.tokens_out -= row.sums.tokens_out;
        rest.cost_microusd -= row.sums.cost_microusd;
    }
    // A turn that ends between the two statements is no rest.
    let rest = Sums {
        runs: 0,
        tokens_in: Ord::max(rest.tokens_in, 0),
        tokens_out: Ord::max(rest.tokens_out, 0),
        cost_microusd: Ord::max(rest.cost_microusd, 0),
        ms: 0,
    };
    if rest != Sums::default() {
        rows.push(Summed {
            id: None,
            day: None,
            model: None,
            sums: rest,
        });
    }
    Ok(rows)
}

/// The entries of a journal that a model was paid for: its turns, and the notes for which it read a long conversation.
const OF_MODELS: &str = "(c.kind = 'model' OR c.kind = 'note' AND c.tokens_in + c.tokens_out > 0)";

async fn read(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    times: Times,
    sql: &str,
) -> Result<Vec<Summed>, DbErr> {
    let values = [
        scope.workspace().into(),
        times.from_ms.into(),
        times.until_ms.into(),
        times.team.map(|team| team.0).into(),
    ];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    let rows = Row::find_by_statement(statement).all(db).await?;
    Ok(rows.into_iter().map(Summed::from).collect())
}

/// Writes the use of models by these runs, whose journals are about to be deleted.
///
/// # Errors
/// When the database fails.
pub(super) async fn keep(tx: &WriteTx, runs: &[RunId]) -> Result<(), DbErr> {
    use model_use::Column::{CostMicrousd, Model, RunId as Run, TokensIn, TokensOut, TookMs};
    let mut insert = Query::insert();
    insert
        .into_table(model_use::Entity)
        .columns([Run, Model, TokensIn, TokensOut, CostMicrousd, TookMs])
        .select_from(turns(runs))
        .map_err(|error| DbErr::Custom(error.to_string()))?;
    tx.execute(&insert).await?;
    Ok(())
}

/// As [`OF_MODELS`], for a statement that is built.
pub(super) fn is_paid_turn() -> SimpleExpr {
    use call::Column::{Kind, TokensIn, TokensOut};
    let tokens = Expr::col(TokensIn).add(Expr::col(TokensOut));
    let note = Kind.eq(EntryKind::Note.as_str()).and(tokens.gt(0));
    Kind.eq(EntryKind::Model.as_str()).or(note)
}

fn turns(runs: &[RunId]) -> SelectStatement {
    use call::Column::{CostMicrousd, EndedMs, Name, RunId as Run, StartedMs};
    use call::Column::{TokensIn, TokensOut};
    let sum = |of: Expr| of.sum().cast_as("BIGINT");
    Query::select()
        .column(Run)
        .column(Name)
        .expr(sum(Expr::col(TokensIn)))
        .expr(sum(Expr::col(TokensOut)))
        .expr(sum(Expr::col(CostMicrousd)))
        .expr(sum(Expr::col(EndedMs).sub(Expr::col(StartedMs))))
        .from(call::Entity)
        .and_where(Run.is_in(runs.iter().copied()))
        .and_where(is_paid_turn())
        .group_by_columns([Run, Name])
        .to_owned()
}

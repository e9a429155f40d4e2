//! Reads runs for lists: which runs, in which order, one page at a time.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, FromQueryResult, Iterable,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Statement,
    sea_query::{Alias, Expr, ExprTrait, Func, LikeExpr, Query, SelectStatement, SimpleExpr},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::entity::{call, model_use, record, run, state};
use super::model::Status;
use super::origin::OriginWord;
use super::outcome::Outcome;
use super::store::with_state;
use super::sums;
use roost_platform::db::{Backend, Rows, TenantEntity};
use roost_platform::ids::{ClawId, MissionId, RunId, TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// Filters for a list of runs.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub team: Option<TeamId>,
    /// Only runs of these teams: those of the template that was asked for.
    pub teams: Option<Vec<TeamId>>,
    /// Only runs that used this model, themselves or in a run below them.
    pub model: Option<String>,
    pub agent: Option<ClawId>,
    /// Only runs of this mission.
    pub mission: Option<MissionId>,
    pub parent: Option<RunId>,
    /// Only runs that were forked from this one.
    pub forked_from: Option<RunId>,
    pub status: Option<Status>,
    /// Only runs that wait.
    pub waiting: bool,
    /// Only runs with this outcome. A run that has not ended has none.
    pub outcome: Option<Outcome>,
    /// Only runs that this person started.
    pub created_by: Option<UserId>,
    /// Only runs that were created at this time or later, in milliseconds.
    pub from_ms: Option<i64>,
    /// Only runs that were created before this time, in milliseconds.
    pub until_ms: Option<i64>,
    /// Each of these words is in the title, in any case.
    pub words: Vec<String>,
    /// Only runs of this origin.
    pub origin: Option<OriginWord>,
    /// Also runs that are shown elsewhere: see [`OriginWord::is_listed`].
    pub all: bool,
    pub order: Order,
}

/// The order of a list of runs. The id decides between equal runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunOrder)]
pub enum Order {
    /// Newest first.
    #[default]
    #[serde(rename = "-created_at")]
    Newest,
    /// Oldest first.
    #[serde(rename = "created_at")]
    Oldest,
    /// Most expensive first.
    #[serde(rename = "-cost")]
    Cost,
    /// Longest first. A run that has not ended counts until its last write.
    #[serde(rename = "-duration")]
    Duration,
}

/// The runs of a workspace that fit the filters. Their graphs, inputs and results are not read.
///
/// # Errors
/// When the database fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    wanted: &Wanted,
    page: PageRequest,
) -> Result<Vec<run::Listed>, DbErr> {
    let mut query = filtered(narrow(scope), wanted);
    let id = record::Column::Id;
    if let Some(after) = page.after {
        query = match value(wanted.order) {
            None if wanted.order == Order::Oldest => query.filter(id.gt(after)),
            None => query.filter(id.lt(after)),
            Some(value) => match value_of(db, scope, after, value.clone()).await? {
                Some(last) => {
                    query.filter(value.clone().lt(last).or(value.eq(last).and(id.lt(after))))
                }
                // The run of the cursor was deleted since, so its place in the order is not known. The list ends here.
                None => return Ok(Vec::new()),
            },
        };
    }
    query = match value(wanted.order) {
        None if wanted.order == Order::Oldest => query.order_by_asc(id),
        None => query.order_by_desc(id),
        Some(value) => query.order_by_desc(value).order_by_desc(id),
    };
    query.limit(page.limit + 1).into_model().all(db).await
}

pub(super) fn narrow(scope: WorkspaceScope) -> Select<record::Entity> {
    use record::Column::{Comparison, Graph, GraphSha256, Input, Result};
    let narrow = record::Column::iter()
        .filter(|column| !matches!(column, Graph | GraphSha256 | Input | Comparison | Result))
        .fold(
            record::Entity::find_in(scope).select_only(),
            QuerySelect::column,
        );
    with_state(narrow)
}

fn filtered(mut query: Select<record::Entity>, wanted: &Wanted) -> Select<record::Entity> {
    use record::Column::{AgentId, CreatedBy, CreatedMs, Origin, ParentRunId, TeamId, Title};
    query = match (wanted.parent, wanted.origin) {
        (Some(parent), _) => query.filter(ParentRunId.eq(parent)),
        (None, None) if !wanted.all && wanted.agent.is_none() => {
            let listed = OriginWord::ALL.into_iter().filter(|word| word.is_listed());
            query.filter(Origin.is_in(listed.map(OriginWord::as_str)))
        }
        (None, _) => query,
    };
    query = query
        .apply_if(wanted.origin, |query, origin| {
            query.filter(Origin.eq(origin.as_str()))
        })
        .apply_if(wanted.forked_from, |query, from| {
            query.filter(record::Column::ForkedFrom.eq(from))
        })
        .apply_if(wanted.team, |query, team| query.filter(TeamId.eq(team)))
        .apply_if(wanted.teams.as_ref(), |query, teams| {
            query.filter(TeamId.is_in(teams.iter().copied()))
        })
        .apply_if(wanted.model.as_deref(), |query, model| {
            query.filter(used_model(model))
        })
        .apply_if(wanted.mission, |query, mission| {
            query.filter(record::Column::MissionId.eq(mission))
        })
        .apply_if(wanted.agent, |query, agent| query.filter(AgentId.eq(agent)))
        .apply_if(wanted.status, |query, status| {
            query.filter(state::Column::Status.eq(status.as_str()))
        })
        .apply_if(wanted.outcome, |query, outcome| {
            query.filter(has_outcome(outcome))
        })
        .apply_if(wanted.created_by, |query, user| {
            query.filter(CreatedBy.eq(user))
        })
        .apply_if(wanted.from_ms, |query, from| {
            query.filter(CreatedMs.gte(from))
        })
        .apply_if(wanted.until_ms, |query, until| {
            query.filter(CreatedMs.lt(until))
        });
    if wanted.waiting {
        query = query.filter(state::Column::WaitingOn.is_not_null());
    }
    for word in &wanted.words {
        let title = Expr::expr(Func::lower(Expr::col((record::Entity, Title))));
        let pattern = LikeExpr::new(format!("%{}%", escaped(word))).escape('!');
        query = query.filter(title.like(pattern));
    }
    query
}

/// A run that ended outside its actor has no stored outcome, and is undecided.
fn has_outcome(outcome: Outcome) -> SimpleExpr {
    use record::Column::{EndedMs, Outcome as Stored};
    let stored = Stored.eq(outcome.as_str());
    match outcome {
        Outcome::Undecided => stored.or(Stored.is_null().and(EndedMs.is_not_null())),
        Outcome::Accepted | Outcome::Rejected => stored,
    }
}

/// The run, or a run below it that counts for it, has a paid turn of this model in its journal, or had one in a journal
/// that was deleted.
fn used_model(model: &str) -> SimpleExpr {
    let part = || (Alias::new("part"), record::Column::Id);
    let below = |calls: SelectStatement| {
        let (run, root) = (record::Column::Id, record::Column::RootRunId);
        let own = Expr::col((record::Entity, run));
        Expr::exists(
            Query::select()
                .expr(Expr::value(1))
                .from_as(record::Entity, Alias::new("part"))
                .and_where(
                    Expr::col((Alias::new("part"), root))
                        .eq(own.clone())
                        .or(Expr::col(part()).eq(own)),
                )
                .and_where(Expr::exists(calls))
                .take(),
        )
    };
    let of_part = |run: Expr| run.eq(Expr::col(part()));
    let turns = Query::select()
        .expr(Expr::value(1))
        .from(call::Entity)
        .and_where(of_part(Expr::col((call::Entity, call::Column::RunId))))
        .and_where(sums::is_paid_turn())
        .and_where(call::Column::Name.eq(model))
        .take();
    let kept = Query::select()
        .expr(Expr::value(1))
        .from(model_use::Entity)
        .and_where(of_part(Expr::col((
            model_use::Entity,
            model_use::Column::RunId,
        ))))
        .and_where(model_use::Column::Model.eq(model))
        .take();
    below(turns).or(below(kept))
}

fn escaped(text: &str) -> String {
    let text = text.to_lowercase();
    text.replace('!', "!!")
        .replace('%', "!%")
        .replace('_', "!_")
}

/// What the list is ordered by before the id, if anything.
fn value(order: Order) -> Option<SimpleExpr> {
    let ended = Expr::col((record::Entity, record::Column::EndedMs));
    let updated = Expr::col((state::Entity, state::Column::UpdatedMs));
    let started = Expr::col((state::Entity, state::Column::StartedMs));
    match order {
        Order::Newest | Order::Oldest => None,
        Order::Cost => Some(Expr::col((state::Entity, state::Column::CostMicrousd))),
        // A run that has not started takes 0.
        Order::Duration => Some(
            Func::coalesce([
                Func::coalesce([ended, updated]).sub(started),
                Expr::value(0_i64),
            ])
            .into(),
        ),
    }
}

/// The value of one run in the order.
async fn value_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: Uuid,
    value: SimpleExpr,
) -> Result<Option<i64>, DbErr> {
    let one = record::Entity::find_by_id_in(scope, RunId(run)).select_only();
    let state = record::Entity::belongs_to(state::Entity)
        .from(record::Column::Id)
        .to(state::Column::RunId)
        .into();
    one.join(sea_orm::JoinType::InnerJoin, state)
        .column_as(value, "value")
        .into_tuple()
        .one(db)
        .await
}

/// The newest run of a team, if it has one.
#[derive(FromQueryResult)]
struct Newest {
    id: Option<RunId>,
}

/// The newest run of each of these teams.
///
/// # Errors
/// When the database fails.
pub async fn last_of_teams(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    teams: &[TeamId],
) -> Result<Vec<run::Listed>, DbErr> {
    if teams.is_empty() {
        return Ok(Vec::new());
    }
    let backend = match db.get_database_backend() {
        DbBackend::Postgres => Backend::Postgres,
        _ => Backend::Sqlite,
    };
    let ids = teams.iter().map(|team| team.0);
    let mut table = Rows::new(backend).uuid("team", ids).table("t");
    let workspace = table.next(scope.workspace());
    let sql = format!(
        "SELECT (SELECT id FROM topology_runs WHERE team_id = t.team AND workspace_id = {workspace} \
         ORDER BY created_ms DESC, id DESC LIMIT 1) AS id FROM {}",
        table.sql
    );
    let newest = Statement::from_sql_and_values(backend.into(), sql, table.values);
    let newest = Newest::find_by_statement(newest).all(db).await?;
    let ids: Vec<RunId> = newest.into_iter().filter_map(|run| run.id).collect();
    narrow(scope)
        .filter(record::Column::Id.is_in(ids))
        .into_model()
        .all(db)
        .await
}

//! All SQL of level-up proposals. Every query takes the scope of a workspace.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Iterable, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, LikeExpr},
};

use super::entity::proposal;
use super::facts::Subject;
use super::model::{KEPT_DECIDED, Status};
use roost_platform::db::TenantEntity;
use roost_platform::ids::{ClawId, LevelUpId, TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// The maximum number of proposals in a list.
const MOST_LISTED: u64 = 200;

/// A proposal without its texts.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Listed {
    pub id: LevelUpId,
    pub agent_id: Option<ClawId>,
    pub team_id: Option<TeamId>,
    pub status: String,
    pub outline: String,
    pub applied_items: String,
    pub model: String,
    pub created_by: UserId,
    pub approved_by: Option<UserId>,
    pub created_at: DateTime<Utc>,
    pub applied_at: Option<DateTime<Utc>>,
}

/// Which proposals are listed.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    pub status: Status,
    pub agent: Option<ClawId>,
    pub team: Option<TeamId>,
}

/// One proposal.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: LevelUpId,
) -> Result<Option<proposal::Model>, DbErr> {
    proposal::Entity::find_by_id_in(scope, id).one(db).await
}

/// The newest proposals, newest first, without their texts.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    wanted: Wanted,
) -> Result<Vec<Listed>, DbErr> {
    use proposal::Column::{AgentId, CostMicrousd, Id, Payload, TeamId, WorkspaceId};
    let mut query = proposal::Entity::find_in(scope)
        .select_only()
        .columns(
            proposal::Column::iter()
                .filter(|column| !matches!(column, Payload | CostMicrousd | WorkspaceId)),
        )
        .filter(proposal::Column::Status.eq(wanted.status.as_str()));
    if let Some(agent) = wanted.agent {
        query = query.filter(AgentId.eq(agent));
    }
    if let Some(team) = wanted.team {
        query = query.filter(TeamId.eq(team));
    }
    query
        .order_by_desc(Id)
        .limit(MOST_LISTED)
        .into_model()
        .all(db)
        .await
}

/// The number of pending proposals of a workspace.
pub async fn pending(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    proposal::Entity::find_in(scope)
        .filter(proposal::Column::Status.eq(Status::Pending.as_str()))
        .count(db)
        .await
}

/// Whether a person has to decide on a proposal for this team or one of its agents.
///
/// # Errors
/// When the database fails.
pub async fn is_pending_for(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    team: TeamId,
    agents: &[ClawId],
) -> Result<bool, DbErr> {
    use proposal::Column as C;
    let theirs = C::AgentId.is_in(agents.iter().copied());
    let open = proposal::Entity::find_in(scope)
        .filter(C::Status.eq(Status::Pending.as_str()))
        .filter(C::TeamId.eq(team).or(theirs))
        .count(db)
        .await?;
    Ok(open > 0)
}

/// What the proposals of a workspace have cost since a time, in millionths of a US dollar.
pub async fn spent_since(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    since: DateTime<Utc>,
) -> Result<i64, DbErr> {
    let sum = Expr::col(proposal::Column::CostMicrousd)
        .sum()
        .cast_as("BIGINT");
    let spent: Option<Option<i64>> = proposal::Entity::find_in(scope)
        .select_only()
        .expr_as(sum, "spent")
        .filter(proposal::Column::CreatedAt.gt(since))
        .into_tuple()
        .one(db)
        .await?;
    Ok(spent.flatten().unwrap_or(0))
}

/// Inserts a proposal, and removes the oldest decided ones of the same agent or team.
pub async fn insert(db: &impl ConnectionTrait, row: proposal::Model) -> Result<(), DbErr> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let subject = match (row.agent_id, row.team_id) {
        (Some(agent), _) => Some(Subject::Agent(agent)),
        (None, team) => team.map(Subject::Team),
    };
    proposal::Entity::insert(proposal::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    let Some(subject) = subject else {
        return Ok(());
    };
    let of_subject = match subject {
        Subject::Agent(agent) => proposal::Column::AgentId.eq(agent),
        Subject::Team(team) => proposal::Column::TeamId.eq(team),
    };
    let decided = proposal::Column::Status.ne(Status::Pending.as_str());
    let oldest: Option<LevelUpId> = proposal::Entity::find_in(scope)
        .select_only()
        .column(proposal::Column::Id)
        .filter(of_subject.clone())
        .filter(decided.clone())
        .order_by_desc(proposal::Column::Id)
        .offset(KEPT_DECIDED)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    if let Some(oldest) = oldest {
        proposal::Entity::delete_in(scope)
            .filter(of_subject)
            .filter(decided)
            .filter(proposal::Column::Id.lte(oldest))
            .exec(db)
            .await?;
    }
    Ok(())
}

/// A decision.
#[derive(Debug, Clone)]
pub struct Decided {
    pub status: Status,
    pub applied_items: String,
    pub payload: String,
    pub approved_by: Option<UserId>,
    pub applied_at: Option<DateTime<Utc>>,
}

/// Decides a pending proposal. `false` when another decision came first.
pub async fn decide(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: LevelUpId,
    decided: Decided,
) -> Result<bool, DbErr> {
    let done = proposal::Entity::update_in(scope)
        .col_expr(
            proposal::Column::Status,
            Expr::value(decided.status.as_str()),
        )
        .col_expr(
            proposal::Column::AppliedItems,
            Expr::value(decided.applied_items),
        )
        .col_expr(proposal::Column::Payload, Expr::value(decided.payload))
        .col_expr(
            proposal::Column::ApprovedBy,
            Expr::value(decided.approved_by),
        )
        .col_expr(proposal::Column::AppliedAt, Expr::value(decided.applied_at))
        .filter(proposal::Column::Id.eq(id))
        .filter(proposal::Column::Status.eq(Status::Pending.as_str()))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Removes the pending proposals of an agent that is deleted: nobody can apply them any more. Returns their ids.
///
/// # Errors
/// When the database fails.
pub async fn withdraw_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Vec<LevelUpId>, DbErr> {
    let removed = proposal::Entity::delete_in(scope)
        .filter(proposal::Column::AgentId.eq(agent))
        .filter(proposal::Column::Status.eq(Status::Pending.as_str()))
        .exec_with_returning(db)
        .await?;
    Ok(removed.into_iter().map(|row| row.id).collect())
}

/// Removes the proposals of an agent that is deleted for good, and those of teams that contain its texts.
///
/// # Errors
/// When the database fails.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    let names_it = Expr::col(proposal::Column::Outline).like(LikeExpr::new(format!("%{agent}%")));
    proposal::Entity::delete_in(scope)
        .filter(proposal::Column::AgentId.eq(agent).or(names_it))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes all proposals of a workspace that is deleted for good.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    proposal::Entity::delete_in(scope).exec(db).await?;
    Ok(())
}

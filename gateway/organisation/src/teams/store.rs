//! All SQL of teams.

use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, sea_query::Expr,
};

use super::entity::{member, team};
use super::model::{Lifecycle, State};
use roost_agents::claws::{self, ClawRow, runtime_record};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{ClawId, TeamId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// A team of the workspace.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: TeamId,
) -> Result<Option<team::Model>, DbErr> {
    team::Entity::find_by_id_in(scope, id).one(db).await
}

/// The names of teams. A team that the workspace does not have is not in the map.
///
/// # Errors
/// When the database fails.
pub async fn names(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    teams: &[TeamId],
) -> Result<HashMap<TeamId, String>, DbErr> {
    let found: Vec<(TeamId, String)> = team::Entity::find_in(scope)
        .select_only()
        .column(team::Column::Id)
        .column(team::Column::Name)
        .filter(team::Column::Id.is_in(teams.iter().copied()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// The templates of teams. A team that was made without one has `None`, and a team that the workspace does not have is not
/// in the map.
///
/// # Errors
/// When the database fails.
pub async fn templates(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    teams: &[TeamId],
) -> Result<HashMap<TeamId, Option<TemplateId>>, DbErr> {
    let found: Vec<(TeamId, Option<TemplateId>)> = team::Entity::find_in(scope)
        .select_only()
        .column(team::Column::Id)
        .column(team::Column::TemplateId)
        .filter(team::Column::Id.is_in(teams.iter().copied()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// The teams that were made from a template.
///
/// # Errors
/// When the database fails.
pub async fn of_template(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    template: TemplateId,
) -> Result<Vec<TeamId>, DbErr> {
    team::Entity::find_in(scope)
        .select_only()
        .column(team::Column::Id)
        .filter(team::Column::TemplateId.eq(template))
        .into_tuple()
        .all(db)
        .await
}

/// Those of these teams that live only as long as their runs, and that nobody takes down yet.
///
/// # Errors
/// When the database fails.
pub async fn ephemeral(
    db: &impl ConnectionTrait,
    teams: impl IntoIterator<Item = TeamId>,
) -> Result<BTreeSet<TeamId>, DbErr> {
    let found: Vec<TeamId> = team::Entity::find()
        .select_only()
        .column(team::Column::Id)
        .filter(team::Column::Id.is_in(teams))
        .filter(team::Column::Lifecycle.eq(Lifecycle::Ephemeral.as_str()))
        .filter(team::Column::State.eq(State::Ready.as_str()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found.into_iter().collect())
}

/// As [`get`], and locks the row until the end of the transaction. So the start of a run and the deletion of its team
/// cannot miss each other.
///
/// # Errors
/// When the database fails.
pub async fn locked(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: TeamId,
) -> Result<Option<team::Model>, DbErr> {
    let rows = team::Entity::update_in(scope)
        .col_expr(team::Column::Version, Expr::col(team::Column::Version))
        .filter(team::Column::Id.eq(id))
        .exec_with_returning(&**tx)
        .await?;
    Ok(rows.into_iter().next())
}

/// The version of an agent that is not deleted, and the version of a team if the team exists, in one query. While both
/// are unchanged, the permissions of the agent in the team are unchanged.
///
/// # Errors
/// When the database fails.
pub async fn seat(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    team: TeamId,
) -> Result<Option<(i64, Option<i64>)>, DbErr> {
    let version = team::Entity::find_by_id_in(scope, team)
        .select_only()
        .column(team::Column::Version)
        .into_query();
    claws::living_with_version(db, scope, agent, version).await
}

/// Teams, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    page: PageRequest,
) -> Result<Vec<team::Model>, DbErr> {
    let mut query = team::Entity::find_in(scope);
    if let Some(after) = page.after {
        query = query.filter(team::Column::Id.lt(after));
    }
    query
        .order_by_desc(team::Column::Id)
        .limit(page.limit + 1)
        .all(db)
        .await
}

/// Inserts a team with its members.
///
/// # Errors
/// When the database fails.
pub async fn insert(
    db: &impl ConnectionTrait,
    row: team::Model,
    members: Vec<member::Model>,
) -> Result<(), DbErr> {
    team::Entity::insert(row.into_active_model())
        .exec_without_returning(db)
        .await?;
    put_members(db, members).await
}

async fn put_members(db: &impl ConnectionTrait, members: Vec<member::Model>) -> Result<(), DbErr> {
    if members.is_empty() {
        return Ok(());
    }
    member::Entity::insert_many(members.into_iter().map(IntoActiveModel::into_active_model))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The members of teams, in the order of the nodes.
///
/// # Errors
/// When the database fails.
pub async fn members(
    db: &impl ConnectionTrait,
    teams: &[TeamId],
) -> Result<Vec<member::Model>, DbErr> {
    member::Entity::find()
        .filter(member::Column::TeamId.is_in(teams.iter().copied()))
        .order_by_asc(member::Column::TeamId)
        .order_by_asc(member::Column::Position)
        .all(db)
        .await
}

/// Replaces the members of a team.
///
/// # Errors
/// When the database fails.
pub async fn replace_members(
    db: &impl ConnectionTrait,
    team: TeamId,
    members: Vec<member::Model>,
) -> Result<(), DbErr> {
    member::Entity::delete_many()
        .filter(member::Column::TeamId.eq(team))
        .exec(db)
        .await?;
    put_members(db, members).await
}

/// The team of an agent. The newest one when there are several.
///
/// # Errors
/// When the database fails.
pub async fn of_agent(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Option<team::Model>, DbErr> {
    let seats = member::Entity::find()
        .filter(member::Column::AgentId.eq(agent))
        .all(db)
        .await?;
    team::Entity::find_in(scope)
        .filter(team::Column::Id.is_in(seats.into_iter().map(|seat| seat.team_id)))
        .order_by_desc(team::Column::Id)
        .one(db)
        .await
}

/// Writes a changed team over the version that was read. `false` when the team has another version now.
///
/// # Errors
/// When the database fails.
pub async fn replace(
    db: &impl ConnectionTrait,
    row: &team::Model,
    from: i64,
) -> Result<bool, DbErr> {
    let done = team::Entity::update_many()
        .col_expr(team::Column::Name, Expr::value(row.name.clone()))
        .col_expr(
            team::Column::Description,
            Expr::value(row.description.clone()),
        )
        .col_expr(team::Column::State, Expr::value(row.state.clone()))
        .col_expr(
            team::Column::RiskProfile,
            Expr::value(row.risk_profile.clone()),
        )
        .col_expr(
            team::Column::McpBundles,
            Expr::value(row.mcp_bundles.clone()),
        )
        .col_expr(team::Column::Lifecycle, Expr::value(row.lifecycle.clone()))
        .col_expr(team::Column::Topology, Expr::value(row.topology.clone()))
        .col_expr(team::Column::SharedSandbox, Expr::value(row.shared_sandbox))
        .col_expr(
            team::Column::ModelBinding,
            Expr::value(row.model_binding.clone()),
        )
        .col_expr(team::Column::MachineId, Expr::value(row.machine_id.clone()))
        .col_expr(team::Column::Image, Expr::value(row.image.clone()))
        .col_expr(team::Column::Limits, Expr::value(row.limits.clone()))
        .col_expr(
            team::Column::RepoId,
            Expr::value(row.repo_id.map(|repo| repo.0)),
        )
        .col_expr(team::Column::RepoBase, Expr::value(row.repo_base.clone()))
        .col_expr(team::Column::UpdatedAt, Expr::value(row.updated_at))
        .col_expr(team::Column::Version, Expr::value(row.version))
        .filter(team::Column::Id.eq(row.id))
        .filter(team::Column::Version.eq(from))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Removes a team with its seats. Its agents stay.
///
/// # Errors
/// When the database fails.
pub async fn remove(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: TeamId,
) -> Result<(), DbErr> {
    team::Entity::delete_in(scope)
        .filter(team::Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// Removes an agent from its teams, before its row is deleted.
///
/// # Errors
/// When the database fails.
pub async fn forget_seats(db: &impl ConnectionTrait, agent: ClawId) -> Result<(), DbErr> {
    member::Entity::delete_many()
        .filter(member::Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}

/// The agents of a team that were created for a team and sit in no other team. They are deleted with it. The others
/// lose their seats.
///
/// # Errors
/// When the database fails.
pub async fn only_here(
    db: &impl ConnectionTrait,
    team: TeamId,
    agents: &[ClawId],
) -> Result<Vec<ClawId>, DbErr> {
    let elsewhere = member::Entity::find()
        .select_only()
        .column(member::Column::AgentId)
        .filter(member::Column::TeamId.ne(team))
        .into_query();
    let minted = runtime_record::minted(agents.iter().copied());
    member::Entity::find()
        .select_only()
        .column(member::Column::AgentId)
        .distinct()
        .filter(member::Column::TeamId.eq(team))
        .filter(member::Column::AgentId.in_subquery(minted))
        .filter(member::Column::AgentId.not_in_subquery(elsewhere))
        .into_tuple()
        .all(db)
        .await
}

/// Removes an agent from a team. Nothing else about the agent changes.
///
/// # Errors
/// When the database fails.
pub async fn leave(db: &impl ConnectionTrait, team: TeamId, agent: ClawId) -> Result<(), DbErr> {
    member::Entity::delete_many()
        .filter(member::Column::TeamId.eq(team))
        .filter(member::Column::AgentId.eq(agent))
        .exec(db)
        .await
        .map(drop)
}

/// Gives a new model to the agents of a team that were created for a team and have the model `from`. Agents with a
/// model of their own keep it. Returns the changed agents.
///
/// # Errors
/// When the database fails.
pub async fn rebind(
    tx: &WriteTx,
    scope: WorkspaceScope,
    team: TeamId,
    from: Option<&str>,
    to: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Vec<ClawRow>, DbErr> {
    let seats = members(&**tx, &[team]).await?;
    let minted = runtime_record::minted(seats.into_iter().map(|seat| seat.agent_id));
    claws::rebind(tx, scope, minted, from, to, now).await
}

/// The seats of an agent, with the teams.
///
/// # Errors
/// When the database fails.
pub async fn seats_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Vec<(team::Model, member::Model)>, DbErr> {
    let seats = member::Entity::find()
        .filter(member::Column::AgentId.eq(agent))
        .all(db)
        .await?;
    let mut found = Vec::with_capacity(seats.len());
    for seat in seats {
        if let Some(team) = get(db, scope, seat.team_id).await? {
            found.push((team, seat));
        }
    }
    Ok(found)
}

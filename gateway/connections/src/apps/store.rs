//! All SQL of sign-ins and connections.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::entity::{connection, state};
use roost_platform::broker::outbox;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{AppConnectionId, ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// Stores a sign-in that was begun.
pub async fn begin(db: &impl ConnectionTrait, row: state::Model) -> Result<(), DbErr> {
    state::Entity::insert(state::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// How many sign-ins of a user are under way.
pub async fn count_begun(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<u64, DbErr> {
    state::Entity::find_in(scope)
        .filter(state::Column::UserId.eq(user))
        .filter(state::Column::ExpiresAt.gt(now))
        .count(db)
        .await
}

/// Deletes and returns a sign-in in one statement, if it has not expired: of several concurrent requests only one gets
/// it. The state is the authority: the issuer sent each caller that has it.
pub async fn consume(
    db: &impl ConnectionTrait,
    state: &str,
    now: DateTime<Utc>,
) -> Result<Option<state::Model>, DbErr> {
    let gone = state::Entity::delete_many()
        .filter(state::Column::State.eq(state))
        .filter(state::Column::ExpiresAt.gt(now))
        .exec_with_returning(db)
        .await?;
    Ok(gone.into_iter().next())
}

/// Deletes expired sign-ins.
pub async fn forget_expired(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<(), DbErr> {
    state::Entity::delete_many()
        .filter(state::Column::ExpiresAt.lte(now))
        .exec(db)
        .await?;
    Ok(())
}

/// Inserts a connection.
pub async fn insert(db: &impl ConnectionTrait, row: connection::Model) -> Result<(), DbErr> {
    connection::Entity::insert(connection::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Connections, oldest first; only those of one agent if it is given.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: Option<ClawId>,
    request: PageRequest,
) -> Result<Vec<connection::Model>, DbErr> {
    let mut query = connection::Entity::find_in(scope);
    if let Some(agent) = agent {
        query = query.filter(connection::Column::AgentId.eq(agent));
    }
    if let Some(after) = request.after {
        query = query.filter(connection::Column::Id.gt(after));
    }
    query
        .order_by_asc(connection::Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// Which agent is connected to which app, the oldest connections first.
///
/// # Errors
/// When the database fails.
pub async fn connected(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    most: u64,
) -> Result<Vec<(ClawId, String)>, DbErr> {
    let rows = connection::Entity::find_in(scope)
        .filter(connection::Column::AgentId.is_not_null())
        .order_by_asc(connection::Column::Id)
        .limit(most)
        .all(db)
        .await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| Some((row.agent_id?, row.provider)))
        .collect())
}

/// One connection.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: AppConnectionId,
) -> Result<Option<connection::Model>, DbErr> {
    connection::Entity::find_by_id_in(scope, id).one(db).await
}

/// The connection of an agent to a provider.
pub async fn of_provider(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    provider: &str,
) -> Result<Option<connection::Model>, DbErr> {
    connection::Entity::find_in(scope)
        .filter(connection::Column::AgentId.eq(agent))
        .filter(connection::Column::Provider.eq(provider))
        .one(db)
        .await
}

/// The connections to end.
#[derive(Debug, Clone, Copy)]
pub enum Which<'a> {
    One(AppConnectionId),
    /// All of an agent.
    Of(ClawId),
    /// The connection of an agent to a provider.
    Provider(ClawId, &'a str),
    /// All of the workspace.
    All,
}

/// Ends connections, and has the broker delete their tokens.
pub async fn end(
    tx: &WriteTx,
    scope: WorkspaceScope,
    which: Which<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<connection::Model>, DbErr> {
    use connection::Column;
    let query = connection::Entity::delete_in(scope);
    let query = match which {
        Which::One(id) => query.filter(Column::Id.eq(id)),
        Which::Of(agent) => query.filter(Column::AgentId.eq(agent)),
        Which::Provider(agent, provider) => query
            .filter(Column::AgentId.eq(agent))
            .filter(Column::Provider.eq(provider)),
        Which::All => query,
    };
    let gone = query.exec_with_returning(&**tx).await?;
    for row in &gone {
        outbox::forget(tx, &super::record_of(row)?, now).await?;
    }
    Ok(gone)
}

/// The providers to which an agent is connected.
pub async fn providers_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Vec<String>, DbErr> {
    let rows = connection::Entity::find_in(scope)
        .filter(connection::Column::AgentId.eq(agent))
        .order_by_asc(connection::Column::Provider)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| row.provider).collect())
}

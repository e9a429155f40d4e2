//! All SQL of artifacts.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IntoActiveModel, Iterable,
    QueryFilter, QueryOrder, QuerySelect,
};

use super::entity::artifact;
use super::model::ArtifactKind;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{MissionArtifactId, MissionId, MissionPhaseId, RunId};
use roost_tenancy::auth::WorkspaceScope;

/// An artifact without its content.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Brief {
    pub id: MissionArtifactId,
    pub phase_id: Option<MissionPhaseId>,
    pub attempt: i32,
    pub kind: String,
    pub title: String,
    pub status: String,
    pub path: Option<String>,
    pub error: Option<String>,
    pub run_id: Option<RunId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// The artifacts of a mission, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn of_mission(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<Vec<Brief>, DbErr> {
    use artifact::Column::{Content, WorkspaceId};
    artifact::Column::iter()
        .filter(|column| !matches!(column, Content | WorkspaceId))
        .fold(
            artifact::Entity::find_in(scope).select_only(),
            QuerySelect::column,
        )
        .filter(artifact::Column::MissionId.eq(mission))
        .order_by_asc(artifact::Column::Id)
        .into_model()
        .all(db)
        .await
}

/// The artifacts of a phase with their contents, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn of_phase(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    phase: MissionPhaseId,
) -> Result<Vec<artifact::Model>, DbErr> {
    artifact::Entity::find_in(scope)
        .filter(artifact::Column::PhaseId.eq(phase))
        .order_by_asc(artifact::Column::Id)
        .all(db)
        .await
}

/// Title and content of the ready artifacts of this kind that an attempt of a phase left, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn texts(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    (phase, attempt): (MissionPhaseId, i32),
    kind: ArtifactKind,
) -> Result<Vec<(String, String)>, DbErr> {
    use artifact::Column;
    let found: Vec<(String, Option<String>)> = artifact::Entity::find_in(scope)
        .select_only()
        .column(Column::Title)
        .column(Column::Content)
        .filter(Column::PhaseId.eq(phase))
        .filter(Column::Attempt.eq(attempt))
        .filter(Column::Kind.eq(kind.as_str()))
        .order_by_asc(Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    let ready = found
        .into_iter()
        .filter_map(|(title, text)| Some((title, text?)));
    Ok(ready.collect())
}

/// An artifact of a mission, with its content.
///
/// # Errors
/// When the database fails.
pub async fn content(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    id: MissionArtifactId,
) -> Result<Option<artifact::Model>, DbErr> {
    artifact::Entity::find_by_id_in(scope, id)
        .filter(artifact::Column::MissionId.eq(mission))
        .one(db)
        .await
}

/// Inserts artifacts.
///
/// # Errors
/// When the database fails.
pub async fn insert(tx: &WriteTx, rows: Vec<artifact::Model>) -> Result<(), DbErr> {
    for row in rows {
        artifact::Entity::insert(row.into_active_model())
            .exec_without_returning(&**tx)
            .await?;
    }
    Ok(())
}

impl From<artifact::Model> for Brief {
    fn from(row: artifact::Model) -> Self {
        Self {
            id: row.id,
            phase_id: row.phase_id,
            attempt: row.attempt,
            kind: row.kind,
            title: row.title,
            status: row.status,
            path: row.path,
            error: row.error,
            run_id: row.run_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

//! All SQL of PDF artifacts.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IntoActiveModel,
    QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use super::entity::{artifact, pdf};
use super::model::{ArtifactKind, ArtifactStatus};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{MissionArtifactId, MissionId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;

/// A PDF without its file.
#[derive(Debug, Clone, FromQueryResult)]
pub struct Shown {
    pub artifact_id: MissionArtifactId,
    pub source_id: Option<MissionArtifactId>,
    pub pages: Option<i32>,
    pub size: Option<i64>,
}

/// A PDF that a gateway has begun to typeset.
#[derive(Debug, Clone)]
pub struct Begun {
    pub artifact: artifact::Model,
    pub source_id: Option<MissionArtifactId>,
    pub attempts: i32,
}

/// The PDFs of a mission.
///
/// # Errors
/// When the database fails.
pub async fn of_mission(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<HashMap<MissionArtifactId, Shown>, DbErr> {
    use pdf::Column::{ArtifactId, MissionId, Pages, Size, SourceId};
    let found: Vec<Shown> = pdf::Entity::find_in(scope)
        .select_only()
        .columns([ArtifactId, SourceId, Pages, Size])
        .filter(MissionId.eq(mission))
        .into_model()
        .all(db)
        .await?;
    let by_id = found.into_iter().map(|pdf| (pdf.artifact_id, pdf));
    Ok(by_id.collect())
}

/// The file of a PDF.
///
/// # Errors
/// When the database fails.
pub async fn file(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionArtifactId,
) -> Result<Option<Vec<u8>>, DbErr> {
    let found = pdf::Entity::find_by_id_in(scope, id).one(db).await?;
    Ok(found.and_then(|pdf| pdf.file))
}

/// The PDF of this source, if the mission has one.
///
/// # Errors
/// When the database fails.
pub async fn of_source(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    source: Option<MissionArtifactId>,
) -> Result<Option<artifact::Model>, DbErr> {
    let pdfs = of_mission(db, scope, mission).await?;
    let Some(pdf) = pdfs.into_values().find(|pdf| pdf.source_id == source) else {
        return Ok(None);
    };
    artifact::Entity::find_by_id_in(scope, pdf.artifact_id)
        .one(db)
        .await
}

/// Inserts a pending PDF.
///
/// # Errors
/// When the database fails.
pub async fn insert(
    tx: &WriteTx,
    row: artifact::Model,
    source: Option<MissionArtifactId>,
) -> Result<(), DbErr> {
    let pdf = pdf::Model {
        artifact_id: row.id,
        workspace_id: row.workspace_id,
        mission_id: row.mission_id,
        source_id: source,
        attempts: 0,
        pages: None,
        size: None,
        file: None,
    };
    super::insert(tx, vec![row]).await?;
    pdf::Entity::insert(pdf.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Makes a PDF pending again.
///
/// # Errors
/// When the database fails.
pub async fn insist(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: MissionArtifactId,
    title: &str,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    use artifact::Column::{Error, Id, Path, Status, Title, UpdatedAt};
    artifact::Entity::update_in(scope)
        .col_expr(Status, Expr::value(ArtifactStatus::Pending.as_str()))
        .col_expr(Title, Expr::value(title))
        .col_expr(Path, Expr::value(None::<String>))
        .col_expr(Error, Expr::value(None::<String>))
        .col_expr(UpdatedAt, Expr::value(now))
        .filter(Id.eq(id))
        .exec(&**tx)
        .await?;
    pdf::Entity::update_in(scope)
        .col_expr(pdf::Column::Attempts, Expr::value(0))
        .col_expr(pdf::Column::Pages, Expr::value(None::<i32>))
        .col_expr(pdf::Column::Size, Expr::value(None::<i64>))
        .col_expr(pdf::Column::File, Expr::value(None::<Vec<u8>>))
        .filter(pdf::Column::ArtifactId.eq(id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The pending PDFs of all workspaces, oldest request first.
///
/// # Errors
/// When the database fails.
pub async fn pending(
    db: &impl ConnectionTrait,
    most: u64,
) -> Result<Vec<(MissionArtifactId, WorkspaceId)>, DbErr> {
    use artifact::Column::{Id, Kind, Status, UpdatedAt, WorkspaceId};
    artifact::Entity::find()
        .select_only()
        .columns([Id, WorkspaceId])
        .filter(Status.eq(ArtifactStatus::Pending.as_str()))
        .filter(Kind.eq(ArtifactKind::Pdf.as_str()))
        .order_by_asc(UpdatedAt)
        .order_by_asc(Id)
        .limit(most)
        .into_tuple()
        .all(db)
        .await
}

/// Counts an attempt at a PDF, and returns it. `None` when it is not pending any more.
///
/// # Errors
/// When the database fails.
pub async fn begin(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: MissionArtifactId,
) -> Result<Option<Begun>, DbErr> {
    let found = artifact::Entity::find_by_id_in(scope, id)
        .filter(artifact::Column::Status.eq(ArtifactStatus::Pending.as_str()))
        .one(&**tx)
        .await?;
    let Some(artifact) = found else {
        return Ok(None);
    };
    let rows = pdf::Entity::update_in(scope)
        .col_expr(
            pdf::Column::Attempts,
            Expr::col(pdf::Column::Attempts).add(1),
        )
        .filter(pdf::Column::ArtifactId.eq(id))
        .exec_with_returning(&**tx)
        .await?;
    Ok(rows.into_iter().next().map(|row| Begun {
        artifact,
        source_id: row.source_id,
        attempts: row.attempts,
    }))
}

/// What became of a PDF: the file and its pages, or why there is none.
pub type Made = Result<(Vec<u8>, u32), String>;

/// Records what became of a PDF. False when it is not pending any more.
///
/// # Errors
/// When the database fails.
pub async fn end(
    tx: &WriteTx,
    scope: WorkspaceScope,
    artifact: &artifact::Model,
    made: Made,
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    use artifact::Column::{Error, Id, Path, Status, UpdatedAt};
    let (status, path, error) = match &made {
        Ok(_) => (
            ArtifactStatus::Ready,
            Some(path_of(artifact.mission_id, artifact.id)),
            None,
        ),
        Err(why) => (ArtifactStatus::Failed, None, Some(why.clone())),
    };
    let done = artifact::Entity::update_in(scope)
        .col_expr(Status, Expr::value(status.as_str()))
        .col_expr(Path, Expr::value(path))
        .col_expr(Error, Expr::value(error))
        .col_expr(UpdatedAt, Expr::value(now))
        .filter(Id.eq(artifact.id))
        .filter(Status.eq(ArtifactStatus::Pending.as_str()))
        .exec(&**tx)
        .await?;
    if done.rows_affected == 0 {
        return Ok(false);
    }
    if let Ok((file, pages)) = made {
        let size = i64::try_from(file.len()).unwrap_or(i64::MAX);
        pdf::Entity::update_in(scope)
            .col_expr(
                pdf::Column::Pages,
                Expr::value(i32::try_from(pages).unwrap_or(i32::MAX)),
            )
            .col_expr(pdf::Column::Size, Expr::value(size))
            .col_expr(pdf::Column::File, Expr::value(file))
            .filter(pdf::Column::ArtifactId.eq(artifact.id))
            .exec(&**tx)
            .await?;
    }
    Ok(true)
}

/// Where the file is downloaded.
fn path_of(mission: MissionId, id: MissionArtifactId) -> String {
    format!("/api/missions/{mission}/artifacts/{id}/content")
}

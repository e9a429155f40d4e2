//! `/api/missions`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, StatusCode, header};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::commands::{self, Launch};
use super::dto::{
    LaunchPlan, Mission, MissionArtifactText, MissionDetail, MissionStatusChange, MissionTeam,
    MissionsQuery, NewMission, PhaseSummary,
};
use super::{MissionError, MissionsContext, read, store};
use crate::artifacts::{self, ArtifactKind};
use roost_platform::ids::{MissionArtifactId, MissionId, MissionPhaseId};
use roost_tenancy::auth::{Scoped, Verb, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<MissionsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get))
        .routes(routes!(launch_plan))
        .routes(routes!(set_status))
        .routes(routes!(teams))
        .routes(routes!(retry))
        .routes(routes!(skip))
        .routes(routes!(summary))
        .routes(routes!(report))
        .routes(routes!(artifact))
        .routes(routes!(artifact_content))
}

/// Lists the workspace's missions, newest first.
#[utoipa::path(get, path = "/api/missions", tag = "missions", operation_id = "list_missions", params(MissionsQuery),
    responses((status = 200, body = Page<Mission>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Query(query): Query<MissionsQuery>,
) -> ApiResult<Json<Page<Mission>>> {
    let (db, scope) = (missions.db.read(), caller.scope());
    let page = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = page.check()?;
    let rows = store::list(db, scope, query.status, request).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: read::shown(db, scope, page.items).await?,
        next_cursor: page.next_cursor,
    }))
}

/// Creates a mission as a draft. With a `schedule`, it also makes a routine that launches missions like this one.
#[utoipa::path(post, path = "/api/missions", tag = "missions", operation_id = "create_mission", request_body = NewMission,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = MissionDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
async fn create(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    id: CreationId<MissionId>,
    Valid(new): Valid<NewMission>,
) -> ApiResult<(StatusCode, Json<MissionDetail>)> {
    let (scope, who) = (caller.scope(), (caller.user_id(), caller.role()));
    let id = id.or_fresh(&missions.ids);
    commands::create(&missions, scope, who, id, new).await?;
    let detail = read::detail(missions.db.read(), scope, id).await?;
    Ok((StatusCode::CREATED, Json(detail)))
}

/// Shows one mission with its phases, tasks and artifacts.
#[utoipa::path(get, path = "/api/missions/{id}", tag = "missions", operation_id = "get_mission",
    params(("id" = MissionId, Path)),
    responses((status = 200, body = MissionDetail), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path(id): Path<MissionId>,
) -> ApiResult<Json<MissionDetail>> {
    let detail = read::detail(missions.db.read(), caller.scope(), id).await?;
    Ok(Json(detail))
}

/// Shows what a launch would do now: the teams that it mints, where they work, and what is missing.
#[utoipa::path(get, path = "/api/missions/{id}/launch-plan", tag = "missions", operation_id = "plan_mission_launch",
    params(("id" = MissionId, Path)),
    responses((status = 200, body = LaunchPlan), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn launch_plan(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    Path(id): Path<MissionId>,
) -> ApiResult<Json<LaunchPlan>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let may_place = caller.role().may(Verb::SetPlacement);
    let plan = commands::plan_launch(&missions, scope, user, id, may_place).await?;
    Ok(Json(plan))
}

/// Launches, pauses, resumes, fails or cancels a mission. A launch answers 202 with the minted teams; everything else
/// answers 200.
#[utoipa::path(post, path = "/api/missions/{id}/status", tag = "missions", operation_id = "set_mission_status",
    request_body = MissionStatusChange, params(("id" = MissionId, Path)),
    responses((status = 200, body = MissionDetail), (status = 202, body = MissionDetail, description = "launched"),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 402, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem)))]
async fn set_status(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    Path(id): Path<MissionId>,
    Valid(change): Valid<MissionStatusChange>,
) -> ApiResult<(StatusCode, Json<MissionDetail>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let how = Launch {
        may_place: caller.role().may(Verb::SetPlacement),
        accept_lacks: change.accept_lacks,
    };
    let (_, launched) =
        commands::set_status(&missions, scope, user, id, change.status, how).await?;
    let status = match launched {
        true => StatusCode::ACCEPTED,
        false => StatusCode::OK,
    };
    let detail = read::detail(missions.db.read(), scope, id).await?;
    Ok((status, Json(detail)))
}

/// Lists the teams of a mission, oldest first.
#[utoipa::path(get, path = "/api/missions/{id}/teams", tag = "missions", operation_id = "list_mission_teams",
    params(("id" = MissionId, Path)),
    responses((status = 200, body = Vec<MissionTeam>), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn teams(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path(id): Path<MissionId>,
) -> ApiResult<Json<Vec<MissionTeam>>> {
    let teams = read::teams_of(missions.db.read(), caller.scope(), id).await?;
    Ok(Json(teams))
}

/// Retries a phase that failed.
#[utoipa::path(post, path = "/api/missions/{id}/phases/{phase_id}/retry", tag = "missions",
    operation_id = "retry_mission_phase", params(("id" = MissionId, Path), ("phase_id" = MissionPhaseId, Path)),
    responses((status = 200, body = MissionDetail), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn retry(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    Path(at): Path<(MissionId, MissionPhaseId)>,
) -> ApiResult<Json<MissionDetail>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    commands::retry(&missions, scope, user, at).await?;
    Ok(Json(read::detail(missions.db.read(), scope, at.0).await?))
}

/// Skips a phase that failed or has not begun.
#[utoipa::path(post, path = "/api/missions/{id}/phases/{phase_id}/skip", tag = "missions",
    operation_id = "skip_mission_phase", params(("id" = MissionId, Path), ("phase_id" = MissionPhaseId, Path)),
    responses((status = 200, body = MissionDetail), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn skip(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    Path(at): Path<(MissionId, MissionPhaseId)>,
) -> ApiResult<Json<MissionDetail>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    commands::skip(&missions, scope, user, at).await?;
    Ok(Json(read::detail(missions.db.read(), scope, at.0).await?))
}

/// Shows the summary card of a phase that has ended.
#[utoipa::path(get, path = "/api/missions/{id}/phases/{phase_id}/summary", tag = "missions",
    operation_id = "get_phase_summary", params(("id" = MissionId, Path), ("phase_id" = MissionPhaseId, Path)),
    responses((status = 200, body = PhaseSummary), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn summary(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path((id, phase)): Path<(MissionId, MissionPhaseId)>,
) -> ApiResult<Json<PhaseSummary>> {
    let summary = read::summary(missions.db.read(), caller.scope(), id, phase).await?;
    Ok(Json(summary))
}

/// Writes the report of a mission as one Markdown document: its goal, the card of each phase, its tasks and its artifacts.
#[utoipa::path(get, path = "/api/missions/{id}/report", tag = "missions", operation_id = "report_mission",
    params(("id" = MissionId, Path)),
    responses((status = 200, content_type = "text/markdown", body = String), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn report(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path(id): Path<MissionId>,
) -> ApiResult<Response> {
    let text = read::report(missions.db.read(), caller.scope(), id).await?;
    let headers = [
        (header::CONTENT_TYPE, ArtifactKind::Markdown.media_type()),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"mission.md\"",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, text).into_response())
}

/// Shows an artifact with its text.
#[utoipa::path(get, path = "/api/missions/{id}/artifacts/{artifact_id}", tag = "missions",
    operation_id = "get_mission_artifact", params(("id" = MissionId, Path), ("artifact_id" = MissionArtifactId, Path)),
    responses((status = 200, body = MissionArtifactText), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn artifact(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path((id, artifact)): Path<(MissionId, MissionArtifactId)>,
) -> ApiResult<Json<MissionArtifactText>> {
    let row = find(&missions, &caller, id, artifact).await?;
    let content = row.content.clone();
    Ok(Json(MissionArtifactText {
        artifact: read::artifact_of(row.into()),
        content,
    }))
}

/// Downloads the content of an artifact.
#[utoipa::path(get, path = "/api/missions/{id}/artifacts/{artifact_id}/content", tag = "missions",
    operation_id = "download_mission_artifact",
    params(("id" = MissionId, Path), ("artifact_id" = MissionArtifactId, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn artifact_content(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path((id, artifact)): Path<(MissionId, MissionArtifactId)>,
) -> ApiResult<Response> {
    let row = find(&missions, &caller, id, artifact).await?;
    let kind = ArtifactKind::from_stored(&row.kind);
    let content = row.content.ok_or(MissionError::NoArtifact)?;
    let name = format!("{}.{}", row.id, kind.extension());
    // Agents wrote the content, so a browser saves it and does not show it.
    let headers: [(HeaderName, String); 3] = [
        (header::CONTENT_TYPE, kind.media_type().to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, content).into_response())
}

async fn find(
    missions: &MissionsContext,
    caller: &Scoped<can::ReadMissions>,
    id: MissionId,
    artifact: MissionArtifactId,
) -> ApiResult<artifacts::ArtifactRow> {
    let found = artifacts::content(missions.db.read(), caller.scope(), id, artifact).await?;
    Ok(found.ok_or(MissionError::NoArtifact)?)
}

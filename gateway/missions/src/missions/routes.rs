//! `/api/missions`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, StatusCode, header};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::commands::{self, Launch};
use super::dto::{
    Mission, MissionArtifact, MissionArtifactText, MissionDetail, MissionStatusChange, MissionTeam,
    MissionsQuery, NewMission, PhaseSummary,
};
use super::dto_plan::LaunchPlan;
use super::{MissionsContext, read, store};
use crate::artifacts::{ArtifactKind, ArtifactStatus};
use roost_platform::ids::{MissionArtifactId, MissionId, MissionPhaseId, UserId};
use roost_tenancy::auth::{Scoped, Verb, WorkspaceScope, can};
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
        .routes(routes!(report, request_report))
        .routes(routes!(artifact))
        .routes(routes!(artifact_content))
        .routes(routes!(request_artifact_pdf))
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
    let rows = store::list(db, scope, (query.status, query.team_id), request).await?;
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
    let mut summary = read::summary(missions.db.read(), caller.scope(), id, phase).await?;
    // The operator may have taken the model away since.
    summary.narrative_is_due &= missions.summarizer.is_some();
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

/// Asks for the report of a mission as PDF. It answers 202 with an artifact that is pending, or 200 with one that is ready
/// and still right. A mission that ends gets its PDF without this.
#[utoipa::path(post, path = "/api/missions/{id}/report", tag = "missions", operation_id = "request_mission_report_pdf",
    params(("id" = MissionId, Path)),
    responses((status = 200, body = MissionArtifact), (status = 202, body = MissionArtifact, description = "pending"),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn request_report(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    Path(id): Path<MissionId>,
) -> ApiResult<(StatusCode, Json<MissionArtifact>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    requested(&missions, scope, user, id, None).await
}

/// Asks for a Markdown artifact as PDF. It answers 202 with an artifact that is pending, or 200 with one that is ready.
#[utoipa::path(post, path = "/api/missions/{id}/artifacts/{artifact_id}/pdf", tag = "missions",
    operation_id = "request_mission_artifact_pdf",
    params(("id" = MissionId, Path), ("artifact_id" = MissionArtifactId, Path)),
    responses((status = 200, body = MissionArtifact), (status = 202, body = MissionArtifact, description = "pending"),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn request_artifact_pdf(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ManageMissions>,
    Path((id, artifact)): Path<(MissionId, MissionArtifactId)>,
) -> ApiResult<(StatusCode, Json<MissionArtifact>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    requested(&missions, scope, user, id, Some(artifact)).await
}

async fn requested(
    missions: &MissionsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MissionId,
    artifact: Option<MissionArtifactId>,
) -> ApiResult<(StatusCode, Json<MissionArtifact>)> {
    let pdf = commands::request_pdf(missions, scope, user, id, artifact).await?;
    let (shown, _) = read::artifact(missions.db.read(), scope, id, pdf).await?;
    let status = match shown.status {
        ArtifactStatus::Pending => StatusCode::ACCEPTED,
        _ => StatusCode::OK,
    };
    Ok((status, Json(shown)))
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
    let (artifact, content) =
        read::artifact(missions.db.read(), caller.scope(), id, artifact).await?;
    Ok(Json(MissionArtifactText { artifact, content }))
}

/// Downloads the content of an artifact.
#[utoipa::path(get, path = "/api/missions/{id}/artifacts/{artifact_id}/content", tag = "missions",
    operation_id = "download_mission_artifact",
    params(("id" = MissionId, Path), ("artifact_id" = MissionArtifactId, Path)),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>),
        (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem, description = "a PDF that is not ready")))]
async fn artifact_content(
    State(missions): State<MissionsContext>,
    caller: Scoped<can::ReadMissions>,
    Path((id, artifact)): Path<(MissionId, MissionArtifactId)>,
) -> ApiResult<Response> {
    let (kind, content) =
        read::artifact_file(missions.db.read(), caller.scope(), id, artifact).await?;
    let name = format!("{artifact}.{}", kind.extension());
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

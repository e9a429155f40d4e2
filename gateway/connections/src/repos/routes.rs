//! `/api/repos`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{BranchQuery, NewRepoConnection, Repo, RepoBranches, RepoConnection, RepoQuery};
use super::entity::connection;
use super::{RepoError, ReposContext, commands, store, store_mirrors, store_repos};
use roost_platform::ids::{RepoConnectionId, RepoId};
use roost_tenancy::auth::{self, Scoped, UserBrief, WorkspaceScope, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<ReposContext> {
    OpenApiRouter::new()
        .routes(routes!(connections, connect))
        .routes(routes!(disconnect))
        .routes(routes!(sync))
        .routes(routes!(list))
        .routes(routes!(get))
        .routes(routes!(branches))
        .routes(routes!(want_mirror, drop_mirror))
}

/// The code hosts that the workspace is connected to, oldest first.
#[utoipa::path(get, path = "/api/repos/connections", tag = "repos", params(PageQuery),
    responses((status = 200, body = Page<RepoConnection>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn connections(
    State(state): State<ReposContext>,
    caller: Scoped<can::ReadRepos>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<RepoConnection>>> {
    let request = query.check()?;
    let rows = store::list(state.db.read(), caller.scope(), request).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: shown(&state, caller.scope(), page.items).await?,
        next_cursor: page.next_cursor,
    }))
}

/// Connects a code host: the token goes to the secret broker, and the first sync begins.
#[utoipa::path(post, path = "/api/repos/connections", operation_id = "connect_code_host", tag = "repos", request_body = NewRepoConnection,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = RepoConnection), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn connect(
    State(state): State<ReposContext>,
    caller: Scoped<can::ManageRepos>,
    id: CreationId<RepoConnectionId>,
    Valid(new): Valid<NewRepoConnection>,
) -> ApiResult<(StatusCode, Json<RepoConnection>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::connect(&state, scope, user, id.or_fresh(&state.ids), new).await?;
    Ok((StatusCode::CREATED, Json(one(&state, scope, row).await?)))
}

/// Disconnects a code host. Its repositories are removed, and its token is deleted.
#[utoipa::path(delete, path = "/api/repos/connections/{id}", operation_id = "disconnect_code_host", tag = "repos", params(("id" = RepoConnectionId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn disconnect(
    State(state): State<ReposContext>,
    caller: Scoped<can::ManageRepos>,
    Path(id): Path<RepoConnectionId>,
) -> ApiResult<StatusCode> {
    commands::disconnect(&state, caller.scope(), caller.user_id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads a code host's list again. The answer does not wait for it: the connection's `sync` has the state, and
/// `resource.changed` reports each change.
#[utoipa::path(post, path = "/api/repos/connections/{id}/sync", tag = "repos", params(("id" = RepoConnectionId, Path)),
    responses((status = 202, body = RepoConnection), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn sync(
    State(state): State<ReposContext>,
    caller: Scoped<can::SyncRepos>,
    Path(id): Path<RepoConnectionId>,
) -> ApiResult<(StatusCode, Json<RepoConnection>)> {
    let scope = caller.scope();
    let row = commands::request_sync(&state, scope, caller.user_id(), id).await?;
    Ok((StatusCode::ACCEPTED, Json(one(&state, scope, row).await?)))
}

/// The repositories of the workspace, latest change first, at most 500.
#[utoipa::path(get, path = "/api/repos", operation_id = "list_repos", tag = "repos", params(RepoQuery),
    responses((status = 200, body = Vec<Repo>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<ReposContext>,
    caller: Scoped<can::ReadRepos>,
    Query(query): Query<RepoQuery>,
) -> ApiResult<Json<Vec<Repo>>> {
    let search = query.search()?;
    let (db, scope) = (state.db.read(), caller.scope());
    let rows = store_repos::list(db, scope, query.connection_id, search).await?;
    let ids: Vec<RepoId> = rows.iter().map(|row| row.id).collect();
    let mut mirrors = store_mirrors::of(db, scope, &ids).await?;
    let now = state.clock.now();
    let rows = rows.into_iter().map(|row| {
        let mirror = mirrors.remove(&row.id);
        Repo::new(row, mirror, now)
    });
    Ok(Json(rows.collect()))
}

/// One repository, even if its host does not list it any more.
#[utoipa::path(get, path = "/api/repos/{id}", operation_id = "get_repo", tag = "repos", params(("id" = RepoId, Path)),
    responses((status = 200, body = Repo), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<ReposContext>,
    caller: Scoped<can::ReadRepos>,
    Path(id): Path<RepoId>,
) -> ApiResult<Json<Repo>> {
    let (db, scope) = (state.db.read(), caller.scope());
    let row = store_repos::get(db, scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let mirror = store_mirrors::get(db, scope, id).await?;
    Ok(Json(Repo::new(row, mirror, state.clock.now())))
}

/// The branches of the repository, as its host has them now; at most 200.
#[utoipa::path(get, path = "/api/repos/{id}/branches", operation_id = "list_branches", tag = "repos", params(("id" = RepoId, Path), BranchQuery),
    responses((status = 200, body = RepoBranches), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn branches(
    State(state): State<ReposContext>,
    caller: Scoped<can::SyncRepos>,
    Path(id): Path<RepoId>,
    Query(query): Query<BranchQuery>,
) -> ApiResult<Json<RepoBranches>> {
    let containing = query.search()?;
    let (scope, user) = (caller.scope(), caller.user_id());
    let found = commands::list_branches(&state, scope, user, id, containing).await?;
    Ok(Json(found.into()))
}

/// Creates a mirror of the repository, or updates it. The answer does not wait for it: the repository's `mirror` has the
/// state, and `resource.changed` reports each change.
#[utoipa::path(put, path = "/api/repos/{id}/mirror", tag = "repos", params(("id" = RepoId, Path)),
    responses((status = 202, body = Repo), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn want_mirror(
    State(state): State<ReposContext>,
    caller: Scoped<can::SyncRepos>,
    Path(id): Path<RepoId>,
) -> ApiResult<(StatusCode, Json<Repo>)> {
    let (repo, mirror) =
        commands::want_mirror(&state, caller.scope(), caller.user_id(), id).await?;
    let repo = Repo::new(repo, Some(mirror), state.clock.now());
    Ok((StatusCode::ACCEPTED, Json(repo)))
}

/// Removes the mirror of the repository; a fetch under way ends. The answer does not wait for it.
#[utoipa::path(delete, path = "/api/repos/{id}/mirror", tag = "repos", params(("id" = RepoId, Path)),
    responses((status = 202, body = Repo), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn drop_mirror(
    State(state): State<ReposContext>,
    caller: Scoped<can::ManageRepos>,
    Path(id): Path<RepoId>,
) -> ApiResult<(StatusCode, Json<Repo>)> {
    let (repo, mirror) =
        commands::drop_mirror(&state, caller.scope(), caller.user_id(), id).await?;
    let repo = Repo::new(repo, Some(mirror), state.clock.now());
    Ok((StatusCode::ACCEPTED, Json(repo)))
}

async fn one(
    state: &ReposContext,
    scope: WorkspaceScope,
    row: connection::Model,
) -> ApiResult<RepoConnection> {
    let mut shown = shown(state, scope, vec![row]).await?;
    shown
        .pop()
        .ok_or_else(|| ApiError::from(RepoError::NoConnection))
}

/// Rows with their creators and their numbers of repositories.
async fn shown(
    state: &ReposContext,
    scope: WorkspaceScope,
    rows: Vec<connection::Model>,
) -> ApiResult<Vec<RepoConnection>> {
    let db = state.db.read();
    let people = auth::users_by_id(db, rows.iter().map(|row| row.created_by)).await?;
    let ids: Vec<RepoConnectionId> = rows.iter().map(|row| row.id).collect();
    let counts = store::repos_of(db, scope, &ids).await?;
    let now = state.clock.now();
    Ok(rows
        .into_iter()
        .map(|row| {
            let maker = people.iter().find(|user| user.id == row.created_by);
            let maker = maker.cloned().map(UserBrief::from);
            let repos = counts.get(&row.id).copied().unwrap_or(0);
            RepoConnection::new(row, maker, repos, now)
        })
        .collect())
}

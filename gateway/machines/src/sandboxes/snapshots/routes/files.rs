//! `/{id}/snapshots/{snapshot}/…` of an owner: the files of a snapshot that is in the gateway's store.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use roost_snapshot::{Address, Entry};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::sandboxes::routes::owned::Owned;
use crate::sandboxes::snapshots::dto::{CompareQuery, FileChanges, FileList, FileQuery};
use crate::sandboxes::snapshots::entity::Model;
use crate::sandboxes::snapshots::exchange::ExchangeError;
use crate::sandboxes::snapshots::files::{self, NotShown};
use crate::sandboxes::snapshots::named::NamedError;
use crate::sandboxes::snapshots::store;
use crate::sandboxes::snapshots::tarball::{self, TarballError};
use crate::sandboxes::{SandboxOwner, SandboxesHandle, owner};
use roost_platform::ids::{SandboxOwnerId, SnapshotId};
use roost_tenancy::auth::{Scoped, WorkspaceScope, can};
use roost_tenancy::change::Change;
use roost_tenancy::workspaces::{self, FilePolicy};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::{Path, Query};
use roost_web::problem::Problem;

/// A snapshot, beside its owner.
#[derive(Debug, Deserialize)]
struct OfOwner {
    snapshot: SnapshotId,
}

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(download))
        .routes(routes!(download_folder))
        .routes(routes!(compare))
}

async fn row(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    snapshot: SnapshotId,
) -> ApiResult<Model> {
    let row = store::get(sandboxes.db.read(), scope, owner.id(), snapshot).await?;
    let row = row.ok_or_else(|| ApiError::not_found("snapshot"))?;
    if row.uploaded_at.is_none() {
        let policy = workspaces::file_policy(sandboxes.db.read(), scope).await?;
        return Err(ApiError::new(Code::Conflict).detail(match policy {
            FilePolicy::Upload => "This snapshot is only on its machine. Its files can be shown when the machine has sent it to the gateway.",
            FilePolicy::Stay => "This snapshot is only on its machine, because a setting of the workspace keeps files there. Its files can be shown when machines may send them to the gateway.",
        }));
    }
    Ok(row)
}

async fn entries(sandboxes: &SandboxesHandle, row: &Model) -> ApiResult<Vec<Entry>> {
    let digest: Address = row.digest.parse().map_err(ApiError::internal)?;
    let named = sandboxes.exchange.named();
    let entries = named.entries(row.workspace_id, digest).await;
    entries.map_err(|error| match error {
        NamedError::Store(error) => ExchangeError::Store(error).into(),
        lost => ApiError::internal(lost),
    })
}

impl From<NotShown> for ApiError {
    fn from(why: NotShown) -> Self {
        match why {
            NotShown::Missing => Self::not_found("file"),
            NotShown::NotAFolder => Self::validation("path", "names a file, not a folder"),
            NotShown::NotAFile => Self::validation("path", "names a folder or a link, not a file"),
        }
    }
}

impl From<TarballError> for ApiError {
    fn from(why: TarballError) -> Self {
        match why {
            TarballError::NotShown(why) => why.into(),
            TarballError::Name(error) => Self::internal(error),
        }
    }
}

/// A folder of a snapshot.
#[utoipa::path(get, path = "/{id}/snapshots/{snapshot}/files", operation_id = "snapshot_files", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("snapshot" = SnapshotId, Path), FileQuery),
    responses((status = 200, body = FileList), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn list(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Owned(owner): Owned,
    Path(OfOwner { snapshot }): Path<OfOwner>,
    Query(query): Query<FileQuery>,
) -> ApiResult<Json<FileList>> {
    let row = row(&sandboxes, caller.scope(), owner, snapshot).await?;
    let (entries, more) = files::folder(&entries(&sandboxes, &row).await?, &query.path)?;
    Ok(Json(FileList { entries, more }))
}

/// The bytes of a file of a snapshot.
#[utoipa::path(get, path = "/{id}/snapshots/{snapshot}/file", operation_id = "snapshot_file", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("snapshot" = SnapshotId, Path), FileQuery),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn download(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Path(OfOwner { snapshot }): Path<OfOwner>,
    Query(query): Query<FileQuery>,
) -> ApiResult<Response> {
    let scope = caller.scope();
    let row = row(&sandboxes, scope, owner, snapshot).await?;
    let (size, extents) = files::file(&entries(&sandboxes, &row).await?, &query.path)?;
    let taken = serde_json::json!({ "snapshot": row.id, "bytes": size });
    record(&sandboxes, &caller, owner, &query.path, taken).await?;
    let chunks = sandboxes.exchange.chunks().clone();
    let content = files::content(chunks, row.workspace_id, extents);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, size.to_string()),
        (header::CONTENT_DISPOSITION, "attachment".to_owned()),
    ];
    Ok((headers, Body::from_stream(content)).into_response())
}

/// A folder of a snapshot, or the whole workspace when `path` is empty, as a tar archive.
#[utoipa::path(get, path = "/{id}/snapshots/{snapshot}/archive", operation_id = "snapshot_archive", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("snapshot" = SnapshotId, Path), FileQuery),
    responses((status = 200, content_type = "application/x-tar", body = Vec<u8>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn download_folder(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Path(OfOwner { snapshot }): Path<OfOwner>,
    Query(query): Query<FileQuery>,
) -> ApiResult<Response> {
    let row = row(&sandboxes, caller.scope(), owner, snapshot).await?;
    let tarball = tarball::of_folder(&entries(&sandboxes, &row).await?, &query.path)?;
    let taken = serde_json::json!({
        "snapshot": row.id, "bytes": tarball.bytes, "files": tarball.files,
    });
    record(&sandboxes, &caller, owner, &query.path, taken).await?;
    let chunks = sandboxes.exchange.chunks().clone();
    let content = tarball::content(chunks, row.workspace_id, tarball.parts);
    let headers = [
        (header::CONTENT_TYPE, "application/x-tar"),
        (header::CONTENT_DISPOSITION, "attachment"),
    ];
    Ok((headers, Body::from_stream(content)).into_response())
}

/// Writes into the audit log what a person takes out of a sandbox.
async fn record(
    sandboxes: &SandboxesHandle,
    caller: &Scoped<can::UseSandboxes>,
    owner: SandboxOwner,
    path: &str,
    taken: serde_json::Value,
) -> ApiResult<()> {
    let scope = caller.scope();
    let mut change = Change::begin(sandboxes, scope, caller.user_id()).await?;
    let name = owner::name(sandboxes, scope, owner).await?;
    let mut details = taken;
    details[owner.kind().noun()] = serde_json::json!(name);
    let most = roost_protocol::limits::MAX_SHORT_TEXT;
    details["path"] = serde_json::json!(roost_protocol::text::clean(path, most));
    change.record(
        "sandbox.download",
        (owner.kind().as_str(), &owner.id()),
        details,
    );
    Ok(change.commit().await?)
}

/// What differs from an earlier snapshot of the owner to this one.
#[utoipa::path(get, path = "/{id}/snapshots/{snapshot}/diff", operation_id = "snapshot_diff", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("snapshot" = SnapshotId, Path), CompareQuery),
    responses((status = 200, body = FileChanges), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn compare(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Owned(owner): Owned,
    Path(OfOwner { snapshot }): Path<OfOwner>,
    Query(query): Query<CompareQuery>,
) -> ApiResult<Json<FileChanges>> {
    let scope = caller.scope();
    let before = row(&sandboxes, scope, owner, query.before).await?;
    let after = row(&sandboxes, scope, owner, snapshot).await?;
    let (before, after) = (
        entries(&sandboxes, &before).await?,
        entries(&sandboxes, &after).await?,
    );
    let (changes, more) = files::differences(&before, &after);
    Ok(Json(FileChanges { changes, more }))
}

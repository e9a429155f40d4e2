//! `/api/nodes/snapshots/…` and `/api/nodes/chunks/…`: a machine uploads the chunks of its snapshots, and reads the chunks
//! of a snapshot that it restores.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use http::{StatusCode, header};
use roost_snapshot::Address;
use roost_snapshot::chunk::MOST_STORED;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::CallingMachine;
use crate::sandboxes::SandboxesHandle;
use crate::sandboxes::snapshots::dto::{
    ChunkQuery, HeldChunks, MissingChunks, RestoreQuery, SnapshotOf,
};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::{Path, Query, Valid};
use roost_web::problem::Problem;

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    let chunks = OpenApiRouter::new()
        .routes(routes!(put, get))
        .layer(DefaultBodyLimit::max(MOST_STORED));
    OpenApiRouter::new()
        .routes(routes!(missing))
        .routes(routes!(uploaded))
        .merge(chunks)
}

fn address(text: &str) -> ApiResult<Address> {
    text.parse().map_err(|_| ApiError::not_found("chunk"))
}

/// Which of these chunks the gateway's store does not have.
#[utoipa::path(post, path = "/api/nodes/snapshots/{digest}/missing", operation_id = "missing_chunks", tag = "nodes",
    request_body = HeldChunks, security(()), params(("digest" = String, Path)),
    responses((status = 200, body = MissingChunks), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem)))]
async fn missing(
    State(sandboxes): State<SandboxesHandle>,
    machine: CallingMachine,
    Path(digest): Path<String>,
    Valid(held): Valid<HeldChunks>,
) -> ApiResult<Json<MissingChunks>> {
    address(&digest)?;
    let chunks = held.chunks.iter().filter_map(|chunk| chunk.parse().ok());
    let exchange = &sandboxes.exchange;
    let missing = exchange.missing(&machine.name, held.workspace, chunks.collect());
    let missing = missing.await?.iter().map(ToString::to_string).collect();
    Ok(Json(MissingChunks { missing }))
}

/// Keeps a chunk. The body is its stored form, and its content must have the address.
#[utoipa::path(put, path = "/api/nodes/chunks/{hash}", operation_id = "put_chunk", tag = "nodes", security(()),
    params(("hash" = String, Path), ChunkQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 413, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem),
        (status = 503, body = Problem)))]
async fn put(
    State(sandboxes): State<SandboxesHandle>,
    machine: CallingMachine,
    Path(hash): Path<String>,
    Query(query): Query<ChunkQuery>,
    request: Request,
) -> ApiResult<StatusCode> {
    let address = address(&hash)?;
    let stored = Bytes::from_request(request, &())
        .await
        .map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(Code::PayloadTooLarge)
                .detail(format!("A chunk has at most {MOST_STORED} bytes.")),
            _ => ApiError::validation(
                "",
                "the chunk did not arrive whole, or it came too slowly; send it again",
            ),
        })?;
    let exchange = &sandboxes.exchange;
    let kept = exchange.put(&machine.name, query.workspace, address, stored);
    kept.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The stored form of a chunk, for a machine that is asked to restore a snapshot that names it.
#[utoipa::path(get, path = "/api/nodes/chunks/{hash}", operation_id = "get_chunk", tag = "nodes", security(()),
    params(("hash" = String, Path), RestoreQuery),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 429, body = Problem),
        (status = 503, body = Problem)))]
async fn get(
    State(sandboxes): State<SandboxesHandle>,
    machine: CallingMachine,
    Path(hash): Path<String>,
    Query(query): Query<RestoreQuery>,
) -> ApiResult<([(header::HeaderName, &'static str); 1], Bytes)> {
    let (chunk, digest) = (address(&hash)?, address(&query.snapshot)?);
    let exchange = &sandboxes.exchange;
    let stored = exchange.get(&machine.name, query.workspace, digest, chunk);
    let kind = (header::CONTENT_TYPE, "application/octet-stream");
    Ok(([kind], stored.await?))
}

/// A machine has uploaded all chunks of a snapshot. The gateway checks that it has each of them.
#[utoipa::path(post, path = "/api/nodes/snapshots/{digest}/uploaded", operation_id = "snapshot_uploaded", tag = "nodes",
    request_body = SnapshotOf, security(()), params(("digest" = String, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 422, body = Problem), (status = 429, body = Problem),
        (status = 503, body = Problem)))]
async fn uploaded(
    State(sandboxes): State<SandboxesHandle>,
    machine: CallingMachine,
    Path(digest): Path<String>,
    Valid(of): Valid<SnapshotOf>,
) -> ApiResult<StatusCode> {
    let digest = address(&digest)?;
    let exchange = &sandboxes.exchange;
    let checked = exchange.uploaded(&machine.name, of.workspace, digest);
    checked.await?;
    Ok(StatusCode::NO_CONTENT)
}

//! The routes of sandboxes, of saved files and of drains that the client calls. Written from gateway/openapi.json by tests/types; do not change it by hand.

use http::Method;

use super::call::{Call, Nothing, Page, Stream, segment};
use super::owner::Owner;
use super::types::*;

/// `GET /api/claws/{id}/snapshots`
#[must_use]
pub fn snapshots(owner: &Owner, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Snapshot>> {
    let mut call = Call::new(Method::GET, format!("/api/{}/snapshots", owner.place()));
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `GET /api/claws/{id}/snapshots/{snapshot}/files`
#[must_use]
pub fn snapshot_files(owner: &Owner, snapshot: &SnapshotId, path: Option<&str>) -> Call<FileList> {
    let mut call = Call::new(Method::GET, format!("/api/{}/snapshots/{}/files", owner.place(), segment(snapshot)));
    call.query("path", path);
    call
}

/// `GET /api/claws/{id}/snapshots/{snapshot}/file`
#[must_use]
pub fn snapshot_file(owner: &Owner, snapshot: &SnapshotId, path: Option<&str>) -> Call<Nothing> {
    let mut call = Call::new(Method::GET, format!("/api/{}/snapshots/{}/file", owner.place(), segment(snapshot)));
    call.query("path", path);
    call
}

/// `GET /api/claws/{id}/snapshots/{snapshot}/archive`
#[must_use]
pub fn snapshot_archive(owner: &Owner, snapshot: &SnapshotId, path: Option<&str>) -> Call<Nothing> {
    let mut call = Call::new(Method::GET, format!("/api/{}/snapshots/{}/archive", owner.place(), segment(snapshot)));
    call.query("path", path);
    call
}

/// `GET /api/claws/{id}/snapshots/{snapshot}/diff`
#[must_use]
pub fn snapshot_diff(owner: &Owner, snapshot: &SnapshotId, before: Option<&SnapshotId>) -> Call<FileChanges> {
    let mut call = Call::new(Method::GET, format!("/api/{}/snapshots/{}/diff", owner.place(), segment(snapshot)));
    call.query("before", before);
    call
}

/// `GET /api/claws/{id}/sandbox`
#[must_use]
pub fn sandbox(owner: &Owner) -> Call<Sandbox> {
    Call::new(Method::GET, format!("/api/{}/sandbox", owner.place()))
}

/// `POST /api/claws/{id}/sandbox`
#[must_use]
pub fn provision_sandbox(owner: &Owner, body: &NewSandbox) -> Call<Sandbox> {
    let mut call = Call::new(Method::POST, format!("/api/{}/sandbox", owner.place()));
    call.body(body);
    call
}

/// `DELETE /api/claws/{id}/sandbox`
#[must_use]
pub fn destroy_sandbox(owner: &Owner) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/{}/sandbox", owner.place()))
}

/// `POST /api/claws/{id}/sandbox/exec`
#[must_use]
pub fn exec(owner: &Owner, body: &NewExec) -> Call<ExecTaken> {
    let mut call = Call::new(Method::POST, format!("/api/{}/sandbox/exec", owner.place()));
    call.body(body);
    call
}

/// `GET /api/claws/{id}/sandbox/commands`
#[must_use]
pub fn sandbox_commands(owner: &Owner, limit: Option<u64>, failed: Option<bool>, running: Option<bool>, q: Option<&str>) -> Call<Page<SandboxCommand>> {
    let mut call = Call::new(Method::GET, format!("/api/{}/sandbox/commands", owner.place()));
    call.query("limit", limit);
    call.query("failed", failed);
    call.query("running", running);
    call.query("q", q);
    call
}

/// `GET /api/sandboxes/commands`
#[must_use]
pub fn workspace_commands(limit: Option<u64>, failed: Option<bool>, running: Option<bool>, q: Option<&str>) -> Call<Page<SandboxCommand>> {
    let mut call = Call::new(Method::GET, "/api/sandboxes/commands".to_owned());
    call.query("limit", limit);
    call.query("failed", failed);
    call.query("running", running);
    call.query("q", q);
    call
}

/// `GET /api/claws/{id}/sandbox/exec/{operation_id}`
#[must_use]
pub fn exec_output(owner: &Owner, operation_id: &OperationId, offset: Option<u64>) -> Call<Stream<ExecEvents>> {
    let mut call = Call::new(Method::GET, format!("/api/{}/sandbox/exec/{}", owner.place(), segment(operation_id)));
    call.query("offset", offset);
    call
}

/// `DELETE /api/claws/{id}/sandbox/exec/{operation_id}`
#[must_use]
pub fn cancel_exec(owner: &Owner, operation_id: &OperationId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/{}/sandbox/exec/{}", owner.place(), segment(operation_id)))
}

/// `POST /api/claws/{id}/sandbox/exec/{operation_id}/stdin`
#[must_use]
pub fn exec_stdin(owner: &Owner, operation_id: &OperationId, offset: Option<u64>, eof: Option<bool>) -> Call<StdinTaken> {
    let mut call = Call::new(Method::POST, format!("/api/{}/sandbox/exec/{}/stdin", owner.place(), segment(operation_id)));
    call.query("offset", offset);
    call.query("eof", eof);
    call
}

/// `POST /api/claws/{id}/sandbox/exec/{operation_id}/resize`
#[must_use]
pub fn resize_exec(owner: &Owner, operation_id: &OperationId, body: &TerminalSize) -> Call<Nothing> {
    let mut call = Call::new(Method::POST, format!("/api/{}/sandbox/exec/{}/resize", owner.place(), segment(operation_id)));
    call.body(body);
    call
}

/// `GET /api/nodes/{id}/drain-progress`
#[must_use]
pub fn drain_progress(id: &NodeId) -> Call<DrainProgress> {
    Call::new(Method::GET, format!("/api/nodes/{}/drain-progress", segment(id)))
}

/// `POST /api/claws/{id}/sandbox/files`
#[must_use]
pub fn put_files(owner: &Owner, folder: Option<&str>, replace: Option<bool>) -> Call<PutFiles> {
    let mut call = Call::new(Method::POST, format!("/api/{}/sandbox/files", owner.place()));
    call.query("folder", folder);
    call.query("replace", replace);
    call
}

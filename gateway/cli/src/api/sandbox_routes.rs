//! The routes of sandboxes, saved files, drains, people, models and skills that the client calls. Written from gateway/openapi.json by tests/types; do not change it by hand.

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

/// `GET /api/workspaces/{id}/members`
#[must_use]
pub fn members(id: &WorkspaceId, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Member>> {
    let mut call = Call::new(Method::GET, format!("/api/workspaces/{}/members", segment(id)));
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `PATCH /api/workspaces/{id}/members/{user_id}`
#[must_use]
pub fn change_role(id: &WorkspaceId, user_id: &UserId, body: &NewRole) -> Call<Member> {
    let mut call = Call::new(Method::PATCH, format!("/api/workspaces/{}/members/{}", segment(id), segment(user_id)));
    call.body(body);
    call
}

/// `DELETE /api/workspaces/{id}/members/{user_id}`
#[must_use]
pub fn remove_member(id: &WorkspaceId, user_id: &UserId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/workspaces/{}/members/{}", segment(id), segment(user_id)))
}

/// `GET /api/workspaces/{id}/invitations`
#[must_use]
pub fn invitations(id: &WorkspaceId, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Invitation>> {
    let mut call = Call::new(Method::GET, format!("/api/workspaces/{}/invitations", segment(id)));
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/workspaces/{id}/invitations`
#[must_use]
pub fn invite(id: &WorkspaceId, body: &NewInvitation) -> Call<FreshInvitation> {
    let mut call = Call::new(Method::POST, format!("/api/workspaces/{}/invitations", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/workspaces/{id}/invitations/{invitation_id}`
#[must_use]
pub fn withdraw_invitation(id: &WorkspaceId, invitation_id: &InvitationId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/workspaces/{}/invitations/{}", segment(id), segment(invitation_id)))
}

/// `GET /api/models`
#[must_use]
pub fn models() -> Call<Models> {
    Call::new(Method::GET, "/api/models".to_owned())
}

/// `POST /api/models`
#[must_use]
pub fn add_model(body: &NewModel) -> Call<ModelBinding> {
    let mut call = Call::new(Method::POST, "/api/models".to_owned());
    call.body(body);
    call
}

/// `PATCH /api/models/{id}`
#[must_use]
pub fn change_model(id: &ModelId, body: &ModelChange) -> Call<ModelBinding> {
    let mut call = Call::new(Method::PATCH, format!("/api/models/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/models/{id}`
#[must_use]
pub fn remove_model(id: &ModelId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/models/{}", segment(id)))
}

/// `POST /api/models/{id}/try`
#[must_use]
pub fn try_model(id: &ModelId) -> Call<ModelTried> {
    Call::new(Method::POST, format!("/api/models/{}/try", segment(id)))
}

/// `GET /api/skills`
#[must_use]
pub fn skills(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<SkillBrief>> {
    let mut call = Call::new(Method::GET, "/api/skills".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `GET /api/skills/{id}`
#[must_use]
pub fn skill(id: &SkillId) -> Call<Skill> {
    Call::new(Method::GET, format!("/api/skills/{}", segment(id)))
}

/// `PUT /api/skills/{id}`
#[must_use]
pub fn change_skill(id: &SkillId, body: &SkillText) -> Call<Skill> {
    let mut call = Call::new(Method::PUT, format!("/api/skills/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/skills/{id}`
#[must_use]
pub fn delete_skill(id: &SkillId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/skills/{}", segment(id)))
}

/// `GET /api/fleet/placement`
#[must_use]
pub fn placement() -> Call<Placement> {
    Call::new(Method::GET, "/api/fleet/placement".to_owned())
}

/// `PUT /api/fleet/placement`
#[must_use]
pub fn set_placement(body: &SetPlacement) -> Call<Placement> {
    let mut call = Call::new(Method::PUT, "/api/fleet/placement".to_owned());
    call.body(body);
    call
}

//! `/{id}/snapshots` of an owner, and the routes of machines for chunks.

mod caller;
mod files;
mod machines;
mod people;

use utoipa_axum::router::OpenApiRouter;

use crate::sandboxes::SandboxesHandle;
pub(in crate::sandboxes) use caller::A_MINUTE;

/// The routes of machines.
pub fn router() -> OpenApiRouter<SandboxesHandle> {
    machines::router()
}

/// The routes below the address of an owner.
pub fn owners_router() -> OpenApiRouter<SandboxesHandle> {
    people::router().merge(files::router())
}

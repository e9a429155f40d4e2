//! `/api/claws/{id}/snapshots`, and the routes of machines for chunks.

mod caller;
mod files;
mod machines;
mod people;

use utoipa_axum::router::OpenApiRouter;

use crate::sandboxes::SandboxesHandle;
pub(in crate::sandboxes) use caller::A_MINUTE;

/// The routes.
pub fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new()
        .merge(people::router())
        .merge(files::router())
        .merge(machines::router())
}

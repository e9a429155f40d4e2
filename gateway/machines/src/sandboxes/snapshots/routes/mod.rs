//! `/api/claws/{id}/snapshots`, and the routes of machines for chunks.

mod people;

use utoipa_axum::router::OpenApiRouter;

use crate::sandboxes::SandboxesHandle;

/// The routes.
pub fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().merge(people::router())
}

//! `/api/claws/{id}/sandbox…` and `/api/fleet/placement`.

mod exec;
mod on_node;
mod placement;
mod reserved;
mod sandbox;
mod upload;

use utoipa_axum::router::OpenApiRouter;

use super::{SandboxesHandle, drains, snapshots};

/// The routes.
pub fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new()
        .merge(sandbox::router())
        .merge(exec::router())
        .merge(upload::router())
        .merge(placement::router())
        .merge(on_node::router())
        .merge(reserved::router())
        .merge(drains::router())
        .merge(snapshots::router())
}

//! `/api/claws/{id}/sandbox…`, `/api/teams/{id}/sandbox…`, `/api/sandboxes/commands` and `/api/fleet/placement`.

mod exec;
mod log;
mod on_node;
pub(super) mod owned;
mod placement;
mod reserved;
mod sandbox;
mod upload;

use utoipa_axum::router::OpenApiRouter;

use super::{SandboxesHandle, drains, snapshots};

/// The routes.
pub fn router() -> OpenApiRouter<SandboxesHandle> {
    let of_owners = || {
        sandbox::router()
            .merge(exec::router())
            .merge(log::router())
            .merge(upload::router())
            .merge(snapshots::owners_router())
    };
    owned::for_each_kind(of_owners)
        .merge(log::of_workspace())
        .merge(placement::router())
        .merge(on_node::router())
        .merge(reserved::router())
        .merge(drains::router())
        .merge(snapshots::router())
}

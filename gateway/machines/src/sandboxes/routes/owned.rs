//! The owner in the address. The routes of a sandbox are written once, below `/{id}`, and stand below `/api/claws` for agents
//! below `/api/teams` for teams,
//! and below `/api/missions` for missions.

use axum::Extension;
use axum::extract::{FromRequestParts, Path as RawPath};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use serde::Deserialize;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa_axum::router::OpenApiRouter;

use crate::sandboxes::{OwnerKind, SandboxOwner, SandboxesHandle};
use roost_platform::ids::{OperationId, SandboxOwnerId};
use roost_web::error::ApiError;

/// The owner that the address names.
#[derive(Debug, Clone, Copy)]
pub(in crate::sandboxes) struct Owned(pub SandboxOwner);

/// A command, beside its owner.
#[derive(Debug, Deserialize)]
pub(super) struct InSandbox {
    pub operation_id: OperationId,
}

#[derive(Deserialize)]
struct Named {
    id: SandboxOwnerId,
}

impl<S: Send + Sync> FromRequestParts<S> for Owned {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let kind = Extension::<OwnerKind>::from_request_parts(parts, state).await;
        let Extension(kind) = kind.map_err(IntoResponse::into_response)?;
        let named = RawPath::<Named>::from_request_parts(parts, state).await;
        // A text that is no id names nothing.
        let RawPath(named) =
            named.map_err(|_| ApiError::not_found(kind.as_str()).into_response())?;
        Ok(Self(SandboxOwner::of(kind, named.id)))
    }
}

/// Routes below `/{id}`, for each kind of owner.
pub(in crate::sandboxes) fn for_each_kind(
    routes: impl Fn() -> OpenApiRouter<SandboxesHandle>,
) -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new()
        .nest("/api/claws", of_kind(routes(), OwnerKind::Claw))
        .nest("/api/teams", of_kind(routes(), OwnerKind::Team))
        .nest("/api/missions", of_kind(routes(), OwnerKind::Mission))
}

fn of_kind(
    routes: OpenApiRouter<SandboxesHandle>,
    kind: OwnerKind,
) -> OpenApiRouter<SandboxesHandle> {
    let mut routes = routes.layer(Extension(kind));
    // The agents' routes came first and keep their names. Two operations of one document need two names.
    let prefix = match kind {
        OwnerKind::Claw => "",
        OwnerKind::Team => "team_",
        OwnerKind::Mission => "mission_",
    };
    if !prefix.is_empty() {
        for path in routes.get_openapi_mut().paths.paths.values_mut() {
            for operation in operations(path) {
                if let Some(name) = &mut operation.operation_id {
                    name.insert_str(0, prefix);
                }
            }
        }
    }
    routes
}

fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem {
        get,
        put,
        post,
        delete,
        ..
    } = path;
    [get, put, post, delete].into_iter().flatten()
}

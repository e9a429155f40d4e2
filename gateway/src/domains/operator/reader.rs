//! Who may read the tree, and how much of it.

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::domains::auth::{OperatorOnly, Scoped, can};
use crate::error::{ApiError, ApiResult};
use crate::ids::WorkspaceId;

/// Left in the extensions of each request that came in by the operators' listener, whose address is the permission.
#[derive(Debug, Clone, Copy)]
pub struct OperatorListener;

/// How much of the tree the caller may see.
#[derive(Debug, Clone, Copy)]
pub enum TreeReader {
    /// All of it.
    Operator,
    /// What works for one workspace.
    Owner(WorkspaceId),
}

impl<S: Send + Sync> FromRequestParts<S> for TreeReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        if parts.extensions.get::<OperatorListener>().is_some()
            || OperatorOnly::from_request_parts(parts, state).await.is_ok()
        {
            return Ok(Self::Operator);
        }
        let owner = Scoped::<can::ReadTree>::from_request_parts(parts, state).await?;
        Ok(Self::Owner(owner.scope().workspace()))
    }
}

/// Somebody who may act as an operator: by the listener, or by the grant.
#[derive(Debug, Clone)]
pub(super) struct MayOperate(pub Option<OperatorOnly>);

impl<S: Send + Sync> FromRequestParts<S> for MayOperate {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        if parts.extensions.get::<OperatorListener>().is_some() {
            return Ok(Self(None));
        }
        OperatorOnly::from_request_parts(parts, state)
            .await
            .map(|operator| Self(Some(operator)))
    }
}

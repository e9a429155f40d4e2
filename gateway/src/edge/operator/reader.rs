//! Which callers may read the tree, and which part of it.

use axum::extract::FromRequestParts;
use http::request::Parts;

use roost_platform::ids::{UserId, WorkspaceId};
use roost_platform::supervision::{Tenant, TreeSnapshot};
use roost_tenancy::auth::{Authority, OperatorOnly, Scoped, can};
use roost_tenancy::streams::{Opening, Wire};
use roost_web::error::{ApiError, ApiResult};

/// Marks requests that passed the gate of the operators' listener. It is in the request's extensions.
#[derive(Debug, Clone, Copy)]
pub struct OperatorListener;

/// The part of the tree that the caller may see, and its permission.
#[derive(Debug, Clone)]
pub enum TreeReader {
    /// The whole tree, by the operators' listener.
    Listener,
    /// The whole tree, by the operator grant.
    Operator(Reading),
    /// The actors of one workspace.
    Owner(Reading, WorkspaceId),
}

/// The reading user.
#[derive(Debug, Clone)]
pub struct Reading {
    pub authority: Authority,
    pub email: String,
}

impl Reading {
    fn of(caller: &roost_tenancy::auth::Caller) -> Self {
        Self {
            authority: Authority::of(caller),
            email: caller.user.email.clone(),
        }
    }
}

impl TreeReader {
    /// The part of the tree that this reader may see.
    pub(super) fn part_of(&self, whole: &TreeSnapshot) -> Option<TreeSnapshot> {
        match self {
            Self::Listener | Self::Operator(_) => None,
            Self::Owner(_, workspace) => Some(whole.for_tenant(&Tenant::new(workspace))),
        }
    }

    /// Whether the reader may see the whole tree.
    pub(super) fn sees_all(&self) -> bool {
        !matches!(self, Self::Owner(..))
    }

    /// The opening of a stream for this reader.
    pub(super) fn opening(&self, wire: Wire) -> Opening {
        let (authority, workspace, serves) = match self {
            Self::Listener => (None, None, "tree, by the operators' listener".to_owned()),
            Self::Operator(reading) => (
                Some(reading.authority),
                None,
                format!("tree, {}", reading.email),
            ),
            Self::Owner(reading, workspace) => (
                Some(reading.authority),
                Some(*workspace),
                format!("tree, {}", reading.email),
            ),
        };
        Opening {
            what: "tree",
            authority,
            workspace,
            serves,
            wire,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TreeReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        if parts.extensions.get::<OperatorListener>().is_some() {
            return Ok(Self::Listener);
        }
        if let Ok(operator) = OperatorOnly::from_request_parts(parts, state).await {
            return Ok(Self::Operator(Reading::of(&operator)));
        }
        let owner = Scoped::<can::ReadTree>::from_request_parts(parts, state).await?;
        Ok(Self::Owner(
            Reading::of(owner.caller()),
            owner.scope().workspace(),
        ))
    }
}

/// A caller that may act as an operator: by the listener, or by the grant.
#[derive(Debug, Clone)]
pub(super) struct MayOperate(pub Option<OperatorOnly>);

impl MayOperate {
    /// The user and the workspace of the audit entry. A request on the operators' listener has neither of its own.
    pub(super) fn authority(&self) -> (UserId, WorkspaceId) {
        match &self.0 {
            Some(caller) => (caller.user.id, caller.workspace()),
            None => (UserId::SYSTEM, WorkspaceId(uuid::Uuid::nil())),
        }
    }
}

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

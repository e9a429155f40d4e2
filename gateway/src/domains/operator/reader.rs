//! Who may read the tree, and how much of it.

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::domains::auth::{Authority, OperatorOnly, Scoped, can};
use crate::domains::live::Opening;
use crate::error::{ApiError, ApiResult};
use crate::ids::{UserId, WorkspaceId};
use crate::supervision::{Tenant, TreeSnapshot};

/// Left in the extensions of each request that came in by the operators' listener, whose address is the permission.
#[derive(Debug, Clone, Copy)]
pub struct OperatorListener;

/// How much of the tree the caller may see, and by what right.
#[derive(Debug, Clone)]
pub enum TreeReader {
    /// All of it, by the listener.
    Listener,
    /// All of it, by the grant.
    Operator(Reading),
    /// What works for one workspace.
    Owner(Reading, WorkspaceId),
}

/// Who reads.
#[derive(Debug, Clone)]
pub struct Reading {
    pub authority: Authority,
    pub email: String,
}

impl Reading {
    fn of(caller: &crate::domains::auth::Caller) -> Self {
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

    /// Whether all of it may be seen.
    pub(super) fn sees_all(&self) -> bool {
        !matches!(self, Self::Owner(..))
    }

    /// What a stream of this reader is opened as.
    pub(super) fn opening(&self) -> Opening {
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

/// Somebody who may act as an operator: by the listener, or by the grant.
#[derive(Debug, Clone)]
pub(super) struct MayOperate(pub Option<OperatorOnly>);

impl MayOperate {
    /// In whose name, and in which workspace's audit, it happens. The listener has neither.
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

//! Who may read the tree, how much of it, and whether they still may.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use sea_orm::DbErr;

use crate::db::Db;
use crate::domains::auth::{OperatorOnly, Role, Scoped, can, model::Permission, store as auth};
use crate::error::{ApiError, ApiResult};
use crate::ids::{SessionId, UserId, WorkspaceId};
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
    pub session: SessionId,
    pub user: UserId,
    pub email: String,
}

impl Reading {
    fn of(caller: &crate::domains::auth::Caller) -> Self {
        Self {
            session: caller.session.id,
            user: caller.user.id,
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

    /// Who is asked for, in words and as a user.
    pub(super) fn user(&self) -> UserId {
        match self {
            Self::Listener => UserId::SYSTEM,
            Self::Operator(reading) | Self::Owner(reading, _) => reading.user,
        }
    }

    /// Whether all of it may be seen.
    pub(super) fn sees_all(&self) -> bool {
        !matches!(self, Self::Owner(..))
    }

    /// For whom a stream of this reader works, and what it is called in the tree.
    pub(super) fn stands_for(&self) -> (Option<Tenant>, String) {
        match self {
            Self::Listener => (None, "tree, by the operators' listener".to_owned()),
            Self::Operator(reading) => (None, format!("tree, {}", reading.email)),
            Self::Owner(reading, workspace) => (
                Some(Tenant::new(workspace)),
                format!("tree, {}", reading.email),
            ),
        }
    }

    /// Whether the right that was had at the beginning is still there. `operators` are those of the configuration.
    pub(super) async fn still_may(
        &self,
        db: &Db,
        operators: &Arc<[String]>,
    ) -> Result<bool, DbErr> {
        let read = db.read();
        Ok(match self {
            Self::Listener => true,
            Self::Operator(reading) => {
                auth::session_exists(read, reading.session).await?
                    && (operators.contains(&reading.email)
                        || auth::is_granted(read, &reading.email).await?)
            }
            Self::Owner(reading, workspace) => {
                let member = auth::membership(read, reading.user, *workspace).await?;
                auth::session_exists(read, reading.session).await?
                    && member.is_some_and(|(member, _)| {
                        Role::from_stored(&member.role).may(can::ReadTree::VERB)
                    })
            }
        })
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
            Some(caller) => (caller.user.id, caller.session.workspace_id),
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

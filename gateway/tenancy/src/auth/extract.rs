//! The parameter types that state what a handler requires. A handler without one of them is public, and the closed list
//! in `public_routes.rs` names it.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts, RawPathParams};
use http::request::Parts;

use super::middleware::{Caller, Identity};
use super::model::{Permission, Verb};
use super::{Role, WorkspaceScope, commands};
use crate::workspaces;
use roost_platform::db::Db;
use roost_platform::ids::{UserId, WorkspaceId};
use roost_web::error::{ApiError, ApiResult, Code};

/// Any signed-in user. A token with scopes is refused, because no scope is about the account.
#[derive(Debug, Clone)]
pub struct Authenticated(Arc<Caller>);

/// Any signed-in user or program, also a token with scopes.
#[derive(Debug, Clone)]
pub struct AnyToken(Arc<Caller>);

/// A member of the request's workspace whose role may do `P`.
#[derive(Debug, Clone)]
pub struct Scoped<P> {
    caller: Arc<Caller>,
    scope: WorkspaceScope,
    role: Role,
    _permission: PhantomData<fn(P)>,
}

/// A member of the workspace that the path names as `{id}`, whose role there may do `P`. The request's own workspace
/// does not matter. For a caller that is not a member the answer is the same as for a workspace that does not exist.
#[derive(Debug, Clone)]
pub struct Within<P>(Scoped<P>);

/// A member of the workspace that the path names as `{id}`, or an operator of the deployment. For another caller the
/// answer is the same as for a workspace that does not exist. The handler demands the rights of what is requested.
#[derive(Debug, Clone)]
pub struct MemberOrOperator {
    caller: Arc<Caller>,
    scope: WorkspaceScope,
    role: Option<Role>,
}

/// A person that operates the deployment.
#[derive(Debug, Clone)]
pub struct OperatorOnly(Arc<Caller>);

/// The caller, if signed in: for public pages that show more to a user.
#[derive(Debug, Clone)]
pub struct MayTry(pub Option<Arc<Caller>>);

impl Deref for Authenticated {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl Deref for AnyToken {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl<P> Deref for Within<P> {
    type Target = Scoped<P>;
    fn deref(&self) -> &Scoped<P> {
        &self.0
    }
}

impl Deref for OperatorOnly {
    type Target = Caller;
    fn deref(&self) -> &Caller {
        &self.0
    }
}

impl<P> Scoped<P> {
    /// The key to the workspace's rows.
    pub fn scope(&self) -> WorkspaceScope {
        self.scope
    }

    /// The caller's role in the workspace. A token with scopes has at most the role that its scopes amount to: see
    /// [`Scopes::role_within`](super::Scopes::role_within).
    pub fn role(&self) -> Role {
        within_scopes(&self.caller, self.role)
    }

    /// Whether the caller may do this as well.
    pub fn may(&self, verb: Verb) -> bool {
        self.caller.may(self.role, verb)
    }

    /// Refuses a caller who may not do this as well. Only some requests to a route need it.
    ///
    /// # Errors
    /// [`Code::Forbidden`].
    pub fn demand(&self, verb: Verb) -> ApiResult<()> {
        demand(&self.caller, self.role, verb)
    }

    /// Refuses a program's token, for actions whose result would outlive it.
    ///
    /// # Errors
    /// [`Code::Forbidden`].
    pub fn not_by_program(&self) -> ApiResult<()> {
        Ok(commands::not_by_program(&self.caller)?)
    }

    /// The caller.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The caller's id: the actor of audit entries.
    pub fn user_id(&self) -> UserId {
        self.caller.user.id
    }
}

impl MemberOrOperator {
    /// The key to the workspace's rows.
    pub fn scope(&self) -> WorkspaceScope {
        self.scope
    }

    /// The caller's role in the workspace. An operator may have none.
    pub fn role(&self) -> Option<Role> {
        self.role.map(|role| within_scopes(&self.caller, role))
    }

    /// The caller's id: the actor of audit entries.
    pub fn user_id(&self) -> UserId {
        self.caller.user.id
    }

    /// Refuses a caller whose role in the workspace may not do this. An operator who is not a member has no role.
    ///
    /// # Errors
    /// [`Code::Forbidden`].
    pub fn demand(&self, verb: Verb) -> ApiResult<()> {
        match self.role {
            Some(role) => demand(&self.caller, role, verb),
            None => Err(ApiError::new(Code::Forbidden)
                .detail("Only members of the workspace may do this. You are not a member.")),
        }
    }

    /// Refuses a caller who does not operate the deployment.
    ///
    /// # Errors
    /// [`Code::Forbidden`].
    pub fn demand_operator(&self) -> ApiResult<()> {
        match self.caller.operator {
            true => Ok(()),
            false => Err(operators_only()),
        }
    }
}

fn operators_only() -> ApiError {
    ApiError::new(Code::Forbidden).detail(
        "Only operators of the deployment may do this (`operators` in the configuration, or `roost operator grant`).",
    )
}

/// The workspace that the path names as `{id}`.
async fn workspace_of_path<S: Send + Sync>(parts: &mut Parts, state: &S) -> ApiResult<WorkspaceId> {
    let params = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| ApiError::not_found("workspace"))?;
    params
        .iter()
        .find(|(name, _)| *name == "id")
        .and_then(|(_, text)| text.parse().ok())
        .ok_or_else(|| ApiError::not_found("workspace"))
}

fn within_scopes(caller: &Caller, role: Role) -> Role {
    let scopes = caller.scopes.as_ref();
    scopes.map_or(role, |scopes| scopes.role_within(role))
}

fn demand(caller: &Caller, role: Role, verb: Verb) -> ApiResult<()> {
    if caller.may(role, verb) {
        return Ok(());
    }
    if role.may(verb) {
        let detail = format!(
            "This needs the scope `{}`, which the token does not have. Use another token, or create one with this scope.",
            verb.name()
        );
        return Err(ApiError::new(Code::Forbidden).detail(detail));
    }
    Err(ApiError::new(Code::Forbidden).detail(format!(
        "This needs the role {} or a stronger one; yours is {}.",
        verb.least_role().as_str(),
        role.as_str()
    )))
}

fn caller(parts: &Parts) -> ApiResult<Arc<Caller>> {
    match parts.extensions.get::<Identity>() {
        Some(Identity::Known(caller)) => Ok(caller.clone()),
        Some(Identity::Refused(error)) => Err(error.clone()),
        Some(Identity::Nobody) | None => Err(ApiError::new(Code::Unauthenticated)),
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AnyToken {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        caller(parts).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Authenticated {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let caller = caller(parts)?;
        match caller.scopes {
            None => Ok(Self(caller)),
            Some(_) => Err(ApiError::new(Code::Forbidden).detail(
                "A token with scopes may not do this. Sign in, or use a token without scopes.",
            )),
        }
    }
}

impl<S: Send + Sync, P: Permission> FromRequestParts<S> for Scoped<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let caller = caller(parts)?;
        let Some(member) = &caller.member else {
            return Err(super::AuthError::NoWorkspace.into());
        };
        let (scope, role) = (member.scope, member.role);
        Self::checked(caller, scope, role)
    }
}

impl<P: Permission> Scoped<P> {
    fn checked(caller: Arc<Caller>, scope: WorkspaceScope, role: Role) -> ApiResult<Self> {
        demand(&caller, role, P::VERB)?;
        Ok(Self {
            caller,
            scope,
            role,
            _permission: PhantomData,
        })
    }
}

impl<S, P> FromRequestParts<S> for Within<P>
where
    S: Send + Sync,
    P: Permission,
    Db: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let caller = caller(parts)?;
        let id = workspace_of_path(parts, state).await?;
        let db = Db::from_ref(state);
        let (member, _) = workspaces::membership(db.read(), caller.user.id, id)
            .await?
            .ok_or_else(|| ApiError::not_found("workspace"))?;
        let scope = WorkspaceScope::of_member(id);
        Scoped::checked(caller, scope, Role::from_stored(&member.role)).map(Self)
    }
}

impl<S> FromRequestParts<S> for MemberOrOperator
where
    S: Send + Sync,
    Db: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let caller = caller(parts)?;
        let id = workspace_of_path(parts, state).await?;
        let db = Db::from_ref(state);
        let member = workspaces::membership(db.read(), caller.user.id, id).await?;
        let (scope, role) = match member {
            Some((member, _)) => (
                WorkspaceScope::of_member(id),
                Some(Role::from_stored(&member.role)),
            ),
            None if caller.operator => {
                let row = workspaces::by_id(db.read(), id)
                    .await?
                    .ok_or_else(|| ApiError::not_found("workspace"))?;
                (WorkspaceScope::of_row(row.id), None)
            }
            None => return Err(ApiError::not_found("workspace")),
        };
        Ok(Self {
            caller,
            scope,
            role,
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for OperatorOnly {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let caller = caller(parts)?;
        if caller.operator {
            Ok(Self(caller))
        } else {
            Err(operators_only())
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for MayTry {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        Ok(Self(caller(parts).ok()))
    }
}

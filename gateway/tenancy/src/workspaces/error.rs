//! What can go wrong with a workspace.

use super::members::model::Refusal;
use crate::auth::AuthError;
use roost_web::error::{ApiError, Code};

/// Errors of workspaces.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The workspace does not exist, or the caller is not a member.
    #[error("there is no such workspace")]
    NotFound,
    /// `If-Match` named another version.
    #[error("the workspace has version {current}")]
    VersionMismatch { current: i64 },
    /// The workspace has no such member.
    #[error("there is no such member")]
    NoMember,
    /// The invitation does not exist, or was accepted.
    #[error("there is no such invitation")]
    NoInvitation,
    /// The rules of roles refuse the change.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// The deployment has no such plan.
    #[error("there is no such plan")]
    NoPlan { plans: Vec<String> },
    /// There is no plan of this name to change.
    #[error("unknown plan")]
    UnknownPlan,
    /// Another operator changed the plan.
    #[error("the plan has version {current}")]
    PlanMoved { current: i64 },
    /// The person owns as many workspaces as their plan allows.
    #[error("the user owns {used} of {limit} workspaces")]
    TooManyWorkspaces { limit: u64, used: u64 },
    /// The person has created the most invitations that are allowed in one day.
    #[error("the person created {most} invitations within a day")]
    TooManyInvitationsToday { most: u64 },
    /// The workspace has the most open invitations that are allowed.
    #[error("the workspace has {most} open invitations, which is the maximum")]
    TooManyInvitations { most: u64 },
    /// The name in the confirmation is not the workspace's name.
    #[error("not confirmed")]
    NotConfirmed,
    /// The caller belongs to no other workspace.
    #[error("the caller's only workspace")]
    OnlyOne,
    /// The token could not be created.
    #[error("no token")]
    Token(#[from] AuthError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<WorkspaceError> for ApiError {
    fn from(error: WorkspaceError) -> Self {
        use super::members::model::Refusal;
        use WorkspaceError as E;
        match error {
            E::NotFound => Self::not_found("workspace"),
            E::VersionMismatch { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The workspace has version {current} now: another person changed it. Read it again and repeat your change."
            )),
            E::NoMember => Self::not_found("member"),
            E::NoInvitation => Self::not_found("invitation"),
            E::Refused(Refusal::NotAllowed) => Self::new(Code::Forbidden)
                .detail("Only Admins and Owners change or remove other members."),
            E::Refused(Refusal::AboveYou) => Self::new(Code::Forbidden)
                .detail("This needs a role as strong as the one that is given or taken."),
            E::Refused(Refusal::LastOwner) => Self::new(Code::Conflict)
                .detail("This is the last Owner. Make another member an Owner first."),
            E::NoPlan { plans } => Self::validation(
                "/plan",
                format!("must be a plan of this deployment: {}", plans.join(", ")),
            ),
            E::UnknownPlan => Self::not_found("plan"),
            E::PlanMoved { current } => Self::new(Code::PreconditionFailed).detail(format!(
                "The plan has version {current} by now; read it again and repeat your change."
            )),
            E::TooManyWorkspaces { limit, used } => Self::over_quota(
                limit,
                used,
                format!("You own {used} of at most {limit} workspaces. Delete one that is not needed, or ask the operator for a larger plan."),
            ),
            E::TooManyInvitationsToday { most } => Self::new(Code::TooManyAttempts)
                .retry_after(3_600)
                .detail(format!("You made {most} invitations within a day. Make more tomorrow.")),
            E::TooManyInvitations { most } => Self::new(Code::Conflict).detail(format!(
                "{most} invitations are open; withdraw some that are not used."
            )),
            E::NotConfirmed => Self::validation("confirm", "must be the name of the workspace"),
            E::OnlyOne => Self::new(Code::Conflict).detail(
                "This is your only workspace, and without one you could not sign in. Make another one first.",
            ),
            E::Token(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

//! What can go wrong with a workspace.

use super::members::model::Refusal;
use crate::domains::auth::AuthError;

/// Errors of workspaces.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is none, or the caller is not a member.
    #[error("there is no such workspace")]
    NotFound,
    /// There is no such member.
    #[error("there is no such member")]
    NoMember,
    /// There is no such invitation, or somebody came with it.
    #[error("there is no such invitation")]
    NoInvitation,
    /// The rules of roles say no.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// Enough of them are open.
    #[error("{most} invitations are open")]
    TooManyInvitations { most: u64 },
    /// The name was not typed.
    #[error("not confirmed")]
    NotConfirmed,
    /// Whoever asks belongs to no other workspace.
    #[error("the only workspace of whoever asks")]
    OnlyOne,
    /// No token could be made.
    #[error("no token")]
    Token(#[from] AuthError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

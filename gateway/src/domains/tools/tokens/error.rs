//! What can go wrong with tokens.

use crate::domains::auth::AuthError;

/// Failures of this part. The mapping to HTTP is in `crate::error`.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// No such agent in the workspace, or it is deleted.
    #[error("no such claw")]
    NoClaw,
    /// No such token of this agent, or it was revoked.
    #[error("no such token")]
    NotFound,
    /// The agent has as many as it may have.
    #[error("the agent has {most} tokens already")]
    TooMany {
        /// The bound.
        most: u64,
    },
    /// None could be made.
    #[error("a token could not be made")]
    Token(#[from] AuthError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

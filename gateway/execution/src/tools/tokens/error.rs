//! The errors of agents' tokens.

use roost_tenancy::auth::AuthError;
use roost_web::error::{ApiError, Code};

/// Errors of agents' tokens.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The workspace has no such agent, or the agent is deleted.
    #[error("no such claw")]
    NoClaw,
    /// The agent has no such token, or the token was revoked.
    #[error("no such token")]
    NotFound,
    /// The agent has the maximum number of tokens.
    #[error("the agent has {most} tokens already")]
    TooMany {
        /// The limit.
        most: u64,
    },
    /// The token could not be created.
    #[error("the token could not be created")]
    Token(#[from] AuthError),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        use TokenError as E;
        match error {
            E::NoClaw => Self::not_found("claw"),
            E::NotFound => Self::not_found("token"),
            E::TooMany { most } => Self::new(Code::Conflict).detail(format!(
                "The agent has {most} tokens, the most that it may have. Revoke one that is not used."
            )),
            E::Token(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

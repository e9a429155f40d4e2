//! What goes wrong with tools of agents, in HTTP.

use super::{ApiError, Code};

impl From<crate::domains::tools::tokens::TokenError> for ApiError {
    fn from(error: crate::domains::tools::tokens::TokenError) -> Self {
        use crate::domains::tools::tokens::TokenError as E;
        match error {
            E::NoClaw => Self::not_found("claw"),
            E::NotFound => Self::not_found("token"),
            E::TooMany { most } => Self::new(Code::Conflict).detail(format!(
                "The agent has {most} tokens, the most that it may have. Revoke one that nobody uses."
            )),
            E::Token(error) => error.into(),
            E::Db(error) => error.into(),
        }
    }
}

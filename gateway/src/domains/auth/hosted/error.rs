//! Why a person whom an issuer vouches for is not let in.

use super::claims::Refusal;
use super::model::Stop;
use crate::outbound::OutboundError;

/// Errors of hosted identity.
#[derive(Debug, thiserror::Error)]
pub enum HostedError {
    /// No issuer is configured, so nothing can be said of its tokens.
    #[error("no issuer is configured")]
    Off,
    /// Nobody can sign in with a browser here: there is no issuer, or no client of it.
    #[error("no sign-in by an issuer is configured")]
    NoSignIn,
    /// The token is not good.
    #[error("the token was not taken: {0}")]
    Refused(#[from] Refusal),
    /// The token is good and nobody is let in by it.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// The issuer cannot be asked.
    #[error("the issuer cannot be asked")]
    Unreachable(#[from] OutboundError),
    /// The issuer was asked just now in vain.
    #[error("the issuer did not answer as it should; it is asked again in {retry_after_s} s")]
    NotNow { retry_after_s: u64 },
    /// What answers there is somebody else.
    #[error("auth.issuer_url is {configured}, and what answers there calls itself {said}")]
    AnotherIssuer { configured: String, said: String },
    /// Its set of keys has none that verifies RS256.
    #[error("the issuer publishes no key for RS256")]
    NoKeys,
    /// The discovery document lacks what signing in with a browser needs.
    #[error("the issuer's discovery document has no `{0}`")]
    Lacks(&'static str),
    /// A sign-in that nobody began in this browser, or that is over.
    #[error("unknown sign-in")]
    UnknownSignIn,
    /// The issuer sent the person back without signing them in.
    #[error("the issuer refused: {0}")]
    RefusedByIssuer(String),
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
    /// Making a session failed.
    #[error(transparent)]
    Session(#[from] Box<crate::domains::auth::AuthError>),
}

//! Why a person of an issuer is not let in.

use super::claims::Refusal;
use super::model::Stop;
use roost_platform::outbound::OutboundError;
use roost_web::error::{ApiError, Code};

/// Errors of hosted identity.
#[derive(Debug, thiserror::Error)]
pub enum HostedError {
    /// No issuer is configured, so its tokens cannot be checked.
    #[error("no issuer is configured")]
    Off,
    /// Browser sign-in is not available: no issuer is configured, or no client for it.
    #[error("no sign-in by an issuer is configured")]
    NoSignIn,
    /// The token is not valid.
    #[error("the token was refused: {0}")]
    Refused(#[from] Refusal),
    /// The token is valid, but its person is not let in.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// The issuer cannot be asked.
    #[error("the issuer cannot be reached")]
    Unreachable(#[from] OutboundError),
    /// The broker, which finishes sign-ins and keeps their tokens, failed.
    #[error("the secret broker did not complete the request")]
    Broker(#[from] roost_platform::broker::BrokerError),
    /// The issuer's endpoint for claims did not return any.
    #[error("the issuer's userinfo endpoint answered {0} and no claims")]
    NoClaims(u16),
    /// The gateway asked the issuer a moment ago, and that failed.
    #[error("the issuer gave an invalid answer; the gateway asks it again in {retry_after_s} s")]
    NotNow { retry_after_s: u64 },
    /// The discovery document names another issuer.
    #[error("auth.issuer_url is {configured}, but the server at this address names itself {said}")]
    AnotherIssuer { configured: String, said: String },
    /// The issuer's key set has no key that verifies RS256.
    #[error("the issuer publishes no key for RS256")]
    NoKeys,
    /// The discovery document lacks a field that browser sign-in needs.
    #[error("the issuer's discovery document has no `{0}`")]
    Lacks(&'static str),
    /// A sign-in that this browser did not begin, or that has expired.
    #[error("unknown sign-in")]
    UnknownSignIn,
    /// The issuer sent the person back without signing them in.
    #[error("the issuer refused: {0}")]
    RefusedByIssuer(String),
    /// The issuer does not know the code that the browser brought back, or the code was used before.
    #[error("the issuer refused the code of the sign-in")]
    CodeRefused,
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
    /// Making a session failed.
    #[error(transparent)]
    Session(#[from] Box<crate::auth::AuthError>),
}

impl From<HostedError> for ApiError {
    fn from(error: HostedError) -> Self {
        use super::model::Stop;
        use HostedError as E;
        match error {
            E::Off => Self::new(Code::Unauthenticated).detail(
                "The bearer has the form of an issuer's token, and no issuer is configured here (`auth.mode`).",
            ),
            E::NoSignIn => Self::new(Code::NotFound).detail(
                "Nobody signs in by an identity provider here: that needs `auth.mode`, `auth.issuer_url` and `auth.client_id`.",
            ),
            E::Refused(why) => Self::new(Code::Unauthenticated)
                .detail(format!("The token was refused: {why}.")),
            E::Stopped(Stop::EmailNotVerified) => Self::new(Code::EmailNotVerified),
            E::Stopped(Stop::NotLinked) => Self::new(Code::AccountNotLinked),
            E::Stopped(Stop::NotAdmitted) => Self::new(Code::NotAdmitted),
            E::NotNow { retry_after_s } => {
                Self::new(Code::IssuerUnavailable).retry_after(retry_after_s)
            }
            E::Broker(_) => Self::new(Code::Unavailable).retry_after(5).caused_by(error).detail(
                "The secret broker did not end the sign-in. Try again; an operator sees the reason in the log.",
            ),
            E::Unreachable(_)
            | E::AnotherIssuer { .. }
            | E::NoKeys
            | E::Lacks(_)
            | E::NoClaims(_) => {
                Self::new(Code::IssuerUnavailable).retry_after(5).caused_by(error)
            }
            E::UnknownSignIn => Self::new(Code::SignInUnknown),
            E::CodeRefused => Self::new(Code::Unauthenticated).detail(
                "The identity provider does not know the code of this sign-in, or it was used before. Sign in again.",
            ),
            E::RefusedByIssuer(why) => Self::new(Code::Forbidden)
                .detail(format!("The identity provider did not sign you in: {why}.")),
            E::Session(error) => (*error).into(),
            E::Db(error) => error.into(),
        }
    }
}

//! Errors of connecting an app.

use roost_platform::broker::{BrokerError, CredentialError};
use roost_platform::outbound::OutboundError;
use roost_web::error::{ApiError, Code};

#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The workspace does not have this agent, or it is deleted.
    #[error("there is no such claw")]
    NoClaw,
    #[error("there is no such connection")]
    NotFound,
    /// Unknown, replayed, forged or too old: the answer does not show which.
    #[error("there is no such sign-in")]
    NoSignIn,
    /// This browser is signed in as a person other than the one who began.
    #[error("another person began the sign-in")]
    BegunByAnother,
    /// A setting of the deployment, or a field of the request, is missing.
    #[error("{0}")]
    NotPossible(&'static str),
    /// The issuer's address cannot be used.
    #[error("the issuer's address cannot be used")]
    BadIssuer(#[source] OutboundError),
    #[error("the webhook's address cannot be used")]
    BadWebhook(#[source] OutboundError),
    #[error("the issuer's metadata cannot be read")]
    Discovery(#[source] OutboundError),
    /// The metadata do not have the required form.
    #[error("the issuer's metadata cannot be used: {0}")]
    Metadata(&'static str),
    #[error("the secret broker did not complete the request")]
    Broker(#[source] BrokerError),
    /// A token was not stored, or not kept in time. The person of a pasted token gets more details than the specification
    /// allows for an OAuth sign-in.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// The broker does not accept the name. The gateway's own names never cause this.
    #[error(transparent)]
    Name(#[from] roost_secret_broker::wire::BadName),
    /// A person began too many sign-ins without an end.
    #[error("too many sign-ins are under way")]
    TooManyBegun,
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        use AppError as E;
        match error {
            E::NoClaw => Self::not_found("claw"),
            E::NotFound => Self::not_found("connection"),
            E::BegunByAnother => Self::new(Code::SignInUnknown).detail(
                "Another person began this sign-in, and you are signed in here as yourself. Nothing was connected.",
            ),
            E::NoSignIn => Self::new(Code::NotFound).detail(
                "There is no such sign-in: it has ended, or it took longer than ten minutes. Begin again.",
            ),
            E::NotPossible(why) => Self::new(Code::Conflict).detail(why),
            E::BadIssuer(ref cause) => Self::validation("/issuerUrl", cause.to_string()),
            E::BadWebhook(ref cause) => Self::validation("/url", cause.to_string()),
            E::Credential(CredentialError::Broker(ref broker)) => {
                let detail = match broker.fault() {
                    Some(fault) => format!("The secret broker did not take the token, so nothing was connected: {fault}"),
                    None => "The secret broker does not answer, so nothing was connected. Its operator sees why with `roost doctor`; try again.".to_owned(),
                };
                Self::new(Code::Unavailable).detail(detail).caused_by(error)
            }
            E::TooManyBegun => Self::new(Code::TooManyAttempts).retry_after(60).detail(
                "You began many sign-ins that were not ended. End one of them, or wait until they lapse.",
            ),
            E::Credential(CredentialError::Db(error)) | E::Db(error) => error.into(),
            // No detail, as specified: the gateway's log has the causes.
            E::Discovery(_) | E::Metadata(_) | E::Broker(_) | E::Name(_) | E::Credential(CredentialError::TooSlow) => {
                Self::internal(error)
            }
        }
    }
}

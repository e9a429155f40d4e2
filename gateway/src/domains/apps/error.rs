//! What can go wrong with connecting an app.

use crate::broker::BrokerError;
use crate::outbound::OutboundError;

/// Errors of apps.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no such agent in this workspace, or it is deleted.
    #[error("there is no such claw")]
    NoClaw,
    #[error("there is no such connection")]
    NotFound,
    /// Unknown, replayed, forged or too old: nobody learns which.
    #[error("there is no such sign-in")]
    NoSignIn,
    /// The deployment lacks a setting, or the request what only it can say.
    #[error("{0}")]
    NotPossible(&'static str),
    /// The issuer's address cannot be used.
    #[error("the issuer's address cannot be used")]
    BadIssuer(#[source] OutboundError),
    #[error("the webhook's address cannot be used")]
    BadWebhook(#[source] OutboundError),
    #[error("the issuer's metadata cannot be read")]
    Discovery(#[source] OutboundError),
    /// The metadata are not what they must be.
    #[error("the issuer's metadata cannot be used: {0}")]
    Metadata(&'static str),
    #[error("the secret broker did not do it")]
    Broker(#[source] BrokerError),
    /// A token that was pasted: its person is told more than the specification lets an OAuth sign-in tell.
    #[error("the secret broker did not take the token")]
    NotKept(#[source] BrokerError),
    /// The broker knows no such name, which our own names never are.
    #[error(transparent)]
    Name(#[from] roost_secret_broker::wire::BadName),
    /// Somebody begins and never ends.
    #[error("too many sign-ins are under way")]
    TooManyBegun,
    /// The token came too late to be kept.
    #[error("the sign-in took so long that what it brought was given up")]
    TooLate,
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

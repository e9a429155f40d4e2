//! Hosted identity: people of an issuer, beside the local accounts.
//!
//! Invariants: a JWT-shaped bearer is only ever verified with the issuer's keys, and only RS256; the gateway asks the
//! issuer for keys at most once each [`keys::FLOOR`], for any number of tokens; the key of a person is `sub` alone; a
//! person is linked to an account only by an e-mail that the issuer verified, and never to an operator's account; a
//! link ends the credentials of an account with an address that was not vouched for; the role follows the newest token;
//! a claim never makes an operator. Tables: `home_workspace`, `hosted_sign_ins`, `login_codes`. No actors.

pub mod browser;
pub mod claims;
pub(crate) mod entity;
mod error;
pub mod flow;
mod grant;
pub mod keys;
mod metadata;
pub mod model;
mod provision;
pub mod revalidation;
mod settings;
pub mod store;
mod takeover;
pub mod terminal;
mod verify;

pub use error::HostedError;
pub use grant::CLIENT_SECRET;
pub use model::{Admission, ClaimNames, Facts};
pub use settings::{HostedIdentity, HostedMode};

use std::sync::{Arc, PoisonError, RwLock};

use claims::{Expected, Verified};
use keys::{Keys, NoKey, Published};

use crate::auth::OpenStreams;
use crate::change::ChangeContext;
use crate::workspaces::{Departures, Plans};
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{SharedIds, WorkspaceId};
use roost_platform::outbound::Outbound;
use roost_platform::supervision::Nudge;

/// The issuer, and how its people are let in. Cheap to clone.
#[derive(Clone)]
pub struct Hosted(Arc<Inner>);

impl ChangeContext for Hosted {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

/// What it is made from.
pub struct Inner {
    pub settings: HostedIdentity,
    pub outbound: Outbound,
    /// Finishes sign-ins and keeps their tokens.
    pub broker: BrokerHandle,
    /// Wakes the worker that deletes credentials at the broker.
    pub credentials: Nudge,
    pub keys: Keys,
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    /// E-mails that the configuration makes operators.
    pub operators: Arc<[String]>,
    pub streams: OpenStreams,
    /// What else ends together with a person's access.
    pub departures: Arc<dyn Departures>,
    /// The deployment's own workspace, after the first lookup.
    pub home: RwLock<Option<WorkspaceId>>,
}

impl std::ops::Deref for Hosted {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Hosted {
    /// With its settings.
    pub fn new(inner: Inner) -> Self {
        if inner.settings.audience.is_none() {
            tracing::warn!(
                issuer = inner.settings.issuer,
                "auth.audience is not set: the gateway accepts every token of the issuer, for any program"
            );
        }
        Self(Arc::new(inner))
    }

    /// Verifies a bearer.
    ///
    /// # Errors
    /// [`HostedError::Refused`], or when the issuer cannot be asked for its keys.
    pub async fn bearer(&self, token: &str) -> Result<Verified, HostedError> {
        let expected = Expected {
            issuer: &self.settings.issuer,
            audience: self.settings.audience.as_deref(),
            party: None,
            nonce: None,
        };
        self.verified(token, expected).await
    }

    async fn verified(&self, token: &str, expected: Expected<'_>) -> Result<Verified, HostedError> {
        let header = verify::header(token)?;
        let key = self.keys.find(header.key.as_deref(), || self.fetch());
        let key = key.await.map_err(no_key)?;
        let claims = verify::claims(token, &key)?;
        Ok(claims::check(claims, expected, self.clock.now())?)
    }

    /// The facts about a person in a token.
    pub fn facts(&self, token: &Verified) -> Facts {
        Facts::of(token, &self.settings.claims)
    }

    async fn fetch(&self) -> Result<Published, HostedError> {
        let published = self.published().await;
        match &published {
            Ok(published) => {
                tracing::debug!(keys = published.keys.len(), "the issuer's keys were read");
            }
            Err(error) => tracing::warn!(
                issuer = self.settings.issuer,
                error = %roost_secret_broker::outbound::chain(error),
                "the issuer's keys could not be read"
            ),
        }
        published
    }

    async fn published(&self) -> Result<Published, HostedError> {
        let configured = &self.settings.issuer;
        let address = metadata::address(configured).map_err(|_| HostedError::AnotherIssuer {
            configured: configured.clone(),
            said: String::new(),
        })?;
        let metadata: metadata::Metadata = self.outbound.get_json(&address).await?;
        if metadata.issuer != *configured {
            return Err(HostedError::AnotherIssuer {
                configured: configured.clone(),
                said: roost_protocol::text::clean(&metadata.issuer, 200),
            });
        }
        let keys: metadata::PublishedKeys = self.outbound.get_json(&metadata.jwks_uri).await?;
        let keys = metadata::KeySet::of(keys);
        if keys.is_empty() {
            return Err(HostedError::NoKeys);
        }
        Ok(Published { metadata, keys })
    }

    /// The workspace to which claims and domains apply. Where every new person gets a workspace of their own, it is
    /// absent unless it is configured: strangers' claims must not give access to the first one.
    pub(super) async fn home(&self) -> Result<Option<WorkspaceId>, sea_orm::DbErr> {
        if let Some(configured) = self.settings.workspace {
            return Ok(Some(configured));
        }
        if self.settings.admission.per_signup_workspace {
            return Ok(None);
        }
        let known = *self.home.read().unwrap_or_else(PoisonError::into_inner);
        if known.is_some() {
            return Ok(known);
        }
        let found = store::home(self.db.read()).await?;
        *self.home.write().unwrap_or_else(PoisonError::into_inner) = found;
        Ok(found)
    }

    fn forget_home(&self) {
        *self.home.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn no_key(error: NoKey<HostedError>) -> HostedError {
    match error {
        NoKey::Unknown => claims::Refusal::UnknownKey.into(),
        NoKey::NotNow(retry_after_s) => HostedError::NotNow { retry_after_s },
        NoKey::Failed(error) => error,
    }
}

//! Hosted identity: people whom an issuer vouches for, beside the accounts that are kept here.
//!
//! Invariants: a JWT-shaped bearer is only ever verified with the issuer's keys, and only RS256; the issuer is asked at
//! most once each [`keys::FLOOR`], whatever tokens come; a person is keyed by `sub` alone, and linked to an account only
//! by an e-mail that the issuer verified, never to an operator's; the role follows the newest token; operation of the
//! deployment is never given by a claim. Tables: `home_workspace`, `hosted_sign_ins`, `login_codes`. No actors.

pub mod browser;
pub mod claims;
pub mod entity;
mod error;
pub mod flow;
pub mod keys;
mod metadata;
pub mod model;
mod provision;
pub mod store;
pub mod terminal;
mod verify;

use std::sync::{Arc, PoisonError, RwLock};

use crate::clock::SharedClock;
use crate::config::HostedIdentity;
use crate::db::Db;
use crate::domains::auth::OpenStreams;
use crate::domains::workspaces::Plans;
use crate::ids::{SharedIds, WorkspaceId};
use crate::outbound::Outbound;

use claims::{Expected, Verified};
use keys::{Keys, NoKey, Published};

pub use error::HostedError;
pub use model::{Admission, ClaimNames, Facts};

/// The issuer, and how its people come in. Cheap to clone.
#[derive(Clone)]
pub struct Hosted(Arc<Inner>);

/// What it is made from.
pub struct Inner {
    pub settings: HostedIdentity,
    pub outbound: Outbound,
    pub keys: Keys,
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    /// E-mails that the configuration makes operators.
    pub operators: Arc<[String]>,
    pub streams: OpenStreams,
    /// The deployment's own workspace, once it was looked up.
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
                "auth.audience is not set: every token of the issuer is taken, whatever program it was made for"
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

    /// What a token says of a person.
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

    /// The workspace that claims and domains are about. Where everybody gets a workspace of their own there is none,
    /// unless it is configured: strangers' claims must not reach into the first one.
    async fn home(&self) -> Result<Option<WorkspaceId>, sea_orm::DbErr> {
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

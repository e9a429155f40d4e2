//! The context of sign-in: what its handlers and commands need.

use std::time::Duration;

use super::hosted::Hosted;
use super::{OpenStreams, Passwords, Throttle};
use crate::change::ChangeContext;
use crate::mail::MailQueue;
use crate::workspaces::Departures;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_web::client_address::TrustedProxies;
use roost_web::picture::Pictures;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct AuthContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub passwords: Passwords,
    pub throttle: Throttle,
    pub proxies: TrustedProxies,
    pub streams: OpenStreams,
    /// How long an unused session lives.
    pub idle: Duration,
    /// How long a session lives at most.
    pub absolute: Duration,
    /// Cookies have the attribute `Secure`, because the pages are served over TLS.
    pub secure_cookies: bool,
    /// The address at which browsers reach the gateway, without a slash at its end. If absent, the gateway uses the
    /// address of each request.
    pub public_url: Option<std::sync::Arc<str>>,
    /// The issuer beside the local accounts, if any.
    pub hosted: Option<Hosted>,
    /// Addresses (lower case) that the configuration makes operators.
    pub operators: std::sync::Arc<[String]>,
    /// The queue of mails, if the operator named a server.
    pub mail: Option<MailQueue>,
    /// Re-encodes the pictures of people.
    pub pictures: Pictures,
    /// What else ends together with a person's access.
    pub departures: std::sync::Arc<dyn Departures>,
}

impl ChangeContext for AuthContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

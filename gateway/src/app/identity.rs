//! Wiring of sign-in: local accounts, and the issuer beside them.

use std::sync::{Arc, RwLock};

use super::links::AgentsLeft;
use super::{FirstLogin, Shared, StartupError, write_private};
use crate::config::Config;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::auth::hosted::keys::Keys;
use roost_tenancy::auth::hosted::{Hosted, Inner};
use roost_tenancy::auth::{
    self, AuthContext, AuthError, AuthLayer, Passwords, RecentCallers, Throttle,
};
use roost_web::client_address::TrustedProxies;
use roost_web::origin::OwnOrigin;
use roost_web::picture::Pictures;

/// The issuer, if one is configured. All parts share it, because it caches the issuer's keys.
pub(super) fn hosted(shared: &Shared<'_>) -> Option<Hosted> {
    let settings = shared.config.auth.clone()?;
    Some(Hosted::new(Inner {
        settings,
        outbound: shared.outbound.clone(),
        broker: shared.broker.clone(),
        credentials: shared.credential_nudge.clone(),
        keys: Keys::new(shared.clock.clone()),
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        plans: Arc::new(shared.config.plans.clone()),
        operators: shared.config.operators.clone().into(),
        streams: shared.open_streams.clone(),
        departures: Arc::new(AgentsLeft),
        home: RwLock::default(),
    }))
}

/// What the routes of `auth` need.
pub(super) fn state(shared: &Shared<'_>, hosted: Option<Hosted>) -> Result<AuthContext, AuthError> {
    let config = shared.config;
    Ok(AuthContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        passwords: Passwords::new()?,
        throttle: Throttle::default(),
        proxies: TrustedProxies::new(&config.trusted_proxies),
        streams: shared.open_streams.clone(),
        idle: config.sessions.idle,
        absolute: config.sessions.absolute,
        secure_cookies: config.is_behind_tls(),
        public_url: config
            .public_url
            .as_ref()
            .map(super::contexts::without_slash),
        hosted,
        operators: config.operators.clone().into(),
        mail: shared.mail(),
        pictures: Pictures::default(),
        departures: Arc::new(AgentsLeft),
    })
}

/// The layer that identifies the caller.
pub(super) fn layer(shared: &Shared<'_>, hosted: Option<Hosted>) -> AuthLayer {
    let config = shared.config;
    let public = config.public_url.as_ref();
    AuthLayer {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        own_origin: OwnOrigin(public.map(|url| url.origin().ascii_serialization())),
        operators: config.operators.clone().into(),
        idle: config.sessions.idle,
        streams: shared.open_streams.clone(),
        recent: RecentCallers::default(),
        hosted,
    }
}

/// Creates the first Owner if there is none, and writes the one-time login to a file that only this user can read. The
/// login is never logged.
pub(super) async fn first_login(
    config: &Config,
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<Option<FirstLogin>, StartupError> {
    let minutes = config.sessions.one_time_minutes;
    let file = config.data_dir.join("first-login");
    let Some(first) = auth::first_owner(db, clock, ids, &config.plans.default, minutes).await?
    else {
        // A person has a password, so an old file is useless now.
        if file.exists() {
            std::fs::remove_file(&file)
                .map_err(|source| StartupError::DataDir { path: file, source })?;
        }
        return Ok(None);
    };
    write_private(&file, first.token.reveal()).map_err(|source| StartupError::DataDir {
        path: file.clone(),
        source,
    })?;
    tracing::info!(file = %file.display(), minutes, "a one-time login for the Owner waits in this file");
    Ok(Some(FirstLogin {
        email: first.email,
        token: first.token,
        file,
    }))
}

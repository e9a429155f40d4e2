//! Wiring of who is asking: accounts kept here, and the issuer beside them.

use std::sync::{Arc, RwLock};

use super::{FirstLogin, Shared, StartupError, write_private};
use crate::clock::SharedClock;
use crate::config::Config;
use crate::db::Db;
use crate::domains::auth::hosted::keys::Keys;
use crate::domains::auth::hosted::{Hosted, Inner};
use crate::domains::auth::routes::AuthState;
use crate::domains::auth::{AuthError, AuthLayer, Passwords, Throttle, commands};
use crate::http::client_address::TrustedProxies;
use crate::http::origin::OwnOrigin;
use crate::ids::SharedIds;

/// The issuer, where one is configured. One for all: its keys are cached in it.
pub(super) fn hosted(shared: &Shared<'_>) -> Option<Hosted> {
    let settings = shared.config.auth.clone()?;
    Some(Hosted::new(Inner {
        settings,
        outbound: shared.outbound.clone(),
        keys: Keys::new(shared.clock.clone()),
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        plans: Arc::new(shared.config.plans.clone()),
        operators: shared.config.operators.clone().into(),
        streams: shared.open_streams.clone(),
        home: RwLock::default(),
    }))
}

/// What the routes of `auth` need.
pub(super) fn state(shared: &Shared<'_>, hosted: Option<Hosted>) -> Result<AuthState, AuthError> {
    let config = shared.config;
    Ok(AuthState {
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
        public_url: config.public_url.as_ref().map(super::states::without_slash),
        hosted,
    })
}

/// What finds out who is asking.
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
        hosted,
    }
}

/// Makes the first Owner where there is none, and leaves the one-time login in a file that only this user reads. It is
/// never logged.
pub(super) async fn first_login(
    config: &Config,
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<Option<FirstLogin>, StartupError> {
    let minutes = config.sessions.one_time_minutes;
    let file = config.data_dir.join("first-login");
    let Some(first) = commands::first_owner(db, clock, ids, minutes).await? else {
        // Somebody has a password: what is left of the file is of no use any more.
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

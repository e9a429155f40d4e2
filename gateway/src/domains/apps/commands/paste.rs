//! Connecting an agent with a token that a person has from the app itself, or to a webhook.

use chrono::TimeDelta;
use roost_secret_broker::wire::{Allow, Inject, Store};
use url::Url;

use super::connect::{New, connect};
use crate::broker::outbox;
use crate::domains::apps::dto::NewConnection;
use crate::domains::apps::entity::connection;
use crate::domains::apps::model::{self, WEBHOOK};
use crate::domains::apps::routes::AppsState;
use crate::domains::apps::{AppError, store};
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws;
use crate::ids::{AppConnectionId, UserId};

/// A credential that nobody wrote down by then is forgotten.
const GIVEN_UP: TimeDelta = TimeDelta::minutes(10);

/// Connects; the credential goes to the broker and is not seen again.
///
/// # Errors
/// See [`AppError`].
pub async fn paste(
    apps: &AppsState,
    scope: WorkspaceScope,
    user: UserId,
    id: AppConnectionId,
    new: NewConnection,
) -> Result<connection::Model, AppError> {
    let claw = claws::store::get(apps.db.read(), scope, new.claw_id).await?;
    if claw.is_none_or(|claw| claw.deleted_at.is_some()) {
        return Err(AppError::NoClaw);
    }
    let base = base(apps, &new)?;
    let name = model::token_name(scope, new.claw_id, id, &new.provider)?;
    let tx = apps.db.write().await?;
    outbox::forget_unless_kept(&tx, &name, apps.clock.now() + GIVEN_UP).await?;
    tx.commit().await?;
    apps.broker
        .store(Store {
            name: name.clone(),
            secret: new.secret,
            inject: Inject::Bearer,
            allow: vec![Allow {
                origin: base.origin().ascii_serialization(),
                methods: model::methods(&new.provider),
                path_prefix: model::prefix(&base),
            }],
        })
        .await
        .map_err(AppError::NotKept)?;
    let now = apps.clock.now();
    let mut tx = apps.db.write().await?;
    let connection = New {
        id,
        scope,
        user,
        agent: new.claw_id,
        provider: new.provider,
        auth_type: model::TOKEN.to_owned(),
        issuer_url: base.into(),
    };
    connect(apps, &mut tx, connection, &name, now).await?;
    tx.commit().await?;
    apps.credentials.nudge();
    store::get(apps.db.read(), scope, id)
        .await?
        .ok_or(AppError::NotFound)
}

/// Where the credential may go.
fn base(apps: &AppsState, new: &NewConnection) -> Result<Url, AppError> {
    if new.provider != WEBHOOK {
        return apps
            .oauth
            .apis
            .get(&new.provider)
            .cloned()
            .ok_or(AppError::NotPossible(
                "The API of this app is not known here; its operator sets `oauth.apis`.",
            ));
    }
    let url = new.url.as_deref().and_then(|text| text.parse().ok());
    let url: Url = url.ok_or(AppError::NotPossible("A webhook needs its `url`."))?;
    apps.outbound.check(&url).map_err(AppError::BadWebhook)?;
    Ok(url)
}

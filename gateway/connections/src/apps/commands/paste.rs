//! Connecting an agent with a token that a person got from the app, or to a webhook.

use roost_secret_broker::wire::{Allow, Inject, Store};
use url::Url;

use super::connect::{New, connect};
use crate::apps::dto::NewConnection;
use crate::apps::entity::connection;
use crate::apps::model::{self, WEBHOOK};
use crate::apps::{AppError, AppsContext, store};
use roost_agents::claws;
use roost_platform::ids::{AppConnectionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Connects. The credential goes to the broker and cannot be read again.
///
/// # Errors
/// See [`AppError`].
pub async fn paste(
    apps: &AppsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: AppConnectionId,
    new: NewConnection,
) -> Result<connection::Model, AppError> {
    let claw = claws::find(apps.db.read(), scope, new.claw_id).await?;
    if claw.is_none_or(|claw| claw.deleted_at.is_some()) {
        return Err(AppError::NoClaw);
    }
    let base = base(apps, &new)?;
    let name = model::token_name(scope, new.claw_id, id, &new.provider)?;
    let store = Store {
        name,
        secret: new.secret,
        inject: Inject::Bearer,
        allow: vec![Allow {
            origin: base.origin().ascii_serialization(),
            methods: model::methods(&new.provider),
            path_prefix: model::prefix(&base),
        }],
    };
    let token = apps.credentials.place(store).await?;
    let connection = New {
        id,
        agent: new.claw_id,
        provider: new.provider,
        auth_type: model::TOKEN.to_owned(),
        issuer_url: base.into(),
    };
    let mut change = Change::begin(apps, scope, user).await?;
    connect(apps, &mut change, connection, token).await?;
    change.commit().await?;
    store::get(apps.db.read(), scope, id)
        .await?
        .ok_or(AppError::NotFound)
}

/// The address to which the credential may be sent.
fn base(apps: &AppsContext, new: &NewConnection) -> Result<Url, AppError> {
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

//! Writing the row of a connection whose credential the broker holds.

use crate::apps::entity::connection;
use crate::apps::store::{self, Which};
use crate::apps::{AppError, AppsContext};
use roost_agents::claws;
use roost_platform::broker::Credential;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{AppConnectionId, ClawId};
use roost_tenancy::auth::{Role, Verb};
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// A connection to create.
pub(super) struct New {
    pub id: AppConnectionId,
    pub agent: ClawId,
    pub provider: String,
    pub auth_type: String,
    pub issuer_url: String,
}

/// Connects, if the agent still exists and the person still has the right. An older connection to the same provider ends.
pub(super) async fn connect(
    apps: &AppsContext,
    change: &mut Change,
    new: New,
    token: Credential,
) -> Result<(), AppError> {
    let (scope, user, now) = (change.scope(), change.actor(), change.now());
    if !claws::lock_living(change.tx(), scope, new.agent).await? {
        return Err(AppError::NoClaw);
    }
    // The person who began may have lost the membership or the role meanwhile.
    let member = workspaces::membership(change.tx(), user, scope.workspace()).await?;
    if !member.is_some_and(|(member, _)| Role::from_stored(&member.role).may(Verb::ConnectApps)) {
        return Err(AppError::NoSignIn);
    }
    let name = token.keep(change).await?;
    let former = Which::Provider(new.agent, &new.provider);
    for gone in store::end(change, scope, former, now).await? {
        let details = serde_json::json!({
            "provider": gone.provider, "auth_type": gone.auth_type, "reason": "replaced",
        });
        change.record("app.disconnected", ("app_connection", &gone.id), details);
    }
    change.wake(&apps.credentials.sweeper);
    let id = new.id;
    let details = serde_json::json!({ "provider": new.provider, "auth_type": new.auth_type });
    let row = connection::Model {
        id,
        workspace_id: scope.workspace(),
        agent_id: Some(new.agent),
        provider: new.provider,
        auth_type: new.auth_type,
        issuer_url: new.issuer_url,
        secret_ref: name.connection().to_owned(),
        connected_by: user,
        created_at: now,
    };
    store::insert(change.tx(), row).await?;
    change.record("app.connected", ("app_connection", &id), details);
    change.event(Event::changed(ResourceKind::AppConnection, id, 1));
    Ok(())
}

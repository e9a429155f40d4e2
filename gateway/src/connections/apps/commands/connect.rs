//! Writing the row of a connection whose credential the broker holds.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::RecordName;

use crate::agents::claws;
use crate::connections::apps::entity::connection;
use crate::connections::apps::store::{self, Which};
use crate::connections::apps::{AppError, AppsContext};
use crate::platform::broker::outbox;
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{AppConnectionId, ClawId, UserId};
use crate::tenancy::auth::{Role, Verb, WorkspaceScope};
use crate::tenancy::{audit, workspaces};

/// A connection to create.
pub(super) struct New {
    pub id: AppConnectionId,
    pub scope: WorkspaceScope,
    pub user: UserId,
    pub agent: ClawId,
    pub provider: String,
    pub auth_type: String,
    pub issuer_url: String,
}

/// Connects, if the agent still exists and the person still has the right. An older connection to the same provider ends.
pub(super) async fn connect(
    apps: &AppsContext,
    tx: &mut WriteTx,
    new: New,
    name: &RecordName,
    now: DateTime<Utc>,
) -> Result<(), AppError> {
    let (scope, user) = (new.scope, new.user);
    if !claws::hold_living(&**tx, scope, new.agent).await? {
        return Err(AppError::NoClaw);
    }
    // The person who began may have lost the membership or the role meanwhile.
    let member = workspaces::membership(&**tx, user, scope.workspace()).await?;
    if !member.is_some_and(|(member, _)| Role::from_stored(&member.role).may(Verb::ConnectApps)) {
        return Err(AppError::NoSignIn);
    }
    if !outbox::keep(tx, name).await? {
        return Err(AppError::TooLate);
    }
    let former = Which::Provider(new.agent, &new.provider);
    for gone in store::end(tx, scope, former, now).await? {
        let details = serde_json::json!({
            "provider": gone.provider, "auth_type": gone.auth_type, "reason": "replaced",
        });
        let entity = (
            "app_connection",
            &gone.id as &(dyn std::fmt::Display + Sync),
        );
        audit::record(
            tx,
            &apps.ids,
            now,
            scope,
            user,
            "app.disconnected",
            entity,
            details,
        )
        .await?;
    }
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
    store::insert(&**tx, row).await?;
    let entity = ("app_connection", &id as &(dyn std::fmt::Display + Sync));
    audit::record(
        tx,
        &apps.ids,
        now,
        scope,
        user,
        "app.connected",
        entity,
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::AppConnection, id, 1);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}

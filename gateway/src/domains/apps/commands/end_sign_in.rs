//! The browser comes back from the issuer.

use chrono::{DateTime, TimeDelta, Utc};
use roost_secret_broker::wire::{Exchange, FaultCode, RecordName, Secret};

use crate::broker::outbox;
use crate::db::WriteTx;
use crate::domains::apps::entity::{connection, state};
use crate::domains::apps::routes::AppsState;
use crate::domains::apps::store::Which;
use crate::domains::apps::{AppError, model, store};
use crate::domains::auth::{self, Role, Verb, WorkspaceScope};
use crate::domains::{audit, claws};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{AppConnectionId, ClawId, fresh};
use crate::kill_point;

/// A token that nobody wrote down by then is forgotten; the broker has long given up asking the issuer.
const GIVEN_UP: TimeDelta = TimeDelta::minutes(10);

/// With what the browser came.
pub struct Returned {
    pub state: String,
    pub code: String,
    pub issuer: Option<String>,
}

/// Ends a sign-in: the token is in the broker, the connection in its row. Which agent it is for.
///
/// # Errors
/// [`AppError::NoSignIn`] for all but the first who come with a state in time; see [`AppError`].
pub async fn end_sign_in(apps: &AppsState, returned: Returned) -> Result<ClawId, AppError> {
    let (begun, name) = consume(apps, &returned.state).await?;
    kill_point!(apps.kill_points, "apps.sign_in.after_consume");
    let exchange = Exchange {
        tenant: name.tenant().to_owned(),
        state: returned.state,
        code: Secret::from(returned.code.as_str()),
        issuer: returned.issuer,
    };
    apps.broker
        .exchange(exchange)
        .await
        .map_err(|error| match error.code() {
            Some(FaultCode::UnknownSignIn) => AppError::NoSignIn,
            _ => AppError::Broker(error),
        })?;
    kill_point!(apps.kill_points, "apps.sign_in.after_exchange");
    let now = apps.clock.now();
    let mut tx = apps.db.write().await?;
    let agent = begun.agent_id;
    connect(apps, &mut tx, begun, &name, now).await?;
    tx.commit().await?;
    apps.credentials.nudge();
    Ok(agent)
}

/// The person, or the issuer, said no: the sign-in is over. Which agent it was for, and which app.
///
/// # Errors
/// [`AppError::NoSignIn`].
pub async fn decline(apps: &AppsState, state: &str) -> Result<(ClawId, String), AppError> {
    let (begun, _) = consume(apps, state).await?;
    Ok((begun.agent_id, begun.provider))
}

/// Takes the sign-in. What it brings will be forgotten, unless it is written down in time.
async fn consume(apps: &AppsState, state: &str) -> Result<(state::Model, RecordName), AppError> {
    let now = apps.clock.now();
    let tx = apps.db.write().await?;
    let begun = store::consume(&*tx, state, now)
        .await?
        .ok_or(AppError::NoSignIn)?;
    let scope = WorkspaceScope::of_row(begun.workspace_id);
    let name = model::record_name(scope, begun.agent_id, &begun.state, &begun.provider)?;
    outbox::forget_unless_kept(&tx, &name, now + GIVEN_UP).await?;
    tx.commit().await?;
    Ok((begun, name))
}

async fn connect(
    apps: &AppsState,
    tx: &mut WriteTx,
    begun: state::Model,
    name: &RecordName,
    now: DateTime<Utc>,
) -> Result<(), AppError> {
    let scope = WorkspaceScope::of_row(begun.workspace_id);
    if !claws::store::hold_living(&**tx, scope, begun.agent_id).await? {
        return Err(AppError::NoClaw);
    }
    // Whoever began it may have been sent away meanwhile.
    let member = auth::store::membership(&**tx, begun.user_id, begun.workspace_id).await?;
    if !member.is_some_and(|(member, _)| Role::from_stored(&member.role).may(Verb::ConnectApps)) {
        return Err(AppError::NoSignIn);
    }
    if !outbox::keep(tx, name).await? {
        return Err(AppError::TooLate);
    }
    let former = Which::Provider(begun.agent_id, &begun.provider);
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
            begun.user_id,
            "app.disconnected",
            entity,
            details,
        )
        .await?;
    }
    let id: AppConnectionId = fresh(&apps.ids);
    let details = serde_json::json!({
        "provider": begun.provider, "auth_type": begun.auth_type,
    });
    let row = connection::Model {
        id,
        workspace_id: begun.workspace_id,
        agent_id: Some(begun.agent_id),
        provider: begun.provider,
        auth_type: begun.auth_type,
        issuer_url: begun.issuer_url,
        secret_ref: name.connection().to_owned(),
        connected_by: begun.user_id,
        created_at: now,
    };
    store::insert(&**tx, row).await?;
    let entity = ("app_connection", &id as &(dyn std::fmt::Display + Sync));
    audit::record(
        tx,
        &apps.ids,
        now,
        scope,
        begun.user_id,
        "app.connected",
        entity,
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::AppConnection, id, 1);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}

//! The browser comes back from the issuer.

use chrono::TimeDelta;
use roost_secret_broker::wire::{Exchange, FaultCode, RecordName, Secret};

use super::connect::{New, connect};
use crate::broker::outbox;
use crate::domains::apps::entity::state;
use crate::domains::apps::routes::AppsState;
use crate::domains::apps::{AppError, model, store};
use crate::domains::auth::WorkspaceScope;
use crate::ids::{ClawId, fresh};
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
    let new = New {
        id: fresh(&apps.ids),
        scope: WorkspaceScope::of_row(begun.workspace_id),
        user: begun.user_id,
        agent,
        provider: begun.provider,
        auth_type: begun.auth_type,
        issuer_url: begun.issuer_url,
    };
    connect(apps, &mut tx, new, &name, now).await?;
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

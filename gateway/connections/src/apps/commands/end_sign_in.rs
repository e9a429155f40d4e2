//! The browser comes back from the issuer.

use chrono::TimeDelta;
use roost_secret_broker::wire::{Exchange, FaultCode, Secret};

use super::connect::{New, connect};
use crate::apps::entity::state;
use crate::apps::{AppError, AppsContext, model, store};
use roost_platform::broker::Credential;
use roost_platform::ids::{ClawId, UserId, fresh};
use roost_platform::kill_point;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// A token without a row after this time is deleted; by then the broker does not ask the issuer any more.
const GIVEN_UP: TimeDelta = TimeDelta::minutes(10);

/// What the browser brings.
pub struct Returned {
    pub state: String,
    pub code: String,
    pub issuer: Option<String>,
    /// The person who is signed in to this gateway in that browser, if any.
    pub here: Option<UserId>,
}

/// Ends a sign-in: the broker has the token, and the row has the connection. Returns the agent.
///
/// # Errors
/// [`AppError::NoSignIn`] when the state is unknown, expired or already used; [`AppError::BegunByAnother`] when the browser
/// is signed in as a person other than the one who began; see [`AppError`].
pub async fn end_sign_in(apps: &AppsContext, returned: Returned) -> Result<ClawId, AppError> {
    let (begun, token) = consume(apps, &returned.state).await?;
    // If a person opened another person's link, the account of the first would be connected to the agent of the second.
    // So the sign-in ends here, and its code is not used.
    if returned.here.is_some_and(|here| here != begun.user_id) {
        return Err(AppError::BegunByAnother);
    }
    kill_point!(apps.kill_points, "apps.sign_in.after_consume");
    let exchange = Exchange {
        tenant: token.name().tenant().to_owned(),
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
    let agent = begun.agent_id;
    let new = New {
        id: fresh(&apps.ids),
        agent,
        provider: begun.provider,
        auth_type: begun.auth_type,
        issuer_url: begun.issuer_url,
    };
    let scope = WorkspaceScope::of_row(begun.workspace_id);
    let mut change = Change::begin(apps, scope, begun.user_id).await?;
    connect(apps, &mut change, new, token).await?;
    change.commit().await?;
    Ok(agent)
}

/// The person or the issuer declined: the sign-in ends. Returns its agent and its app.
///
/// # Errors
/// [`AppError::NoSignIn`].
pub async fn decline(apps: &AppsContext, state: &str) -> Result<(ClawId, String), AppError> {
    let (begun, _) = consume(apps, state).await?;
    Ok((begun.agent_id, begun.provider))
}

/// Takes the sign-in. Its token will be deleted, unless a row for it is written in time.
async fn consume(apps: &AppsContext, state: &str) -> Result<(state::Model, Credential), AppError> {
    let now = apps.clock.now();
    let tx = apps.db.write().await?;
    let begun = store::consume(&*tx, state, now)
        .await?
        .ok_or(AppError::NoSignIn)?;
    let scope = WorkspaceScope::of_row(begun.workspace_id);
    let name = model::record_name(scope, begun.agent_id, &begun.state, &begun.provider)?;
    let token = Credential::expected(&tx, name, now + GIVEN_UP).await?;
    tx.commit().await?;
    Ok((begun, token))
}

//! Beginning to connect an agent to an app.

use chrono::TimeDelta;
use roost_secret_broker::wire::{Begin, ClientAuth, DEPLOYMENT, Inject, RecordName};
use url::Url;

use crate::apps::discovery::discover;
use crate::apps::dto::OAuthStart;
use crate::apps::entity::state;
use crate::apps::model::{self, AuthType, Plan};
use crate::apps::{AppError, AppsContext, store};
use roost_agents::claws;
use roost_platform::broker::outbox;
use roost_platform::ids::UserId;
use roost_tenancy::auth::WorkspaceScope;

/// How long a person has for the sign-in.
const LIFETIME_S: u32 = 600;
/// The most sign-ins that one person may have under way.
const MOST_BEGUN: u64 = 30;
/// The name of the secret of the deployment's client at its own issuer.
const CLIENT_SECRET: &str = "client-secret/oauth";

/// Begins a sign-in. Returns the address for the browser, and the state.
///
/// # Errors
/// See [`AppError`].
pub async fn start(
    apps: &AppsContext,
    scope: WorkspaceScope,
    user: UserId,
    new: OAuthStart,
) -> Result<(Url, String), AppError> {
    let auth_type = AuthType::asked(new.auth_type.as_deref())?;
    let claw = claws::find(apps.db.read(), scope, new.claw_id).await?;
    if claw.is_none_or(|claw| claw.deleted_at.is_some()) {
        return Err(AppError::NoClaw);
    }
    let asked = new.issuer_url.as_deref().and_then(|text| text.parse().ok());
    let plan = model::plan(auth_type, asked.as_ref(), &apps.oauth)?;
    let endpoints = discover(&apps.outbound, auth_type, &plan.issuer).await?;
    let client_secret = client_secret(apps, &plan)?;
    let now = apps.clock.now();
    let state = apps.ids.next().simple().to_string();
    let begun = apps
        .broker
        .begin(Begin {
            name: model::record_name(scope, new.claw_id, &state, &new.provider)?,
            state: state.clone(),
            token_endpoint: endpoints.token.to_string(),
            revocation_endpoint: endpoints.revocation.map(String::from),
            issuer: endpoints.issuer,
            issuer_required: endpoints.names_itself,
            client_id: plan.client_id.clone(),
            client_auth: match client_secret {
                Some(_) => ClientAuth::Post,
                None => ClientAuth::None,
            },
            client_secret,
            redirect_uri: plan.redirect_uri.clone(),
            resource: (auth_type == AuthType::McpOAuth)
                .then(|| model::without_slash(&plan.issuer).to_owned()),
            inject: Inject::Bearer,
            allow: model::allowed(&plan, &new.provider, &apps.oauth.apis),
            lifetime_s: LIFETIME_S,
        })
        .await
        .map_err(AppError::Broker)?;
    let authorize = model::authorize_url(
        &endpoints.authorization,
        &plan,
        &state,
        &begun.code_challenge,
    );
    let tx = apps.db.write().await?;
    if store::count_begun(&*tx, scope, user, now).await? >= MOST_BEGUN {
        return Err(AppError::TooManyBegun);
    }
    let row = state::Model {
        state: state.clone(),
        workspace_id: scope.workspace(),
        user_id: user,
        agent_id: new.claw_id,
        provider: new.provider,
        auth_type: auth_type.as_str().to_owned(),
        issuer_url: model::without_slash(&plan.issuer).to_owned(),
        expires_at: now + TimeDelta::seconds(LIFETIME_S.into()),
    };
    store::begin(&*tx, row).await?;
    // The broker must not keep a sign-in that the person abandons.
    let abandoned = RecordName::of_sign_in(scope.workspace().to_string(), &state)?;
    let over = now + TimeDelta::seconds(LIFETIME_S.into()) + TimeDelta::minutes(1);
    outbox::forget_unless_kept(&tx, &abandoned, over).await?;
    tx.commit().await?;
    Ok((authorize, state))
}

/// The record of the client's secret, which the broker reads from the deployment's file.
fn client_secret(apps: &AppsContext, plan: &Plan) -> Result<Option<RecordName>, AppError> {
    let file = apps.oauth.client_secret_file.as_ref();
    match file.filter(|_| plan.confidential) {
        Some(_) => Ok(Some(RecordName::new(DEPLOYMENT, CLIENT_SECRET)?)),
        None => Ok(None),
    }
}

//! Making and revoking a token of an agent.

use chrono::{DateTime, TimeDelta, Utc};

use super::dto::{DAYS, NewAgentToken};
use super::entity::Model;
use super::{TokenError, store};
use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::{Token, WorkspaceScope};
use crate::domains::claws;
use crate::domains::claws::entity::claw;
use crate::domains::tools::routes::ToolsState;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{AgentTokenId, ClawId, UserId, fresh};

/// Tokens that an agent may have at once.
const MOST: u64 = 20;

/// Makes a token; it is its only copy.
///
/// # Errors
/// [`TokenError::NoClaw`], [`TokenError::TooMany`].
pub async fn make(
    state: &ToolsState,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    new: NewAgentToken,
) -> Result<(Model, Token), TokenError> {
    let token = Token::fresh("rat_")?;
    let now = state.clock.now();
    let days = new.expires_in_days.unwrap_or(DAYS);
    let row = Model {
        id: fresh(&state.ids),
        workspace_id: scope.workspace(),
        agent_id: agent,
        label: new.label.trim().to_owned(),
        token_sha256: token.sha256(),
        created_by: user,
        created_at: now,
        expires_at: now + TimeDelta::days(days.into()),
        last_used_at: None,
        revoked_at: None,
    };
    let mut tx = state.db.write().await?;
    let claw = held(&tx, scope, agent).await?;
    if store::count(&*tx, scope, agent, now).await? >= MOST {
        return Err(TokenError::TooMany { most: MOST });
    }
    store::insert(&*tx, row.clone()).await?;
    record(
        state,
        &mut tx,
        (scope, user, now),
        "agent_token.created",
        &claw,
        &row,
    )
    .await?;
    tx.commit().await?;
    Ok((row, token))
}

/// Revokes a token: it opens nothing from now on.
///
/// # Errors
/// [`TokenError::NoClaw`], [`TokenError::NotFound`].
pub async fn revoke(
    state: &ToolsState,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    id: AgentTokenId,
) -> Result<(), TokenError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let claw = claws::store::get(&*tx, scope, agent)
        .await?
        .ok_or(TokenError::NoClaw)?;
    let row = store::revoke(&*tx, scope, agent, id, now)
        .await?
        .ok_or(TokenError::NotFound)?;
    record(
        state,
        &mut tx,
        (scope, user, now),
        "agent_token.revoked",
        &claw,
        &row,
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

/// The agent, which is not deleted before the end of the transaction; so that two who come at once count one another, too.
async fn held(
    tx: &WriteTx,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<claw::Model, TokenError> {
    if !claws::store::hold_living(&**tx, scope, agent).await? {
        return Err(TokenError::NoClaw);
    }
    claws::store::get(&**tx, scope, agent)
        .await?
        .ok_or(TokenError::NoClaw)
}

async fn record(
    state: &ToolsState,
    tx: &mut WriteTx,
    (scope, user, now): (WorkspaceScope, UserId, DateTime<Utc>),
    action: &str,
    claw: &claw::Model,
    row: &Model,
) -> Result<(), TokenError> {
    let details = serde_json::json!({ "agent": claw.name, "agent_id": claw.id, "name": row.label });
    let entity = ("agent_token", &row.id as &(dyn std::fmt::Display + Sync));
    audit::record(tx, &state.ids, now, scope, user, action, entity, details).await?;
    // Tokens are shown with their agent.
    let fact = Event::changed(ResourceKind::Claw, claw.id, claw.version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}

//! Creates and revokes an agent's tokens.

use chrono::{DateTime, TimeDelta, Utc};

use super::dto::{DAYS, NewAgentToken};
use super::entity::Model;
use super::{TokenError, store};
use crate::agents::claws::{self, ClawRow};
use crate::execution::tools::ToolsContext;
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{AgentTokenId, ClawId, UserId, fresh};
use crate::tenancy::audit;
use crate::tenancy::auth::{Token, WorkspaceScope};

/// The maximum number of valid tokens of an agent.
const MOST: u64 = 20;

/// Creates a token. The returned token is its only copy.
///
/// # Errors
/// [`TokenError::NoClaw`], [`TokenError::TooMany`].
pub async fn make(
    state: &ToolsContext,
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

/// Revokes a token. It stops working at once.
///
/// # Errors
/// [`TokenError::NoClaw`], [`TokenError::NotFound`].
pub async fn revoke(
    state: &ToolsContext,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    id: AgentTokenId,
) -> Result<(), TokenError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let claw = claws::find(&*tx, scope, agent)
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

/// The agent, locked until the end of the transaction. It cannot be deleted in between, and two parallel requests
/// count each other's tokens.
async fn held(tx: &WriteTx, scope: WorkspaceScope, agent: ClawId) -> Result<ClawRow, TokenError> {
    if !claws::hold_living(&**tx, scope, agent).await? {
        return Err(TokenError::NoClaw);
    }
    claws::find(&**tx, scope, agent)
        .await?
        .ok_or(TokenError::NoClaw)
}

async fn record(
    state: &ToolsContext,
    tx: &mut WriteTx,
    (scope, user, now): (WorkspaceScope, UserId, DateTime<Utc>),
    action: &str,
    claw: &ClawRow,
    row: &Model,
) -> Result<(), TokenError> {
    let details = serde_json::json!({ "agent": claw.name, "agent_id": claw.id, "name": row.label });
    let entity = ("agent_token", &row.id as &(dyn std::fmt::Display + Sync));
    audit::record(tx, &state.ids, now, scope, user, action, entity, details).await?;
    // The page shows tokens with their agent.
    let fact = Event::changed(ResourceKind::Claw, claw.id, claw.version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
}

//! Creates and revokes an agent's tokens.

use chrono::TimeDelta;

use super::dto::{DAYS, NewAgentToken};
use super::entity::Model;
use super::{TokenError, store};
use crate::tools::ToolsContext;
use roost_agents::claws::{self, ClawRow};
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{AgentTokenId, ClawId, UserId, fresh};
use roost_tenancy::auth::{Token, WorkspaceScope};
use roost_tenancy::change::Change;

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
    let mut change = Change::begin(state, scope, user).await?;
    let claw = held(&change, scope, agent).await?;
    if store::count(change.tx(), scope, agent, now).await? >= MOST {
        return Err(TokenError::TooMany { most: MOST });
    }
    store::insert(change.tx(), row.clone()).await?;
    record(&mut change, "agent_token.created", &claw, &row);
    change.commit().await?;
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
    let mut change = Change::begin(state, scope, user).await?;
    let claw = claws::find(change.tx(), scope, agent)
        .await?
        .ok_or(TokenError::NoClaw)?;
    let row = store::revoke(change.tx(), scope, agent, id, change.now())
        .await?
        .ok_or(TokenError::NotFound)?;
    record(&mut change, "agent_token.revoked", &claw, &row);
    change.commit().await?;
    Ok(())
}

/// The agent, locked until the end of the transaction. It cannot be deleted in between, and two parallel requests
/// count each other's tokens.
async fn held(tx: &WriteTx, scope: WorkspaceScope, agent: ClawId) -> Result<ClawRow, TokenError> {
    if !claws::lock_living(&**tx, scope, agent).await? {
        return Err(TokenError::NoClaw);
    }
    claws::find(&**tx, scope, agent)
        .await?
        .ok_or(TokenError::NoClaw)
}

fn record(change: &mut Change, action: &str, claw: &ClawRow, row: &Model) {
    let details = serde_json::json!({ "agent": claw.name, "agent_id": claw.id, "name": row.label });
    change.record(action, ("agent_token", &row.id), details);
    // The page shows tokens with their agent.
    change.event(Event::changed(ResourceKind::Claw, claw.id, claw.version));
}

//! Redeeming a join code. The machine creates its own token and sends only the token's hash, so a crash does not use up
//! the code: the same code with the same hash gets the same answer, and another hash is refused.

use crate::fleet::dto::JoinRequest;
use crate::fleet::entity::node;
use crate::fleet::{FleetError, FleetHandle, code, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::UserId;
use roost_protocol::limits::MAX_SHORT_TEXT;
use roost_protocol::text::clean;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Redeems a code.
///
/// # Errors
/// [`FleetError::JoinCodeUnknown`] when the code is unknown, has expired, or belongs to a deleted node;
/// [`FleetError::JoinCodeUsed`] when another token redeemed it.
pub async fn join(fleet: &FleetHandle, request: &JoinRequest) -> Result<node::Model, FleetError> {
    let now = fleet.clock().now();
    let hash = code::hash_of(&request.code);
    let tx = fleet.db().write().await?;
    let node = store::by_join_code(&*tx, &hash)
        .await?
        .ok_or(FleetError::JoinCodeUnknown)?;
    match &node.token_sha256 {
        Some(token) if *token == request.token_sha256 => return Ok(node),
        Some(_) => return Err(FleetError::JoinCodeUsed),
        None if node.join_expires_at.is_none_or(|until| now >= until) => {
            return Err(FleetError::JoinCodeUnknown);
        }
        None => {}
    }
    let short = |text: &Option<String>| {
        text.as_deref()
            .map(|text| clean(text, MAX_SHORT_TEXT))
            .filter(|text| !text.is_empty())
    };
    let (hostname, version) = (short(&request.hostname), short(&request.daemon_version));
    match store::redeem(
        &tx,
        node.id,
        &request.token_sha256,
        request.install_id,
        hostname.clone(),
        version,
    )
    .await
    {
        Ok(true) => {}
        Ok(false) => return Err(FleetError::JoinCodeUsed),
        Err(error) if roost_platform::db::unique_violation(&error) => {
            return Err(FleetError::TokenTaken);
        }
        Err(error) => return Err(error.into()),
    }
    let scope = WorkspaceScope::of_row(node.workspace_id);
    let mut change = Change::within(fleet, tx, scope, UserId::SYSTEM);
    let details = serde_json::json!({ "hostname": hostname, "install_id": request.install_id });
    change.record("node.joined", ("node", &node.id), details);
    change.event(Event::changed(
        ResourceKind::Node,
        node.id,
        node.version + 1,
    ));
    change.commit().await?;
    tracing::info!(node = %node.id, "a machine joined");
    Ok(node)
}

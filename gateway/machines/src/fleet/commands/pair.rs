//! Pairing: a node without a machine, and a code that a machine redeems within ten minutes.

use chrono::{DateTime, TimeDelta, Utc};

use crate::fleet::code::JoinCode;
use crate::fleet::entity::node;
use crate::fleet::model::JOIN_CODE_TTL;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::audit;
use roost_tenancy::auth::WorkspaceScope;

/// A node that waits for its machine.
pub struct Pairing {
    pub node: node::Model,
    pub code: JoinCode,
    pub expires_at: DateTime<Utc>,
}

/// Creates a node and its join code.
///
/// # Errors
/// When the system has no randomness, or the store fails.
pub async fn pair(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: NodeId,
    name: Option<String>,
) -> Result<Pairing, FleetError> {
    let now = fleet.clock().now();
    let code = JoinCode::fresh().map_err(FleetError::Randomness)?;
    let expires_at = now + TimeDelta::from_std(JOIN_CODE_TTL).unwrap_or_default();
    let name = name.map(|name| name.trim().to_owned());
    let mut tx = fleet.db().write().await?;
    store::insert(
        &tx,
        id,
        scope.workspace(),
        name.clone(),
        code.sha256(),
        now,
        expires_at,
    )
    .await?;
    let details = serde_json::json!({ "name": name });
    audit::record(
        &tx,
        fleet.ids(),
        now,
        scope,
        user,
        "node.paired",
        ("node", &id),
        details,
    )
    .await?;
    events::append(
        &mut tx,
        scope.workspace(),
        now,
        [Event::changed(ResourceKind::Node, id, 1)],
    )
    .await?;
    tx.commit().await?;
    let node = store::get(fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)?;
    fleet.ensure(&node).await?;
    Ok(Pairing {
        node,
        code,
        expires_at,
    })
}

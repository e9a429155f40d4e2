//! Pairing: a node without a machine, and a code that a machine redeems within ten minutes.

use chrono::{DateTime, TimeDelta, Utc};

use crate::fleet::code::JoinCode;
use crate::fleet::entity::node;
use crate::fleet::model::JOIN_CODE_TTL;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

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
    let code = JoinCode::fresh().map_err(FleetError::Randomness)?;
    let name = name.map(|name| name.trim().to_owned());
    let mut change = Change::begin(fleet, scope, user).await?;
    let now = change.now();
    let expires_at = now + TimeDelta::from_std(JOIN_CODE_TTL).unwrap_or_default();
    store::insert(
        &change,
        id,
        scope.workspace(),
        name.clone(),
        code.sha256(),
        now,
        expires_at,
    )
    .await?;
    let details = serde_json::json!({ "name": name });
    change.record("node.paired", ("node", &id), details);
    change.event(Event::changed(ResourceKind::Node, id, 1));
    change.commit().await?;
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

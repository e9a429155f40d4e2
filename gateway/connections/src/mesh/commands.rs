//! Connecting, replacing and disconnecting a mesh network.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::{Inject, RecordName, Secret, Store};
use sea_orm::DbErr;
use secrecy::ExposeSecret;

use super::dto::NewMeshNetwork;
use super::entity::network;
use super::{MeshContext, MeshError, model, store};
use roost_platform::broker::{credential, outbox};
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{MeshNetworkId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// The name of a network's key in the broker.
pub(super) fn record_name(row: &network::Model) -> Result<RecordName, DbErr> {
    credential::name_of(row.workspace_id, &row.secret_reference)
}

/// Connects the network and replaces the one before.
pub(super) async fn connect(
    state: &MeshContext,
    scope: WorkspaceScope,
    user: UserId,
    id: MeshNetworkId,
    new: NewMeshNetwork,
) -> Result<network::Model, MeshError> {
    let present = store::get(state.db.read(), scope).await?;
    if let Some(present) = present.filter(|row| row.id == id) {
        return Ok(present);
    }
    let base = model::base_url(new.kind, new.base_url.as_deref());
    let base = base.map_err(MeshError::BadAddress)?;
    let checked = state.outbound.check(&base);
    checked.map_err(|error| MeshError::BadAddress(error.to_string()))?;
    let list = new.kind.api().list(&base, new.tailnet.as_deref());
    let row = network::Model {
        id,
        workspace_id: scope.workspace(),
        kind: new.kind.as_str().to_owned(),
        tailnet: new.tailnet,
        base_url: base.to_string(),
        secret_reference: format!("mesh/{id}/api_key"),
        created_by: user,
        created_at: state.clock.now(),
    };
    let key = Store {
        name: record_name(&row)?,
        secret: Secret::from(new.api_key.expose_secret()),
        inject: Inject::Bearer,
        allow: model::allow(&list),
    };
    let placed = state.credentials.place(key).await?;

    let mut change = Change::begin(state, scope, user).await?;
    // One after the other: each replaces the one before.
    if !workspaces::lock(&change, scope).await? {
        return Err(MeshError::None);
    }
    placed.keep(&change).await?;
    if let Some(before) = store::get(change.tx(), scope).await? {
        store::remove(&change, scope, &before).await?;
        let key = record_name(&before)?;
        state.credentials.forget(&mut change, &key).await?;
    }
    store::insert(&change, row.clone()).await?;
    write_down(&mut change, &row, "mesh.connected", 1);
    change.commit().await?;
    Ok(row)
}

/// Disconnects it, and has the broker delete its key.
pub(super) async fn disconnect(
    state: &MeshContext,
    scope: WorkspaceScope,
    user: UserId,
) -> Result<(), MeshError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::get(change.tx(), scope).await?;
    let row = row.ok_or(MeshError::None)?;
    if !store::remove(&change, scope, &row).await? {
        return Err(MeshError::None);
    }
    let key = record_name(&row)?;
    state.credentials.forget(&mut change, &key).await?;
    write_down(&mut change, &row, "mesh.disconnected", 2);
    change.commit().await?;
    Ok(())
}

fn write_down(change: &mut Change, row: &network::Model, action: &str, version: i64) {
    let details = serde_json::json!({ "kind": row.kind, "base_url": row.base_url });
    change.record(action, ("mesh_network", &row.id), details);
    change.event(Event::changed(ResourceKind::MeshNetwork, row.id, version));
}

/// Removes the network of a workspace that is deleted.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(
    tx: &WriteTx,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    if let Some(row) = store::get(&**tx, scope).await? {
        store::remove(tx, scope, &row).await?;
        outbox::forget(tx, &record_name(&row)?, now).await?;
    }
    Ok(())
}

//! Connecting, replacing and disconnecting a mesh network.

use chrono::{DateTime, TimeDelta, Utc};
use roost_secret_broker::wire::{Inject, RecordName, Secret, Store};
use sea_orm::DbErr;
use secrecy::ExposeSecret;

use super::dto::NewMeshNetwork;
use super::entity::network;
use super::{MeshContext, MeshError, model, store};
use crate::platform::broker::outbox;
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{MeshNetworkId, UserId};
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::{audit, workspaces};

/// How long the steps from storing the key to writing the row may take; then the outbox deletes the key.
const BETWEEN: TimeDelta = TimeDelta::minutes(5);

/// The name of a network's key in the broker.
pub(super) fn record_name(row: &network::Model) -> Result<RecordName, DbErr> {
    RecordName::new(row.workspace_id.to_string(), row.secret_reference.clone())
        .map_err(|error| DbErr::Custom(error.to_string()))
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
    let record = record_name(&row)?;
    let tx = state.db.write().await?;
    outbox::forget_unless_kept(&tx, &record, state.clock.now() + BETWEEN).await?;
    tx.commit().await?;
    let kept = Store {
        name: record.clone(),
        secret: Secret::from(new.api_key.expose_secret()),
        inject: Inject::Bearer,
        allow: model::allow(&list),
    };
    state.broker.store(kept).await?;

    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    // One after the other: each replaces the one before.
    if !workspaces::hold(&tx, scope).await? {
        return Err(MeshError::None);
    }
    if !outbox::keep(&tx, &record).await? {
        return Err(MeshError::TooSlow);
    }
    if let Some(before) = store::get(&*tx, scope).await? {
        store::remove(&tx, scope, &before).await?;
        outbox::forget(&tx, &record_name(&before)?, now).await?;
    }
    store::insert(&tx, row.clone()).await?;
    write_down(state, &mut tx, scope, user, &row, "mesh.connected", 1).await?;
    tx.commit().await?;
    state.credentials.nudge();
    Ok(row)
}

/// Disconnects it, and has the broker delete its key.
pub(super) async fn disconnect(
    state: &MeshContext,
    scope: WorkspaceScope,
    user: UserId,
) -> Result<(), MeshError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let row = store::get(&*tx, scope).await?.ok_or(MeshError::None)?;
    if !store::remove(&tx, scope, &row).await? {
        return Err(MeshError::None);
    }
    outbox::forget(&tx, &record_name(&row)?, now).await?;
    write_down(state, &mut tx, scope, user, &row, "mesh.disconnected", 2).await?;
    tx.commit().await?;
    state.credentials.nudge();
    Ok(())
}

async fn write_down(
    state: &MeshContext,
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    row: &network::Model,
    action: &str,
    version: i64,
) -> Result<(), DbErr> {
    let now = state.clock.now();
    let details = serde_json::json!({ "kind": row.kind, "base_url": row.base_url });
    audit::record(
        tx,
        &state.ids,
        now,
        scope,
        user,
        action,
        ("mesh_network", &row.id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::MeshNetwork, row.id, version);
    events::append(tx, scope.workspace(), now, [fact]).await?;
    Ok(())
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

//! Connecting a code host. The broker has the token before the row exists. If a gateway dies in between, the outbox
//! deletes the token, so nothing is left behind.

use chrono::TimeDelta;
use roost_secret_broker::wire::{RecordName, Secret, Store};
use secrecy::ExposeSecret;

use super::record_name;
use crate::connections::repos::dto::NewRepoConnection;
use crate::connections::repos::entity::connection;
use crate::connections::repos::{RepoError, ReposContext, model, store};
use crate::platform::broker::outbox;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{RepoConnectionId, UserId};
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::{audit, workspaces};

/// How long the steps from storing the token to writing the row may take; then the outbox deletes the token.
const BETWEEN: TimeDelta = TimeDelta::minutes(5);

/// Creates the connection `id` and requests its first sync. A repeated call with the same id returns the present row.
///
/// # Errors
/// [`RepoError::BadAddress`], [`RepoError::TooMany`], [`RepoError::Broker`].
pub async fn connect(
    state: &ReposContext,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoConnectionId,
    new: NewRepoConnection,
) -> Result<connection::Model, RepoError> {
    if let Some(present) = store::get(state.db.read(), scope, id).await? {
        return Ok(present);
    }
    let base = model::base_url(new.provider, new.base_url.as_deref());
    let base = base.map_err(RepoError::BadAddress)?;
    let checked = state.outbound.check(&base);
    checked.map_err(|error| RepoError::BadAddress(error.to_string()))?;
    let row = connection::Model {
        id,
        workspace_id: scope.workspace(),
        provider: new.provider.as_str().to_owned(),
        label: model::label(new.label.as_deref(), &base, new.owner.as_deref()),
        base_url: base.to_string(),
        secret_reference: format!("repos/{id}/access_token"),
        created_by: user,
        created_at: state.clock.now(),
        last_synced_at: None,
        last_sync_error: None,
        last_sync_skipped: 0,
        last_sync_cut: false,
        sync_wanted: true,
        sync_holder: None,
        sync_until: None,
        version: 1,
        owner: new.owner,
    };
    let record = record_name(&row)?;
    let tx = state.db.write().await?;
    room_for_one(&*tx, scope).await?;
    let due = state.clock.now() + BETWEEN;
    outbox::forget_unless_kept(&tx, &record, due).await?;
    tx.commit().await?;
    let kept = Store {
        name: record.clone(),
        secret: Secret::from(new.token.expose_secret()),
        inject: new.provider.provider().inject(),
        allow: model::allow(new.provider, &base, row.owner.as_deref()),
    };
    state.broker.store(kept).await?;
    write(state, scope, user, &record, row).await
}

async fn write(
    state: &ReposContext,
    scope: WorkspaceScope,
    user: UserId,
    record: &RecordName,
    row: connection::Model,
) -> Result<connection::Model, RepoError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    // One after the other, so that two requests at the limit cannot both succeed.
    if !workspaces::hold(&tx, scope).await? {
        return Err(RepoError::NoConnection);
    }
    room_for_one(&*tx, scope).await?;
    if !outbox::keep(&tx, record).await? {
        return Err(RepoError::TooSlow);
    }
    store::insert(&*tx, row.clone()).await?;
    let details = serde_json::json!({
        "provider": row.provider, "owner": row.owner, "base_url": row.base_url, "label": row.label,
    });
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "repos.connected",
        ("repo_connection", &row.id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::RepoConnection, row.id, row.version);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    state.syncs.nudge();
    Ok(row)
}

async fn room_for_one(
    db: &impl sea_orm::ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<(), RepoError> {
    let most = model::MOST_CONNECTIONS;
    match store::count(db, scope).await? < most {
        true => Ok(()),
        false => Err(RepoError::TooMany { most }),
    }
}

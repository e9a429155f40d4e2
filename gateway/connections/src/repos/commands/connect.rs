//! Connecting a code host. The broker has the token before the row exists. If a gateway dies in between, the outbox
//! deletes the token, so nothing is left behind.

use roost_secret_broker::wire::{Secret, Store};
use secrecy::ExposeSecret;

use super::record_name;
use crate::repos::dto::NewRepoConnection;
use crate::repos::entity::connection;
use crate::repos::{RepoError, ReposContext, model, store};
use roost_platform::broker::Credential;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RepoConnectionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// Creates the connection `id` and requests its first sync. A repeated call with the same id returns the present row.
///
/// # Errors
/// [`RepoError::BadAddress`], [`RepoError::TooMany`], [`RepoError::Credential`].
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
    room_for_one(state.db.read(), scope).await?;
    let token = Store {
        name: record_name(&row)?,
        secret: Secret::from(new.token.expose_secret()),
        inject: new.provider.provider().inject(),
        allow: model::allow(new.provider, &base, row.owner.as_deref()),
    };
    let placed = state.credentials.place(token).await?;
    write(state, scope, user, placed, row).await
}

async fn write(
    state: &ReposContext,
    scope: WorkspaceScope,
    user: UserId,
    token: Credential,
    row: connection::Model,
) -> Result<connection::Model, RepoError> {
    let mut change = Change::begin(state, scope, user).await?;
    // One after the other, so that two requests at the limit cannot both succeed.
    if !workspaces::lock(&change, scope).await? {
        return Err(RepoError::NoConnection);
    }
    room_for_one(change.tx(), scope).await?;
    token.keep(&change).await?;
    store::insert(change.tx(), row.clone()).await?;
    let details = serde_json::json!({
        "provider": row.provider, "owner": row.owner, "base_url": row.base_url, "label": row.label,
    });
    change.record("repos.connected", ("repo_connection", &row.id), details);
    change.event(Event::changed(
        ResourceKind::RepoConnection,
        row.id,
        row.version,
    ));
    change.wake(&state.syncs);
    change.commit().await?;
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

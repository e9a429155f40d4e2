//! Adds a model. The broker stores the key before the row is written. A crash in between leaves nothing behind: the
//! outbox deletes a key that no row kept.

use sea_orm::ConnectionTrait;

use super::{credential, no_other_default, record_name, write_down};
use crate::models::dto::NewModel;
use crate::models::entity::model;
use crate::models::model::{MOST_MODELS, ModelPrice, base_url, name};
use crate::models::{ModelsContext, ModelsError, store};
use roost_platform::ids::{ModelId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// Adds the model `id`. A repeat with the same id returns the existing model.
///
/// # Errors
/// [`ModelsError::BadAddress`], [`ModelsError::Taken`], [`ModelsError::TooMany`], [`ModelsError::Credential`].
pub async fn add(
    state: &ModelsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ModelId,
    new: NewModel,
) -> Result<model::Model, ModelsError> {
    if let Some(present) = store::get(state.db.read(), scope, id).await? {
        return Ok(present);
    }
    let base = base_url(new.provider, new.base_url.as_deref()).map_err(ModelsError::BadAddress)?;
    let checked = state.outbound.check(&base);
    checked.map_err(|error| ModelsError::BadAddress(error.to_string()))?;
    let (input_price, output_price) = ModelPrice::stored(new.price);
    let row = model::Model {
        id,
        workspace_id: scope.workspace(),
        provider: new.provider.as_str().to_owned(),
        model: new.model,
        base_url: base.to_string(),
        secret_reference: format!("models/{id}/api_key"),
        has_key: new.api_key.is_some(),
        input_price,
        output_price,
        context_tokens: new.context_tokens.map(i64::from),
        is_default: new.is_default,
        created_by: user,
        created_at: state.clock.now(),
        version: 1,
    };
    room_for(state.db.read(), scope, &row).await?;
    let key = credential(
        record_name(&row)?,
        new.provider,
        &base,
        new.api_key.as_ref(),
    );
    let placed = state.credentials.place(key).await?;

    let mut change = Change::begin(state, scope, user).await?;
    // Hold the workspace: two models of one name, or two at the limit, cannot be added at the same time.
    if !workspaces::lock(&change, scope).await? {
        return Err(ModelsError::None);
    }
    room_for(change.tx(), scope, &row).await?;
    placed.keep(&change).await?;
    if row.is_default {
        no_other_default(&mut change).await?;
    }
    store::insert(&change, row.clone()).await?;
    write_down(&mut change, &row, "models.added");
    change.commit().await?;
    Ok(row)
}

async fn room_for(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    row: &model::Model,
) -> Result<(), ModelsError> {
    let there = store::named(db, scope, &row.provider, &row.model).await?;
    if there.is_some() {
        return Err(ModelsError::Taken {
            name: name(&row.provider, &row.model),
        });
    }
    match store::count(db, scope).await? < MOST_MODELS {
        true => Ok(()),
        false => Err(ModelsError::TooMany { most: MOST_MODELS }),
    }
}

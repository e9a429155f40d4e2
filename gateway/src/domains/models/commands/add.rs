//! Adding a model. The key is with the broker before the row is there; whoever dies in between leaves nothing behind,
//! because the outbox forgets what nobody kept.

use sea_orm::ConnectionTrait;

use super::{BETWEEN, credential, no_other_default, record_name, write_down};
use crate::broker::outbox;
use crate::domains::auth::WorkspaceScope;
use crate::domains::models::dto::NewModel;
use crate::domains::models::entity::model;
use crate::domains::models::model::{MOST_MODELS, ModelPrice, base_url, name};
use crate::domains::models::routes::ModelsState;
use crate::domains::models::{ModelsError, store};
use crate::domains::workspaces;
use crate::ids::{ModelId, UserId};

/// Adds the model `id`. Repeated with the same id it answers what is there.
///
/// # Errors
/// [`ModelsError::BadAddress`], [`ModelsError::Taken`], [`ModelsError::TooMany`], [`ModelsError::Broker`].
pub async fn add(
    state: &ModelsState,
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
        has_key: new.key.is_some(),
        input_price,
        output_price,
        is_default: new.is_default,
        created_by: user,
        created_at: state.clock.now(),
        version: 1,
    };
    let record = record_name(&row)?;
    let tx = state.db.write().await?;
    room_for(&*tx, scope, &row).await?;
    let due = state.clock.now() + BETWEEN;
    outbox::forget_unless_kept(&tx, &record, due).await?;
    tx.commit().await?;
    let kept = credential(record.clone(), new.provider, &base, new.key.as_ref());
    state.broker.store(kept).await?;

    let mut tx = state.db.write().await?;
    // One after the other, so that two of one name, or at the limit, cannot both come in.
    if !workspaces::store::hold(&tx, scope).await? {
        return Err(ModelsError::None);
    }
    room_for(&*tx, scope, &row).await?;
    if !outbox::keep(&tx, &record).await? {
        return Err(ModelsError::TooSlow);
    }
    if row.is_default {
        no_other_default(&mut tx, scope, state.clock.now()).await?;
    }
    store::insert(&tx, row.clone()).await?;
    write_down(state, &mut tx, (scope, user), &row, "models.added").await?;
    tx.commit().await?;
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

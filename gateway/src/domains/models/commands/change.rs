//! Changing a model: its price, its key, whether it is the default.

use url::Url;

use super::{credential, no_other_default, record_name, write_down};
use crate::domains::auth::WorkspaceScope;
use crate::domains::models::dto::ModelChange;
use crate::domains::models::entity::model;
use crate::domains::models::model::ModelPrice;
use crate::domains::models::routes::ModelsState;
use crate::domains::models::{ModelsError, store};
use crate::domains::runtime::models::Provider;
use crate::domains::workspaces;
use crate::ids::{ModelId, UserId};

/// Changes it. A new key takes the old one's place at the broker, for the same address, before the row says so.
///
/// # Errors
/// [`ModelsError::None`], [`ModelsError::Broker`].
pub async fn change(
    state: &ModelsState,
    scope: WorkspaceScope,
    user: UserId,
    id: ModelId,
    change: ModelChange,
) -> Result<model::Model, ModelsError> {
    let present = store::get(state.db.read(), scope, id).await?;
    let present = present.ok_or(ModelsError::None)?;
    if let Some(key) = &change.key {
        let provider = Provider::from_stored(&present.provider).ok_or(ModelsError::None)?;
        let base = Url::parse(&present.base_url)
            .map_err(|error| ModelsError::BadAddress(error.to_string()))?;
        let kept = credential(record_name(&present)?, provider, &base, Some(key));
        state.broker.store(kept).await?;
    }
    let mut tx = state.db.write().await?;
    if !workspaces::store::hold(&tx, scope).await? {
        return Err(ModelsError::None);
    }
    let row = store::get(&*tx, scope, id).await?;
    let Some(mut row) = row else {
        // It went while its key was on the way: that must not stay either.
        crate::broker::outbox::forget(&tx, &record_name(&present)?, state.clock.now()).await?;
        tx.commit().await?;
        state.credentials.nudge();
        return Err(ModelsError::None);
    };
    if change.key.is_some() {
        row.has_key = true;
    }
    if let Some(price) = change.price {
        (row.input_price, row.output_price) = ModelPrice::stored(price);
    }
    if let Some(is_default) = change.is_default {
        if is_default && !row.is_default {
            no_other_default(&mut tx, scope, state.clock.now()).await?;
        }
        row.is_default = is_default;
    }
    row.version += 1;
    store::update(&tx, row.clone()).await?;
    write_down(state, &mut tx, (scope, user), &row, "models.changed").await?;
    tx.commit().await?;
    Ok(row)
}

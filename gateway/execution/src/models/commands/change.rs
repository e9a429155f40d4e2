//! Changes a model: its price, its key, whether it is the default.

use url::Url;

use super::{credential, no_other_default, record_name, write_down};
use crate::models::dto::ModelChange;
use crate::models::entity::model;
use crate::models::model::ModelPrice;
use crate::models::{ModelsContext, ModelsError, store};
use crate::providers::Provider;
use roost_platform::ids::{ModelId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// Changes a model. The broker replaces the old key, for the same address, before the row is written. `over` is the
/// version that the person saw.
///
/// # Errors
/// [`ModelsError::None`], [`ModelsError::VersionMismatch`], [`ModelsError::Credential`].
pub async fn change(
    state: &ModelsContext,
    scope: WorkspaceScope,
    user: UserId,
    (id, over): (ModelId, Option<i64>),
    wanted: ModelChange,
) -> Result<model::Model, ModelsError> {
    let present = store::get(state.db.read(), scope, id).await?;
    let present = present.ok_or(ModelsError::None)?;
    based_on(&present, over)?;
    if let Some(key) = &wanted.api_key {
        let provider = Provider::from_stored(&present.provider).ok_or(ModelsError::None)?;
        let base = Url::parse(&present.base_url)
            .map_err(|error| ModelsError::BadAddress(error.to_string()))?;
        let kept = credential(record_name(&present)?, provider, &base, Some(key));
        state.credentials.replace(kept).await?;
    }
    let mut change = Change::begin(state, scope, user).await?;
    if !workspaces::lock(&change, scope).await? {
        return Err(ModelsError::None);
    }
    let row = store::get(change.tx(), scope, id).await?;
    let Some(mut row) = row else {
        // The model was removed while the broker stored its new key. Delete that key too.
        let key = record_name(&present)?;
        state.credentials.forget(&mut change, &key).await?;
        change.commit().await?;
        return Err(ModelsError::None);
    };
    // A key that was replaced above stays: the person of the other change saw no key.
    if wanted.api_key.is_none() {
        based_on(&row, over)?;
    }
    if wanted.api_key.is_some() {
        row.has_key = true;
    }
    if let Some(price) = wanted.price {
        (row.input_price, row.output_price) = ModelPrice::stored(price);
    }
    if let Some(tokens) = wanted.context_tokens {
        row.context_tokens = tokens.map(i64::from);
    }
    if let Some(is_default) = wanted.is_default {
        if is_default && !row.is_default {
            no_other_default(&mut change).await?;
        }
        row.is_default = is_default;
    }
    row.version += 1;
    store::update(&change, row.clone()).await?;
    let action = match wanted.api_key {
        Some(_) => "models.rekeyed",
        None => "models.changed",
    };
    write_down(&mut change, &row, action);
    change.commit().await?;
    Ok(row)
}

fn based_on(row: &model::Model, over: Option<i64>) -> Result<(), ModelsError> {
    match over {
        Some(version) if version != row.version => Err(ModelsError::VersionMismatch {
            current: row.version,
        }),
        _ => Ok(()),
    }
}

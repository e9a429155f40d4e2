//! Soft-deletes a template of the workspace. It disappears from the lists, and agents that were made from it stay
//! unchanged.

use super::{By, note};
use crate::organisation::templates::entity::template;
use crate::organisation::templates::store;
use crate::organisation::templates::{TemplateError, TemplatesContext};
use crate::platform::ids::TemplateId;

/// Deletes the template.
///
/// # Errors
/// [`TemplateError::NotFound`] (also when it is deleted already), [`TemplateError::Builtin`].
pub async fn delete(state: &TemplatesContext, by: By, id: TemplateId) -> Result<(), TemplateError> {
    let mut tx = state.db.write().await?;
    let present = store::get(&*tx, by.scope, id)
        .await?
        .ok_or(TemplateError::NotFound)?
        .row;
    if present.workspace_id.is_none() {
        return Err(TemplateError::Builtin);
    }
    let from = present.version;
    let row = template::Model {
        deleted_at: Some(by.now),
        updated_at: by.now,
        ..present
    };
    if !store::replace(&*tx, &row, from).await? {
        return Err(TemplateError::VersionMismatch { current: from + 1 });
    }
    note(
        state,
        &mut tx,
        by,
        &row,
        ("template.deleted", serde_json::json!({})),
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

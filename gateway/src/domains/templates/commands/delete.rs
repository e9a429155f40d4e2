//! Deleting a template of the workspace's own, softly: it leaves the lists, and agents that were made from it go on as
//! they are.

use super::{By, note};
use crate::domains::templates::TemplateError;
use crate::domains::templates::entity::template;
use crate::domains::templates::routes::TemplatesState;
use crate::domains::templates::store;
use crate::ids::TemplateId;

/// Deletes it.
///
/// # Errors
/// [`TemplateError::NotFound`] (also when it is deleted already), [`TemplateError::Builtin`].
pub async fn delete(state: &TemplatesState, by: By, id: TemplateId) -> Result<(), TemplateError> {
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

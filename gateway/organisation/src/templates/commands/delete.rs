//! Soft-deletes a template of the workspace. It disappears from the lists, and agents that were made from it stay
//! unchanged.

use super::{By, note};
use crate::templates::entity::template;
use crate::templates::store;
use crate::templates::{TemplateError, TemplatesContext};
use roost_platform::ids::TemplateId;
use roost_tenancy::change::Change;

/// Deletes the template.
///
/// # Errors
/// [`TemplateError::NotFound`] (also when it is deleted already), [`TemplateError::Builtin`].
pub async fn delete(state: &TemplatesContext, by: By, id: TemplateId) -> Result<(), TemplateError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let present = store::get(change.tx(), by.scope, id)
        .await?
        .ok_or(TemplateError::NotFound)?
        .row;
    if present.workspace_id.is_none() {
        return Err(TemplateError::Builtin);
    }
    let from = present.version;
    let row = template::Model {
        deleted_at: Some(change.now()),
        updated_at: change.now(),
        ..present
    };
    if !store::replace(change.tx(), &row, from).await? {
        return Err(TemplateError::VersionMismatch { current: from + 1 });
    }
    note(&mut change, &row, "template.deleted", serde_json::json!({}));
    change.commit().await?;
    Ok(())
}

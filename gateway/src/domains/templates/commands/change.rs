//! Changing a template of the workspace's own: a new version, optionally only over the one that the client saw.

use super::{By, note};
use crate::domains::templates::TemplateError;
use crate::domains::templates::model::{Content, MOST_VERSIONS};
use crate::domains::templates::routes::TemplatesState;
use crate::domains::templates::store::{self, Template};
use crate::domains::templates::versions::{self, About, Over};
use crate::ids::TemplateId;

/// Writes a content over the present version, or over `if_version` alone. The same content again is no new version.
///
/// # Errors
/// [`TemplateError::NotFound`], [`TemplateError::Builtin`], [`TemplateError::VersionMismatch`],
/// [`TemplateError::TooManyVersions`].
pub async fn change(
    state: &TemplatesState,
    by: By,
    id: TemplateId,
    if_version: Option<i64>,
    content: Content,
) -> Result<Template, TemplateError> {
    let mut tx = state.db.write().await?;
    let present = store::get(&*tx, by.scope, id)
        .await?
        .ok_or(TemplateError::NotFound)?;
    if present.row.workspace_id.is_none() {
        return Err(TemplateError::Builtin);
    }
    if present.content() == content {
        return Ok(present);
    }
    let from = present.row.version;
    if if_version.is_some_and(|version| version != from) {
        return Err(TemplateError::VersionMismatch { current: from });
    }
    if from >= MOST_VERSIONS {
        return Err(TemplateError::TooManyVersions {
            most: MOST_VERSIONS,
        });
    }
    let about = About {
        id,
        scope: Some(by.scope),
        key: present.row.key,
        version: from + 1,
        created_at: present.row.created_at,
        now: by.now,
        author: by.user,
    };
    let row = versions::write(&tx, &about, &content, Over::Version(from))
        .await?
        // PostgreSQL: another transaction was faster between our read and our write.
        .ok_or(TemplateError::VersionMismatch { current: from + 1 })?;
    note(
        state,
        &mut tx,
        by,
        &row,
        ("template.changed", serde_json::json!({})),
    )
    .await?;
    tx.commit().await?;
    let roles = content.roles;
    Ok(Template { row, roles })
}

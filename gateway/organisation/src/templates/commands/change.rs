//! Changes a template of the workspace: writes a new version, optionally only over the version that the client read.

use super::{By, note};
use crate::templates::model::{Content, MOST_VERSIONS};
use crate::templates::store::{self, Template};
use crate::templates::versions::{self, About, Over};
use crate::templates::{TemplateError, TemplatesContext};
use roost_platform::ids::TemplateId;
use roost_tenancy::change::Change;

/// Writes a content over the present version, or only over `if_version`. The same content again makes no new version.
///
/// # Errors
/// [`TemplateError::NotFound`], [`TemplateError::Builtin`], [`TemplateError::VersionMismatch`],
/// [`TemplateError::TooManyVersions`].
pub async fn change(
    state: &TemplatesContext,
    by: By,
    id: TemplateId,
    if_version: Option<i64>,
    content: Content,
) -> Result<Template, TemplateError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let present = store::get(change.tx(), by.scope, id)
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
        now: change.now(),
        author: by.user,
    };
    let row = versions::write(&change, &about, &content, Over::Version(from))
        .await?
        // PostgreSQL: another transaction wrote between this transaction's read and write.
        .ok_or(TemplateError::VersionMismatch { current: from + 1 })?;
    note(&mut change, &row, "template.changed", serde_json::json!({}));
    change.commit().await?;
    let roles = content.roles;
    Ok(Template { row, roles })
}

//! Creates a template of the workspace, from nothing or from a copy.

use super::{By, note};
use crate::templates::dto::NewTemplate;
use crate::templates::model::MOST_TEMPLATES;
use crate::templates::store::{self, Template};
use crate::templates::versions::{self, About, Over};
use crate::templates::{TemplateError, TemplatesContext};
use roost_platform::db::unique_violation;
use roost_platform::ids::TemplateId;
use roost_tenancy::change::Change;

/// Creates the template `id`. A repeat with the same id (an idempotent retry after a crash) returns the existing
/// template.
///
/// # Errors
/// [`TemplateError::NoSource`], [`TemplateError::Incomplete`], [`TemplateError::KeyTaken`], [`TemplateError::TooMany`].
pub async fn create(
    state: &TemplatesContext,
    by: By,
    id: TemplateId,
    new: NewTemplate,
) -> Result<Template, TemplateError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    if let Some(present) = store::get(change.tx(), by.scope, id).await? {
        return Ok(present);
    }
    let source = match new.from {
        None => None,
        Some(from) => Some(
            store::get(change.tx(), by.scope, from)
                .await?
                .ok_or(TemplateError::NoSource)?,
        ),
    };
    let content = new
        .content(source.as_ref().map(Template::content))
        .map_err(TemplateError::Incomplete)?;
    if store::has_key(change.tx(), by.scope, &new.key).await? {
        return Err(TemplateError::KeyTaken);
    }
    if store::count(change.tx(), by.scope).await? >= MOST_TEMPLATES {
        return Err(TemplateError::TooMany {
            most: MOST_TEMPLATES,
        });
    }
    let about = About {
        id,
        scope: Some(by.scope),
        key: new.key,
        version: 1,
        created_at: change.now(),
        now: change.now(),
        author: by.user,
    };
    let written = versions::write(&change, &about, &content, Over::Nothing).await;
    let row = written
        .map_err(|error| match unique_violation(&error) {
            // PostgreSQL: another transaction wrote between this transaction's read and write.
            true => TemplateError::KeyTaken,
            false => error.into(),
        })?
        .ok_or(TemplateError::KeyTaken)?;
    let details = match &source {
        None => serde_json::json!({}),
        Some(source) => serde_json::json!({
            "from": source.row.name, "from_id": source.row.id, "from_version": source.row.version,
        }),
    };
    note(&mut change, &row, "template.created", details);
    change.commit().await?;
    let roles = content.roles;
    Ok(Template { row, roles })
}

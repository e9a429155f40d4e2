//! Changing an agent, optionally only if it still has the version that the client saw.

use crate::claws::dto::ClawChange;
use crate::claws::entity::claw;
use crate::claws::{ClawError, ClawsContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Applies the change to the present version, or only to `if_version`.
///
/// # Errors
/// [`ClawError::NotFound`], [`ClawError::VersionMismatch`], [`ClawError::NameTaken`].
pub async fn change(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
    if_version: Option<i64>,
    wanted: ClawChange,
) -> Result<claw::Model, ClawError> {
    let mut change = Change::begin(state, scope, user).await?;
    let present = store::get(change.tx(), scope, id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(ClawError::NotFound)?;
    let from = present.version;
    if if_version.is_some_and(|version| version != from) {
        return Err(ClawError::VersionMismatch { current: from });
    }
    let (row, changed) = applied(present, wanted);
    if changed.is_empty() {
        return Ok(row);
    }
    let row = claw::Model {
        updated_at: change.now(),
        version: from + 1,
        ..row
    };
    if changed.contains(&"name") && store::is_called(change.tx(), scope, &row.name).await? {
        return Err(ClawError::NameTaken { name: row.name });
    }
    let replaced = store::replace(change.tx(), &row, from).await;
    if !replaced.map_err(|error| ClawError::of_write(error, &row.name))? {
        // PostgreSQL: another transaction was faster between the read and the write.
        return Err(ClawError::VersionMismatch { current: from + 1 });
    }
    let details = serde_json::json!({ "fields": changed });
    change.record("claw.changed", ("claw", &id), details);
    change.event(Event::changed(ResourceKind::Claw, id, row.version));
    change.commit().await?;
    Ok(row)
}

/// The row with the change applied, and the names of the changed fields.
fn applied(mut row: claw::Model, change: ClawChange) -> (claw::Model, Vec<&'static str>) {
    let mut changed = Vec::new();
    let mut put = |name, field: &mut Option<String>, value: Option<Option<String>>| {
        if let Some(value) = value
            && *field != value
        {
            *field = value;
            changed.push(name);
        }
    };
    put("role", &mut row.role, change.role);
    put(
        "system_prompt",
        &mut row.system_prompt,
        change.system_prompt,
    );
    put(
        "model_binding",
        &mut row.model_binding,
        change.model_binding,
    );
    if let Some(name) = change.name.map(|name| name.trim().to_owned())
        && row.name != name
    {
        row.name = name;
        changed.push("name");
    }
    (row, changed)
}

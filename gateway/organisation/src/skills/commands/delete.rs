//! Soft-deletes a skill of the workspace. Roles and agents that have it continue without it, or with the built-in
//! skill of its name.

use super::{By, note};
use crate::skills::entity::skill;
use crate::skills::{SkillError, SkillsContext, store};
use roost_platform::ids::SkillId;
use roost_tenancy::change::Change;

/// Deletes the skill. Nothing changes when it is already deleted.
///
/// # Errors
/// [`SkillError::NotFound`], [`SkillError::Builtin`], [`SkillError::VersionMismatch`].
pub async fn delete(state: &SkillsContext, by: By, id: SkillId) -> Result<(), SkillError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let present = store::get(change.tx(), by.scope, id)
        .await?
        .ok_or(SkillError::NotFound)?;
    if present.workspace_id.is_none() {
        return Err(SkillError::Builtin);
    }
    if present.deleted_at.is_some() {
        return Ok(());
    }
    let from = present.current_version;
    let row = skill::Model {
        deleted_at: Some(change.now()),
        updated_at: change.now(),
        ..present
    };
    if !store::replace(change.tx(), &row, from).await? {
        return Err(SkillError::VersionMismatch { current: from + 1 });
    }
    note(&mut change, &row, "skill.deleted", None);
    change.commit().await?;
    Ok(())
}

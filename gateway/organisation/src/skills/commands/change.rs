//! Changes a skill of the workspace: writes a new version, optionally only over the version that the client read.

use super::{By, check_origin, record, says_the_same, written};
use crate::skills::dto::SkillText;
use crate::skills::entity::skill;
use crate::skills::{SkillError, SkillsContext, store};
use roost_platform::ids::SkillId;
use roost_tenancy::change::Change;

/// Writes a text over the present version, or only over `if_version`. The same text again makes no new version.
///
/// # Errors
/// [`SkillError::NotFound`], [`SkillError::Builtin`], [`SkillError::VersionMismatch`], [`SkillError::NoOrigin`].
pub async fn change(
    state: &SkillsContext,
    by: By,
    id: SkillId,
    if_version: Option<i64>,
    text: SkillText,
) -> Result<skill::Model, SkillError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    check_origin(&change, text.promoted_from.as_ref()).await?;
    let row = write(&mut change, id, if_version, (text, None)).await?;
    change.commit().await?;
    Ok(row)
}

/// Restores an earlier version as a new version.
///
/// # Errors
/// As [`change`]; [`SkillError::NoVersion`].
pub async fn restore(
    state: &SkillsContext,
    by: By,
    id: SkillId,
    number: i64,
    if_version: Option<i64>,
) -> Result<skill::Model, SkillError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let earlier = store::version(change.tx(), by.scope, id, number)
        .await?
        .ok_or(SkillError::NoVersion)?;
    let text = SkillText::of_version(earlier);
    let row = write(&mut change, id, if_version, (text, Some(number))).await?;
    change.commit().await?;
    Ok(row)
}

async fn write(
    change: &mut Change,
    id: SkillId,
    if_version: Option<i64>,
    (text, restored_from): (SkillText, Option<i64>),
) -> Result<skill::Model, SkillError> {
    let present = store::get(change.tx(), change.scope(), id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(SkillError::NotFound)?;
    if present.workspace_id.is_none() {
        return Err(SkillError::Builtin);
    }
    let from = present.current_version;
    let row = written(present.clone(), &text, change.now());
    if says_the_same(&present, &row) {
        return Ok(present);
    }
    if if_version.is_some_and(|version| version != from) {
        return Err(SkillError::VersionMismatch { current: from });
    }
    let row = skill::Model {
        current_version: from + 1,
        ..row
    };
    if !store::replace(change.tx(), &row, from).await? {
        return Err(SkillError::VersionMismatch { current: from + 1 });
    }
    let origin = text.promoted_from.as_ref();
    record(change, &row, ("skill.changed", origin, restored_from)).await?;
    Ok(row)
}

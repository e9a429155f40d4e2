//! Changes a skill of the workspace: writes a new version, optionally only over the version that the client read.

use super::{By, check_origin, record, says_the_same, written};
use crate::organisation::skills::dto::SkillText;
use crate::organisation::skills::entity::skill;
use crate::organisation::skills::{SkillError, SkillsContext, store};
use crate::platform::db::WriteTx;
use crate::platform::ids::SkillId;

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
    let mut tx = state.db.write().await?;
    check_origin(&tx, by, text.promoted_from.as_ref()).await?;
    let row = write(state, &mut tx, by, id, if_version, (text, None)).await?;
    tx.commit().await?;
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
    let mut tx = state.db.write().await?;
    let earlier = store::version(&*tx, by.scope, id, number)
        .await?
        .ok_or(SkillError::NoVersion)?;
    let text = SkillText::of_version(earlier);
    let row = write(state, &mut tx, by, id, if_version, (text, Some(number))).await?;
    tx.commit().await?;
    Ok(row)
}

async fn write(
    state: &SkillsContext,
    tx: &mut WriteTx,
    by: By,
    id: SkillId,
    if_version: Option<i64>,
    (text, restored_from): (SkillText, Option<i64>),
) -> Result<skill::Model, SkillError> {
    let present = store::get(&**tx, by.scope, id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(SkillError::NotFound)?;
    if present.workspace_id.is_none() {
        return Err(SkillError::Builtin);
    }
    let from = present.current_version;
    let row = written(present.clone(), &text, by.now);
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
    if !store::replace(&**tx, &row, from).await? {
        return Err(SkillError::VersionMismatch { current: from + 1 });
    }
    let origin = text.promoted_from.as_ref();
    record(
        state,
        tx,
        by,
        &row,
        ("skill.changed", origin, restored_from),
    )
    .await?;
    Ok(row)
}

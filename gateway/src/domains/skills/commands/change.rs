//! Changing a skill of the workspace's own: a new version, optionally only over the one that the client saw.

use super::{By, check_origin, record, says_the_same, written};
use crate::db::WriteTx;
use crate::domains::skills::dto::SkillText;
use crate::domains::skills::entity::skill;
use crate::domains::skills::routes::SkillsState;
use crate::domains::skills::{SkillError, store};
use crate::ids::SkillId;

/// Writes a text over the present version, or over `if_version` alone. The same text again is no new version.
///
/// # Errors
/// [`SkillError::NotFound`], [`SkillError::Builtin`], [`SkillError::VersionMismatch`], [`SkillError::NoOrigin`].
pub async fn change(
    state: &SkillsState,
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

/// Takes an earlier version back, as a new one.
///
/// # Errors
/// As [`change`]; [`SkillError::NoVersion`].
pub async fn restore(
    state: &SkillsState,
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
    state: &SkillsState,
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

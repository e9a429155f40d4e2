//! Creates a skill of the workspace. A name is always the same skill there: after a deletion and a new creation, its
//! history continues.

use super::{By, check_origin, record, says_the_same, written};
use crate::skills::dto::NewSkill;
use crate::skills::entity::skill;
use crate::skills::model::{MOST_SKILLS, SourceKind, Visibility, workspace_id};
use crate::skills::{SkillError, SkillsContext, store};
use roost_platform::db::unique_violation;
use roost_tenancy::change::Change;

/// Creates the skill. A repeat of the same request (after a lost answer) returns the existing skill.
///
/// # Errors
/// [`SkillError::NameTaken`], [`SkillError::BuiltinName`], [`SkillError::TooMany`], [`SkillError::NoOrigin`].
pub async fn create(
    state: &SkillsContext,
    by: By,
    new: NewSkill,
) -> Result<skill::Model, SkillError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let row = create_in(&mut change, new).await?;
    change.commit().await?;
    Ok(row)
}

/// As [`create`], as part of a larger change.
///
/// # Errors
/// As [`create`].
pub async fn create_in(change: &mut Change, new: NewSkill) -> Result<skill::Model, SkillError> {
    let (now, scope) = (change.now(), change.scope());
    let workspace = scope.workspace();
    let id = workspace_id(workspace, &new.name);
    let there = store::get(change.tx(), scope, id).await?;
    let version = there.as_ref().map_or(1, |row| row.current_version + 1);
    let empty = skill::Model {
        id,
        workspace_id: Some(workspace),
        name: new.name.clone(),
        title: String::new(),
        when_to_use: String::new(),
        tags: String::new(),
        source_kind: SourceKind::Authored.as_str().to_owned(),
        visibility: Visibility::Workspace.as_str().to_owned(),
        foundation: false,
        current_version: version,
        body: String::new(),
        created_at: there.as_ref().map_or(now, |row| row.created_at),
        updated_at: now,
        deleted_at: None,
    };
    let text = new.text();
    let row = written(empty, &text, now);
    if let Some(present) = there.as_ref().filter(|row| row.deleted_at.is_none()) {
        return match says_the_same(present, &row) {
            true => Ok(present.clone()),
            false => Err(SkillError::NameTaken),
        };
    }
    let builtin = store::builtin(change.tx(), Some(&new.name)).await?;
    if !builtin.is_empty() && !new.in_place_of_builtin {
        return Err(SkillError::BuiltinName);
    }
    if store::count(change.tx(), scope).await? >= MOST_SKILLS {
        return Err(SkillError::TooMany { most: MOST_SKILLS });
    }
    let origin = text.promoted_from.as_ref();
    check_origin(change, origin).await?;
    match there {
        None => store::insert(change.tx(), row.clone())
            .await
            .map_err(|error| match unique_violation(&error) {
                true => SkillError::NameTaken,
                false => error.into(),
            })?,
        Some(deleted) => {
            if !store::replace(change.tx(), &row, deleted.current_version).await? {
                return Err(SkillError::NameTaken);
            }
        }
    }
    record(change, &row, ("skill.created", origin, None)).await?;
    Ok(row)
}

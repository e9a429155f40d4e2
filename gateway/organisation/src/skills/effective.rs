//! The skills that an agent has in a role.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::model::{EffectiveSet, Role, merge};
use super::{store, store_choices};
use roost_platform::ids::{ClawId, SkillId};
use roost_tenancy::auth::WorkspaceScope;

/// The skills that an agent has in a role, with its own choices, and the skipped ones with the reasons. Without a role the
/// agent has only what it chose.
///
/// # Errors
/// When the database fails.
pub async fn set_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    role: Option<Role>,
) -> Result<EffectiveSet, DbErr> {
    let bound = match &role {
        Some(role) => store_choices::of_role(db, scope, role).await?,
        None => Vec::new(),
    };
    let choices: Vec<(SkillId, bool)> = store_choices::of_agent(db, scope, agent)
        .await?
        .into_iter()
        .map(|row| (row.skill_id, row.include))
        .collect();
    let ids: BTreeSet<SkillId> = choices
        .iter()
        .map(|one| one.0)
        .chain(bound.iter().filter_map(|one| one.skill))
        .collect();
    let mut names: BTreeSet<String> = bound.iter().map(|one| one.name.clone()).collect();
    // A skill that was chosen by its id may be replaced by another skill of its name.
    let chosen = store::known(db, scope, BTreeSet::new(), ids).await?;
    names.extend(chosen.into_iter().map(|row| row.name));
    let rows = store::known(db, scope, names, BTreeSet::new()).await?;
    Ok(EffectiveSet {
        role,
        ..merge(&bound, &choices, &rows)
    })
}

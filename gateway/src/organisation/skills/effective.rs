//! The effective skills of an agent: the runtime puts them into its context, and the skills server serves them.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::model::{EffectiveSet, EffectiveSkill, Role, Why, merge};
use super::{store, store_choices};
use crate::organisation::templates;
use crate::platform::ids::{ClawId, SkillId};
use crate::tenancy::auth::WorkspaceScope;

/// The skills of an agent, from its role in the template version that it was made from and its own choices. Skills
/// that are named but missing are logged.
///
/// # Errors
/// When the database fails.
pub async fn effective(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<Vec<EffectiveSkill>, DbErr> {
    let set = set_of(db, scope, agent, None).await?;
    for (skill, why) in set.skipped.iter().filter(|one| one.1 != Why::Excluded) {
        tracing::info!(%agent, %skill, ?why, "the gateway skips a skill of the agent");
    }
    Ok(set.items)
}

/// As above, with the skipped skills, and optionally for another role than the agent's own.
///
/// # Errors
/// When the database fails.
pub async fn set_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    role: Option<Role>,
) -> Result<EffectiveSet, DbErr> {
    let role = match role {
        Some(role) => Some(role),
        None => templates::link::of(db, scope, agent)
            .await?
            .map(|link| Role {
                template_id: link.template_id,
                template_version: link.template_version,
                role_slot: link.role_slot,
            }),
    };
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

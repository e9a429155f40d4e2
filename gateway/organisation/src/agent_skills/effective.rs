//! The effective skills of an agent: the runtime puts them into its context, and the skills server serves them.

use sea_orm::{ConnectionTrait, DbErr};

use crate::skills::{self, EffectiveSet, EffectiveSkill, Role, Why};
use crate::templates;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

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
    let set = set_of(db, scope, agent).await?;
    for (skill, why) in set.skipped.iter().filter(|one| one.1 != Why::Excluded) {
        tracing::info!(%agent, %skill, ?why, "the gateway skips a skill of the agent");
    }
    Ok(set.items)
}

/// As above, with the skipped skills.
///
/// # Errors
/// When the database fails.
pub(super) async fn set_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<EffectiveSet, DbErr> {
    let link = templates::link::of(db, scope, agent).await?;
    let role = link.map(|link| Role {
        template_id: link.template_id,
        template_version: link.template_version,
        role_slot: link.role_slot,
    });
    skills::set_of(db, scope, agent, role).await
}

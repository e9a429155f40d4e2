//! The choices for one agent: skills that are added to its role's skills, or excluded.

use super::By;
use crate::skills::entity::{choice, skill};
use crate::skills::model::MOST_CHOICES;
use crate::skills::{SkillError, SkillsContext, store, store_choices};
use roost_agents::claws::{self, ClawRow};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, SkillId};
use roost_tenancy::change::Change;

/// Adds a skill to an agent, or excludes it. The last choice applies.
///
/// # Errors
/// [`SkillError::NoClaw`], [`SkillError::NotFound`], [`SkillError::TooManyChoices`].
pub async fn choose(
    state: &SkillsContext,
    by: By,
    agent: ClawId,
    id: SkillId,
    include: bool,
) -> Result<(), SkillError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    if choose_in(&mut change, agent, id, include).await? {
        change.commit().await?;
    }
    Ok(())
}

/// As [`choose`], as part of a larger change. `false` when the choice was made before.
///
/// # Errors
/// As [`choose`].
pub async fn choose_in(
    change: &mut Change,
    agent: ClawId,
    id: SkillId,
    include: bool,
) -> Result<bool, SkillError> {
    let scope = change.scope();
    let (claw, skill) = both(change, agent, id).await?;
    if skill.deleted_at.is_some() {
        return Err(SkillError::NotFound);
    }
    let present = store_choices::of_agent(change.tx(), scope, agent).await?;
    let same = |row: &choice::Model| row.skill_id == id && row.include == include;
    if present.iter().any(same) {
        return Ok(false);
    }
    let again = present.iter().any(|row| row.skill_id == id);
    if !again && present.len() >= MOST_CHOICES {
        return Err(SkillError::TooManyChoices { most: MOST_CHOICES });
    }
    let row = choice::Model {
        agent_id: agent,
        skill_id: id,
        workspace_id: scope.workspace(),
        include,
    };
    store_choices::choose(change.tx(), row).await?;
    let action = if include {
        "skill.added"
    } else {
        "skill.excluded"
    };
    note(change, &claw, &skill, action);
    Ok(true)
}

/// Removes a choice, so that the role's default applies again. Without a choice, nothing changes.
///
/// # Errors
/// [`SkillError::NoClaw`], [`SkillError::NotFound`].
pub async fn take_back(
    state: &SkillsContext,
    by: By,
    agent: ClawId,
    id: SkillId,
) -> Result<(), SkillError> {
    let mut change = Change::begin(state, by.scope, by.user).await?;
    let (claw, skill) = both(&change, agent, id).await?;
    if store_choices::take_back(change.tx(), by.scope, agent, id).await? {
        note(&mut change, &claw, &skill, "skill.reset");
        change.commit().await?;
    }
    Ok(())
}

async fn both(
    change: &Change,
    agent: ClawId,
    id: SkillId,
) -> Result<(ClawRow, skill::Model), SkillError> {
    let (tx, scope) = (change.tx(), change.scope());
    // Hold the agent, so that a purge cannot miss a choice that is made at the same time.
    if !claws::lock_living(tx, scope, agent).await? {
        return Err(SkillError::NoClaw);
    }
    let claw = claws::find(tx, scope, agent)
        .await?
        .ok_or(SkillError::NoClaw)?;
    let skill = store::get(tx, scope, id)
        .await?
        .ok_or(SkillError::NotFound)?;
    Ok((claw, skill))
}

fn note(change: &mut Change, claw: &ClawRow, skill: &skill::Model, action: &str) {
    let details = serde_json::json!({
        "name": skill.name, "agent": claw.name, "agent_id": claw.id,
    });
    change.record(action, ("skill", &skill.id), details);
    change.event(Event::changed(ResourceKind::Claw, claw.id, claw.version));
}

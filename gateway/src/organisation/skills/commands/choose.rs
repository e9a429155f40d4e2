//! The choices for one agent: skills that are added to its role's skills, or excluded.

use super::By;
use crate::agents::claws::{self, ClawRow};
use crate::organisation::skills::entity::{choice, skill};
use crate::organisation::skills::model::MOST_CHOICES;
use crate::organisation::skills::{SkillError, SkillsContext, store, store_choices};
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{ClawId, SkillId};
use crate::tenancy::audit;

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
    let mut tx = state.db.write().await?;
    let (claw, skill) = both(&tx, by, agent, id).await?;
    if skill.deleted_at.is_some() {
        return Err(SkillError::NotFound);
    }
    let present = store_choices::of_agent(&*tx, by.scope, agent).await?;
    let same = |row: &choice::Model| row.skill_id == id && row.include == include;
    if present.iter().any(same) {
        return Ok(());
    }
    let again = present.iter().any(|row| row.skill_id == id);
    if !again && present.len() >= MOST_CHOICES {
        return Err(SkillError::TooManyChoices { most: MOST_CHOICES });
    }
    let row = choice::Model {
        agent_id: agent,
        skill_id: id,
        workspace_id: by.scope.workspace(),
        include,
    };
    store_choices::choose(&*tx, row).await?;
    let action = if include {
        "skill.added"
    } else {
        "skill.excluded"
    };
    note(state, &mut tx, by, (&claw, &skill), action).await?;
    tx.commit().await?;
    Ok(())
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
    let mut tx = state.db.write().await?;
    let (claw, skill) = both(&tx, by, agent, id).await?;
    if store_choices::take_back(&*tx, by.scope, agent, id).await? {
        note(state, &mut tx, by, (&claw, &skill), "skill.reset").await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn both(
    tx: &WriteTx,
    by: By,
    agent: ClawId,
    id: SkillId,
) -> Result<(ClawRow, skill::Model), SkillError> {
    // Hold the agent, so that a purge cannot miss a choice that is made at the same time.
    if !claws::hold_living(&**tx, by.scope, agent).await? {
        return Err(SkillError::NoClaw);
    }
    let claw = claws::find(&**tx, by.scope, agent)
        .await?
        .ok_or(SkillError::NoClaw)?;
    let skill = store::get(&**tx, by.scope, id)
        .await?
        .ok_or(SkillError::NotFound)?;
    Ok((claw, skill))
}

async fn note(
    state: &SkillsContext,
    tx: &mut WriteTx,
    by: By,
    (claw, skill): (&ClawRow, &skill::Model),
    action: &str,
) -> Result<(), SkillError> {
    let details = serde_json::json!({
        "name": skill.name, "agent": claw.name, "agent_id": claw.id,
    });
    audit::record(
        tx,
        &state.ids,
        by.now,
        by.scope,
        by.user,
        action,
        ("skill", &skill.id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::Claw, claw.id, claw.version);
    events::append(tx, by.scope.workspace(), by.now, [fact]).await?;
    Ok(())
}

//! The effect of one item, in the transaction of the decision.

use crate::levelups::LevelUpError;
use crate::levelups::model::{Item, Kind};
use roost_agents::claws::brain::{self, Cause, Write};
use roost_agents::claws::{self, ClawError, ClawRow};
use roost_organisation::skills::model::{Origin, PromotedFrom};
use roost_organisation::skills::{self, NewSkill, SkillError};
use roost_platform::events::{Event, ResourceKind};
use roost_tenancy::change::Change;

/// Why an item was not applied.
pub enum Failed {
    /// What it was made from has changed.
    Stale(String),
    Other(LevelUpError),
}

impl From<sea_orm::DbErr> for Failed {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Other(error.into())
    }
}

impl From<ClawError> for Failed {
    fn from(error: ClawError) -> Self {
        match error {
            ClawError::NotFound => Self::Stale("the agent was deleted".to_owned()),
            ClawError::BrainMoved { current } => Self::Stale(format!(
                "the brain has version {current} now: somebody changed it since the proposal was made"
            )),
            ClawError::VersionMismatch { .. } => {
                Self::Stale("the agent was changed at this moment".to_owned())
            }
            other => Self::Other(other.into()),
        }
    }
}

impl From<SkillError> for Failed {
    fn from(error: SkillError) -> Self {
        let reason = match error {
            SkillError::NoClaw | SkillError::NoOrigin => "the agent was deleted",
            SkillError::NotFound => "the skill was deleted",
            SkillError::NameTaken => "another skill of the workspace has this name now",
            SkillError::BuiltinName => "a built-in skill has this name now",
            SkillError::TooMany { .. } => "the workspace has as many skills as it may have",
            SkillError::TooManyChoices { .. } => {
                "as many skills are chosen for this agent as may be"
            }
            other => return Self::Other(other.into()),
        };
        Self::Stale(reason.to_owned())
    }
}

/// Applies one item.
///
/// # Errors
/// [`Failed`].
pub async fn apply(change: &mut Change, item: &Item) -> Result<(), Failed> {
    match item.kind {
        Kind::IdentityRefinement => identity(change, item).await,
        Kind::BrainConsolidation => consolidate(change, item).await,
        Kind::SkillAdd => {
            let (Some(agent), Some(skill)) = (item.agent_id, item.skill_id) else {
                return Err(incomplete());
            };
            skills::choose_in(change, agent, skill, true).await?;
            Ok(())
        }
        Kind::SkillCandidate => candidate(change, item).await,
        // A person makes these changes.
        Kind::RosterChange | Kind::McpBundleChange => Ok(()),
    }
}

/// Replaces the system prompt, when it is still the one that the model read.
async fn identity(change: &mut Change, item: &Item) -> Result<(), Failed> {
    let (Some(agent), Some(after)) = (item.agent_id, &item.after) else {
        return Err(incomplete());
    };
    let present = claws::find(change.tx(), change.scope(), agent)
        .await?
        .filter(|claw| claw.deleted_at.is_none())
        .ok_or(ClawError::NotFound)?;
    if present.system_prompt != item.before {
        return Err(Failed::Stale(
            "the system prompt was changed since the proposal was made".to_owned(),
        ));
    }
    let from = present.version;
    let row = ClawRow {
        system_prompt: Some(after.clone()),
        updated_at: change.now(),
        version: from + 1,
        ..present
    };
    if !claws::replace(change.tx(), &row, from).await? {
        return Err(ClawError::VersionMismatch { current: from + 1 }.into());
    }
    let details = serde_json::json!({ "fields": ["system_prompt"], "item": item.id });
    change.record("claw.changed", ("claw", &agent), details);
    change.event(Event::changed(ResourceKind::Claw, agent, row.version));
    Ok(())
}

/// Overwrites the brain with a new version, over the version that the model read.
async fn consolidate(change: &mut Change, item: &Item) -> Result<(), Failed> {
    let (Some(agent), Some(after)) = (item.agent_id, &item.after) else {
        return Err(incomplete());
    };
    let write = Write {
        agent_md: after.clone(),
        cause: Cause::Consolidation,
        restored_from: None,
        if_version: Some(item.base_version.unwrap_or(0)),
    };
    brain::write_in(change, agent, write).await?;
    Ok(())
}

/// Creates the skill in the workspace. Its id follows from the workspace and the name.
async fn candidate(change: &mut Change, item: &Item) -> Result<(), Failed> {
    let (Some(agent), Some(skill)) = (item.agent_id, item.skill.clone()) else {
        return Err(incomplete());
    };
    let new = NewSkill {
        name: skill.name,
        in_place_of_builtin: false,
        title: skill.title,
        when_to_use: skill.when_to_use,
        tags: skill.tags,
        body: skill.body,
        promoted_from: Some(PromotedFrom {
            kind: Origin::Agent,
            id: agent.to_string(),
        }),
    };
    skills::create_in(change, new).await?;
    Ok(())
}

/// The vetting stores no such item.
fn incomplete() -> Failed {
    Failed::Stale("the stored item is incomplete".to_owned())
}

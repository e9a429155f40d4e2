//! The permissions of an agent as a member of its team, and the sandbox that it works in.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::team;
use super::model::{effective_bundles, effective_profile};
use super::store;
use crate::templates::{self, Content};
use roost_execution::tools::{Bundle, Profile};
use roost_platform::ids::{ClawId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// The effective settings of an agent in a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSettings {
    pub team: Option<TeamId>,
    /// The version of the team's row. The settings are unchanged while this version is unchanged.
    pub version: Option<i64>,
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    /// The agent whose sandbox it works in, when the team shares one.
    pub workbench: Option<ClawId>,
    /// The team's model binding.
    pub model: Option<String>,
    /// The machine for a new sandbox of the agent. The workspace's placement applies when it is absent.
    pub machine: Option<String>,
}

/// The settings of an agent in this team, or in the team that it is a member of. An agent without a team is
/// `toolfree` and has only its skills.
///
/// # Errors
/// When the database fails.
pub async fn effective_settings(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    team: Option<TeamId>,
) -> Result<EffectiveSettings, DbErr> {
    let row = match team {
        Some(team) => store::get(db, scope, team).await?,
        None => store::of_agent(db, scope, agent).await?,
    };
    match row {
        Some(row) => of_team(db, scope, &row).await,
        None => Ok(EffectiveSettings {
            team: None,
            version: None,
            profile: Profile::Toolfree,
            bundles: BTreeSet::from([Bundle::Skills]),
            workbench: None,
            model: None,
            machine: None,
        }),
    }
}

/// The settings of all members of a team.
///
/// # Errors
/// When the database fails.
pub async fn of_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    row: &team::Model,
) -> Result<EffectiveSettings, DbErr> {
    // Use the template version from which the team was made: a newer version must not change permissions silently.
    let template = match (row.template_id, row.template_version) {
        (Some(id), Some(version)) => templates::version(db, scope, id, version).await?,
        _ => None,
    };
    let template = template.and_then(|stored| Content::from_stored(&stored.content).ok());
    let profile = template
        .as_ref()
        .map(|content| content.risk_profile.as_str());
    let own: Vec<String> = serde_json::from_str(&row.mcp_bundles).unwrap_or_default();
    let given = template
        .iter()
        .flat_map(|content| content.mcp_bundles.iter());
    Ok(EffectiveSettings {
        team: Some(row.id),
        version: Some(row.version),
        profile: effective_profile(row.risk_profile.as_deref(), profile),
        bundles: effective_bundles(own.iter().map(String::as_str), given.map(String::as_str)),
        workbench: row.workbench_id,
        model: row.model_binding.clone(),
        machine: row.machine_id.clone(),
    })
}

//! The permissions of an agent as a member of its team, and the sandbox that it works in.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::team;
use super::store;
use crate::templates::{self, Content};
use roost_agents::claws::runtime_record::{self, RecordRow};
use roost_execution::tools::{Bundle, Grant, Profile, effective};
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

/// The settings of an agent in this team, or in the team that it is a member of (the newest one when there are several).
/// An agent without a team has what its record allows.
///
/// # Errors
/// When the database fails.
pub async fn effective_settings(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    team: Option<TeamId>,
) -> Result<EffectiveSettings, DbErr> {
    let record = runtime_record::get(db, scope, agent).await?;
    let own = record.as_ref().map_or_else(Grant::default, of_record);
    let row = match team {
        Some(team) => store::get(db, scope, team).await?,
        None => store::of_agent(db, scope, agent).await?,
    };
    match row {
        Some(row) => with_team(db, scope, &own, &row).await,
        None => {
            let (profile, bundles) = effective(&own, None, None);
            Ok(EffectiveSettings {
                team: None,
                version: None,
                profile,
                bundles,
                workbench: None,
                model: None,
                machine: None,
            })
        }
    }
}

/// The settings that a team gives to all its members. Each member adds what its own record grants.
///
/// # Errors
/// When the database fails.
pub async fn of_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    row: &team::Model,
) -> Result<EffectiveSettings, DbErr> {
    with_team(db, scope, &Grant::default(), row).await
}

fn of_record(record: &RecordRow) -> Grant {
    let bundles = Bundle::from_stored(&record.mcp_bundles);
    Grant::from_stored(Some(&record.risk_profile), bundles)
}

async fn with_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    record: &Grant,
    row: &team::Model,
) -> Result<EffectiveSettings, DbErr> {
    // Use the template version from which the team was made: a newer version must not change permissions silently.
    let template = match (row.template_id, row.template_version) {
        (Some(id), Some(version)) => templates::version(db, scope, id, version).await?,
        _ => None,
    };
    let template = template.and_then(|stored| Content::from_stored(&stored.content).ok());
    let template = template.map(|content| content.grant());
    let own = Bundle::from_stored(&row.mcp_bundles);
    let team = Grant::from_stored(row.risk_profile.as_deref(), own);
    let (profile, bundles) = effective(record, template.as_ref(), Some(&team));
    Ok(EffectiveSettings {
        team: Some(row.id),
        version: Some(row.version),
        profile,
        bundles,
        workbench: row.workbench_id,
        model: row.model_binding.clone(),
        machine: row.machine_id.clone(),
    })
}

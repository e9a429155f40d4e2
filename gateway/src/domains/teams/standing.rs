//! What an agent may use as a member of its team, and where it works.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::entity::team;
use super::model::{effective_bundles, effective_profile};
use super::store;
use crate::domains::auth::WorkspaceScope;
use crate::domains::templates;
use crate::domains::tools::{Bundle, Profile};
use crate::ids::{ClawId, TeamId};

/// An agent's standing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub team: Option<TeamId>,
    /// Of the team's row: as long as it is the same, so is this.
    pub version: Option<i64>,
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    /// Whose sandbox it works in, when the team shares one.
    pub workbench: Option<ClawId>,
    /// The team's model.
    pub model: Option<String>,
    /// Where a sandbox of it is made; the workspace's placement when absent.
    pub machine: Option<String>,
}

/// That of an agent in a team, or in the one that it is a member of. Who is in none may use nothing.
///
/// # Errors
/// When the database fails.
pub async fn standing(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    team: Option<TeamId>,
) -> Result<Standing, DbErr> {
    let row = match team {
        Some(team) => store::get(db, scope, team).await?,
        None => store::of_agent(db, scope, agent).await?,
    };
    match row {
        Some(row) => of_team(db, scope, &row).await,
        None => Ok(Standing {
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

/// That of all members of a team.
///
/// # Errors
/// When the database fails.
pub async fn of_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    row: &team::Model,
) -> Result<Standing, DbErr> {
    // As the template was when the team was made from it: a newer version changes nothing behind people's backs.
    let template = match (row.template_id, row.template_version) {
        (Some(id), Some(version)) => templates::store::version(db, scope, id, version).await?,
        _ => None,
    };
    let template =
        template.and_then(|stored| templates::model::Content::from_stored(&stored.content).ok());
    let profile = template
        .as_ref()
        .map(|content| content.risk_profile.as_str());
    let own: Vec<String> = serde_json::from_str(&row.mcp_bundles).unwrap_or_default();
    let given = template
        .iter()
        .flat_map(|content| content.mcp_bundles.iter());
    Ok(Standing {
        team: Some(row.id),
        version: Some(row.version),
        profile: effective_profile(row.risk_profile.as_deref(), profile),
        bundles: effective_bundles(own.iter().map(String::as_str), given.map(String::as_str)),
        workbench: row.workbench_id,
        model: row.model_binding.clone(),
        machine: row.machine_id.clone(),
    })
}

//! The permissions of an agent as a member of its team, and the sandbox that it works in.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};
use serde::Serialize;
use utoipa::ToSchema;

use super::entity::team;
use super::store;
use crate::templates::{self, Content};
use roost_agents::claws::runtime_record::{self, RecordRow};
use roost_execution::tools::{Bundle, Grant, Profile, effective};
use roost_machines::sandboxes::{NewLimits, SandboxOwner};
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
    /// The team shares one sandbox.
    pub shares_sandbox: bool,
    /// The team's model binding.
    pub model: Option<String>,
    /// The machine for a new sandbox of the agent. The workspace's placement applies when it is absent.
    pub machine: Option<String>,
    pub image: EffectiveImage,
    /// Each limit that the agent or its team sets.
    pub limits: NewLimits,
}

impl EffectiveSettings {
    /// The owner of the sandbox that the agent works in.
    pub fn sandbox_of(&self, agent: ClawId) -> SandboxOwner {
        match self.team {
            Some(team) if self.shares_sandbox => team.into(),
            _ => agent.into(),
        }
    }
}

/// Who chose an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxImageOrigin)]
pub enum ImageOrigin {
    Agent,
    Team,
    Template,
    /// Nobody chose one, so it is the deployment's default image.
    Deployment,
}

/// The image of a new sandbox, and who chose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SandboxImage)]
pub struct EffectiveImage {
    /// A name of the catalogue (`/api/images`). The deployment's default image when it is null.
    pub kind: Option<String>,
    pub from: ImageOrigin,
}

impl EffectiveImage {
    /// The first choice of agent, team and template.
    fn first(agent: Option<&str>, team: Option<&str>, template: Option<&str>) -> Self {
        let choices = [
            (agent, ImageOrigin::Agent),
            (team, ImageOrigin::Team),
            (template, ImageOrigin::Template),
        ];
        let mut choices = choices.into_iter();
        let found = choices.find_map(|(kind, from)| Some((kind?.to_owned(), from)));
        let (kind, from) = found.unzip();
        Self {
            kind,
            from: from.unwrap_or(ImageOrigin::Deployment),
        }
    }
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
    let own = record.as_ref().map_or_else(Own::default, Own::of);
    let row = match team {
        Some(team) => store::get(db, scope, team).await?,
        None => store::of_agent(db, scope, agent).await?,
    };
    match row {
        Some(row) => with_team(db, scope, &own, &row).await,
        None => {
            // An agent that left its team keeps the trade of its template.
            let template = templates::link::image_of(db, scope, agent).await?;
            let image = EffectiveImage::first(own.image.as_deref(), None, template.as_deref());
            let (profile, bundles) = effective(&own.grant, None, None);
            Ok(EffectiveSettings {
                team: None,
                version: None,
                profile,
                bundles,
                shares_sandbox: false,
                model: None,
                machine: None,
                image,
                limits: own.limits,
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
    with_team(db, scope, &Own::default(), row).await
}

/// What an agent's own record has.
#[derive(Debug, Default)]
struct Own {
    grant: Grant,
    image: Option<String>,
    limits: NewLimits,
}

impl Own {
    fn of(record: &RecordRow) -> Self {
        let bundles = Bundle::from_stored(&record.mcp_bundles);
        Self {
            grant: Grant::from_stored(Some(&record.risk_profile), bundles),
            image: record.image.clone(),
            limits: NewLimits::from_stored(record.limits.as_deref()),
        }
    }
}

async fn with_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: &Own,
    row: &team::Model,
) -> Result<EffectiveSettings, DbErr> {
    // Use the template version from which the team was made: a newer version must not change permissions silently.
    let template = match (row.template_id, row.template_version) {
        (Some(id), Some(version)) => templates::version(db, scope, id, version).await?,
        _ => None,
    };
    let template = template.and_then(|stored| Content::from_stored(&stored.content).ok());
    let of_template = template.as_ref().and_then(|content| content.image.clone());
    let template = template.map(|content| content.grant());
    let own = Bundle::from_stored(&row.mcp_bundles);
    let team = Grant::from_stored(row.risk_profile.as_deref(), own);
    let (profile, bundles) = effective(&agent.grant, template.as_ref(), Some(&team));
    let image = EffectiveImage::first(
        agent.image.as_deref(),
        row.image.as_deref(),
        of_template.as_deref(),
    );
    Ok(EffectiveSettings {
        team: Some(row.id),
        version: Some(row.version),
        profile,
        bundles,
        shares_sandbox: row.shared_sandbox,
        model: row.model_binding.clone(),
        machine: row.machine_id.clone(),
        image,
        limits: agent
            .limits
            .or(NewLimits::from_stored(row.limits.as_deref())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_of_the_agent_goes_before_that_of_its_team_and_its_template() {
        let first = |agent, team, template| {
            let found = EffectiveImage::first(agent, team, template);
            (found.kind, found.from)
        };
        let (a, b, c) = (Some("node"), Some("rust"), Some("base"));
        assert_eq!(
            first(a, b, c),
            (Some("node".to_owned()), ImageOrigin::Agent)
        );
        assert_eq!(
            first(None, b, c),
            (Some("rust".to_owned()), ImageOrigin::Team)
        );
        assert_eq!(
            first(None, None, c),
            (Some("base".to_owned()), ImageOrigin::Template)
        );
        assert_eq!(first(None, None, None), (None, ImageOrigin::Deployment));
    }
}

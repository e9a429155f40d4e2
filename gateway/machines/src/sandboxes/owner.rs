//! What a sandbox belongs to: an agent, a team whose agents share it, or a mission for its own commands.
//!
//! A sandbox, its snapshots, and the files around the steps of a run belong to their owner. They stay when an agent that
//! worked there is deleted, and they end with the owner.

use std::collections::HashMap;

use sea_orm::DbErr;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SandboxError, SandboxesHandle};
use roost_agents::claws;
use roost_platform::db::WriteTx;
use roost_platform::ids::{ClawId, MissionId, SandboxOwnerId, TeamId};
use roost_platform::sagas;
use roost_tenancy::auth::WorkspaceScope;

/// The kinds of owners.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumIter,
    DeriveActiveEnum,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)")]
#[serde(rename_all = "snake_case")]
#[schema(as = SandboxOwnerKind)]
pub enum OwnerKind {
    #[sea_orm(string_value = "claw")]
    Claw,
    #[sea_orm(string_value = "team")]
    Team,
    #[sea_orm(string_value = "mission")]
    Mission,
}

impl OwnerKind {
    /// Whether a removal means that a person removed the owner for good. A mission ends, and its history stays.
    pub(super) fn is_purged(self) -> bool {
        match self {
            Self::Claw | Self::Team => true,
            Self::Mission => false,
        }
    }

    /// Parses the word of [`OwnerKind::as_str`].
    pub(super) fn parse(word: &str) -> Option<Self> {
        [Self::Claw, Self::Team, Self::Mission]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }

    /// The word in sentences for people.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Claw => "agent",
            Self::Team => "team",
            Self::Mission => "mission",
        }
    }

    /// The word in the audit log and in addresses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claw => "claw",
            Self::Team => "team",
            Self::Mission => "mission",
        }
    }
}

/// An agent, a team or a mission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SandboxOwner {
    Claw(ClawId),
    Team(TeamId),
    Mission(MissionId),
}

impl SandboxOwner {
    /// The owner that a row names.
    pub fn of(kind: OwnerKind, id: SandboxOwnerId) -> Self {
        match kind {
            OwnerKind::Claw => Self::Claw(ClawId(id.0)),
            OwnerKind::Team => Self::Team(TeamId(id.0)),
            OwnerKind::Mission => Self::Mission(MissionId(id.0)),
        }
    }

    pub fn kind(self) -> OwnerKind {
        match self {
            Self::Claw(_) => OwnerKind::Claw,
            Self::Team(_) => OwnerKind::Team,
            Self::Mission(_) => OwnerKind::Mission,
        }
    }

    pub fn id(self) -> SandboxOwnerId {
        match self {
            Self::Claw(id) => SandboxOwnerId(id.0),
            Self::Team(id) => SandboxOwnerId(id.0),
            Self::Mission(id) => SandboxOwnerId(id.0),
        }
    }

    /// The agent, if it is one.
    pub fn agent(self) -> Option<ClawId> {
        match self {
            Self::Claw(id) => Some(id),
            Self::Team(_) | Self::Mission(_) => None,
        }
    }

    /// The team, if it is one.
    pub fn team(self) -> Option<TeamId> {
        match self {
            Self::Claw(_) | Self::Mission(_) => None,
            Self::Team(id) => Some(id),
        }
    }

    /// The saga that removes it and everything of it.
    pub fn removal(self) -> sagas::Kind {
        match self {
            Self::Claw(_) => sagas::Kind::ClawPurge,
            Self::Team(_) => sagas::Kind::TeamRemoval,
            Self::Mission(_) => sagas::Kind::MissionRemoval,
        }
    }
}

impl From<ClawId> for SandboxOwner {
    fn from(id: ClawId) -> Self {
        Self::Claw(id)
    }
}

impl From<MissionId> for SandboxOwner {
    fn from(id: MissionId) -> Self {
        Self::Mission(id)
    }
}

impl From<TeamId> for SandboxOwner {
    fn from(id: TeamId) -> Self {
        Self::Team(id)
    }
}

/// The names of owners. An owner that the workspace does not have is not in the map.
pub(super) async fn names(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    all: impl IntoIterator<Item = SandboxOwner>,
) -> Result<HashMap<SandboxOwner, String>, DbErr> {
    let (mut agents, mut teams, mut missions) = (Vec::new(), Vec::new(), Vec::new());
    for owner in all {
        match owner {
            SandboxOwner::Claw(id) => agents.push(id),
            SandboxOwner::Team(id) => teams.push(id),
            SandboxOwner::Mission(id) => missions.push(id),
        }
    }
    let mut names = HashMap::new();
    if !agents.is_empty() {
        let found = claws::find_some(sandboxes.db.read(), scope, agents).await?;
        names.extend(found.into_iter().map(|claw| (claw.id.into(), claw.name)));
    }
    if !teams.is_empty() {
        let found = sandboxes.owners.team_names(scope, &teams).await?;
        names.extend(found.into_iter().map(|(id, name)| (id.into(), name)));
    }
    if !missions.is_empty() {
        let found = sandboxes.owners.mission_titles(scope, &missions).await?;
        names.extend(found.into_iter().map(|(id, title)| (id.into(), title)));
    }
    Ok(names)
}

/// The name of an owner. `None`: the workspace has no such owner.
pub(super) async fn name(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<Option<String>, DbErr> {
    Ok(names(sandboxes, scope, [owner]).await?.remove(&owner))
}

/// The name of an owner that may get a sandbox.
///
/// # Errors
/// [`SandboxError::NoOwner`]; [`SandboxError::NotShared`] when each agent of the team has its own;
/// [`SandboxError::MissionOver`].
pub(super) async fn ready(
    sandboxes: &SandboxesHandle,
    tx: &WriteTx,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<String, SandboxError> {
    let none = SandboxError::NoOwner(owner.kind());
    match owner {
        SandboxOwner::Claw(id) => {
            let claw = claws::find(&**tx, scope, id).await?;
            let claw = claw.filter(|claw| claw.deleted_at.is_none());
            Ok(claw.ok_or(none)?.name)
        }
        SandboxOwner::Team(id) => {
            let team = sandboxes.owners.lock_team(tx, scope, id).await?;
            let team = team.filter(|team| !team.is_going).ok_or(none)?;
            match team.shares_sandbox {
                true => Ok(team.name),
                false => Err(SandboxError::NotShared),
            }
        }
        SandboxOwner::Mission(id) => {
            let mission = sandboxes.owners.lock_mission(tx, scope, id).await?;
            let mission = mission.ok_or(none)?;
            match mission.is_live {
                true => Ok(mission.title),
                false => Err(SandboxError::MissionOver),
            }
        }
    }
}

/// Whether the owner is being removed with everything of it.
pub(super) async fn is_removed(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<bool, DbErr> {
    sagas::is_running(db, scope, owner.removal(), owner.id().0).await
}

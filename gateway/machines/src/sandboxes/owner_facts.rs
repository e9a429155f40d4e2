//! What sandboxes need to know about their owners. Teams and missions are above this wing, so the gateway wires the answers.

use std::collections::HashMap;

use async_trait::async_trait;
use sea_orm::DbErr;

use super::{NewLimits, SandboxOwner};
use roost_platform::db::WriteTx;
use roost_platform::ids::{MissionId, NodeId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// What an owner prefers for a new sandbox: an agent with its team and its template, or a team. A request may name other
/// values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The machine; the workspace's placement applies without it.
    pub machine: Option<String>,
    /// A name of the catalogue; the deployment's default image applies without it.
    pub image: Option<String>,
    pub limits: NewLimits,
    /// The only machine that the sandbox may be on. While it is away, no sandbox is made.
    pub pinned: Option<NodeId>,
}

/// A team as the owner of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwningTeam {
    pub name: String,
    /// Its agents work in its sandbox, and not each in its own.
    pub shares_sandbox: bool,
    /// It is being deleted.
    pub is_going: bool,
}

/// A mission as the owner of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwningMission {
    pub title: String,
    /// It was launched, and it has not ended.
    pub is_live: bool,
}

/// Facts about owners that other wings know.
#[async_trait]
pub trait OwnerFacts: Send + Sync + 'static {
    /// What is preferred for the owner's sandbox.
    ///
    /// # Errors
    /// When the database fails.
    async fn preferences(
        &self,
        scope: WorkspaceScope,
        owner: SandboxOwner,
    ) -> Result<Preferences, DbErr>;

    /// A team. It cannot be deleted until the end of the transaction, so its removal finds the sandbox that the transaction
    /// makes.
    ///
    /// # Errors
    /// When the database fails.
    async fn lock_team(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        team: TeamId,
    ) -> Result<Option<OwningTeam>, DbErr>;

    /// The names of teams. A team that the workspace does not have is not in the map.
    ///
    /// # Errors
    /// When the database fails.
    async fn team_names(
        &self,
        scope: WorkspaceScope,
        teams: &[TeamId],
    ) -> Result<HashMap<TeamId, String>, DbErr>;

    /// A mission. It cannot end before the end of the transaction.
    ///
    /// # Errors
    /// When the database fails.
    async fn lock_mission(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        mission: MissionId,
    ) -> Result<Option<OwningMission>, DbErr>;

    /// The titles of missions. A mission that the workspace does not have is not in the map.
    ///
    /// # Errors
    /// When the database fails.
    async fn mission_titles(
        &self,
        scope: WorkspaceScope,
        missions: &[MissionId],
    ) -> Result<HashMap<MissionId, String>, DbErr>;
}

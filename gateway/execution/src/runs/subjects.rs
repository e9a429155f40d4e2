//! The interface through which runs read the teams that they work for. Teams belong to a higher wing, so the gateway
//! wires the implementation.

use async_trait::async_trait;
use sea_orm::{DatabaseConnection, DbErr};

use roost_platform::db::WriteTx;
use roost_platform::ids::{TeamId, TemplateId};
use roost_tenancy::auth::WorkspaceScope;

/// A team as a run sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub id: TeamId,
    pub name: String,
    /// The team's graph as JSON.
    pub topology: String,
    /// All agents work in one sandbox, the team's.
    pub shares_sandbox: bool,
    /// The team is being deleted, so no run of it begins.
    pub is_going: bool,
}

/// The teams of a workspace.
#[async_trait]
pub trait Subjects: Send + Sync + 'static {
    /// The team; `None` when the workspace has no such team.
    ///
    /// # Errors
    /// When the database fails.
    async fn read(
        &self,
        db: &DatabaseConnection,
        scope: WorkspaceScope,
        team: TeamId,
    ) -> Result<Option<Subject>, DbErr>;

    /// The teams that were made from a template.
    ///
    /// # Errors
    /// When the database fails.
    async fn of_template(
        &self,
        db: &DatabaseConnection,
        scope: WorkspaceScope,
        template: TemplateId,
    ) -> Result<Vec<TeamId>, DbErr>;

    /// As [`Subjects::read`]. It also locks the team's row until the end of the transaction, so that the start of a
    /// run and the end of its team cannot miss each other.
    ///
    /// # Errors
    /// When the database fails.
    async fn lock(
        &self,
        tx: &WriteTx,
        scope: WorkspaceScope,
        team: TeamId,
    ) -> Result<Option<Subject>, DbErr>;
}

//! What can go wrong with a workspace.

/// Errors of workspaces.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is none, or the caller is not a member.
    #[error("there is no such workspace")]
    NotFound,
    /// The database failed.
    #[error("database")]
    Db(#[from] sea_orm::DbErr),
}

//! What other wings read about the commits of runs.

use sea_orm::{ConnectionTrait, DbErr};

use super::{model, store};
use roost_platform::ids::RunId;
use roost_tenancy::auth::WorkspaceScope;

/// The newest commits of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub branch: String,
    pub head: String,
    /// Commits after the base.
    pub commits: i64,
}

/// The newest commits that the broker received from a run, of its branch with the newest ones. `None` when it has none.
///
/// # Errors
/// When the database fails.
pub async fn received(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Option<Received>, DbErr> {
    let rows = store::commits(db, scope, run).await?;
    let newest = model::heads(&rows).into_iter().next();
    Ok(newest.and_then(|row| {
        Some(Received {
            branch: row.branch.clone(),
            head: row.head.clone()?,
            commits: row.commits,
        })
    }))
}

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

/// Where the work of a run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The commit that the run compares with. Known after the first checkout.
    pub base: Option<String>,
    /// The commit that its checkouts begin at, when that is another one.
    pub start: Option<String>,
}

/// Where the work of a run begins. `None` when it works on no repository.
///
/// # Errors
/// When the database fails.
pub async fn standing(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    root: RunId,
) -> Result<Option<Standing>, DbErr> {
    let bound = store::bound(db, scope, root).await?;
    Ok(bound.map(|bound| Standing {
        base: bound.base_commit,
        start: bound.start_commit,
    }))
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

//! What other wings read about the commits of runs.

use chrono::{DateTime, Utc};
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
    /// When the newest ones came.
    pub at: DateTime<Utc>,
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

/// The newest commits that the broker received from a run, of each of its branches, newest first. Each sandbox of the run
/// has a branch of its own.
///
/// # Errors
/// When the database fails.
pub async fn branches(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Vec<Received>, DbErr> {
    let rows = store::commits(db, scope, run).await?;
    let heads = model::heads(&rows).into_iter();
    Ok(heads
        .filter_map(|row| {
            Some(Received {
                branch: row.branch.clone(),
                head: row.head.clone()?,
                commits: row.commits,
                at: row.at,
            })
        })
        .collect())
}

/// The first of [`branches`]: that with the newest commits. `None` when the run has none.
///
/// # Errors
/// When the database fails.
pub async fn received(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Option<Received>, DbErr> {
    Ok(branches(db, scope, run).await?.into_iter().next())
}

//! Taking and returning a quota. One UPDATE checks and takes: two requests at the limit meet at the row's lock, and one
//! of them is refused.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Statement};

use super::{Plans, entity, plan_store, store};
use crate::auth::WorkspaceScope;
use roost_platform::db::WriteTx;
use roost_web::error::ApiError;

/// The counted things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaKind {
    /// Agents that are not deleted.
    Agents,
    /// Sandboxes that are provisioning or running.
    LiveContainers,
}

impl QuotaKind {
    /// All of them; a new workspace gets a counter for each.
    pub const ALL: [Self; 2] = [Self::Agents, Self::LiveContainers];

    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::LiveContainers => "live_containers",
        }
    }

    /// The name in sentences.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::LiveContainers => "live containers",
        }
    }
}

/// Why a quota was not taken.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    /// The plan's limit is reached.
    #[error("{used} of {limit} {} are in use, and {wanted} more are requested", kind.in_words())]
    Exceeded {
        kind: QuotaKind,
        limit: u64,
        /// The number that exists, without the refused request.
        used: u64,
        wanted: u64,
    },
    /// The database failed.
    #[error("database")]
    Db(#[from] DbErr),
}

/// Takes `count` units, all or none, in the transaction that creates the things. A rollback returns them.
///
/// # Errors
/// [`QuotaError::Exceeded`] when the limit of the workspace's plan does not allow all of them.
pub async fn take(
    tx: &WriteTx,
    scope: WorkspaceScope,
    plans: &Plans,
    kind: QuotaKind,
    count: u64,
) -> Result<(), QuotaError> {
    let units = i64::try_from(count).unwrap_or(i64::MAX);
    let plan = store::plan(&**tx, scope).await?;
    let limit = plan_store::current(&**tx, plans).await?.limit(&plan, kind);
    let done = tx
        .execute_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            "UPDATE quota_usage SET used = used + $3 WHERE workspace_id = $1 AND kind = $2 AND used <= $4 - $3",
            [
                scope.workspace().into(),
                kind.as_str().into(),
                units.into(),
                i64::try_from(limit).unwrap_or(i64::MAX).into(),
            ],
        ))
        .await?;
    if done.rows_affected() == 1 {
        return Ok(());
    }
    let used = used(&**tx, scope, kind).await?;
    Err(QuotaError::Exceeded {
        kind,
        limit,
        used,
        wanted: count,
    })
}

/// Returns one unit, in the transaction that removes the thing.
///
/// # Errors
/// When the database fails.
pub async fn give_back(tx: &WriteTx, scope: WorkspaceScope, kind: QuotaKind) -> Result<(), DbErr> {
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        "UPDATE quota_usage SET used = used - 1 WHERE workspace_id = $1 AND kind = $2 AND used > 0",
        [scope.workspace().into(), kind.as_str().into()],
    ))
    .await?;
    Ok(())
}

/// How many units are in use.
///
/// # Errors
/// When the database fails.
pub async fn used(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    kind: QuotaKind,
) -> Result<u64, DbErr> {
    let key = (scope.workspace(), kind.as_str().to_owned());
    let row = entity::quota_usage::Entity::find_by_id(key).one(db).await?;
    Ok(row.map_or(0, |row| u64::try_from(row.used).unwrap_or(0)))
}

impl From<QuotaError> for ApiError {
    fn from(error: QuotaError) -> Self {
        use QuotaError as E;
        match error {
            E::Exceeded {
                kind,
                limit,
                used,
                wanted,
            } => {
                let what = kind.in_words();
                let free = limit.saturating_sub(used);
                let missing = wanted.saturating_sub(free);
                let (is, remedy) = (
                    if missing == 1 { "is" } else { "are" },
                    "Delete what is not needed, or ask an operator for a larger plan.",
                );
                let detail = match wanted {
                    1 => format!("The plan of this workspace allows {limit} {what}. {remedy}"),
                    _ => format!(
                        "This needs {wanted} {what}. The plan of this workspace allows {limit}, and {used} exist: {missing} {is} missing. {remedy}"
                    ),
                };
                Self::over_quota(limit, used, detail).missing(missing)
            }
            E::Db(error) => error.into(),
        }
    }
}

//! Entries about an account, in the audit log of each of its workspaces.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::WorkspaceScope;
use crate::{audit, workspaces};
use roost_platform::db::WriteTx;
use roost_platform::ids::{SharedIds, UserId};

/// An entry about an account. `details` is a JSON object without secrets.
pub(super) struct AboutAccount<'a> {
    pub account: UserId,
    /// Who did it.
    pub actor: UserId,
    pub action: &'a str,
    pub details: serde_json::Value,
    pub at: DateTime<Utc>,
}

/// Writes the entry into the log of each workspace of the account.
///
/// # Errors
/// When the database fails.
pub(super) async fn in_each_workspace(
    tx: &WriteTx,
    ids: &SharedIds,
    entry: AboutAccount<'_>,
) -> Result<(), DbErr> {
    for (member, _) in workspaces::of_user(&**tx, entry.account).await? {
        let scope = WorkspaceScope::of_member(member.workspace_id);
        audit::record(
            tx,
            ids,
            entry.at,
            scope,
            entry.actor,
            entry.action,
            ("user", &entry.account),
            entry.details.clone(),
        )
        .await?;
    }
    Ok(())
}

//! The first start creates a workspace, its Owner, and a one-time login for the Owner. Each later start creates a fresh
//! one-time login while the Owner has no password, because the old one may have expired unused.

use crate::auth::entity::user;
use crate::auth::{AuthError, EmailBy, Role, Token, account_store, hosted, store};
use crate::workspaces::{self, MemberRow, WorkspaceRow};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{SharedIds, UserId, WorkspaceId, fresh};

/// A one-time login that must reach the person at the machine.
pub struct FirstOwner {
    pub email: String,
    pub token: Token,
}

const OWNER_EMAIL: &str = "owner@roost.localhost";

/// "ownr" in ASCII.
const FIRST_OWNER: i64 = 0x6f77_6e72;

/// Creates the first workspace with this plan, and its Owner, when there is none. `None`: the Owner has a password
/// already.
///
/// # Errors
/// When the database fails.
pub async fn first_owner(
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
    plan: &str,
    one_time_minutes: u32,
) -> Result<Option<FirstOwner>, AuthError> {
    if account_store::owner_is_ready(db.read()).await? {
        return Ok(None);
    }
    let tx = db.write().await?;
    // Gateways that start at the same time on an empty database would each create the first workspace.
    tx.alone(FIRST_OWNER).await?;
    let now = clock.now();
    let (owner, email) = if workspaces::count(&*tx).await? == 0 {
        let of_deployment =
            |id, email, name| user::Model::new(id, (email, EmailBy::Deployment), name, now);
        let system = of_deployment(UserId::SYSTEM, "system", "system");
        store::insert_user(&*tx, system).await?;
        let owner: UserId = fresh(ids);
        let row = user::Model {
            deployment_owner: true,
            ..of_deployment(owner, OWNER_EMAIL, "Owner")
        };
        store::insert_user(&*tx, row).await?;
        let workspace_id: WorkspaceId = fresh(ids);
        let workspace = WorkspaceRow::new(workspace_id, "Home".to_owned(), plan.to_owned(), now);
        workspaces::insert(&tx, workspace).await?;
        hosted::store::set_home(&*tx, workspace_id).await?;
        let member = MemberRow {
            workspace_id,
            user_id: owner,
            role: Role::Owner.as_str().to_owned(),
            created_at: now,
        };
        workspaces::insert_member(&*tx, member).await?;
        (owner, OWNER_EMAIL.to_owned())
    } else {
        match account_store::deployment_owner(&*tx).await? {
            Some(user) => (user.id, user.email),
            None => return Ok(None),
        }
    };
    let token = super::issue_one_time(&tx, clock, ids, owner, one_time_minutes).await?;
    tx.commit().await?;
    Ok(Some(FirstOwner { email, token }))
}

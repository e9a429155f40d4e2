//! The first start: a workspace, its Owner, and a one-time login for them. A later start makes a fresh one-time login as
//! long as nobody has set a password, because the old one may have expired unused.

use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::auth::entity::user;
use crate::domains::auth::{AuthError, Role, Token, hosted, store};
use crate::domains::workspaces;
use crate::ids::{SharedIds, UserId, WorkspaceId, fresh};

/// A one-time login that must reach the person at the machine.
pub struct FirstOwner {
    pub email: String,
    pub token: Token,
}

const OWNER_EMAIL: &str = "owner@roost.localhost";

/// "ownr" in ASCII.
const FIRST_OWNER: i64 = 0x6f77_6e72;

/// Makes the first workspace and Owner when there is none. `None` when somebody has a password: nothing to do.
///
/// # Errors
/// When the database fails.
pub async fn first_owner(
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
    one_time_minutes: u32,
) -> Result<Option<FirstOwner>, AuthError> {
    if store::anyone_has_a_password(db.read()).await? {
        return Ok(None);
    }
    let tx = db.write().await?;
    // Gateways that start at once on an empty database would both make the first workspace.
    tx.alone(FIRST_OWNER).await?;
    let now = clock.now();
    let owner = if workspaces::store::count(&*tx).await? == 0 {
        let system = user::Model {
            id: UserId::SYSTEM,
            email: "system".to_owned(),
            name: "system".to_owned(),
            password_hash: None,
            created_at: now,
            auth_subject: None,
            hosted_role: None,
            hosted_at: None,
        };
        store::insert_user(&*tx, system).await?;
        let owner: UserId = fresh(ids);
        let row = user::Model {
            id: owner,
            email: OWNER_EMAIL.to_owned(),
            name: "Owner".to_owned(),
            password_hash: None,
            created_at: now,
            auth_subject: None,
            hosted_role: None,
            hosted_at: None,
        };
        store::insert_user(&*tx, row).await?;
        let workspace_id: WorkspaceId = fresh(ids);
        let workspace = workspaces::entity::workspace::Model {
            id: workspace_id,
            name: "Home".to_owned(),
            plan: "scale".to_owned(),
            created_at: now,
            version: 1,
        };
        workspaces::store::insert(&tx, workspace).await?;
        hosted::store::set_home(&*tx, workspace_id).await?;
        let member = workspaces::entity::member::Model {
            workspace_id,
            user_id: owner,
            role: Role::Owner.as_str().to_owned(),
            created_at: now,
        };
        workspaces::store::insert_member(&*tx, member).await?;
        owner
    } else {
        match store::user_by_email(&*tx, OWNER_EMAIL).await? {
            Some(user) => user.id,
            None => return Ok(None),
        }
    };
    let token = super::issue_one_time(&tx, clock, ids, owner, one_time_minutes).await?;
    tx.commit().await?;
    Ok(Some(FirstOwner {
        email: OWNER_EMAIL.to_owned(),
        token,
    }))
}

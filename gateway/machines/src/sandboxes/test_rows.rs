//! Rows for tests of this domain in a real database.

use roost_platform::clock::{Clock, SystemClock};
use roost_platform::db::Db;
use roost_platform::ids::{ClawId, NodeId, SandboxId, UserId, UuidV7, WorkspaceId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{self, WorkspaceRow};
use sea_orm::{ConnectionTrait, Statement, Value};
use uuid::Uuid;

use super::entity::container;
use super::{OwnerKind, SandboxOwner, store};

pub(super) fn id<T: From<Uuid>>() -> T {
    fresh(&UuidV7::shared(SystemClock::shared()))
}

pub(super) async fn execute(db: &Db, sql: &str, values: Vec<Value>) {
    let tx = db.write().await.unwrap();
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
    tx.execute_raw(statement).await.unwrap();
    tx.commit().await.unwrap();
}

pub(super) async fn agent(db: &Db, workspace: WorkspaceId) -> ClawId {
    let (agent, manager): (ClawId, UserId) = (id(), id());
    let sql = "INSERT INTO users (id, email, email_by, name, created_at) VALUES ($1, $2, 'operator', 'a', $3)";
    let (email, now) = (format!("{agent}@example.com"), SystemClock.now());
    let name = agent.to_string();
    execute(db, sql, vec![manager.into(), email.into(), now.into()]).await;
    let sql = "INSERT INTO claws (id, workspace_id, name, managed_by, created_at, updated_at, version) \
               VALUES ($1, $2, $5, $3, $4, $4, 1)";
    let values = vec![
        agent.into(),
        workspace.into(),
        manager.into(),
        now.into(),
        name.into(),
    ];
    execute(db, sql, values).await;
    agent
}

pub(super) async fn machine(db: &Db, workspace: WorkspaceId, name: &str) -> NodeId {
    let (node, at): (NodeId, _) = (id(), SystemClock.now());
    let tx = db.write().await.unwrap();
    let name = Some(name.to_owned());
    crate::fleet::insert(&tx, node, workspace, name, node.to_string(), at, at)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    node
}

pub(super) async fn sandbox(
    db: &Db,
    scope: WorkspaceScope,
    agent: ClawId,
    on: String,
    nth: (i64, &str),
) -> SandboxId {
    let at = SystemClock.now();
    let row = container::Model {
        id: id(),
        workspace_id: scope.workspace(),
        owner_kind: OwnerKind::Claw,
        owner_id: SandboxOwner::Claw(agent).id(),
        node_id: on,
        container: None,
        epoch: nth.0,
        state: nth.1.to_owned(),
        operation_id: None,
        image: "image".to_owned(),
        image_digest: None,
        limits: serde_json::json!({}),
        fallback: None,
        detail: None,
        archive: None,
        restored: None,
        snapshot_problem: None,
        drain: None,
        hardening: None,
        created_at: at,
        last_used_at: at,
        ended_at: None,
        version: 1,
    };
    let (tx, id) = (db.write().await.unwrap(), row.id);
    store::insert(&*tx, row).await.unwrap();
    tx.commit().await.unwrap();
    id
}

pub(super) async fn workspace(db: &Db) -> WorkspaceScope {
    let row = WorkspaceRow::new(id(), "w".to_owned(), "free".to_owned(), SystemClock.now());
    let scope = WorkspaceScope::of_row(row.id);
    let tx = db.write().await.unwrap();
    workspaces::insert(&tx, row).await.unwrap();
    tx.commit().await.unwrap();
    scope
}

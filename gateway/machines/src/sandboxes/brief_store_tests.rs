//! Agents' sandboxes with the names of their machines, in a real database. On SQLite, and on PostgreSQL where
//! `ROOST_TEST_POSTGRES_URL` names a server.

use roost_platform::clock::{Clock, SystemClock};
use roost_platform::db::Db;
use roost_platform::ids::{ClawId, NodeId, SandboxId, UserId, UuidV7, WorkspaceId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{self, WorkspaceRow};
use roost_test_database::Scratch;
use sea_orm::{ConnectionTrait, Statement, Value};
use uuid::Uuid;

use super::brief_store::current_of;
use super::entity::container;
use super::store;

fn id<T: From<Uuid>>() -> T {
    fresh(&UuidV7::shared(SystemClock::shared()))
}

async fn execute(db: &Db, sql: &str, values: Vec<Value>) {
    let tx = db.write().await.unwrap();
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
    tx.execute_raw(statement).await.unwrap();
    tx.commit().await.unwrap();
}

async fn agent(db: &Db, workspace: WorkspaceId) -> ClawId {
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

async fn machine(db: &Db, workspace: WorkspaceId, name: &str) -> NodeId {
    let (node, at): (NodeId, _) = (id(), SystemClock.now());
    let tx = db.write().await.unwrap();
    let name = Some(name.to_owned());
    crate::fleet::insert(&tx, node, workspace, name, node.to_string(), at, at)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    node
}

async fn sandbox(db: &Db, scope: WorkspaceScope, agent: ClawId, on: String, nth: (i64, &str)) {
    let at = SystemClock.now();
    let row = container::Model {
        id: id::<SandboxId>(),
        workspace_id: scope.workspace(),
        agent_id: agent,
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
        hardening: None,
        created_at: at,
        last_used_at: at,
        ended_at: None,
        version: 1,
    };
    let tx = db.write().await.unwrap();
    store::insert(&*tx, row).await.unwrap();
    tx.commit().await.unwrap();
}

async fn workspace(db: &Db) -> WorkspaceScope {
    let row = WorkspaceRow {
        id: id(),
        name: "w".to_owned(),
        plan: "free".to_owned(),
        created_at: SystemClock.now(),
        version: 1,
    };
    let scope = WorkspaceScope::of_row(row.id);
    let tx = db.write().await.unwrap();
    workspaces::insert(&tx, row).await.unwrap();
    tx.commit().await.unwrap();
    scope
}

#[tokio::test]
async fn sandbox_has_its_machines_name_when_the_workspace_has_the_machine() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let (home, other) = (workspace(db).await, workspace(db).await);
        let here = machine(db, home.workspace(), "kitchen").await;
        let foreign = machine(db, other.workspace(), "foreign").await;
        let mut agents = Vec::new();
        for on in ["local".to_owned(), here.to_string(), foreign.to_string()] {
            let agent = agent(db, home.workspace()).await;
            sandbox(db, home, agent, on, (1, "running")).await;
            agents.push(agent);
        }
        let found = current_of(db, home, &agents).await.unwrap();
        let name = |agent: &ClawId| {
            let brief = found.iter().find(|brief| brief.row.agent_id == *agent);
            brief.expect("each agent has a sandbox").machine.clone()
        };
        let names: Vec<Option<String>> = agents.iter().map(name).collect();
        assert_eq!(names, [None, Some("kitchen".to_owned()), None]);
        assert!(current_of(db, other, &agents).await.unwrap().is_empty());
        assert!(current_of(db, home, &[]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn newest_current_sandbox_is_last_and_ended_ones_are_absent() {
    for scratch in Scratch::all().await {
        let db = &scratch.db;
        let home = workspace(db).await;
        let agent = agent(db, home.workspace()).await;
        for nth in [(3, "stopped"), (1, "destroyed"), (2, "lost"), (4, "failed")] {
            sandbox(db, home, agent, "local".to_owned(), nth).await;
        }
        let found = current_of(db, home, &[agent]).await.unwrap();
        let states: Vec<&str> = found.iter().map(|brief| brief.row.state.as_str()).collect();
        assert_eq!(states, ["lost", "stopped"]);
    }
}

//! Agents' sandboxes with the names of their machines, in a real database. On SQLite, and on PostgreSQL where
//! `ROOST_TEST_POSTGRES_URL` names a server.

use roost_platform::ids::ClawId;
use roost_test_database::Scratch;

use super::brief_store::current_of;
use super::test_rows::{agent, machine, sandbox, workspace};

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

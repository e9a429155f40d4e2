//! Rows of earlier versions get what later versions read: runs an origin, agents a runtime record, teams their sandbox.

use roost_migrations::{Migrator, MigratorTrait};
use roost_test_database::Scratch;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement, Value};
use serde_json::{Value as Json, json};
use uuid::Uuid;

/// The migration that adds origins.
const ORIGINS: &str = "m0801_run_origin";

/// The migration that gives each agent a runtime record.
const RECORDS: &str = "m0806_agents_alone";

/// The migration that gives teams their own sandboxes.
const OWNERS: &str = "m0920_sandbox_owners";

/// The database as it was before this migration.
#[expect(
    clippy::disallowed_methods,
    reason = "the database is prepared as an earlier version left it, below the gateway"
)]
async fn before(scratch: &Scratch, migration: &str) -> DatabaseConnection {
    let url = match scratch.url.strip_prefix("sqlite:") {
        Some(_) => format!(
            "sqlite:{}?mode=rwc",
            scratch.folder.path().join("old.db").display()
        ),
        None => scratch.url.clone(),
    };
    let db = Database::connect(url).await.expect("a database");
    if !scratch.url.starts_with("sqlite:") {
        let empty = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
        db.execute_unprepared(empty).await.expect("an empty schema");
    }
    let all = Migrator::migrations();
    let earlier = all.iter().position(|one| one.name() == migration);
    let earlier = earlier.expect("the migration");
    let earlier = u32::try_from(earlier).expect("a small number");
    Migrator::up(&db, Some(earlier)).await.expect("migrated");
    db
}

async fn execute(db: &DatabaseConnection, sql: &str, values: Vec<Value>) {
    let backend = db.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values);
    db.execute_raw(statement).await.expect("executed");
}

#[tokio::test]
async fn earlier_runs_get_the_origin_that_their_columns_prove() {
    for scratch in Scratch::all().await {
        let db = before(&scratch, ORIGINS).await;
        let id = |n: u128| Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0000 + n);
        let workspace = "INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, 'w', 'scale', '2026-01-01T00:00:00Z')";
        execute(&db, workspace, vec![id(1).into()]).await;
        let none = None::<Uuid>;
        for (run, kind, parent, step, forked) in [
            (10, "team", none, None, none),
            (11, "compare", none, None, none),
            (12, "child", Some(id(11)), Some("hub/plan#2"), none),
            (13, "team", none, None, Some(id(10))),
            (14, "compare", none, None, Some(id(11))),
        ] {
            let sql = "INSERT INTO topology_runs (id, workspace_id, status, kind, tier, title, graph, graph_sha256, input, \
                 created_by, created_ms, updated_ms, root_run_id, depth, epoch, claims, steps_done, steps_most, tokens_in, \
                 tokens_out, cost_microusd, version, parent_run_id, parent_step, forked_from) \
               VALUES ($1, $2, 'completed', $3, 'team', 't', '{}', '', '', $2, 0, 0, $1, 0, 0, 0, 0, 0, 0, 0, 0, 1, $4, $5, $6)";
            let values = vec![
                id(run).into(),
                id(1).into(),
                kind.into(),
                parent.into(),
                step.into(),
                forked.into(),
            ];
            execute(&db, sql, values).await;
        }
        Migrator::up(&db, None).await.unwrap();
        let fork = |of: u128| json!({ "of": id(of).to_string() });
        let call = json!({ "run": id(11).to_string(), "step": "hub/plan", "lap": 2, "shard": 0, "call": 0 });
        for (run, kind, origin, references) in [
            (10, "team", "team", None),
            (11, "compare", "compare", None),
            (12, "team", "call", Some(call)),
            (13, "team", "fork", Some(fork(10))),
            (14, "compare", "fork", Some(fork(11))),
        ] {
            let sql = "SELECT kind, origin, origin_refs FROM topology_runs WHERE id = $1";
            let backend = db.get_database_backend();
            let row = Statement::from_sql_and_values(backend, sql, [id(run).into()]);
            let row = db.query_one_raw(row).await.unwrap().unwrap();
            assert_eq!(row.try_get::<String>("", "kind").unwrap(), kind);
            assert_eq!(row.try_get::<String>("", "origin").unwrap(), origin);
            let stored: Option<String> = row.try_get("", "origin_refs").unwrap();
            let stored = stored.map(|json| serde_json::from_str::<Json>(&json).unwrap());
            assert_eq!(stored, references);
        }
        db.close().await.unwrap();
        scratch.remove().await;
    }
}

#[tokio::test]
async fn earlier_agents_get_a_record_and_those_of_teams_keep_theirs() {
    for scratch in Scratch::all().await {
        let db = before(&scratch, RECORDS).await;
        let id = |n: u128| Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0000 + n);
        let at = match db.get_database_backend() {
            sea_orm::DbBackend::Postgres => "TIMESTAMPTZ '2026-01-01 00:00:00+00:00'",
            _ => "'2026-01-01 00:00:00+00:00'",
        };
        let workspace = format!(
            "INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, 'w', 'scale', {at})"
        );
        execute(&db, &workspace, vec![id(1).into()]).await;
        let user = format!(
            "INSERT INTO users (id, email, name, created_at) VALUES ($1, 'a@example.com', 'a', {at})"
        );
        execute(&db, &user, vec![id(2).into()]).await;
        for (agent, model) in [(10, Some("own")), (11, None), (12, Some("of the team"))] {
            let sql = format!(
                "INSERT INTO claws (id, workspace_id, name, model_binding, managed_by, created_at, updated_at, version) \
                               VALUES ($1, $2, $3, $4, $5, {at}, {at}, 1)"
            );
            let values = vec![
                id(agent).into(),
                id(1).into(),
                format!("agent {agent}").into(),
                model.into(),
                id(2).into(),
            ];
            execute(&db, &sql, values).await;
        }
        let record = format!(
            "INSERT INTO runtime_agents (agent_id, workspace_id, runtime, model, risk_profile, mcp_bundles, created_at) \
                              VALUES ($1, $2, 'built_in', 'stale', 'coding_readwrite', '[\"sandbox\"]', {at})"
        );
        execute(&db, &record, vec![id(12).into(), id(1).into()]).await;
        Migrator::up(&db, None).await.unwrap();
        for (agent, model, profile, bundles, minted) in [
            (10, Some("own"), "toolfree", r#"["door","skills"]"#, false),
            (11, None, "toolfree", r#"["door","skills"]"#, false),
            (
                12,
                Some("of the team"),
                "coding_readwrite",
                r#"["sandbox"]"#,
                true,
            ),
        ] {
            let sql = "SELECT model, risk_profile, mcp_bundles, minted FROM runtime_agents WHERE agent_id = $1";
            let row =
                Statement::from_sql_and_values(db.get_database_backend(), sql, [id(agent).into()]);
            let row = db.query_one_raw(row).await.unwrap().expect("its record");
            assert_eq!(
                row.try_get::<Option<String>>("", "model")
                    .unwrap()
                    .as_deref(),
                model
            );
            assert_eq!(row.try_get::<String>("", "risk_profile").unwrap(), profile);
            assert_eq!(row.try_get::<String>("", "mcp_bundles").unwrap(), bundles);
            assert_eq!(row.try_get::<bool>("", "minted").unwrap(), minted);
        }
        db.close().await.unwrap();
        scratch.remove().await;
    }
}

#[tokio::test]
async fn earlier_teams_get_the_newest_files_of_the_agent_whose_sandbox_they_shared() {
    for scratch in Scratch::all().await {
        let db = before(&scratch, OWNERS).await;
        let id = |n: u128| Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0000 + n);
        let at = |hour: u32| match db.get_database_backend() {
            sea_orm::DbBackend::Postgres => {
                format!("TIMESTAMPTZ '2026-01-01 {hour:02}:00:00+00:00'")
            }
            _ => format!("'2026-01-01 {hour:02}:00:00+00:00'"),
        };
        let now = at(0);
        let workspace = format!(
            "INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, 'w', 'scale', {now})"
        );
        execute(&db, &workspace, vec![id(1).into()]).await;
        let user = format!(
            "INSERT INTO users (id, email, name, created_at) VALUES ($1, 'a@example.com', 'a', {now})"
        );
        execute(&db, &user, vec![id(2).into()]).await;
        let claw = format!(
            "INSERT INTO claws (id, workspace_id, name, managed_by, created_at, updated_at, version) \
             VALUES ($1, $2, 'a', $3, {now}, {now}, 1)"
        );
        let agent = vec![id(10).into(), id(1).into(), id(2).into()];
        execute(&db, &claw, agent).await;
        for (team, bench) in [(20, Some(id(10))), (21, None)] {
            let sql = format!(
                "INSERT INTO teams (id, workspace_id, name, state, mcp_bundles, lifecycle, topology, workbench_id, \
                   created_by, created_at, updated_at, version) \
                 VALUES ($1, $2, 't', 'ready', '[]', 'resident', '{{}}', $3, $4, {now}, {now}, 1)"
            );
            let values = vec![id(team).into(), id(1).into(), bench.into(), id(2).into()];
            execute(&db, &sql, values).await;
        }
        let container = format!(
            "INSERT INTO agent_containers (id, workspace_id, agent_id, epoch, state, image, limits, created_at, last_used_at) \
             VALUES ($1, $2, $3, 1, 'running', 'i', '{{}}', {now}, {now})"
        );
        let values = vec![id(30).into(), id(1).into(), id(10).into()];
        execute(&db, &container, values).await;
        for (snapshot, digest, hour) in [(40, "old", 1), (41, "new", 2)] {
            let taken = at(hour);
            let sql = format!(
                "INSERT INTO workspace_snapshots (id, workspace_id, agent_id, sandbox_id, node_id, digest, files, bytes, \
                   left_out, taken_at, received_at) \
                 VALUES ($1, $2, $3, $4, 'local', $5, 1, 1, '[]', {taken}, {taken})"
            );
            let values = vec![
                id(snapshot).into(),
                id(1).into(),
                id(10).into(),
                id(30).into(),
                digest.into(),
            ];
            execute(&db, &sql, values).await;
        }
        Migrator::up(&db, None).await.unwrap();
        let strings = async |sql: &str| {
            let statement = Statement::from_string(db.get_database_backend(), sql);
            let rows = db.query_all_raw(statement).await.unwrap();
            let text = |row: &sea_orm::QueryResult| row.try_get::<String>("", "t").unwrap();
            rows.iter().map(text).collect::<Vec<_>>()
        };
        let kept = "SELECT owner_kind || ' ' || digest AS t FROM workspace_snapshots ORDER BY owner_kind, digest";
        assert_eq!(strings(kept).await, ["claw new", "claw old", "team new"]);
        let own = "SELECT owner_kind || ' ' || state AS t FROM agent_containers";
        assert_eq!(strings(own).await, ["claw running"]);
        let shares = "SELECT CASE WHEN shared_sandbox THEN 'shares' ELSE 'each' END AS t FROM teams ORDER BY id";
        assert_eq!(strings(shares).await, ["shares", "each"]);
        // A team's id is no agent's id, and a second live sandbox of an owner is still refused.
        let second = container
            .replace("agent_id", "owner_kind, owner_id")
            .replace("$3", "'team', $3");
        execute(
            &db,
            &second,
            vec![id(31).into(), id(1).into(), id(20).into()],
        )
        .await;
        let backend = db.get_database_backend();
        let values = [id(32).into(), id(1).into(), id(20).into()];
        let third = Statement::from_sql_and_values(backend, second, values);
        db.execute_raw(third).await.expect_err("the team has one");
        db.close().await.unwrap();
        scratch.remove().await;
    }
}

//! Retention: each table has an entry, and the sweeper deletes old rows and keeps young ones. The outputs of runs are in
//! `execution::runs::endings`, the events in `tenancy::streams`.

use chrono::{DateTime, TimeDelta, Utc};
use roost_gateway::app::retained;
use roost_platform::db::Backend;
use roost_tests::{Gateway, Person, eventually};
use sea_orm::{ConnectionTrait, Statement, Value};
use serde_json::json;
use uuid::Uuid;

/// The rows of a test.
struct Rows<'a> {
    gateway: &'a Gateway,
}

impl Rows<'_> {
    async fn execute(&self, sql: &str, values: Vec<Value>) {
        let db = self.gateway.app().db();
        let tx = db.write().await.expect("a transaction");
        let statement = Statement::from_sql_and_values(db.backend().into(), sql, values);
        tx.execute_raw(statement).await.expect(sql);
        tx.commit().await.expect("a commit");
    }

    async fn insert(&self, table: &str, row: Vec<(&str, Value)>) {
        let (names, values): (Vec<&str>, Vec<Value>) = row.into_iter().unzip();
        let places: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
        let (names, places) = (names.join(", "), places.join(", "));
        let sql = format!("INSERT INTO {table} ({names}) VALUES ({places})");
        self.execute(&sql, values).await;
    }

    async fn has(&self, table: &str, key: &str, value: impl Into<Value>) -> bool {
        let db = self.gateway.app().db();
        let sql = format!("SELECT 1 AS one FROM {table} WHERE {key} = $1");
        let statement = Statement::from_sql_and_values(db.backend().into(), sql, [value.into()]);
        let found = db.read().query_one_raw(statement).await;
        found.expect("an answer").is_some()
    }

    async fn sweep(&self) {
        self.gateway.app().sweeper().sweep().await.expect("a sweep");
    }
}

fn ago(days: i64) -> DateTime<Utc> {
    Utc::now() - TimeDelta::days(days)
}

fn id(text: &str) -> Uuid {
    text.parse().expect("an id")
}

#[tokio::test]
async fn every_table_of_the_migrated_schema_has_a_retention() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let db = gateway.app().db();
        let sql = match db.backend() {
            Backend::Sqlite => {
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            }
            Backend::Postgres => {
                "SELECT CAST(table_name AS text) AS name FROM information_schema.tables WHERE table_schema = current_schema()"
            }
        };
        let statement = Statement::from_string(db.backend().into(), sql);
        let rows = db.read().query_all_raw(statement).await.expect("rows");
        let tables = rows
            .iter()
            .map(|row| row.try_get("", "name").expect("a name"));
        let tables: Vec<String> = tables.collect();
        assert!(tables.len() > 50, "{tables:?}");
        let without = retained::without_an_entry(tables.iter().map(String::as_str));
        assert!(
            without.is_empty(),
            "say in gateway/src/app/retained.rs how long rows of {without:?} are kept"
        );
        let gone = retained::TABLES.iter().map(|entry| entry.name);
        let gone: Vec<&str> = gone
            .filter(|name| !tables.iter().any(|table| table == name))
            .collect();
        assert!(gone.is_empty(), "entries without a table: {gone:?}");
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn operations_and_deletions_go_a_month_after_their_end_and_open_ones_stay() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let rows = Rows { gateway: &gateway };
        let owner = gateway.owner().await;
        let (old, young, open) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
        for (key, state, ended) in [
            (old, "done", Some(ago(31))),
            (young, "failed", Some(ago(29))),
            (open, "pending", None),
        ] {
            let row = vec![
                ("id", key.into()),
                ("engine", "elsewhere".into()),
                ("workspace_id", id(&owner.workspace).into()),
                ("kind", "sb_exec".into()),
                ("request", json!({}).into()),
                ("state", state.into()),
                ("created_at", ago(60).into()),
                ("finished_at", ended.into()),
                ("give_up_at", ago(-60).into()),
            ];
            rows.insert("node_operations", row).await;
        }
        let sagas = [("done", 31), ("done", 29), ("running", 31)];
        let sagas = sagas.map(|(state, age)| (Uuid::now_v7(), state, ago(age)));
        for (key, state, at) in sagas {
            let row = vec![
                ("id", key.into()),
                ("workspace_id", id(&owner.workspace).into()),
                ("requested_by", id(&owner.id).into()),
                ("kind", "claw_purge".into()),
                ("subject_id", Uuid::now_v7().into()),
                ("step", "nothing".into()),
                ("state", state.into()),
                ("attempts", 0_i64.into()),
                // The driver does not take it.
                ("due_ms", i64::MAX.into()),
                ("created_at", at.into()),
                ("updated_at", at.into()),
            ];
            rows.insert("sagas", row).await;
        }
        rows.sweep().await;
        let mut left = Vec::new();
        for key in [old, young, open] {
            left.push(rows.has("node_operations", "id", key).await);
        }
        for (key, ..) in sagas {
            left.push(rows.has("sagas", "id", key).await);
        }
        assert_eq!(left, [false, true, true, false, true, true]);
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn a_machine_that_never_joined_goes_a_week_after_its_code_and_others_stay() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let rows = Rows { gateway: &gateway };
        let owner = gateway.owner().await;
        let pair = async || {
            let paired = owner.post("/api/nodes/pair").json(&json!({}));
            paired.expect(201).await.str("/node/id").to_owned()
        };
        let (old, young, joined) = (pair().await, pair().await, pair().await);
        let set = "UPDATE nodes SET join_expires_at = $1 WHERE id = $2";
        for (node, age) in [(&old, 8), (&young, 6), (&joined, 8)] {
            rows.execute(set, vec![ago(age).into(), id(node).into()])
                .await;
        }
        let token = "UPDATE nodes SET token_sha256 = 'a token' WHERE id = $1";
        rows.execute(token, vec![id(&joined).into()]).await;
        rows.sweep().await;
        owner
            .get(&format!("/api/nodes/{old}"))
            .refused(404, "not-found")
            .await;
        for node in [&young, &joined] {
            owner.get(&format!("/api/nodes/{node}")).expect(200).await;
        }
        let log = owner
            .get("/api/audit?action=node.deleted")
            .expect(200)
            .await;
        assert_eq!(log.str("/items/0/entity_id"), old);
        assert_eq!(log.body["items"].as_array().map(Vec::len), Some(1));
        // Its row goes when nothing waits for it any more.
        assert!(rows.has("nodes", "id", id(&old)).await);
        let set = "UPDATE nodes SET deleted_at = $1 WHERE id = $2";
        rows.execute(set, vec![ago(8).into(), id(&old).into()])
            .await;
        rows.sweep().await;
        assert!(!rows.has("nodes", "id", id(&old)).await);
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn sign_ins_codes_keys_and_invitations_go_when_their_time_is_over() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let rows = Rows { gateway: &gateway };
        let owner = gateway.owner().await;
        let claw = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
        let claw = claw.expect(201).await.str("/id").to_owned();
        let node = owner.post("/api/nodes/pair").json(&json!({}));
        let node = id(node.expect(201).await.str("/node/id"));
        for (word, days) in [("old", 1), ("young", -1)] {
            let timed = |key: &'static str, more: Vec<(&'static str, Value)>| {
                let mut row = vec![(key, Value::from(word)), ("expires_at", ago(days).into())];
                row.extend(more);
                row
            };
            let user = || ("user_id", Value::from(id(&owner.id)));
            let workspace = || ("workspace_id", Value::from(id(&owner.workspace)));
            let login = vec![
                ("id", Uuid::now_v7().into()),
                user(),
                ("created_at", ago(2).into()),
            ];
            rows.insert("one_time_logins", timed("token_sha256", login))
                .await;
            let sign_in = vec![
                ("binding_sha256", "x".into()),
                ("redirect_uri", "x".into()),
                ("next", "/".into()),
                ("from_address", "192.0.2.1".into()),
            ];
            rows.insert("hosted_sign_ins", timed("state_sha256", sign_in))
                .await;
            let code = vec![
                ("code_sha256", word.into()),
                ("device", "x".into()),
                ("from_address", "192.0.2.1".into()),
                ("by_issuer", false.into()),
            ];
            rows.insert("login_codes", timed("device_sha256", code))
                .await;
            let state = vec![
                workspace(),
                user(),
                ("agent_id", id(&claw).into()),
                ("provider", "x".into()),
                ("auth_type", "oauth".into()),
                ("issuer_url", "x".into()),
            ];
            rows.insert("oauth_states", timed("state", state)).await;
            // These have other columns for their time.
            let old = word == "old";
            let at =
                |old_days, young_days| Value::from(ago(if old { old_days } else { young_days }));
            let device = vec![("id", word.into()), user(), ("used_at", at(181, 179))];
            rows.insert("known_devices", device).await;
            let key = vec![
                user(),
                workspace(),
                ("route", "POST /x".into()),
                ("key", word.into()),
                ("body_sha256", "x".into()),
                ("creation_id", Uuid::now_v7().into()),
                ("state", "done".into()),
                ("taken_ms", 0_i64.into()),
                ("created_at", at(2, 0)),
            ];
            rows.insert("idempotency_keys", key).await;
            let minute = ago(if old { 2 } else { 0 }).timestamp() / 60;
            let minute = vec![
                ("node_id", node.into()),
                ("minute", minute.into()),
                ("samples", if old { 1.into() } else { 2.into() }),
            ];
            rows.insert("node_history", minute).await;
            let session = owner
                .post("/api/auth/sessions")
                .json(&json!({ "label": word }));
            session.expect(201).await;
            let end = "UPDATE sessions SET expires_at = $1 WHERE label = $2";
            rows.execute(end, vec![ago(days).into(), word.into()]).await;
            let email = format!("{word}@example.test");
            invited(owner, &email).await;
            let end = "UPDATE invitations SET expires_at = $1 WHERE email = $2";
            rows.execute(end, vec![at(31, 29), email.into()]).await;
        }
        rows.sweep().await;
        for (table, key) in [
            ("one_time_logins", "token_sha256"),
            ("hosted_sign_ins", "state_sha256"),
            ("login_codes", "device_sha256"),
            ("oauth_states", "state"),
            ("known_devices", "id"),
            ("idempotency_keys", "key"),
            ("sessions", "label"),
        ] {
            let left = (
                rows.has(table, key, "old").await,
                rows.has(table, key, "young").await,
            );
            assert_eq!(left, (false, true), "{table}");
        }
        let invitations = (
            rows.has("invitations", "email", "old@example.test").await,
            rows.has("invitations", "email", "young@example.test").await,
        );
        assert_eq!(invitations, (false, true));
        let averages = (
            rows.has("node_history", "samples", 1).await,
            rows.has("node_history", "samples", 2).await,
        );
        assert_eq!(averages, (false, true));
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn doors_go_with_the_outputs_of_runs_and_open_ones_stay() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let rows = Rows { gateway: &gateway };
        let owner = gateway.owner().await;
        let claw = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
        let claw = claw.expect(201).await.str("/id").to_owned();
        // The state, the age of a person's decision and the age of the end.
        let doors = [
            ("performed", Some(40), Some(31), false),
            ("performed", Some(40), Some(29), true),
            ("denied", Some(31), None, false),
            ("denied", Some(29), None, true),
            ("expired", None, Some(31), false),
            ("pending", None, None, true),
            ("approved", Some(31), None, true),
            ("performing", Some(31), None, true),
        ];
        let mut keys = Vec::new();
        for (state, decided, ended, _) in doors {
            let key = Uuid::now_v7();
            let row = vec![
                ("id", key.into()),
                ("workspace_id", id(&owner.workspace).into()),
                ("agent_id", id(&claw).into()),
                ("agent_name", "Ada".into()),
                ("action", "issue.create".into()),
                ("target", "x".into()),
                ("summary", "x".into()),
                ("address", "https://app.example.test/".into()),
                ("params", json!({}).into()),
                ("state", state.into()),
                ("requested_by", id(&owner.id).into()),
                ("created_at", ago(50).into()),
                ("expires_at", ago(-50).into()),
                ("decided_at", decided.map(ago).into()),
                ("begun_at", (state == "performing").then(Utc::now).into()),
                ("ended_at", ended.map(ago).into()),
            ];
            rows.insert("doors", row).await;
            keys.push(key);
        }
        rows.sweep().await;
        for (key, (state, _, _, stays)) in keys.into_iter().zip(doors) {
            assert_eq!(rows.has("doors", "id", key).await, stays, "{state}");
        }
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn ended_sandboxes_go_and_the_newest_on_each_machine_stays() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let rows = Rows { gateway: &gateway };
        let owner = gateway.owner().await;
        let claw = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
        let claw = claw.expect(201).await.str("/id").to_owned();
        let sandboxes = [
            ("old-machine", "destroyed", 60, false),
            ("old-machine", "destroyed", 50, true),
            ("local", "failed", 40, false),
            ("local", "destroyed", 31, false),
            ("local", "destroyed", 29, true),
            ("local", "lost", 35, true),
            ("local", "destroyed", 31, true),
        ];
        let mut keys = Vec::new();
        for (epoch, (machine, state, ended, _)) in (1_i64..).zip(sandboxes) {
            let key = Uuid::now_v7();
            let row = vec![
                ("id", key.into()),
                ("workspace_id", id(&owner.workspace).into()),
                ("owner_kind", "claw".into()),
                ("owner_id", id(&claw).into()),
                ("node_id", machine.into()),
                ("epoch", epoch.into()),
                ("state", state.into()),
                ("image", "x".into()),
                ("limits", json!({}).into()),
                ("created_at", ago(ended + 1).into()),
                ("last_used_at", ago(ended + 1).into()),
                ("ended_at", ago(ended).into()),
                ("version", 1_i64.into()),
            ];
            rows.insert("agent_containers", row).await;
            keys.push(key);
        }
        rows.sweep().await;
        for (key, row) in keys.into_iter().zip(sandboxes) {
            let is_there = rows.has("agent_containers", "id", key).await;
            assert_eq!(is_there, row.3, "{row:?}");
        }
        over(gateway, scratch).await;
    }
}

#[tokio::test]
async fn packages_of_a_deleted_workspace_are_swept_and_others_stay() {
    let gateway = Gateway::start().await;
    let rows = Rows { gateway: &gateway };
    let owner = gateway.owner().await;
    let folder = gateway.data_dir().join("supplies");
    let deleted = Uuid::now_v7().to_string();
    for name in [deleted.as_str(), &owner.workspace, "notes of an operator"] {
        let shelf = folder.join(name);
        std::fs::create_dir_all(&shelf).expect("a folder");
        std::fs::write(shelf.join("sha256-0"), "package").expect("a file");
    }
    rows.sweep().await;
    assert!(!folder.join(&deleted).exists());
    assert!(folder.join(&owner.workspace).join("sha256-0").exists());
    assert!(folder.join("notes of an operator").exists());
    // The deletion of a workspace does not wait for the sweep.
    let next = owner
        .post("/api/workspaces")
        .json(&json!({ "name": "Next" }));
    let next = next.expect(201).await.str("/id").to_owned();
    std::fs::create_dir_all(folder.join(&next)).expect("a folder");
    let path = format!("/api/workspaces/{next}?confirm=Next");
    owner.delete(&path).expect(202).await;
    eventually("its packages are deleted", || async {
        (!folder.join(&next).exists()).then_some(())
    })
    .await;
    assert!(folder.join(&owner.workspace).exists());
    gateway.stop().await;
}

async fn invited(owner: &Person, email: &str) {
    let path = format!("/api/workspaces/{}/invitations", owner.workspace);
    let body = json!({ "role": "viewer", "email": email });
    owner.post(&path).json(&body).expect(201).await;
}

async fn over(gateway: Gateway, scratch: Option<roost_tests::ScratchPostgres>) {
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

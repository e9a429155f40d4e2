//! Backups while others write, and restores.

use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, Statement, Value};
use serde_json::json;
use uuid::Uuid;

use roost_platform::clock::SystemClock;
use roost_platform::db::{Access, Backend, Db, DbError, backup};
use roost_platform::events::{self, Event, EventId, Hub, Replay, ResourceKind};
use roost_platform::ids::UuidV7;
use roost_tenancy::auth::first_owner;
use roost_tenancy::workspaces::WorkspaceRow;
use roost_tenancy::workspaces::entity::workspace;
use roost_test_database::Scratch;
use sea_orm::EntityTrait;

async fn filled(scratch: &Scratch) -> WorkspaceRow {
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    first_owner(&scratch.db, &clock, &ids, "scale", 15)
        .await
        .unwrap()
        .unwrap();
    let workspace = workspace::Entity::find()
        .one(scratch.db.read())
        .await
        .unwrap()
        .unwrap();
    let mut tx = scratch.db.write().await.unwrap();
    let fact = Event::changed(ResourceKind::Workspace, workspace.id, 1);
    events::append(&mut tx, workspace.id, clock.now(), [fact])
        .await
        .unwrap();
    tx.commit().await.unwrap();
    workspace
}

#[tokio::test]
async fn restore_brings_the_data_back_and_resets_old_cursors() {
    for scratch in Scratch::all().await {
        let workspace = filled(&scratch).await;
        let file = scratch.folder.path().join("saved");
        let saved = backup::save(&scratch.db, &file).await.unwrap();
        assert!(saved > 5);
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let tx = scratch.db.write().await.unwrap();
        tx.execute_unprepared("UPDATE workspaces SET name = 'after the backup'")
            .await
            .unwrap();
        tx.commit().await.unwrap();
        scratch.db.close().await;

        {
            // A backup that was copied from another place.
            use std::os::unix::fs::PermissionsExt;
            let open = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(&file, open).unwrap();
        }
        let restored = backup::restore(&scratch.url, &file).await.unwrap();
        assert!(restored > 5);
        let again = Db::open(&scratch.url, Access::Serve, Hub::default())
            .await
            .unwrap();
        if let Some(restored) = again.sqlite_file() {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(restored).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let found = workspace::Entity::find()
            .one(again.read())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(found, workspace);
        let old = EventId { epoch: 1, seq: 1 };
        let replay = events::replay(again.read(), workspace.id, old, 10)
            .await
            .unwrap();
        assert!(
            matches!(
                replay,
                Replay::Reset {
                    head: EventId { epoch: 2, seq: 1 },
                    ..
                }
            ),
            "{replay:?}"
        );
        again.close().await;
        scratch.remove().await;
    }
}

/// Values that JSON cannot hold by itself.
type Stored = (Uuid, serde_json::Value, Vec<u8>, i64, DateTime<Utc>);

async fn write_values(db: &Db, (id, request, wire, output_end, at): Stored) {
    let sql = "INSERT INTO node_operations (id, kind, request, wire, state, output_end, created_at, give_up_at) \
               VALUES ($1, 'exec', $2, $3, 'running', $4, $5, $5)";
    let values: [Value; 5] = [
        id.into(),
        request.into(),
        wire.into(),
        output_end.into(),
        at.into(),
    ];
    let tx = db.write().await.unwrap();
    let insert = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    tx.execute_raw(insert).await.unwrap();
    tx.commit().await.unwrap();
}

async fn read_values(db: &Db) -> Stored {
    let sql = "SELECT id, request, wire, output_end, created_at FROM node_operations";
    let select = Statement::from_string(db.backend().into(), sql);
    let row = db.read().query_one_raw(select).await.unwrap().unwrap();
    (
        row.try_get("", "id").unwrap(),
        row.try_get("", "request").unwrap(),
        row.try_get("", "wire").unwrap(),
        row.try_get("", "output_end").unwrap(),
        row.try_get("", "created_at").unwrap(),
    )
}

#[tokio::test]
async fn bytes_json_times_and_large_numbers_are_restored_unchanged() {
    for scratch in Scratch::all().await {
        let stored: Stored = (
            Uuid::from_u128(7),
            json!({ "lines": "a\nb\u{1f980}", "numbers": [1.5, i64::MIN, null] }),
            vec![0, 0xff, b'\n', b'"'],
            i64::MAX,
            DateTime::from_timestamp_micros(1_700_000_000_123_456).unwrap(),
        );
        write_values(&scratch.db, stored.clone()).await;
        let file = scratch.folder.path().join("saved");
        backup::save(&scratch.db, &file).await.unwrap();
        let tx = scratch.db.write().await.unwrap();
        tx.execute_unprepared("DELETE FROM node_operations")
            .await
            .unwrap();
        tx.commit().await.unwrap();
        scratch.db.close().await;
        backup::restore(&scratch.url, &file).await.unwrap();
        let again = scratch.again().await;
        assert_eq!(read_values(&again).await, stored);
        again.close().await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_damaged_backup_changes_nothing() {
    for scratch in Scratch::all().await {
        let workspace = filled(&scratch).await;
        let file = scratch.folder.path().join("saved");
        backup::save(&scratch.db, &file).await.unwrap();
        let bytes = std::fs::read(&file).unwrap();
        let kept = match scratch.db.backend() {
            Backend::Sqlite => bytes.len() / 2,
            // The last line loses its end.
            Backend::Postgres => bytes.len() - 2,
        };
        std::fs::write(&file, &bytes[..kept]).unwrap();
        scratch.db.close().await;
        assert!(backup::restore(&scratch.url, &file).await.is_err());
        let again = scratch.again().await;
        let found = workspace::Entity::find()
            .one(again.read())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(found, workspace);
        again.close().await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn postgres_backup_that_lost_whole_lines_changes_nothing() {
    let Some(scratch) = Scratch::postgres().await else {
        return;
    };
    let workspace = filled(&scratch).await;
    let file = scratch.folder.path().join("saved");
    backup::save(&scratch.db, &file).await.unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    scratch.db.close().await;
    let lines: Vec<&str> = text.lines().collect();
    // Only the last line, and then a row too.
    for lost in 1..=2 {
        std::fs::write(&file, lines[..lines.len() - lost].join("\n")).unwrap();
        let refused = backup::restore(&scratch.url, &file).await.unwrap_err();
        assert!(refused.to_string().contains("lost its end"), "{refused}");
    }
    // A row in the middle is missing, so the count differs.
    let mut holed = lines.clone();
    holed.remove(lines.len() / 2);
    std::fs::write(&file, holed.join("\n")).unwrap();
    assert!(backup::restore(&scratch.url, &file).await.is_err());
    let again = scratch.again().await;
    let found = workspace::Entity::find()
        .one(again.read())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found, workspace);
    again.close().await;
    std::fs::write(&file, &text).unwrap();
    backup::restore(&scratch.url, &file).await.unwrap();
    scratch.remove().await;
}

#[tokio::test]
async fn a_backup_never_overwrites_a_file() {
    for scratch in Scratch::all().await {
        let file = scratch.folder.path().join("there");
        std::fs::write(&file, "precious").unwrap();
        assert!(backup::save(&scratch.db, &file).await.is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
        scratch.remove().await;
    }
}

#[tokio::test]
async fn file_that_is_not_a_backup_changes_nothing() {
    for scratch in Scratch::all().await {
        let workspace = filled(&scratch).await;
        let file = scratch.folder.path().join("nonsense");
        std::fs::write(&file, "nonsense\n").unwrap();
        scratch.db.close().await;
        let refused = backup::restore(&scratch.url, &file).await.unwrap_err();
        assert!(matches!(refused, DbError::BadBackup(_)), "{refused}");
        let again = scratch.again().await;
        let found = workspace::Entity::find()
            .one(again.read())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(found, workspace);
        again.close().await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn nothing_is_restored_under_a_running_gateway() {
    for scratch in Scratch::all().await {
        filled(&scratch).await;
        let file = scratch.folder.path().join("saved");
        backup::save(&scratch.db, &file).await.unwrap();
        let lock = match scratch.db.backend() {
            Backend::Sqlite => Some(
                Db::open(&scratch.url, Access::Serve, Hub::default())
                    .await
                    .unwrap(),
            ),
            Backend::Postgres => None,
        };
        assert!(backup::restore(&scratch.url, &file).await.is_err());
        if let Some(lock) = lock {
            lock.close().await;
        }
        scratch.remove().await;
    }
}

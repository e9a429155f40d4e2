//! Saving while others write, and restoring.

use sea_orm::ConnectionTrait;

use super::Scratch;
use crate::clock::SystemClock;
use crate::db::{Access, Backend, Db, DbError, backup};
use crate::domains::auth::commands::first_owner;
use crate::domains::workspaces::entity::workspace;
use crate::events::{self, Event, EventId, Hub, Replay, ResourceKind};
use crate::ids::UuidV7;
use sea_orm::EntityTrait;

async fn filled(scratch: &Scratch) -> workspace::Model {
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    first_owner(&scratch.db, &clock, &ids, 15)
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
async fn what_was_saved_is_there_again_and_old_cursors_are_told_to_start_anew() {
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

        let restored = backup::restore(&scratch.url, &file).await.unwrap();
        assert!(restored > 5);
        let again = Db::open(&scratch.url, Access::Serve, Hub::default())
            .await
            .unwrap();
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
async fn a_file_that_is_no_backup_changes_nothing() {
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

//! SQLite: `VACUUM INTO` copies a consistent state while others write. A restore replaces the file with the copy and
//! keeps the former file beside it.

use std::fs::File;
use std::path::{Path, PathBuf};

use roost_sandbox_driver::private;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};

use super::known_migrations;
use crate::db::connect::{open_plain_sqlite, sqlite_file};
use crate::db::lock::FileLock;
use crate::db::{Db, DbError};

pub(super) async fn save(db: &Db, file: &Path) -> Result<u64, DbError> {
    let failed = DbError::sql("cannot save the database");
    let into = Statement::from_sql_and_values(
        sea_orm::DbBackend::Sqlite,
        "VACUUM INTO $1",
        [file.display().to_string().into()],
    );
    db.writer().execute_raw(into).await.map_err(failed)?;
    File::open(file)
        .and_then(|saved| saved.sync_all())
        .map_err(DbError::io("cannot sync the backup file", file))?;
    let saved = open_plain_sqlite(file).await?;
    let rows = count(&saved).await;
    close(saved).await;
    rows.map_err(DbError::sql("cannot read the backup back"))
}

pub(super) async fn restore(url: &str, file: &Path) -> Result<u64, DbError> {
    let target = sqlite_file(url);
    if let Some(parent) = target.parent().filter(|p| !p.as_os_str().is_empty()) {
        private::make_folder(parent).map_err(DbError::io(
            "cannot make the folder of the database,",
            parent,
        ))?;
    }
    let _lock = FileLock::take(&target)?;
    let copy = beside(&target, "restoring");
    // A copy gets the mode of its source, which may be too open.
    std::fs::copy(file, &copy)
        .and_then(|_| private::mend(&copy))
        .map_err(DbError::io("cannot copy the backup to", &copy))?;
    let rows = prepare(&copy).await?;
    for suffix in ["-wal", "-shm"] {
        remove_if_there(&with_suffix(&copy, suffix))?;
    }
    set_aside(&target).await?;
    std::fs::rename(&copy, &target)
        .and_then(|()| File::open(&target)?.sync_all())
        .map_err(DbError::io("cannot put the database in place,", &target))?;
    Ok(rows)
}

/// Checks the copy and starts new epochs in it.
async fn prepare(copy: &Path) -> Result<u64, DbError> {
    let failed = || DbError::BadBackup(format!("{} is not a SQLite database", copy.display()));
    let db = open_plain_sqlite(copy).await.map_err(|_| failed())?;
    let applied = strings(
        &db,
        "SELECT version AS s FROM seaql_migrations ORDER BY version",
    )
    .await;
    let outcome = match applied {
        Err(_) => Err(DbError::BadBackup(
            "the file is not a backup of Roost: it has no migrations".to_owned(),
        )),
        Ok(applied) => known_migrations(&applied).map(|_| ()),
    };
    let prepared = match outcome {
        Err(error) => Err(error),
        Ok(()) => check_and_renew(&db).await,
    };
    close(db).await;
    prepared
}

async fn check_and_renew(db: &DatabaseConnection) -> Result<u64, DbError> {
    let failed = || DbError::sql("cannot prepare the backup");
    let health = strings(
        db,
        "SELECT integrity_check AS s FROM pragma_integrity_check",
    )
    .await
    .map_err(failed())?;
    if health != ["ok"] {
        return Err(DbError::BadBackup(format!(
            "the backup is damaged: {}",
            health.join("; ")
        )));
    }
    for statement in [
        "UPDATE event_heads SET epoch = epoch + 1",
        "DELETE FROM leases",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA journal_mode = DELETE",
    ] {
        db.execute_unprepared(statement).await.map_err(failed())?;
    }
    count(db).await.map_err(failed())
}

/// Moves the present database, if it exists, to `<file>.before-restore`.
async fn set_aside(target: &Path) -> Result<(), DbError> {
    if !target.exists() {
        return Ok(());
    }
    // The rest of the write-ahead log belongs to the file that is kept.
    if let Ok(present) = open_plain_sqlite(target).await {
        let outcome = present
            .execute_unprepared("PRAGMA wal_checkpoint(TRUNCATE)")
            .await;
        if let Err(error) = outcome {
            tracing::warn!(%error, "the former database could not be checkpointed; its files stay unchanged");
        }
        close(present).await;
    }
    let kept = beside(target, "before-restore");
    std::fs::rename(target, &kept)
        .and_then(|()| private::mend(&kept))
        .map_err(DbError::io("cannot keep the former database as", &kept))?;
    for suffix in ["-wal", "-shm"] {
        remove_if_there(&with_suffix(target, suffix))?;
    }
    Ok(())
}

async fn count(db: &DatabaseConnection) -> Result<u64, DbErr> {
    let tables = strings(
        db,
        "SELECT name AS s FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .await?;
    let mut rows = 0;
    for table in tables {
        let sql = format!("SELECT CAST(count(*) AS TEXT) AS s FROM \"{table}\"");
        let count = strings(db, &sql).await?;
        rows += count.first().and_then(|n| n.parse().ok()).unwrap_or(0);
    }
    Ok(rows)
}

async fn strings(db: &DatabaseConnection, sql: &str) -> Result<Vec<String>, DbErr> {
    let statement = Statement::from_string(sea_orm::DbBackend::Sqlite, sql);
    db.query_all_raw(statement)
        .await?
        .iter()
        .map(|row| row.try_get("", "s"))
        .collect()
}

async fn close(db: DatabaseConnection) {
    if let Err(error) = db.close().await {
        tracing::warn!(%error, "a database did not close cleanly");
    }
}

fn beside(path: &Path, what: &str) -> PathBuf {
    with_suffix(path, &format!(".{what}"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_if_there(path: &Path) -> Result<(), DbError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(DbError::io("cannot remove", path)(error))
        }
        _ => Ok(()),
    }
}

//! Saves the whole database while the gateway runs, and restores it. SQLite: a compacted copy of the file. PostgreSQL:
//! all rows as JSON lines, read in one snapshot. A restore gives each event log a new epoch, so that clients start
//! again instead of silently missing events.

mod postgres;
mod sqlite;

use std::path::Path;

use roost_migrations::Migrator;
use roost_migrations::MigratorTrait;

use super::{Backend, Db, DbError};

/// Saves everything to `file`, which must not exist; its mode is 0600. Returns the number of rows.
///
/// # Errors
/// When the file exists or cannot be written, or the database fails.
pub async fn save(db: &Db, file: &Path) -> Result<u64, DbError> {
    let out = new_private_file(file)?;
    match db.backend() {
        Backend::Sqlite => {
            drop(out);
            sqlite::save(db, file).await
        }
        Backend::Postgres => postgres::save(db, file, out).await,
    }
}

/// Replaces the database behind `url` with the content of `file`. No gateway may run on it. Returns the number of rows.
///
/// # Errors
/// When a gateway runs, or the file is not a backup of this kind of database, or a newer version made it.
pub async fn restore(url: &str, file: &Path) -> Result<u64, DbError> {
    if url.starts_with("sqlite:") {
        sqlite::restore(url, file).await
    } else {
        postgres::restore(url, file).await
    }
}

fn new_private_file(file: &Path) -> Result<std::fs::File, DbError> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(file)
        .map_err(DbError::io("cannot make the backup file", file))
}

/// Checks that a backup's migrations are a prefix of this version's. Returns how many there are.
fn known_migrations(applied: &[String]) -> Result<u32, DbError> {
    let ours: Vec<String> = Migrator::migrations()
        .iter()
        .map(|migration| migration.name().to_owned())
        .collect();
    if applied.is_empty() {
        return Err(DbError::BadBackup(
            "the file is not a backup of Roost: it has no migrations".to_owned(),
        ));
    }
    if ours.starts_with(applied) {
        return Ok(u32::try_from(applied.len()).unwrap_or(u32::MAX));
    }
    Err(DbError::BadBackup(format!(
        "the backup was made by another version of Roost (its last migration is {}); restore it with that version",
        applied.last().map_or("?", String::as_str)
    )))
}

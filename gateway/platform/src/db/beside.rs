//! The check of a command before it works on a database beside the gateway: the database exists, it is Roost's, and
//! this version knows its schema. The check creates and changes nothing.

use std::path::PathBuf;

use roost_migrations::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};

use super::connect::{Access, Backend, sqlite_file};
use super::probe::read_only;
use super::{DbError, Missing};

/// The absolute path of the file that a SQLite URL names; `None` for another database.
pub fn file_of_sqlite(url: &str) -> Option<PathBuf> {
    let file = url.starts_with("sqlite:").then(|| sqlite_file(url))?;
    Some(std::path::absolute(&file).unwrap_or(file))
}

/// Refuses a database that the command cannot work on.
pub(super) async fn check(url: &str, backend: Backend, access: Access) -> Result<(), DbError> {
    let at = match file_of_sqlite(url) {
        Some(file) if !file.is_file() => return Err(DbError::Missing(Missing::File(file))),
        Some(file) => file.display().to_string(),
        None => "the address in `database.url`".to_owned(),
    };
    let db = read_only(url).await?;
    let applied = applied(&db, backend).await;
    if let Err(error) = db.close().await {
        tracing::warn!(%error, "a database did not close cleanly");
    }
    match applied.map_err(DbError::sql("cannot read the database"))? {
        None => Err(DbError::Missing(Missing::Empty(at))),
        Some(applied) => fits(&applied, access),
    }
}

/// The applied migrations; `None` if Roost has never used the database.
async fn applied(db: &DatabaseConnection, backend: Backend) -> Result<Option<Vec<String>>, DbErr> {
    let there = match backend {
        Backend::Sqlite => {
            "SELECT name AS s FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'"
        }
        Backend::Postgres => {
            "SELECT table_name::text AS s FROM information_schema.tables \
             WHERE table_schema = current_schema() AND table_name = 'seaql_migrations'"
        }
    };
    if strings(db, backend, there).await?.is_empty() {
        return Ok(None);
    }
    let steps = "SELECT version AS s FROM seaql_migrations ORDER BY version";
    let steps = strings(db, backend, steps).await?;
    Ok((!steps.is_empty()).then_some(steps))
}

async fn strings(
    db: &DatabaseConnection,
    backend: Backend,
    sql: &str,
) -> Result<Vec<String>, DbErr> {
    let rows = db.query_all_raw(Statement::from_string(backend.into(), sql));
    rows.await?.iter().map(|row| row.try_get("", "s")).collect()
}

/// Whether a command of this version may work on a schema with these migrations.
fn fits(applied: &[String], access: Access) -> Result<(), DbError> {
    let known: Vec<String> = Migrator::migrations()
        .iter()
        .map(|migration| migration.name().to_owned())
        .collect();
    if !known.starts_with(applied) {
        return Err(DbError::Newer);
    }
    // People make a backup before they start the new version.
    if applied.len() < known.len() && access != Access::Saving {
        return Err(DbError::Older {
            applied: applied.len(),
            known: known.len(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_backup_takes_an_older_schema_and_nothing_takes_a_newer_one() {
        let mut steps: Vec<String> = Migrator::migrations()
            .iter()
            .map(|migration| migration.name().to_owned())
            .collect();
        for access in [Access::Beside, Access::Saving] {
            assert!(fits(&steps, access).is_ok());
        }
        assert!(fits(&steps[..3], Access::Saving).is_ok());
        let older = fits(&steps[..3], Access::Beside).unwrap_err().to_string();
        assert!(older.contains("3 of "), "{older}");
        steps.push("m9999_of_tomorrow".to_owned());
        for access in [Access::Beside, Access::Saving] {
            let newer = fits(&steps, access).unwrap_err();
            assert!(matches!(newer, DbError::Newer), "{newer}");
        }
    }
}

//! Reads facts about a database without changing it: for the doctor, which may be another version than the running
//! gateway.
#![expect(
    clippy::disallowed_methods,
    reason = "opens a connection of its own, because `Db::open` brings the schema up to date"
)]

use std::time::Duration;

use roost_migrations::{Migrator, MigratorTrait};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr, Statement};

use super::connect::{quiet, sqlite_file};
use super::{Backend, DbError};

/// The result of a probe.
#[derive(Debug)]
pub struct Probe {
    pub backend: Backend,
    /// Applied migrations, and how many this version knows.
    pub applied: i64,
    pub known: usize,
    /// The database's own clock, milliseconds since 1970.
    pub now_ms: i64,
    /// Rows of each table.
    pub counts: Vec<(String, i64)>,
}

/// Reads the facts. It does not create a missing SQLite file.
///
/// # Errors
/// When the database cannot be opened or read.
pub async fn probe(url: &str) -> Result<Probe, DbError> {
    let db = read_only(url).await?;
    let backend = match url.starts_with("sqlite:") {
        true => Backend::Sqlite,
        false => Backend::Postgres,
    };
    let found = read_state(&db, backend).await;
    let closed = db.close().await;
    let found = found.map_err(DbError::sql("cannot read the database"))?;
    closed.map_err(DbError::sql("cannot close the database"))?;
    Ok(found)
}

/// A connection that reads a database of any version. It creates nothing; on SQLite it cannot write.
///
/// # Errors
/// When the database cannot be opened.
pub async fn read_only(url: &str) -> Result<DatabaseConnection, DbError> {
    let url = match url.starts_with("sqlite:") {
        true => format!("sqlite:{}?mode=rw", sqlite_file(url).display()),
        false => url.to_owned(),
    };
    let mut options = ConnectOptions::new(url);
    quiet(&mut options);
    options
        .max_connections(1)
        .connect_timeout(Duration::from_secs(10))
        .acquire_timeout(Duration::from_secs(10))
        .map_sqlx_sqlite_opts(|o| o.pragma("query_only", "ON"));
    Database::connect(options)
        .await
        .map_err(DbError::sql("cannot open the database"))
}

async fn read_state(db: &DatabaseConnection, backend: Backend) -> Result<Probe, DbErr> {
    let tables = match backend {
        Backend::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        }
        Backend::Postgres => {
            "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() \
             AND table_type = 'BASE TABLE' ORDER BY table_name"
        }
    };
    let rows = db
        .query_all_raw(Statement::from_string(backend.into(), tables))
        .await?;
    let mut counts = Vec::new();
    for row in rows {
        let name: String = row.try_get("", "name")?;
        if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let count = number(db, backend, &format!("SELECT COUNT(*) AS n FROM {name}")).await?;
            counts.push((name, count));
        }
    }
    let applied = counts
        .iter()
        .find(|(name, _)| name == "seaql_migrations")
        .map_or(0, |(_, count)| *count);
    Ok(Probe {
        backend,
        applied,
        known: Migrator::migrations().len(),
        now_ms: number(db, backend, &format!("SELECT {} AS n", backend.now_ms())).await?,
        counts,
    })
}

async fn number(db: &DatabaseConnection, backend: Backend, sql: &str) -> Result<i64, DbErr> {
    let row = db
        .query_one_raw(Statement::from_string(backend.into(), sql))
        .await?;
    row.map_or(Ok(0), |row| row.try_get("", "n"))
}

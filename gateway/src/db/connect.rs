//! Opening the database and the two ways into it.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place that opens connections"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::{self, Connection, SqliteConnection};
use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};

use super::{DbError, WriteTx, lock::FileLock, migrate};
use crate::events::Hub;

/// Which database is behind the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// One file, one gateway.
    Sqlite,
    /// Several gateways may share it.
    Postgres,
}

/// The database of one gateway; cheap to clone.
#[derive(Clone)]
pub struct Db {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Backend,
    /// SQLite: connections that refuse to write. PostgreSQL: a pool of its own, so who reads does not queue behind writers
    /// that wait for a lock.
    reader: DatabaseConnection,
    /// SQLite: a pool of exactly one, so writers queue here in order instead of spinning on BUSY.
    writer: DatabaseConnection,
    hub: Hub,
    sqlite_file: Option<PathBuf>,
    /// Held as long as the gateway serves this file.
    _lock: Option<FileLock>,
}

/// How a process wants to use the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The gateway itself: alone on a SQLite file; brings the schema up to date.
    Serve,
    /// A command beside a running gateway (one-time login, grant, backup).
    Beside,
}

/// SQLite waits this long for another process's write before it says BUSY.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const SQLITE_READERS: u32 = 4;
const POSTGRES_READERS: u32 = 8;
const POSTGRES_WRITERS: u32 = 12;
/// A gateway that is held still inside a transaction (its machine sleeps) keeps rows locked that others wait for. Ours
/// ask one statement after the other, so one that says nothing for so long is given up.
const ASLEEP: Duration = Duration::from_secs(5);

impl Db {
    /// Opens the database that `url` names, takes the file's lock when it is to be served, and applies the migrations
    /// (serialised between replicas).
    ///
    /// # Errors
    /// See [`DbError`]; each says what to do.
    pub async fn open(url: &str, access: Access, hub: Hub) -> Result<Self, DbError> {
        let db = if url.starts_with("sqlite:") {
            Self::open_sqlite(url, access, hub).await?
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            Self::open_postgres(url, hub).await?
        } else {
            let scheme = url.split(':').next().unwrap_or_default().to_owned();
            return Err(DbError::UnknownBackend(scheme));
        };
        migrate::up(&db).await?;
        Ok(db)
    }

    async fn open_sqlite(url: &str, access: Access, hub: Hub) -> Result<Self, DbError> {
        let file = sqlite_file(url);
        if let Some(parent) = file.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(parent).map_err(DbError::io(
                "cannot make the folder of the database,",
                parent,
            ))?;
        }
        let lock = match access {
            Access::Serve => Some(FileLock::take(&file)?),
            Access::Beside => None,
        };
        let plain = format!("sqlite:{}?mode=rwc", file.display());
        let mut options = ConnectOptions::new(plain.clone());
        quiet(&mut options);
        options
            .max_connections(1)
            // A connection to a file does not break while it lies in the pool; asking it first doubles each short read.
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(30))
            .map_sqlx_sqlite_pool_opts(|pool| {
                pool.after_release(|connection, _: PoolConnectionMetadata| {
                    Box::pin(is_between_transactions(connection))
                })
            })
            .map_sqlx_sqlite_opts(|o| {
                o.busy_timeout(BUSY_TIMEOUT)
                    .foreign_keys(true)
                    .pragma("journal_mode", "WAL")
                    .pragma("synchronous", "FULL")
            });
        let writer = Database::connect(options)
            .await
            .map_err(DbError::sql("cannot open the SQLite database"))?;
        let mut options = ConnectOptions::new(plain);
        quiet(&mut options);
        options
            .max_connections(SQLITE_READERS)
            .test_before_acquire(false)
            .map_sqlx_sqlite_opts(|o| {
                o.busy_timeout(BUSY_TIMEOUT)
                    .foreign_keys(true)
                    .pragma("query_only", "ON")
            });
        let reader = Database::connect(options)
            .await
            .map_err(DbError::sql("cannot open the SQLite database for reading"))?;
        Ok(Self {
            inner: Arc::new(Inner {
                backend: Backend::Sqlite,
                reader,
                writer,
                hub,
                sqlite_file: Some(file),
                _lock: lock,
            }),
        })
    }

    async fn open_postgres(url: &str, hub: Hub) -> Result<Self, DbError> {
        let reader = Self::postgres_pool(url, POSTGRES_READERS).await?;
        let writer = Self::postgres_pool(url, POSTGRES_WRITERS).await?;
        Ok(Self {
            inner: Arc::new(Inner {
                backend: Backend::Postgres,
                reader,
                writer,
                hub,
                sqlite_file: None,
                _lock: None,
            }),
        })
    }

    async fn postgres_pool(url: &str, most: u32) -> Result<DatabaseConnection, DbError> {
        let mut options = ConnectOptions::new(url.to_owned());
        quiet(&mut options);
        options
            .max_connections(most)
            .acquire_timeout(Duration::from_secs(30))
            .set_application_name("roost")
            .map_sqlx_postgres_opts(|o| {
                o.options([("idle_in_transaction_session_timeout", ASLEEP.as_millis())])
            });
        Database::connect(options).await.map_err(DbError::sql(
            "cannot reach PostgreSQL; check database.url and that the server runs",
        ))
    }

    /// Which back end this is.
    pub fn backend(&self) -> Backend {
        self.inner.backend
    }

    /// The file behind it, on SQLite.
    pub fn sqlite_file(&self) -> Option<&std::path::Path> {
        self.inner.sqlite_file.as_deref()
    }

    /// For queries that change nothing (SQLite refuses writes here).
    pub fn read(&self) -> &DatabaseConnection {
        &self.inner.reader
    }

    /// Begins a write transaction. It holds the write lock from the first moment (so it cannot fail half-way with
    /// BUSY), is rolled back when dropped, and tells event subscribers after [`WriteTx::commit`].
    ///
    /// # Errors
    /// When no connection is to be had or the lock is not given in time.
    pub async fn write(&self) -> Result<WriteTx, sea_orm::DbErr> {
        let tx = self
            .inner
            .writer
            .begin_with_options(TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            })
            .await?;
        Ok(WriteTx::new(tx, self.inner.backend, self.inner.hub.clone()))
    }

    /// Where committed events are told: for code that waits for a change instead of polling.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    pub(super) fn writer(&self) -> &DatabaseConnection {
        &self.inner.writer
    }

    /// Closes every connection after what runs on them has ended.
    pub async fn close(&self) {
        for pool in [&self.inner.reader, &self.inner.writer] {
            if let Err(error) = pool.clone().close().await {
                tracing::warn!(%error, "a database connection did not close cleanly");
            }
        }
    }
}

/// Whether a connection that was given back may be used again; one that may not is closed, which rolls back what is open.
///
/// SQLite itself rolls a transaction back when the disk is full. The driver's own rollback then fails, it goes on counting
/// that transaction as open, makes a savepoint of each one after it, and a rolled-back savepoint of those leaves all later
/// ones uncommitted although they were reported as committed.
async fn is_between_transactions(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // A rollback may still be on its way to the connection's thread; a ping comes behind it.
    connection.ping().await?;
    let open = connection.is_in_transaction();
    if open {
        tracing::warn!("a transaction could not be rolled back in order; its connection is closed");
    }
    Ok(!open)
}

/// One connection to a SQLite file that must exist; for saving and restoring.
pub(super) async fn open_plain_sqlite(
    file: &std::path::Path,
) -> Result<DatabaseConnection, DbError> {
    let mut options = ConnectOptions::new(format!("sqlite:{}?mode=rw", file.display()));
    quiet(&mut options);
    options.max_connections(1);
    Database::connect(options)
        .await
        .map_err(DbError::sql("cannot open the SQLite database"))
}

/// One connection to PostgreSQL that does not call itself a gateway; for restoring.
pub(super) async fn open_plain_postgres(url: &str) -> Result<DatabaseConnection, DbError> {
    let mut options = ConnectOptions::new(url.to_owned());
    quiet(&mut options);
    options
        .max_connections(1)
        .set_application_name("roost-restore");
    Database::connect(options)
        .await
        .map_err(DbError::sql("cannot reach PostgreSQL"))
}

/// sqlx logs each statement at INFO by default; ours are DEBUG, slow ones WARN.
pub(super) fn quiet(options: &mut ConnectOptions) {
    options
        .sqlx_logging_level(log::LevelFilter::Debug)
        .sqlx_slow_statements_logging_settings(log::LevelFilter::Warn, Duration::from_secs(1));
}

pub(super) fn sqlite_file(url: &str) -> PathBuf {
    let path = url.trim_start_matches("sqlite:");
    let path = path.split('?').next().unwrap_or(path);
    let path = path.strip_prefix("//").unwrap_or(path);
    PathBuf::from(path)
}

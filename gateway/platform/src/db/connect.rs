//! Opens the database: one pool for reads and one for writes.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place that opens connections"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use roost_sandbox_driver::private;
use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::{self, Connection, SqliteConnection};
use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};

use super::{DbError, WriteTx, beside, error::is_broken_connection, lock::FileLock, migrate};
use crate::hub::Hub;

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
    readers: Readers,
}

/// Which connections a [`Db`] reads with.
#[derive(Clone, Copy)]
enum Readers {
    /// Those of people and of everything else.
    Usual,
    /// Those of agents at work.
    OfWork,
}

struct Inner {
    backend: Backend,
    /// SQLite: connections that refuse to write. PostgreSQL: a separate pool, so readers do not queue behind writers
    /// that wait for a lock.
    reader: DatabaseConnection,
    /// As `reader`, for agents at work. Hundreds of them read without a pause, and a person who reads waits for none.
    work_reader: DatabaseConnection,
    /// SQLite: a pool of exactly one connection, so writers queue here in order instead of retrying on BUSY.
    writer: DatabaseConnection,
    /// PostgreSQL: the connection of the committer.
    lane: Option<DatabaseConnection>,
    hub: Hub,
    /// Rises with each commit of this process that changes authority.
    authority: Arc<AtomicU64>,
    sqlite_file: Option<PathBuf>,
    /// Held while the gateway serves this file.
    _lock: Option<FileLock>,
}

/// How a process uses the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The gateway itself: the only one on a SQLite file. It creates a missing database and brings the schema up to
    /// date.
    Serve,
    /// A command beside a running gateway (one-time login, grant). It refuses a missing database and another schema.
    Beside,
    /// Like `Beside`, for a backup. An older schema is allowed.
    Saving,
}

/// SQLite waits this long for another process's write before it returns BUSY.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const SQLITE_READERS: u32 = 4;
const SQLITE_WORK_READERS: u32 = 2;
const POSTGRES_READERS: u32 = 8;
const POSTGRES_WORK_READERS: u32 = 4;
const POSTGRES_WRITERS: u32 = 12;
/// A gateway that stops inside a transaction (its machine sleeps) keeps rows locked that others need. A gateway sends
/// its statements without long pauses, so PostgreSQL ends a session whose transaction is idle for this long.
const ASLEEP: Duration = Duration::from_secs(5);
/// A PostgreSQL connection that was idle for this long is tested before it is used. Under load connections are never
/// idle for so long, and each test would be one more round trip of a transaction.
const TESTED_AFTER: Duration = Duration::from_secs(1);

/// The settings of each PostgreSQL connection. Data that is read at random is in memory or on a solid-state disk. With
/// PostgreSQL's own cost of such a read, it scans a table of some thousand runs instead of using its index.
const OF_ALL: [(&str, &str); 1] = [("random_page_cost", "1.1")];
/// The further settings of the committer's connection. Each of its statements finds rows by their keys, so its plan is
/// good for all values: it is made once, also while the tables are empty.
const OF_THE_LANE: [(&str, &str); 3] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("jit", "off"),
];

impl Db {
    /// Opens the database that `url` names. `Serve` takes the file's lock and applies the migrations, one replica at a
    /// time. Otherwise the database must exist and have a schema that the command knows.
    ///
    /// # Errors
    /// See [`DbError`]; each error explains what to do.
    pub async fn open(url: &str, access: Access, hub: Hub) -> Result<Self, DbError> {
        let backend = if url.starts_with("sqlite:") {
            Backend::Sqlite
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            Backend::Postgres
        } else {
            let scheme = url.split(':').next().unwrap_or_default().to_owned();
            return Err(DbError::UnknownBackend(scheme));
        };
        if access != Access::Serve {
            beside::check(url, backend, access).await?;
        }
        let db = match backend {
            Backend::Sqlite => Self::open_sqlite(url, access, hub).await?,
            Backend::Postgres => Self::open_postgres(url, hub).await?,
        };
        if access == Access::Serve {
            migrate::up(&db).await?;
        }
        Ok(db)
    }

    async fn open_sqlite(url: &str, access: Access, hub: Hub) -> Result<Self, DbError> {
        let file = sqlite_file(url);
        let lock = match access {
            Access::Serve => Some(make_sqlite(&file)?),
            Access::Beside | Access::Saving => None,
        };
        close_to_others(&file).map_err(DbError::io("cannot close to others", &file))?;
        let plain = format!("sqlite:{}?mode=rw", file.display());
        let mut options = ConnectOptions::new(plain.clone());
        quiet(&mut options);
        options
            .max_connections(1)
            // A connection to a file does not break while it is idle in the pool. A test before each use would double
            // every short read.
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
        let reader = Self::sqlite_readers(&plain, SQLITE_READERS).await?;
        let work_reader = Self::sqlite_readers(&plain, SQLITE_WORK_READERS).await?;
        Ok(Self {
            readers: Readers::Usual,
            inner: Arc::new(Inner {
                backend: Backend::Sqlite,
                reader,
                work_reader,
                writer,
                lane: None,
                hub,
                authority: Arc::default(),
                sqlite_file: Some(file),
                _lock: lock,
            }),
        })
    }

    async fn sqlite_readers(url: &str, most: u32) -> Result<DatabaseConnection, DbError> {
        let mut options = ConnectOptions::new(url.to_owned());
        quiet(&mut options);
        options
            .max_connections(most)
            .test_before_acquire(false)
            .map_sqlx_sqlite_opts(|o| {
                o.busy_timeout(BUSY_TIMEOUT)
                    .foreign_keys(true)
                    .pragma("query_only", "ON")
            });
        Database::connect(options)
            .await
            .map_err(DbError::sql("cannot open the SQLite database for reading"))
    }

    async fn open_postgres(url: &str, hub: Hub) -> Result<Self, DbError> {
        let reader = Self::postgres_pool(url, POSTGRES_READERS, &[]).await?;
        let work_reader = Self::postgres_pool(url, POSTGRES_WORK_READERS, &[]).await?;
        let writer = Self::postgres_pool(url, POSTGRES_WRITERS, &[]).await?;
        let lane = Self::postgres_pool(url, 1, &OF_THE_LANE).await?;
        Ok(Self {
            readers: Readers::Usual,
            inner: Arc::new(Inner {
                backend: Backend::Postgres,
                reader,
                work_reader,
                writer,
                lane: Some(lane),
                hub,
                authority: Arc::default(),
                sqlite_file: None,
                _lock: None,
            }),
        })
    }

    async fn postgres_pool(
        url: &str,
        most: u32,
        settings: &'static [(&'static str, &'static str)],
    ) -> Result<DatabaseConnection, DbError> {
        let mut options = ConnectOptions::new(url.to_owned());
        quiet(&mut options);
        options
            .max_connections(most)
            .acquire_timeout(Duration::from_secs(30))
            .test_before_acquire_if_idle_for(TESTED_AFTER)
            .set_application_name("roost")
            .map_sqlx_postgres_opts(move |o| {
                o.options([("idle_in_transaction_session_timeout", ASLEEP.as_millis())])
                    .options(OF_ALL)
                    .options(settings.iter().copied())
            });
        Database::connect(options).await.map_err(DbError::sql(
            "cannot reach PostgreSQL; check database.url and that the server runs",
        ))
    }

    /// Which back end this is.
    pub fn backend(&self) -> Backend {
        self.inner.backend
    }

    /// The database file, on SQLite.
    pub fn sqlite_file(&self) -> Option<&std::path::Path> {
        self.inner.sqlite_file.as_deref()
    }

    /// For queries that change nothing (SQLite refuses writes here).
    pub fn read(&self) -> &DatabaseConnection {
        match self.readers {
            Readers::Usual => &self.inner.reader,
            Readers::OfWork => &self.inner.work_reader,
        }
    }

    /// The same database, for agents at work: it reads with connections of their own.
    #[must_use]
    pub fn for_work(&self) -> Self {
        Self {
            readers: Readers::OfWork,
            ..self.clone()
        }
    }

    /// Begins a write transaction. It holds the write lock from the first moment, so it cannot fail half-way with BUSY.
    /// It is rolled back when dropped. [`WriteTx::commit`] then delivers its events to the subscribers.
    ///
    /// # Errors
    /// When the pool has no free connection or the lock is not granted in time.
    pub async fn write(&self) -> Result<WriteTx, sea_orm::DbErr> {
        self.begin(&self.inner.writer).await
    }

    /// As [`Db::write`], for the committer: PostgreSQL plans each of its statements once. So each statement must have a
    /// good plan for all values of its parameters.
    pub(crate) async fn write_in_lane(&self) -> Result<WriteTx, sea_orm::DbErr> {
        self.begin(self.inner.lane.as_ref().unwrap_or(&self.inner.writer))
            .await
    }

    async fn begin(&self, pool: &DatabaseConnection) -> Result<WriteTx, sea_orm::DbErr> {
        let mut broken = 0;
        let tx = loop {
            let begin = pool.begin_with_options(TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            });
            match begin.await {
                Ok(tx) => break tx,
                // The server closed this connection some time ago, and may have closed all others with it. Nothing was
                // written, so the next connection may begin.
                Err(error) if broken < POSTGRES_WRITERS && is_broken_connection(&error) => {
                    broken += 1;
                }
                Err(error) => return Err(error),
            }
        };
        Ok(WriteTx::new(
            tx,
            self.inner.backend,
            self.inner.hub.clone(),
            Arc::clone(&self.inner.authority),
        ))
    }

    /// Rises with each commit of this process that changes who may do what. A copy of a caller's authority that was read
    /// at another revision is not valid any more. Other processes do not raise it, so a copy also needs an age limit.
    pub fn authority_revision(&self) -> u64 {
        self.inner.authority.load(Ordering::SeqCst)
    }

    /// The hub that delivers committed events: for code that waits for a change instead of polling.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    pub(super) fn writer(&self) -> &DatabaseConnection {
        &self.inner.writer
    }

    /// Closes every connection after its running statements have ended.
    pub async fn close(&self) {
        let inner = &self.inner;
        for pool in [&inner.reader, &inner.work_reader, &inner.writer]
            .into_iter()
            .chain(&inner.lane)
        {
            if let Err(error) = pool.clone().close().await {
                tracing::warn!(%error, "a database connection did not close cleanly");
            }
        }
    }
}

/// Creates a missing file with its folder, and takes its lock. SQLite gives its log and its index the mode of the
/// database, so the file is created with the right mode.
fn make_sqlite(file: &std::path::Path) -> Result<FileLock, DbError> {
    if let Some(parent) = file.parent().filter(|p| !p.as_os_str().is_empty()) {
        private::make_folder(parent).map_err(DbError::io(
            "cannot make the folder of the database,",
            parent,
        ))?;
    }
    let lock = FileLock::take(file)?;
    private::touch(file).map_err(DbError::io("cannot make the database file", file))?;
    Ok(lock)
}

/// The database holds hashes of secrets and every tenant's data. Files that an older version made readable are
/// corrected.
fn close_to_others(file: &std::path::Path) -> std::io::Result<()> {
    let beside = |suffix: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let mut mended = 0;
    for suffix in ["", "-wal", "-shm", "-journal", ".lock"] {
        mended += private::mend(&beside(suffix))?;
    }
    private::say_mended(mended, file);
    Ok(())
}

/// Whether a returned connection may be used again. Otherwise the pool closes it, which rolls back an open transaction.
///
/// SQLite itself rolls a transaction back when the disk is full. The driver's own rollback then fails, and the driver
/// still counts that transaction as open. It makes a savepoint of each later transaction. After one such savepoint is
/// rolled back, all later ones stay uncommitted although they were reported as committed.
async fn is_between_transactions(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // A rollback may still be in the queue of the connection's thread; a ping waits behind it.
    connection.ping().await?;
    let open = connection.is_in_transaction();
    if open {
        tracing::warn!("a transaction could not be rolled back; its connection is closed");
    }
    Ok(!open)
}

/// One connection to an existing SQLite file, to save and restore.
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

/// One connection to PostgreSQL under another application name than a gateway's, to restore.
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

/// sqlx logs each statement at INFO by default. Here statements are DEBUG and slow ones are WARN.
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

//! Brings the schema up to date, one replica at a time. All pending migrations run in one transaction that holds the
//! write lock (SQLite) or an advisory lock (PostgreSQL). A second replica waits and then has nothing to do.

use roost_migrations::Migrator;
use roost_migrations::MigratorTrait;
use sea_orm::{ConnectionTrait, SqliteTransactionMode, TransactionOptions, TransactionTrait};

use super::{Backend, Db, DbError};

/// Any number works if nothing else on the database server uses it. This one is "roost" in ASCII.
const ADVISORY_LOCK: i64 = 0x0072_6f6f_7374;

pub(super) async fn up(db: &Db) -> Result<(), DbError> {
    let failed = DbError::sql("cannot bring the schema up to date");
    let run = async {
        let tx = db
            .writer()
            .begin_with_options(TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            })
            .await?;
        if db.backend() == Backend::Postgres {
            tx.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"))
                .await?;
        }
        Migrator::up(&tx, None).await?;
        tx.commit().await
    };
    run.await.map_err(failed)
}

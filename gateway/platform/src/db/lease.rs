//! Ownership between replicas: a named row with an owner, an epoch that grows with each change of owner, and an expiry
//! by the database's clock. An owner's writes are conditional on its epoch ([`Lease::guard`]). If the guard matches no
//! row, another owner has the lease, and the work must stop and be discarded.

use std::time::Duration;

use sea_orm::{ConnectionTrait, DbErr, Statement};

use super::{Backend, Db, WriteTx};

/// A lease that this process held at its last check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    name: String,
    owner: String,
    epoch: i64,
}

impl Lease {
    /// Takes the lease `name` for `owner` (an id of this process), or renews it when `owner` has it. `None` when
    /// another owner holds it and it has not expired.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn acquire(
        db: &Db,
        name: &str,
        owner: &str,
        ttl: Duration,
    ) -> Result<Option<Self>, DbErr> {
        let tx = db.write().await?;
        let lease = Self::acquire_in(&tx, name, owner, ttl).await?;
        tx.commit().await?;
        Ok(lease)
    }

    /// Like [`acquire`](Self::acquire), inside a transaction that also does the owner's work.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn acquire_in(
        tx: &WriteTx,
        name: &str,
        owner: &str,
        ttl: Duration,
    ) -> Result<Option<Self>, DbErr> {
        let now = tx.backend().now_ms();
        let ttl = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
        let sql = format!(
            "INSERT INTO leases (name, owner, epoch, expires_ms) VALUES ($1, $2, 1, {now} + $3) \
             ON CONFLICT (name) DO UPDATE SET \
               epoch = CASE WHEN leases.owner = excluded.owner THEN leases.epoch ELSE leases.epoch + 1 END, \
               owner = excluded.owner, expires_ms = excluded.expires_ms \
             WHERE leases.owner = excluded.owner OR leases.expires_ms < {now} \
             RETURNING epoch"
        );
        let row = tx
            .query_one_raw(statement(
                tx.backend(),
                &sql,
                [name.into(), owner.into(), ttl.into()],
            ))
            .await?;
        let epoch = row.map(|r| r.try_get::<i64>("", "epoch")).transpose()?;
        Ok(epoch.map(|epoch| Self {
            name: name.to_owned(),
            owner: owner.to_owned(),
            epoch,
        }))
    }

    /// Checks inside a transaction that this owner still holds the lease, and locks it until the commit: a competitor
    /// waits for this transaction. `false` means: stop and discard.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn guard(&self, tx: &WriteTx) -> Result<bool, DbErr> {
        let now = tx.backend().now_ms();
        let sql = format!(
            "UPDATE leases SET epoch = epoch WHERE name = $1 AND owner = $2 AND epoch = $3 AND expires_ms >= {now}"
        );
        let done = tx
            .execute_raw(statement(
                tx.backend(),
                &sql,
                [
                    self.name.clone().into(),
                    self.owner.clone().into(),
                    self.epoch.into(),
                ],
            ))
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Gives the lease back, so that the next owner need not wait for its expiry.
    ///
    /// # Errors
    /// When the database fails; then it simply expires.
    pub async fn release(&self, db: &Db) -> Result<(), DbErr> {
        let tx = db.write().await?;
        let sql = "UPDATE leases SET expires_ms = 0 WHERE name = $1 AND owner = $2 AND epoch = $3";
        tx.execute_raw(statement(
            db.backend(),
            sql,
            [
                self.name.clone().into(),
                self.owner.clone().into(),
                self.epoch.into(),
            ],
        ))
        .await?;
        tx.commit().await
    }

    /// Gives the lease of one owner to another. Nothing happens when `from` does not hold it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn give(
        db: &Db,
        name: &str,
        (from, to): (&str, &str),
        ttl: Duration,
    ) -> Result<(), DbErr> {
        let tx = db.write().await?;
        let now = tx.backend().now_ms();
        let ttl = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
        let sql = format!(
            "UPDATE leases SET owner = $3, epoch = epoch + 1, expires_ms = {now} + $4 WHERE name = $1 AND owner = $2"
        );
        let values = [name.into(), from.into(), to.into(), ttl.into()];
        tx.execute_raw(statement(tx.backend(), &sql, values))
            .await?;
        tx.commit().await
    }

    /// Those of these leases that another owner holds now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn held_by_others(
        db: &Db,
        owner: &str,
        names: impl IntoIterator<Item = String>,
    ) -> Result<Vec<String>, DbErr> {
        let values: Vec<sea_orm::Value> = std::iter::once(owner.to_owned())
            .chain(names)
            .map(Into::into)
            .collect();
        if values.len() == 1 {
            return Ok(Vec::new());
        }
        let places: Vec<String> = (2..=values.len()).map(|n| format!("${n}")).collect();
        let sql = format!(
            "SELECT name FROM leases WHERE owner <> $1 AND expires_ms >= {} AND name IN ({})",
            db.backend().now_ms(),
            places.join(", ")
        );
        let rows = Statement::from_sql_and_values(db.backend().into(), sql, values);
        let rows = db.read().query_all_raw(rows).await?;
        rows.iter().map(|row| row.try_get("", "name")).collect()
    }

    /// Removes the leases whose names begin with `prefix`, and that no process can still use: on SQLite those of other
    /// owners, because only one process opens the file; on PostgreSQL those that ended an hour ago. `prefix` must not
    /// contain `%` or `_`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn forget(db: &Db, prefix: &str, owner: &str) -> Result<(), DbErr> {
        let tx = db.write().await?;
        let ended = match db.backend() {
            Backend::Sqlite => String::new(),
            Backend::Postgres => format!("AND expires_ms < {} - 3600000", db.backend().now_ms()),
        };
        let sql = format!("DELETE FROM leases WHERE name LIKE $1 AND owner <> $2 {ended}");
        let values = [format!("{prefix}%").into(), owner.to_owned().into()];
        tx.execute_raw(statement(db.backend(), &sql, values))
            .await?;
        tx.commit().await
    }

    /// Removes the row, for a name that is not used again.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn remove(&self, db: &Db) -> Result<(), DbErr> {
        let tx = db.write().await?;
        let sql = "DELETE FROM leases WHERE name = $1 AND owner = $2 AND epoch = $3";
        let values = [
            self.name.clone().into(),
            self.owner.clone().into(),
            self.epoch.into(),
        ];
        tx.execute_raw(statement(db.backend(), sql, values)).await?;
        tx.commit().await
    }

    /// Grows by one with each change of owner.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }
}

fn statement<const N: usize>(
    backend: Backend,
    sql: &str,
    values: [sea_orm::Value; N],
) -> Statement {
    Statement::from_sql_and_values(backend.into(), sql, values)
}

impl From<Backend> for sea_orm::DbBackend {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => Self::Sqlite,
            Backend::Postgres => Self::Postgres,
        }
    }
}

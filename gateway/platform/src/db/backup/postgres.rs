//! PostgreSQL: every row of every table as a JSON line, in an order that foreign keys allow, read in one snapshot. A
//! restore drops Roost's tables, creates them as they were at the time of the backup, fills them and applies the later
//! migrations, all in one transaction. The last line of a backup counts its rows, so a file that lost its end is refused.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use futures::TryStreamExt;
use roost_migrations::Migrator;
use roost_migrations::MigratorTrait;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, IsolationLevel, Statement,
    StreamTrait, TransactionOptions, TransactionTrait,
};
use serde::{Deserialize, Serialize};

use super::known_migrations;
use crate::db::connect::open_plain_postgres;
use crate::db::{Db, DbError};

/// The first line of a backup.
#[derive(Serialize, Deserialize)]
struct Header {
    roost_backup: u32,
    migrations: Vec<String>,
}

/// The format. The first one had no last line.
const FORMAT: u32 = 2;

/// Every other line.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Row {
        table: String,
        row: serde_json::Value,
    },
    /// The last line: the number of rows before it.
    End { rows: u64 },
}

const MIGRATIONS: &str = "seaql_migrations";

pub(super) async fn save(db: &Db, file: &Path, out: File) -> Result<u64, DbError> {
    let failed = || DbError::sql("cannot save the database");
    let options = TransactionOptions {
        isolation_level: Some(IsolationLevel::RepeatableRead),
        access_mode: Some(AccessMode::ReadOnly),
        ..TransactionOptions::default()
    };
    let tx = db
        .read()
        .begin_with_options(options)
        .await
        .map_err(failed())?;
    let sql = format!("SELECT version AS s FROM {MIGRATIONS} ORDER BY version");
    let migrations = strings(&tx, &sql).await.map_err(failed())?;
    let mut out = BufWriter::new(out);
    let cannot_write = || DbError::io("cannot write the backup file", file);
    write_line(
        &mut out,
        &Header {
            roost_backup: FORMAT,
            migrations,
        },
    )
    .map_err(cannot_write())?;
    let mut rows = 0;
    for table in tables(&tx).await.map_err(failed())? {
        let sql = format!("SELECT to_jsonb(t) AS row FROM \"{table}\" t");
        let mut stream = tx
            .stream_raw(Statement::from_string(DbBackend::Postgres, sql))
            .await
            .map_err(failed())?;
        while let Some(found) = stream.try_next().await.map_err(failed())? {
            let row = found.try_get("", "row").map_err(failed())?;
            let line = Line::Row {
                table: table.clone(),
                row,
            };
            write_line(&mut out, &line).map_err(cannot_write())?;
            rows += 1;
        }
    }
    write_line(&mut out, &Line::End { rows }).map_err(cannot_write())?;
    out.into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|out| out.sync_all())
        .map_err(cannot_write())?;
    Ok(rows)
}

pub(super) async fn restore(url: &str, file: &Path) -> Result<u64, DbError> {
    let failed = || DbError::sql("cannot restore the database; nothing was changed");
    let source = File::open(file).map_err(DbError::io("cannot open the backup file", file))?;
    let mut lines = BufReader::new(source).lines();
    let mut next = || -> Result<Option<String>, DbError> {
        lines
            .next()
            .transpose()
            .map_err(DbError::io("cannot read the backup file", file))
    };
    let no_backup = || {
        DbError::BadBackup(format!(
            "{} is not a backup of a Roost on PostgreSQL",
            file.display()
        ))
    };
    let header: Header = next()?
        .and_then(|line| serde_json::from_str(&line).ok())
        .ok_or_else(no_backup)?;
    if header.roost_backup > FORMAT {
        return Err(DbError::BadBackup(
            "a newer version of Roost made this backup; restore it with that version".to_owned(),
        ));
    }
    let steps = known_migrations(&header.migrations)?;

    let db = open_plain_postgres(url).await?;
    let tx = db.begin_with_options(TransactionOptions::default()).await;
    let tx = tx.map_err(failed())?;
    refuse_beside_gateways(&tx).await?;
    for table in tables(&tx).await.map_err(failed())? {
        let sql = format!("DROP TABLE \"{table}\" CASCADE");
        tx.execute_unprepared(&sql).await.map_err(failed())?;
    }
    let sql = format!("DROP TABLE IF EXISTS {MIGRATIONS}");
    tx.execute_unprepared(&sql).await.map_err(failed())?;
    Migrator::up(&tx, Some(steps)).await.map_err(failed())?;
    let known: BTreeSet<String> = tables(&tx).await.map_err(failed())?.into_iter().collect();
    let mut rows = 0;
    let mut end = None;
    while let Some(line) = next()? {
        let number = rows + 2;
        let line = serde_json::from_str(&line)
            .map_err(|_| DbError::BadBackup(format!("line {number} is damaged")))?;
        let (table, row) = match line {
            Line::Row { .. } if end.is_some() => {
                let what = format!("line {number} comes after the end of the backup");
                return Err(DbError::BadBackup(what));
            }
            Line::Row { table, row } => (table, row),
            Line::End { rows } => {
                end = Some(rows);
                continue;
            }
        };
        if !known.contains(&table) {
            return Err(DbError::BadBackup(format!(
                "line {number} names the table {table}, which is not ours"
            )));
        }
        let sql = format!(
            "INSERT INTO \"{table}\" SELECT * FROM jsonb_populate_record(NULL::\"{table}\", $1)"
        );
        let insert = Statement::from_sql_and_values(DbBackend::Postgres, sql, [row.into()]);
        tx.execute_raw(insert).await.map_err(failed())?;
        rows += 1;
    }
    if header.roost_backup == FORMAT && end != Some(rows) {
        return Err(DbError::BadBackup(format!(
            "the file lost its end: it has {rows} rows and no last line that counts them; use another copy"
        )));
    }
    Migrator::up(&tx, None).await.map_err(failed())?;
    for sql in [
        "UPDATE event_heads SET epoch = epoch + 1",
        "DELETE FROM leases",
    ] {
        tx.execute_unprepared(sql).await.map_err(failed())?;
    }
    tx.commit().await.map_err(failed())?;
    Ok(rows)
}

/// How often the connections of gateways are looked for, before a restore is refused.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: std::time::Duration = std::time::Duration::from_millis(100);

/// A running gateway would continue with its state in memory, so a restore is refused.
async fn refuse_beside_gateways(tx: &DatabaseTransaction) -> Result<(), DbError> {
    let sql = "SELECT CAST(count(*) AS TEXT) AS s FROM pg_stat_activity \
               WHERE datname = current_database() AND application_name = 'roost'";
    let failed = || DbError::sql("cannot see who uses the database");
    for _ in 0..LOOKS {
        let open = strings(tx, sql).await.map_err(failed())?;
        if open.first().is_none_or(|open| open == "0") {
            return Ok(());
        }
        // The connections of a gateway that has just stopped are shown for a moment. The list stays as it is within a
        // transaction, unless it is cleared.
        tokio::time::sleep(BETWEEN_LOOKS).await;
        let clear = "SELECT pg_stat_clear_snapshot()";
        tx.execute_unprepared(clear).await.map_err(failed())?;
    }
    Err(DbError::BadBackup(
        "a gateway uses this database; stop all of them first".to_owned(),
    ))
}

/// Roost's tables without the list of migrations, parents before children.
async fn tables(tx: &DatabaseTransaction) -> Result<Vec<String>, DbErr> {
    let sql = format!(
        "SELECT tablename AS s FROM pg_tables WHERE schemaname = current_schema() AND tablename <> '{MIGRATIONS}' ORDER BY 1"
    );
    let mut left = strings(tx, &sql).await?;
    let sql = "SELECT c.relname || ' ' || p.relname AS s FROM pg_constraint k \
               JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid \
               WHERE k.contype = 'f' AND k.conrelid <> k.confrelid";
    let arrows = strings(tx, sql).await?;
    let mut ordered: Vec<String> = Vec::new();
    while !left.is_empty() {
        let free = |table: &String| {
            arrows
                .iter()
                .filter_map(|arrow| arrow.split_once(' '))
                .filter(|(child, _)| child == table)
                .all(|(_, parent)| !left.iter().any(|other| other == parent))
        };
        let now: Vec<String> = left.iter().filter(|table| free(table)).cloned().collect();
        if now.is_empty() {
            return Err(DbErr::Custom(
                "the tables refer to each other in a circle".to_owned(),
            ));
        }
        left.retain(|table| !now.contains(table));
        ordered.extend(now);
    }
    Ok(ordered)
}

async fn strings(tx: &DatabaseTransaction, sql: &str) -> Result<Vec<String>, DbErr> {
    let statement = Statement::from_string(DbBackend::Postgres, sql);
    tx.query_all_raw(statement)
        .await?
        .iter()
        .map(|row| row.try_get("", "s"))
        .collect()
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

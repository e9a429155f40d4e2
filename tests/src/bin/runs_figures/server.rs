//! Facts about the databases and the machine, so that figures are compared only with equal durability.

use std::time::Duration;

use anyhow::{Context, Result};
use roost_tests::DbInspector;

/// The durability settings of PostgreSQL, and its version.
pub async fn settings(url: &str) -> String {
    let inspector = DbInspector::open(url).await;
    let sql = "SELECT name || '=' || setting AS t FROM pg_settings WHERE name IN \
               ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method') ORDER BY name";
    let settings = inspector.texts(sql).await;
    inspector.close().await;
    settings.join(" ")
}

/// Positions of a server's log and of its counter of writing transactions.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    transactions: i64,
    log_bytes: i64,
}

/// Reads marks of a PostgreSQL server; no other program should write to it meanwhile.
pub struct Marks(DbInspector);

impl Marks {
    /// Marks of the server of this database.
    pub async fn of(url: &str) -> Self {
        Self(DbInspector::open(url).await)
    }

    /// The present mark. Reading it writes nothing.
    pub async fn now(&self) -> Mark {
        let sql = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS n UNION ALL \
                   SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint AS n";
        let read = self.0.numbers(sql).await;
        Mark {
            transactions: read[0],
            log_bytes: read[1],
        }
    }
}

impl Mark {
    /// Writing transactions and log bytes per step.
    pub fn a_step_since(self, before: Self, steps: u64) -> (f64, f64) {
        let of = |now: i64, then: i64| (now - then) as f64 / steps as f64;
        (
            of(self.transactions, before.transactions),
            of(self.log_bytes, before.log_bytes),
        )
    }
}

/// Processor time that a process has used.
pub fn cpu(process: u32) -> Result<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = text.rsplit_once(')').context("a name in brackets")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // utime and stime, in hundredths of a second.
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}

/// Resident memory of a process in MiB: `VmRSS` now, `VmHWM` at its maximum.
pub fn memory(process: u32, which: &str) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find(|line| line.starts_with(which));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().nth(1))
        .context("a size")?
        .parse()?;
    Ok(kilobytes / 1024.0)
}

//! What the databases and the machine say of themselves, so that figures are only compared where care is equal.

use std::time::Duration;

use anyhow::{Context, Result};
use roost_tests::Book;

/// What PostgreSQL promises of a commit, and its version.
pub async fn settings(url: &str) -> String {
    let book = Book::open(url).await;
    let sql = "SELECT name || '=' || setting AS t FROM pg_settings WHERE name IN \
               ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method') ORDER BY name";
    let settings = book.texts(sql).await;
    book.close().await;
    settings.join(" ")
}

/// How far a server's log and its transactions that wrote are.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    transactions: i64,
    log_bytes: i64,
}

/// Reads marks of a PostgreSQL server; nothing else should write to it meanwhile.
pub struct Marks(Book);

impl Marks {
    /// Of the server of this database.
    pub async fn of(url: &str) -> Self {
        Self(Book::open(url).await)
    }

    /// Where it is now. Reading it writes nothing.
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
    /// Transactions that wrote, and bytes of the log, for each of so many steps.
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

/// MiB that a process has resident: `VmRSS` now, `VmHWM` at most so far.
pub fn memory(process: u32, which: &str) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find(|line| line.starts_with(which));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().nth(1))
        .context("a size")?
        .parse()?;
    Ok(kilobytes / 1024.0)
}

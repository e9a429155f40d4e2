//! Reads a gateway's database directly, to check facts that its API does not show.

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};

/// A database connection beside those of the gateways.
#[derive(Debug)]
pub struct DbInspector {
    db: DatabaseConnection,
}

impl DbInspector {
    /// Opens the database at this address.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn open(url: &str) -> Self {
        let db = Database::connect(url).await.expect("the database opens");
        Self { db }
    }

    /// The integers in the column `n` of a query's result.
    ///
    /// # Panics
    /// When the query fails.
    pub async fn numbers(&self, sql: &str) -> Vec<i64> {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let rows = self.db.query_all_raw(statement).await.expect(sql);
        let number = |row: &sea_orm::QueryResult| row.try_get::<i64>("", "n").expect(sql);
        rows.iter().map(number).collect()
    }

    /// The texts in the column `t` of a query's result.
    ///
    /// # Panics
    /// When the query fails.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let rows = self.db.query_all_raw(statement).await.expect(sql);
        let text = |row: &sea_orm::QueryResult| row.try_get::<String>("", "t").expect(sql);
        rows.iter().map(text).collect()
    }

    /// Executes a statement.
    ///
    /// # Panics
    /// When the statement fails.
    pub async fn change(&self, sql: &str) -> u64 {
        self.db
            .execute_unprepared(sql)
            .await
            .expect(sql)
            .rows_affected()
    }

    /// Simulates that a minute has passed for interrupted requests, so that repeating one is allowed.
    pub async fn a_minute_passes(&self) {
        let sql = "UPDATE idempotency_keys SET taken_ms = taken_ms - 61000 WHERE state = 'working'";
        self.change(sql).await;
    }

    /// Checks that the events of the log are numbered 1, 2, 3 … up to the head, each once. Returns the head.
    ///
    /// # Panics
    /// When an event is missing or double.
    pub async fn events_are_whole(&self) -> i64 {
        let heads = self.numbers("SELECT COUNT(*) AS n FROM event_heads").await;
        assert_eq!(heads, [1], "one workspace has one log");
        // Read head and events in one statement: an event between two statements would look like an extra one.
        let both = "SELECT seq AS n FROM (SELECT 0 AS part, seq FROM event_heads \
                    UNION ALL SELECT 1 AS part, seq FROM events) AS log ORDER BY part, seq";
        let both = self.numbers(both).await;
        let (head, seqs) = (both[0], &both[1..]);
        assert_eq!(seqs, (1..=head).collect::<Vec<_>>(), "no gap, no double");
        head
    }

    /// Closes it.
    pub async fn close(self) {
        self.db.close().await.expect("it closes");
    }
}

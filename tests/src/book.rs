//! Looking at a gateway's database directly: what clients cannot be shown to be wrong about.

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};

/// A connection beside the gateways.
#[derive(Debug)]
pub struct Book {
    db: DatabaseConnection,
}

impl Book {
    /// Opens the database of this address.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn open(url: &str) -> Self {
        let db = Database::connect(url).await.expect("the database opens");
        Self { db }
    }

    /// The whole numbers that a query gives in its column `n`.
    ///
    /// # Panics
    /// When the query is wrong.
    pub async fn numbers(&self, sql: &str) -> Vec<i64> {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let rows = self.db.query_all_raw(statement).await.expect(sql);
        let number = |row: &sea_orm::QueryResult| row.try_get::<i64>("", "n").expect(sql);
        rows.iter().map(number).collect()
    }

    /// The texts that a query gives in its column `t`.
    ///
    /// # Panics
    /// When the query is wrong.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let statement = Statement::from_string(self.db.get_database_backend(), sql);
        let rows = self.db.query_all_raw(statement).await.expect(sql);
        let text = |row: &sea_orm::QueryResult| row.try_get::<String>("", "t").expect(sql);
        rows.iter().map(text).collect()
    }

    /// Changes something.
    ///
    /// # Panics
    /// When the database says no.
    pub async fn change(&self, sql: &str) -> u64 {
        self.db
            .execute_unprepared(sql)
            .await
            .expect(sql)
            .rows_affected()
    }

    /// A minute passes for requests that were cut off: whoever repeats one is let through.
    pub async fn a_minute_passes(&self) {
        let sql = "UPDATE idempotency_keys SET taken_ms = taken_ms - 61000 WHERE state = 'working'";
        self.change(sql).await;
    }

    /// Every event has its place: 1, 2, 3 … up to the head, none missing, none twice. Answers the head.
    ///
    /// # Panics
    /// When that is not so.
    pub async fn events_are_whole(&self) -> i64 {
        let heads = self.numbers("SELECT COUNT(*) AS n FROM event_heads").await;
        assert_eq!(heads, [1], "one workspace has one log");
        // Head and events in one statement: an event that comes between two would look like one too many.
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

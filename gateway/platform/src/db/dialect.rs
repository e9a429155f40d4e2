//! The few expressions that differ between the two back ends.

use super::Backend;

impl Backend {
    /// SQL for the database's own clock, in milliseconds since 1970. Leases are compared by this clock only, so that
    /// replicas with different clocks agree.
    pub fn now_ms(self) -> &'static str {
        match self {
            Self::Sqlite => "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Self::Postgres => "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }
}

//! What can go wrong with the database before and between statements.

use std::path::PathBuf;

use sea_orm::DbErr;

/// Failures of opening, migrating, saving and restoring. Statement errors inside a domain stay `DbErr`.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The URL names a back end that we do not have.
    #[error("database.url must start with `sqlite:` or `postgres:`, got `{0}`")]
    UnknownBackend(String),
    /// Another gateway has this SQLite file open.
    #[error(
        "another gateway (process {holder}) already serves {path}; stop it first, or use PostgreSQL for several gateways"
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// What the lock file says about its holder.
        holder: String,
    },
    /// The file system said no.
    #[error("{what} {path}")]
    Io {
        /// What was tried, as the beginning of a sentence.
        what: &'static str,
        /// Where.
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The database said no.
    #[error("{what}")]
    Sql {
        /// What was tried.
        what: &'static str,
        #[source]
        source: DbErr,
    },
    /// A backup that cannot be used.
    #[error("{0}")]
    BadBackup(String),
}

impl DbError {
    /// A statement outside any domain that failed while the gateway starts.
    pub fn statement(what: &'static str) -> impl FnOnce(DbErr) -> Self {
        Self::sql(what)
    }

    pub(super) fn sql(what: &'static str) -> impl FnOnce(DbErr) -> Self {
        move |source| Self::Sql { what, source }
    }

    pub(super) fn io(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { what, path, source }
    }
}

/// Whether a statement failed because a unique key already had that value.
pub fn unique_violation(error: &DbErr) -> bool {
    matches!(
        error.sql_err(),
        Some(sea_orm::SqlErr::UniqueConstraintViolation(_))
    )
}

/// Whether the database says that its disk is full. The drivers have no kind for it, so its own words are read.
pub fn is_disk_full(error: &DbErr) -> bool {
    let text = error.to_string();
    ["disk is full", "No space left on device"]
        .iter()
        .any(|words| text.contains(words))
}

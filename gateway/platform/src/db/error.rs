//! Database errors outside of a domain's statements.

use std::path::PathBuf;

use sea_orm::{DbErr, RuntimeErr, sqlx};

/// Failures of opening, migrating, saving and restoring. Statement errors inside a domain stay `DbErr`.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The URL names an unknown back end.
    #[error("database.url must start with `sqlite:` or `postgres:`, got `{0}`")]
    UnknownBackend(String),
    /// Another gateway has this SQLite file open.
    #[error(
        "another gateway (process {holder}) already serves {path}; stop it first, or use PostgreSQL for several gateways"
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The content of the lock file: the holder's process id.
        holder: String,
    },
    /// The file system refused.
    #[error("{what} {path}")]
    Io {
        /// What was tried, as the beginning of a sentence.
        what: &'static str,
        /// Where.
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The database refused.
    #[error("{what}")]
    Sql {
        /// What was tried.
        what: &'static str,
        #[source]
        source: DbErr,
    },
    /// A command needs a database that does not exist.
    #[error("{0}")]
    Missing(Missing),
    /// The schema has fewer migrations than this version needs.
    #[error(
        "the database has {applied} of {known} steps of the schema of this version; the gateway applies the rest when it \
         starts, so start it first, or use the `roost` of the gateway that runs"
    )]
    Older {
        /// Applied migrations.
        applied: usize,
        /// Migrations that this version knows.
        known: usize,
    },
    /// A newer version has made changes that this one does not know.
    #[error(
        "the database was used by a newer version of Roost than this command; use the `roost` of the gateway that runs"
    )]
    Newer,
    /// A backup that cannot be used.
    #[error("{0}")]
    BadBackup(String),
}

/// What is missing.
#[derive(Debug)]
pub enum Missing {
    /// The file does not exist.
    File(PathBuf),
    /// The database exists, but Roost has never used it.
    Empty(String),
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => write!(f, "there is no database at {}", path.display()),
            Self::Empty(place) => write!(f, "the database at {place} holds nothing of Roost"),
        }
    }
}

impl DbError {
    /// A statement outside any domain failed while the gateway starts.
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

/// Whether the database reports a full disk. The drivers have no error kind for it, so the message is searched.
pub fn is_disk_full(error: &DbErr) -> bool {
    let text = error.to_string();
    ["disk is full", "No space left on device"]
        .iter()
        .any(|words| text.contains(words))
}

/// What a failed statement says about the transaction's writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Another transaction stood in the way. The same writes may pass when they are written again.
    Conflict,
    /// The database refused the content of a write.
    OfTheWrite,
    /// The database cannot write now.
    OfTheDatabase,
}

/// Whether the connection broke, so that nobody can use it again. Another one may work.
pub(super) fn is_broken_connection(error: &DbErr) -> bool {
    let (DbErr::Conn(error) | DbErr::Exec(error) | DbErr::Query(error)) = error else {
        return false;
    };
    matches!(error, RuntimeErr::SqlxError(error) if matches!(**error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_)))
}

/// Classifies the error of a statement.
pub fn fault_of(error: &DbErr) -> Fault {
    let refused = match error {
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            error.as_database_error()
        }
        _ => None,
    };
    let Some(refused) = refused else {
        // An answer that does not fit is a fault of this write. A connection that broke is not.
        return match error {
            DbErr::Conn(_) | DbErr::ConnectionAcquire(_) | DbErr::Exec(_) | DbErr::Query(_) => {
                Fault::OfTheDatabase
            }
            _ => Fault::OfTheWrite,
        };
    };
    let code = refused.code().unwrap_or_default();
    match &*code {
        "40P01" | "40001" => Fault::Conflict,
        // PostgreSQL: connection, resources, operator's intervention, system.
        state if state.len() == 5 => match &state[..2] {
            "08" | "53" | "57" | "58" => Fault::OfTheDatabase,
            _ => Fault::OfTheWrite,
        },
        // SQLite: busy, locked, read only, I/O, corrupt, full, cannot open. The low byte is the primary code.
        result => match result.parse::<u32>().map(|code| code & 0xff) {
            Ok(5 | 6 | 8 | 10 | 11 | 13 | 14) => Fault::OfTheDatabase,
            _ => Fault::OfTheWrite,
        },
    }
}

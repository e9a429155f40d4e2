//! The first Owner's way in.

use super::{FirstLogin, StartupError, write_private};
use crate::clock::SharedClock;
use crate::config::Config;
use crate::db::Db;
use crate::domains::auth::commands;
use crate::ids::SharedIds;

/// Makes the first Owner where there is none, and leaves the one-time login in a file that only this user reads. It is
/// never logged.
pub(super) async fn first_login(
    config: &Config,
    db: &Db,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<Option<FirstLogin>, StartupError> {
    let minutes = config.sessions.one_time_minutes;
    let file = config.data_dir.join("first-login");
    let Some(first) = commands::first_owner(db, clock, ids, minutes).await? else {
        // Somebody has a password: what is left of the file is of no use any more.
        if file.exists() {
            std::fs::remove_file(&file)
                .map_err(|source| StartupError::DataDir { path: file, source })?;
        }
        return Ok(None);
    };
    write_private(&file, first.token.reveal()).map_err(|source| StartupError::DataDir {
        path: file.clone(),
        source,
    })?;
    tracing::info!(file = %file.display(), minutes, "a one-time login for the Owner waits in this file");
    Ok(Some(FirstLogin {
        email: first.email,
        token: first.token,
        file,
    }))
}

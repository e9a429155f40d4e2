//! Loads the built-in templates when a gateway starts, after the skills that their roles name. It writes only what
//! changed. An older gateway beside a newer one changes nothing.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::builtin::{self, Builtin};
use super::model::{Loading, builtin_id, loading};
use super::store;
use super::versions::{self, About, Over};
use roost_platform::db::WriteTx;
use roost_platform::ids::UserId;

/// Updates the rows to the templates of this program. Returns how many were written. The caller must hold the lock of
/// [`skills::load`](crate::skills::load).
///
/// # Errors
/// When the database fails.
pub async fn load(tx: &WriteTx, now: DateTime<Utc>) -> Result<usize, DbErr> {
    load_all(tx, now, builtin::all()).await
}

async fn load_all(tx: &WriteTx, now: DateTime<Utc>, all: &[Builtin]) -> Result<usize, DbErr> {
    let present = store::builtin(&**tx).await?;
    let mut written = 0;
    for one in all {
        let id = builtin_id(&one.key);
        let there = present.iter().find(|(row, _)| row.id == id);
        let stored = there.map(|(row, hash)| (row.version, hash.as_deref().unwrap_or_default()));
        let what = loading(stored, one.version, &one.content.sha256());
        let about = About {
            id,
            scope: None,
            key: one.key.clone(),
            version: one.version,
            created_at: there.map_or(now, |(row, _)| row.created_at),
            now,
            author: UserId::SYSTEM,
        };
        let over = match what {
            Loading::Insert => Over::Nothing,
            Loading::Version => Over::Version(stored.map_or(0, |(version, _)| version)),
            Loading::Overwrite => {
                tracing::warn!(key = %one.key, version = one.version,
                    "a built-in template changed without a new version number; the gateway overwrites the stored version");
                Over::Itself
            }
            Loading::Same => {
                // A name in its roles may mean another skill now. Bind the newest version again.
                let newest = stored.is_some_and(|(version, _)| version == one.version);
                if newest && versions::bind(tx, &about, &one.content).await? {
                    written += 1;
                }
                continue;
            }
        };
        versions::write(tx, &about, &one.content, over).await?;
        written += 1;
    }
    Ok(written)
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

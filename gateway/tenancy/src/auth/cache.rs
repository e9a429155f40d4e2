//! Keeps the identity of callers for half a second, so that a client that sends many requests is not looked up for each.
//!
//! Invariants: a copy is valid only at the revision of authority at which its rows were read. Each commit of this gateway
//! that changes sessions, people, members or grants raises the revision, so a revocation holds for the next request. A
//! commit of another process does not raise it, so a copy lives for at most [`KEPT`] from before its rows were read. The
//! absence of authority is never kept: a person that was just given access is looked up. A session that rests on an
//! issuer's word is never kept: the gateway asks the issuer about it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::middleware::Caller;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::WorkspaceId;

/// How long a copy is valid. A revocation by another gateway takes effect within this time.
pub const KEPT: Duration = Duration::from_millis(500);
/// The most copies. When there are more, all go: they are read again as they are needed.
const MOST: usize = 10_000;

/// A credential (the hash of its token), and the workspace that the request names.
pub(super) type Key = (String, Option<WorkspaceId>);

/// The callers of the last half second. Cheap to clone.
#[derive(Clone, Default)]
pub struct RecentCallers {
    known: Arc<Mutex<HashMap<Key, Known>>>,
}

struct Known {
    caller: Arc<Caller>,
    read: Moment,
}

/// When rows were read, and at which revision. It is taken before the rows are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    at: Instant,
    revision: u64,
}

impl Moment {
    pub(super) fn now(db: &Db, clock: &SharedClock) -> Self {
        Self {
            at: clock.monotonic(),
            revision: db.authority_revision(),
        }
    }

    /// Whether rows that were read at `self` still count at `now`.
    fn counts(self, now: Self) -> bool {
        self.revision == now.revision && now.at.saturating_duration_since(self.at) < KEPT
    }
}

impl RecentCallers {
    pub(super) fn get(&self, key: &Key, now: Moment) -> Option<Arc<Caller>> {
        let known = self.known();
        let found = known.get(key).filter(|found| found.read.counts(now))?;
        Some(Arc::clone(&found.caller))
    }

    /// Keeps a caller whose rows were read after `read`.
    pub(super) fn put(&self, key: Key, caller: Arc<Caller>, read: Moment) {
        let mut known = self.known();
        if known.len() >= MOST {
            known.retain(|_, found| found.read.counts(read));
        }
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, Known { caller, read });
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Key, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_until_half_a_second_later_and_only_at_their_revision() {
        let start = Instant::now();
        let moment = |millis, revision| Moment {
            at: start + Duration::from_millis(millis),
            revision,
        };
        let read = moment(0, 7);
        assert!(read.counts(moment(499, 7)));
        assert!(!read.counts(moment(500, 7)));
        assert!(!read.counts(moment(1, 8)));
    }

    /// A statement that changes authority must mark its transaction, or its effect would wait for [`KEPT`].
    #[test]
    fn each_statement_that_changes_authority_marks_its_transaction() {
        const STORES: [&str; 5] = [
            include_str!("store.rs"),
            include_str!("account_store.rs"),
            include_str!("hosted/store.rs"),
            include_str!("../workspaces/store.rs"),
            include_str!("../workspaces/members/store.rs"),
        ];
        const TABLES: [&str; 5] = ["user", "session", "member", "workspace", "operator_grant"];
        const CHANGES: [&str; 5] = [
            "Entity::update_many",
            "Entity::update_in",
            "Entity::delete_many",
            "Entity::delete_in",
            "Entity::delete_by_id",
        ];
        // They change no authority: locks, times of use, rows that are over by their own time, and the issuer's grant,
        // which counts only for sessions that are never kept.
        const EXEMPT: [&str; 9] = [
            "hold_user",
            "lock",
            "take_turn",
            "touch_session",
            "forget_expired",
            "take_question",
            "note_answer",
            "set_grant",
            "take_grant",
        ];
        let mut marked = 0;
        for function in STORES.iter().flat_map(|store| store.split("pub async fn ")) {
            let name = function.split(['(', '<']).next().unwrap_or_default();
            let changes = TABLES.iter().any(|table| {
                let change = |change: &&str| function.contains(&format!("{table}::{change}"));
                CHANGES.iter().any(change)
                    || function.contains(&format!("{table}::ActiveModel {{"))
                        && function.contains(".update(")
            });
            if !changes || EXEMPT.contains(&name) {
                continue;
            }
            assert!(function.contains("tx.changes_authority();"), "{name}");
            marked += 1;
        }
        assert!(marked >= 15, "only {marked} were found");
    }
}

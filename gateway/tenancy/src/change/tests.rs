//! What a commit writes and wakes, and what a dropped change leaves. On SQLite, and on PostgreSQL where
//! `ROOST_TEST_POSTGRES_URL` names a server.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::QueryOrder;
use serde_json::json;

use super::{Change, ChangeContext};
use crate::audit::AuditRow;
use crate::audit::entity::entry;
use crate::workspaces::{self, WorkspaceRow};
use roost_platform::WorkspaceScope;
use roost_platform::clock::{Clock, SharedClock, TestClock};
use roost_platform::db::{Db, TenantEntity};
use roost_platform::events::{Event, ResourceKind, event_entity};
use roost_platform::ids::{SharedIds, UserId, UuidV7, WorkspaceId, fresh};
use roost_platform::supervision::Nudge;
use roost_test_database::Scratch;

struct Context {
    db: Db,
    clock: SharedClock,
    ids: SharedIds,
}

impl ChangeContext for Context {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

fn context(scratch: &Scratch) -> (Context, TestClock) {
    let clock = TestClock::default();
    let shared: SharedClock = Arc::new(clock.clone());
    let context = Context {
        db: scratch.db.clone(),
        clock: shared.clone(),
        ids: UuidV7::shared(shared),
    };
    (context, clock)
}

/// A workspace with an empty log.
async fn workspace(context: &Context) -> WorkspaceScope {
    let id: WorkspaceId = fresh(&context.ids);
    let row = WorkspaceRow::new(id, "w".to_owned(), "free".to_owned(), context.clock.now());
    let tx = context.db.write().await.unwrap();
    workspaces::insert(&tx, row).await.unwrap();
    tx.commit().await.unwrap();
    WorkspaceScope::of_row(id)
}

fn changed(scope: WorkspaceScope, version: i64) -> Event {
    Event::changed(ResourceKind::Workspace, scope.workspace(), version)
}

async fn entries(db: &Db, scope: WorkspaceScope) -> Vec<AuditRow> {
    entry::Entity::find_in(scope)
        .order_by_asc(entry::Column::Id)
        .all(db.read())
        .await
        .unwrap()
}

async fn events(db: &Db, scope: WorkspaceScope) -> Vec<event_entity::Model> {
    event_entity::Entity::find_in(scope)
        .order_by_asc(event_entity::Column::Seq)
        .all(db.read())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_commit_writes_entries_and_events_in_order_at_one_time_and_wakes_afterwards() {
    for scratch in Scratch::all().await {
        let (context, clock) = context(&scratch);
        let scope = workspace(&context).await;
        let worker = Nudge::default();
        let begun = clock.now();
        let mut change = Change::begin(&context, scope, UserId::SYSTEM)
            .await
            .unwrap();
        change.wake(&worker);
        change.record("one.done", ("one", &1), json!({ "n": 1 }));
        clock.advance(Duration::from_secs(60));
        change.event(changed(scope, 2));
        change.record("two.done", ("two", &"b"), json!({}));
        change.events([changed(scope, 3), changed(scope, 4)]);
        assert!(!worker.take(), "nobody wakes before the commit");
        change.commit().await.unwrap();
        assert!(worker.take());

        let entries = entries(&context.db, scope).await;
        let seen: Vec<_> = entries
            .iter()
            .map(|row| (&*row.action, &*row.entity_kind, &*row.entity_id, row.at))
            .collect();
        assert_eq!(
            seen,
            [
                ("one.done", "one", "1", begun),
                ("two.done", "two", "b", begun)
            ]
        );
        assert_eq!(entries[0].details, json!({ "n": 1 }));
        assert_eq!(entries[0].actor, UserId::SYSTEM);
        let events = events(&context.db, scope).await;
        let versions = events.iter().map(|row| {
            let data: serde_json::Value = serde_json::from_str(&row.data).unwrap();
            (row.seq, data["version"].clone(), row.at)
        });
        assert_eq!(
            versions.collect::<Vec<_>>(),
            [
                (1, json!(2), begun),
                (2, json!(3), begun),
                (3, json!(4), begun)
            ]
        );
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_dropped_change_leaves_nothing_and_wakes_nobody() {
    for scratch in Scratch::all().await {
        let (context, _) = context(&scratch);
        let scope = workspace(&context).await;
        let worker = Nudge::default();
        let mut change = Change::begin(&context, scope, UserId::SYSTEM)
            .await
            .unwrap();
        change.wake(&worker);
        change.record("one.done", ("one", &1), json!({}));
        change.event(changed(scope, 2));
        drop(change);
        assert!(entries(&context.db, scope).await.is_empty());
        assert!(events(&context.db, scope).await.is_empty());
        assert!(!worker.take());
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_commit_that_fails_leaves_nothing_and_wakes_nobody() {
    for scratch in Scratch::all().await {
        let (context, _) = context(&scratch);
        // This workspace has no log, so its event cannot be appended.
        let scope = WorkspaceScope::of_row(fresh(&context.ids));
        let worker = Nudge::default();
        let tx = context.db.write().await.unwrap();
        let mut change = Change::within(&context, tx, scope, UserId::SYSTEM);
        change.wake(&worker);
        change.record("one.done", ("one", &1), json!({}));
        change.event(changed(scope, 2));
        change.commit().await.unwrap_err();
        assert!(entries(&context.db, scope).await.is_empty());
        assert!(!worker.take());
        scratch.remove().await;
    }
}

//! The chain over a real database, and the faults that the walk finds after an attacker with the database's password
//! changed rows. On SQLite, and on PostgreSQL where `ROOST_TEST_POSTGRES_URL` names a server.

use chrono::{DateTime, Utc};
use sea_orm::ConnectionTrait;
use serde_json::json;

use super::model::{Fault, Noted, Report};
use super::{ChainWriter, record, verify};
use crate::auth::WorkspaceScope;
use roost_platform::clock::{Clock, SystemClock};
use roost_platform::db::{Backend, Db};
use roost_platform::ids::{SharedIds, UserId, UuidV7, fresh};
use roost_platform::supervision::KillPoints;
use roost_test_database::Scratch;

fn ids() -> SharedIds {
    UuidV7::shared(SystemClock::shared())
}

fn writer(db: &Db, owner: &str) -> ChainWriter {
    ChainWriter {
        db: db.clone(),
        kill_points: KillPoints::forbidden(),
        owner: owner.to_owned(),
    }
}

async fn write(db: &Db, scope: WorkspaceScope, action: &str, count: usize) {
    let (ids, now): (_, DateTime<Utc>) = (ids(), SystemClock.now());
    for n in 0..count {
        let tx = db.write().await.unwrap();
        let details = json!({ "zeta": n, "alpha": { "y": [1, 2.5, null], "x": "ü" } });
        record(
            &tx,
            &ids,
            now,
            scope,
            UserId::SYSTEM,
            action,
            ("claw", &n),
            details,
        )
        .await
        .unwrap();
        tx.commit().await.unwrap();
    }
}

fn somewhere() -> WorkspaceScope {
    WorkspaceScope::of_row(fresh(&ids()))
}

/// An attacker with the database's password runs a statement. The triggers do not stop it.
async fn tamper(db: &Db, statement: &str) {
    let (off, on): (&[&str], &[&str]) = match db.backend() {
        Backend::Postgres => (
            &[
                "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
                "ALTER TABLE audit_chain DISABLE TRIGGER ALL",
            ],
            &[],
        ),
        Backend::Sqlite => (
            &[
                "DROP TRIGGER IF EXISTS audit_entries_no_update",
                "DROP TRIGGER IF EXISTS audit_entries_no_delete",
                "DROP TRIGGER IF EXISTS audit_chain_no_update",
                "DROP TRIGGER IF EXISTS audit_chain_no_delete",
            ],
            &[],
        ),
    };
    let tx = db.write().await.unwrap();
    for statement in off.iter().chain([&statement]).chain(on) {
        tx.execute_unprepared(statement).await.expect(statement);
    }
    tx.commit().await.unwrap();
}

/// A database with seven linked entries.
async fn linked(scratch: &Scratch) -> Report {
    write(&scratch.db, somewhere(), "claw.created", 7).await;
    writer(&scratch.db, "one").append_all().await.unwrap();
    let report = verify(&scratch.db, None).await.unwrap();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!((report.links, report.waiting), (7, 0));
    report
}

/// The entry that link `n` names.
fn named(n: i64) -> String {
    format!("(SELECT entry_id FROM audit_chain WHERE position = {n})")
}

#[tokio::test]
async fn entries_get_one_link_each_and_verify_with_several_writers() {
    for scratch in Scratch::all().await {
        let (db, other) = (&scratch.db, scratch.again().await);
        let before = linked(&scratch).await;
        // An entry without a link yet is not a fault. The second writer does not have the first one's lease.
        write(db, somewhere(), "claw.deleted", 3).await;
        let report = verify(db, before.end.clone()).await.unwrap();
        assert!(report.is_intact() && report.waiting == 3, "{report:?}");
        writer(&other, "two").append_all().await.unwrap();
        assert_eq!(
            verify(db, None).await.unwrap().waiting,
            3,
            "the first has the lease"
        );
        writer(db, "one").append_all().await.unwrap();
        let report = verify(&other, before.end).await.unwrap();
        assert!(report.is_intact(), "{report:?}");
        assert_eq!((report.links, report.waiting), (10, 0));
        other.close().await;
        scratch.remove().await;
    }
}

#[tokio::test]
async fn change_of_any_field_of_an_entry_is_found() {
    for scratch in Scratch::all().await {
        linked(&scratch).await;
        let later = match scratch.db.backend() {
            Backend::Sqlite => "at = '2001-01-01T00:00:00+00:00'",
            Backend::Postgres => "at = at + interval '1 microsecond'",
        };
        let changes = [
            "action = 'claw.deleted'",
            "entity_kind = 'node'",
            "entity_id = 'another'",
            "details = '{\"zeta\": 0}'",
            later,
        ];
        for (n, change) in changes.iter().enumerate() {
            let position = i64::try_from(n).unwrap() + 1;
            let statement = format!(
                "UPDATE audit_entries SET {change} WHERE id = {}",
                named(position)
            );
            tamper(&scratch.db, &statement).await;
            let report = verify(&scratch.db, None).await.unwrap();
            assert_eq!(report.fault_count, n as u64 + 1, "{change}: {report:?}");
            assert!(
                matches!(report.faults[n], Fault::Changed { position: p, .. } if p == position),
                "{change}: {report:?}"
            );
        }
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_removed_entry_is_found_in_the_middle_and_at_the_end_with_and_without_its_link() {
    for scratch in Scratch::all().await {
        let whole = linked(&scratch).await;
        tamper(
            &scratch.db,
            &format!("DELETE FROM audit_entries WHERE id = {}", named(3)),
        )
        .await;
        let report = verify(&scratch.db, None).await.unwrap();
        assert!(
            matches!(report.faults[..], [Fault::Removed { position: 3, .. }]),
            "{report:?}"
        );
        tamper(&scratch.db, "DELETE FROM audit_chain WHERE position = 3").await;
        let report = verify(&scratch.db, None).await.unwrap();
        assert_eq!(report.faults, [Fault::LinksRemoved { from: 3, to: 3 }]);
        tamper(
            &scratch.db,
            &format!("DELETE FROM audit_entries WHERE id = {}", named(7)),
        )
        .await;
        tamper(&scratch.db, "DELETE FROM audit_chain WHERE position = 7").await;
        let report = verify(&scratch.db, None).await.unwrap();
        let cut = Fault::EndRemoved {
            found: 6,
            recorded: 7,
        };
        assert!(report.faults.contains(&cut), "{report:?}");
        // An attacker that also rewrites the record of the end is found by the end that was kept elsewhere.
        let rewrite = "UPDATE audit_head SET position = 6, sha256 = (SELECT sha256 FROM audit_chain WHERE position = 6)";
        tamper(&scratch.db, rewrite).await;
        let report = verify(&scratch.db, None).await.unwrap();
        assert!(!report.faults.contains(&cut), "{report:?}");
        let report = verify(&scratch.db, whole.end).await.unwrap();
        let missing = Fault::NotedEndMissing { position: 7 };
        assert!(report.faults.contains(&missing), "{report:?}");
        scratch.remove().await;
    }
}

#[tokio::test]
async fn reordered_entries_and_links_are_found() {
    for scratch in Scratch::all().await {
        linked(&scratch).await;
        for statement in [
            "UPDATE audit_chain SET position = -1 WHERE position = 2",
            "UPDATE audit_chain SET position = 2 WHERE position = 5",
            "UPDATE audit_chain SET position = 5 WHERE position = -1",
        ] {
            tamper(&scratch.db, statement).await;
        }
        let report = verify(&scratch.db, None).await.unwrap();
        for position in [2, 3, 5, 6] {
            let fault = Fault::OutOfOrder { position };
            assert!(report.faults.contains(&fault), "{position}: {report:?}");
        }
        scratch.remove().await;
    }
}

#[tokio::test]
async fn an_entry_that_came_in_past_the_gateway_or_vanished_before_its_link_is_found() {
    for scratch in Scratch::all().await {
        linked(&scratch).await;
        write(&scratch.db, somewhere(), "claw.changed", 2).await;
        let newest = "(SELECT entry_id FROM audit_waiting ORDER BY entry_id DESC LIMIT 1)";
        tamper(
            &scratch.db,
            &format!("DELETE FROM audit_entries WHERE id = {newest}"),
        )
        .await;
        let oldest = "(SELECT entry_id FROM audit_waiting ORDER BY entry_id LIMIT 1)";
        tamper(
            &scratch.db,
            &format!("DELETE FROM audit_waiting WHERE entry_id = {oldest}"),
        )
        .await;
        // The writer skips the entry that disappeared, and does not link the unlinked one.
        writer(&scratch.db, "one").append_all().await.unwrap();
        let report = verify(&scratch.db, None).await.unwrap();
        assert_eq!(report.links, 7);
        assert!(
            matches!(
                report.faults[..],
                [Fault::Unlinked { .. }, Fault::Vanished { .. }]
            ),
            "{report:?}"
        );
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_chain_that_was_made_anew_is_intact_in_itself_but_not_the_noted_one() {
    for scratch in Scratch::all().await {
        let before = linked(&scratch).await;
        let change = format!(
            "UPDATE audit_entries SET action = 'claw.deleted' WHERE id = {}",
            named(2)
        );
        for statement in [
            change.as_str(),
            "INSERT INTO audit_waiting (entry_id) SELECT id FROM audit_entries",
            "DELETE FROM audit_chain",
            "DELETE FROM audit_head",
        ] {
            tamper(&scratch.db, statement).await;
        }
        writer(&scratch.db, "one").append_all().await.unwrap();
        let report = verify(&scratch.db, None).await.unwrap();
        assert!(report.is_intact(), "{report:?}");
        let Noted { position, .. } = before.end.clone().unwrap();
        let report = verify(&scratch.db, before.end).await.unwrap();
        assert_eq!(report.faults, [Fault::NotedEndMissing { position }]);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn counting_an_action_since_a_moment_reads_the_index_alone() {
    let scratch = Scratch::sqlite().await;
    let plan = "EXPLAIN QUERY PLAN SELECT COUNT(*) FROM audit_entries \
                WHERE workspace_id = x'00' AND action = 'a' AND at >= '2026'";
    let statement = sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, plan);
    let row = scratch
        .db
        .read()
        .query_one_raw(statement)
        .await
        .unwrap()
        .unwrap();
    let detail: String = row.try_get("", "detail").unwrap();
    assert!(
        detail.contains("USING COVERING INDEX audit_entries_by_action"),
        "{detail}"
    );
    scratch.remove().await;
}

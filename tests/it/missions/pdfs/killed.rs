//! The gateway dies at each kill point of PDFs, and the report is there after the next start.

use roost_platform::supervision::KILL_POINTS;
use roost_tests::{DbInspector, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::{pdf, words};

/// The points that have their case here.
pub(crate) const KILLED_THERE: &[&str] = &["pdfs.make.after_take", "pdfs.make.before_record"];

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

#[test]
fn every_kill_point_of_pdfs_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all.filter(|name| name.starts_with("pdfs.")).collect();
    assert_eq!(ours, KILLED_THERE);
}

#[tokio::test]
async fn pdf_whose_gateway_dies_is_made_after_the_next_start() {
    killed_at_each_point(&Store::Sqlite).await;
}

#[tokio::test]
async fn pdf_is_made_on_postgresql_after_the_lease_of_the_crashed_gateway() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    killed_at_each_point(&Store::Postgres(scratch.url().to_owned())).await;
    scratch.remove().await;
}

async fn killed_at_each_point(store: &Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let set = [("sandboxes.local", "off"), ("chaos.allow", "true")];
    let mut process = Process::start_with(folder.path(), store, &set).await;
    let owner = process.owner().await;
    for point in KILLED_THERE {
        let new = json!({ "template_kind": "research", "title": point, "goal": "Find out." });
        let mission = owner.post("/api/missions").json(&new).expect(201).await;
        let id = mission.str("/id").to_owned();
        process.kill();
        assert!(process.again_with(&format!("{point}=abort")).await);
        let report = owner.post(&format!("/api/missions/{id}/report"));
        // The answer may be cut off with the gateway.
        let _ = report.try_send().await;
        process.ended_by(SIGABRT).await;
        process.again().await;
        let artifacts = async || {
            let now = owner.get(&format!("/api/missions/{id}")).expect(200).await;
            now.body["artifacts"]
                .as_array()
                .cloned()
                .expect("artifacts")
        };
        let left = artifacts().await;
        assert_eq!(left.len(), 1, "{point}: {left:?}");
        if matches!(store, Store::Postgres(_)) {
            // Its lease ends after 90 seconds. The test does not wait for that: it ends the lease of the dead gateway.
            assert_eq!(left[0]["status"], "pending", "{point}: {left:?}");
            end_leases(store).await;
        }
        let ready = pdf(&owner, &id, &Value::Null).await;
        assert_eq!(ready["status"], "ready", "{point}: {ready}");
        assert!(words(&owner, &ready).await.contains("Status draft"));
        eventually("nothing more is made", async || {
            (artifacts().await.len() == 1).then_some(())
        })
        .await;
    }
    process.kill();
}

/// What the database's clock does in 90 seconds.
async fn end_leases(store: &Store) {
    let Store::Postgres(url) = store else {
        return;
    };
    let db = DbInspector::open(url).await;
    db.change("UPDATE leases SET expires_ms = 0 WHERE name LIKE 'pdf:%'")
        .await;
}

//! The gateway dies while a run parks, while it is parked, and while what it waits for ends. No wake-up is lost, and the
//! agent requests its action once.

use roost_platform::supervision::KILL_POINTS;
use roost_tests::{DbInspector, Issuer, eventually};
use serde_json::json;

use super::approvals::{SCRIPT, asking_team, parked_on_a_door};
use super::{over, started};
use crate::connections::doors::{App, Lives};

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &["waits.park.before_commit", "waits.park.after_commit"];

#[test]
fn every_kill_point_of_waits_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all.filter(|name| name.starts_with("waits.")).collect();
    assert_eq!(ours, KILLED_THERE);
}

#[tokio::test]
async fn run_whose_gateway_dies_around_a_park_requests_once_and_continues_with_the_decision() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, SCRIPT).expect("it is written");
    let script = script.display().to_string();
    // At the park, and at the points that a woken run passes.
    let points = KILLED_THERE.iter().copied().chain([
        "runs.claim.after_commit",
        "runtime.session.before_tool",
        "runtime.session.after_tool",
        "doors.perform.after_take",
        "doors.perform.after_call",
    ]);
    for point in points {
        let (issuer, app) = (Issuer::start().await, App::start().await);
        let mut lives = Lives::with(&issuer, &app, &[("runs.script", &script)]).await;
        let team = asking_team(&lives.owner(), app.address).await;
        let dies_early = KILLED_THERE.contains(&point);
        if dies_early {
            lives.arm(point).await;
        }
        let run = started(&lives.owner(), &team).await;
        if dies_early {
            lives.see_it_died().await;
        }
        let (_, door) = parked_on_a_door(&lives.owner(), &run).await;
        let id = door["id"].as_str().expect("an id");
        if !dies_early {
            // It stays parked over the restart.
            lives.arm(point).await;
        }
        let decide = format!("/api/doors/{id}/resolve");
        let yes = json!({ "decision": "approve" });
        // The answer may be cut off with the gateway.
        let _ = lives.owner().post(&decide).json(&yes).try_send().await;
        if !dies_early {
            lives.see_it_died().await;
            let inspector = DbInspector::open(&lives.process.database()).await;
            // A gateway that died during the call counts as dead after two minutes.
            inspector
                .change("UPDATE doors SET begun_at = '2020-01-01T00:00:00+00:00' WHERE state = 'performing'")
                .await;
            inspector.close().await;
        }
        let ended = over(&lives.owner(), &run).await;
        assert_eq!(ended.body["status"], "completed", "{point}: {ended:?}");
        assert_eq!(ended.body["steps"][0]["attempt"], 1, "{point}: {ended:?}");
        let sent = usize::from(point != "doors.perform.after_take");
        assert_eq!(app.seen().len(), sent, "{point}");
        let doors = eventually("the doors are listed", async || {
            lives.owner().get("/api/doors").try_send().await.ok()
        });
        let doors = doors.await;
        assert_eq!(
            doors.body["items"].as_array().expect("items").len(),
            1,
            "{point}"
        );
        let calls = lives
            .owner()
            .get(&format!("/api/topology-runs/{run}/calls"));
        let calls = calls.expect(200).await;
        assert_eq!(
            calls.body["items"].as_array().expect("calls").len(),
            3,
            "{point}"
        );
        lives.process.kill();
    }
}

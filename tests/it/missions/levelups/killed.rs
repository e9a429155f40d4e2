//! The gateway dies while a proposal is made or applied. Nothing is applied by half, and nothing twice.

use roost_platform::supervision::KILL_POINTS;
use roost_tests::{Client, Process, ScratchPostgres, Store};
use serde_json::json;

use super::{agent, answer, approval, audited, item, proposed, script, written};

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &[
    "levelups.propose.after_answer",
    "levelups.apply.before_commit",
    "levelups.apply.after_commit",
];

#[test]
fn every_kill_point_of_level_ups_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all.filter(|name| name.starts_with("levelups.")).collect();
    assert_eq!(ours, KILLED_THERE);
}

#[tokio::test]
async fn a_killed_gateway_applies_all_approved_items_or_none_and_once() {
    let items = [
        item("brain_consolidation", json!({ "brain": "Short." })),
        item(
            "identity_refinement",
            json!({ "system_prompt": "You code with care." }),
        ),
    ];
    for scratch in [None, ScratchPostgres::new().await] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(&folder, &script(&[answer(&items)]));
        let store = match &scratch {
            Some(scratch) => Store::Postgres(scratch.url().to_owned()),
            None => Store::Sqlite,
        };
        let set = [
            ("sandboxes.local", "off"),
            ("chaos.allow", "true"),
            ("runs.script", path.to_str().expect("text")),
        ];
        let data = tempfile::tempdir().expect("a folder");
        let mut process = Process::start_with(data.path(), &store, &set).await;
        let token = process.owner_token().await;
        let mut applied = 0;
        for point in KILLED_THERE {
            let owner = Client::new(&process.url()).with_token(&token);
            let claw = agent(&owner).await;
            let proposal = match point.starts_with("levelups.apply") {
                true => Some(proposed(&owner, &claw).await),
                false => None,
            };
            process.kill();
            assert!(process.again_with(&format!("{point}=abort")).await);
            let owner = Client::new(&process.url()).with_token(&token);
            let asked = match &proposal {
                Some(path) => owner
                    .post(&format!("{path}/apply"))
                    .json(&approval(&["i1", "i2"])),
                None => owner.post(&format!("/api/claws/{claw}/level-up")),
            };
            assert!(asked.try_send().await.is_err(), "{point} did not strike");
            process.ended_by(6).await;
            process.again().await;
            let owner = Client::new(&process.url()).with_token(&token);
            let Some(path) = proposal else {
                let listed = owner.get("/api/level-up-proposals").expect(200).await;
                assert_eq!(listed.body, json!([]), "{point}");
                continue;
            };
            let now = owner.get(&path).expect(200).await;
            let committed = point.ends_with("after_commit");
            let expected = if committed { "applied" } else { "pending" };
            assert_eq!(now.str("/status"), expected, "{point}");
            let shown = owner.get(&format!("/api/claws/{claw}")).expect(200).await;
            let prompt = if committed {
                "You code with care."
            } else {
                "You code."
            };
            assert_eq!(shown.str("/system_prompt"), prompt, "{point}");
            // The person tries again.
            let again = owner
                .post(&format!("{path}/apply"))
                .json(&approval(&["i1", "i2"]));
            let again = again.expect(200).await;
            assert_eq!(again.body["applied_items"], json!(["i1", "i2"]), "{point}");
            let brain = owner
                .get(&format!("/api/claws/{claw}/brain"))
                .expect(200)
                .await;
            assert_eq!(brain.body["version"], 2, "{point}");
            applied += 1;
            assert_eq!(audited(&owner, "levelup.applied").await, applied, "{point}");
        }
        process.kill();
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

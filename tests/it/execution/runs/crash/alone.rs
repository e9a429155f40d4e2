//! One gateway, killed (-9) and paused at random moments.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use roost_tests::{DbInspector, Follower, Process, ScratchPostgres, Store};
use tokio::time::sleep;

use super::books::{Ran, SCRIPT, Work};
use super::{image, seeds};

#[tokio::test]
async fn each_step_is_done_once_and_each_command_runs_once_after_any_crash() {
    for seed in seeds() {
        play(seed, Store::Sqlite).await;
        if let Some(scratch) = ScratchPostgres::new().await {
            let store = Store::Postgres(scratch.url().to_owned());
            play(seed, store).await;
            scratch.remove().await;
        }
    }
}

async fn play(seed: u64, store: Store) {
    let mut chance = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, SCRIPT).expect("the script is written");
    let (script, image) = (script.display().to_string(), image());
    let set = [
        ("sandboxes.local", "on"),
        ("runs.script", &*script),
        ("runs.lease_seconds", "3"),
        ("sandboxes.image", &*image),
    ];
    let mut process = Process::start_with(folder.path(), &store, &set).await;
    let owner = process.owner().await;
    let follower = Follower::start(vec![owner.clone()]);
    let inspector = DbInspector::open(&process.database()).await;
    let mut work = Work::begin(seed, &owner).await;
    for _ in 0..chance.random_range(2..5) {
        sleep(Duration::from_millis(chance.random_range(0..1_200))).await;
        if chance.random_ratio(1, 5) {
            // Longer than its lease: it finds nobody who took over, or itself.
            process.pause();
            sleep(Duration::from_secs(4)).await;
            process.go_on();
        } else {
            process.kill();
            process.again().await;
        }
        work.ends_stay(&owner).await;
    }
    let teams = work.team_ids();
    work.finish(&owner, Ran::Once).await;
    let head = inspector.events_are_whole().await;
    follower.saw_all(head).await;
    Work::clear(teams, &owner).await;
    inspector.close().await;
    process.kill();
    eprintln!("seed {seed} on {}: it holds", backend(&store));
}

fn backend(store: &Store) -> &'static str {
    match store {
        Store::Sqlite => "SQLite",
        Store::Postgres(_) => "PostgreSQL",
    }
}

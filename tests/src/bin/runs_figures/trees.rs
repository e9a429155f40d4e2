//! Time to cancel a tree of 100 runs: a team of 9 teams of 10 teams, whose agents are all at work. Measured from the
//! request that cancels the root to the stored end of the last run, with no step at work.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use roost_platform::ids::RunId;
use roost_tests::DbInspector;
use roost_tests::report::{OURS, Report, median, percentile};
use tokio::time::sleep;

use crate::Options;
use crate::fixture::{Fixture, Team};

const MIDDLE: usize = 9;
const LEAVES: usize = 10;
const RUNS: usize = 1 + MIDDLE + MIDDLE * LEAVES;
/// A longer time means a fault.
const PATIENCE: Duration = Duration::from_secs(120);

/// Measures on both databases.
pub async fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table("Cancel to stopped, a tree of 100 runs", None);
    for (base, postgres) in [("PostgreSQL", true), ("SQLite", false)] {
        let fixture = Fixture::open(postgres).await?;
        let root = grown(&fixture).await?;
        let (mut stopped, mut answered, mut each) = (Vec::new(), Vec::new(), Vec::new());
        for tree in 1..=options.trees {
            eprintln!("trees: {base}, {tree} of {}", options.trees);
            let times = cancelled(&fixture, &root, tree).await?;
            answered.push(times.answered);
            stopped.push(times.stopped);
            each.extend(times.runs);
        }
        let figures = [
            ("ms p50 to stopped", median(&stopped)),
            ("ms p99 to stopped", percentile(&stopped, 0.99)),
            ("ms p50 of a run", median(&each)),
            ("ms p99 of a run", percentile(&each, 0.99)),
            ("ms p50 of the answer", median(&answered)),
        ];
        let setting = format!("{} trees of {RUNS} runs", options.trees);
        report.add(&setting, &format!("{OURS} on {base}"), &figures);
        fixture.close().await;
    }
    Ok(())
}

/// The team at the root. Each team has its own agents.
async fn grown(fixture: &Fixture) -> Result<Team> {
    let owner = fixture.owner().await.clone();
    let mut middle = Vec::new();
    for _ in 0..MIDDLE {
        let mut leaves = Vec::new();
        for _ in 0..LEAVES {
            leaves.push(fixture.team(&owner, 1).await?);
        }
        middle.push(fixture.hub_of(&owner, &leaves).await?);
    }
    fixture.hub_of(&owner, &middle).await
}

struct Times {
    /// Milliseconds until the request was answered.
    answered: f64,
    /// Until all runs had ended and no step was at work.
    stopped: f64,
    /// Until each run had ended.
    runs: Vec<f64>,
}

async fn cancelled(fixture: &Fixture, root: &Team, tree: usize) -> Result<Times> {
    fixture.executor.hold(true);
    let mut endings = fixture.runs().endings();
    let (id, _) = fixture.start(root).await?;
    until("all leaves are at work", || {
        fixture.executor.at_work() == MIDDLE * LEAVES
    })
    .await?;
    let path = format!("/api/topology-runs/{id}/cancel");
    let begun = Instant::now();
    let owner = fixture.owner().await;
    let asked = async {
        owner.post(&path).expect(200).await;
        begun.elapsed()
    };
    let ended = async {
        let mut ended: HashMap<RunId, Duration> = HashMap::new();
        while ended.len() < RUNS {
            let run = tokio::time::timeout(PATIENCE, endings.recv()).await??;
            ended.entry(run).or_insert_with(|| begun.elapsed());
        }
        anyhow::Ok(ended)
    };
    let (answered, ended) = tokio::join!(asked, ended);
    until("nobody is at work", || fixture.executor.at_work() == 0).await?;
    let stopped = begun.elapsed();
    let inspector = DbInspector::open(&fixture.database()).await;
    let left = "SELECT count(*) AS n FROM run_state WHERE status = 'cancelled'";
    let cancelled = inspector.numbers(left).await;
    inspector.close().await;
    ensure!(
        cancelled == [i64::try_from(tree * RUNS)?],
        "{cancelled:?} runs are cancelled after {tree} trees"
    );
    let milliseconds = |took: Duration| took.as_secs_f64() * 1e3;
    Ok(Times {
        answered: milliseconds(answered),
        stopped: milliseconds(stopped),
        runs: ended?.into_values().map(milliseconds).collect(),
    })
}

async fn until(what: &str, is_so: impl Fn() -> bool) -> Result<()> {
    let begun = Instant::now();
    while !is_so() {
        ensure!(begun.elapsed() < PATIENCE, "this did not happen: {what}");
        sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

//! Claim latency: from the commit that enqueues a run to the start of its first step. Idle: one run at a time. Crowd:
//! many runs in one commit, whose first steps stay at work until all have begun, so that only claiming is measured.

use std::time::{Duration, Instant};

use anyhow::Result;
use roost_execution::runs;
use roost_platform::ids::RunId;
use roost_tenancy::change::Change;
use uuid::Uuid;

use crate::Options;
use crate::fixture::{Fixture, Team};
use roost_tests::report::{OURS, Report, percentile};

/// Runs of the crowd, and samples when idle.
const CROWD: usize = 200;

/// Measures on both databases.
pub async fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table("From the commit into the queue to the first step", None);
    for (base, postgres) in [("PostgreSQL", true), ("SQLite", false)] {
        let fixture = Fixture::open(postgres).await?;
        let owner = fixture.owner().await.clone();
        let team = fixture.team(&owner, 1).await?;
        for round in 1..=options.rounds {
            eprintln!("claims: {base}, round {round}");
            let samples = idle(&fixture, &team).await?;
            report.add("idle", &side(base), &figures(&samples));
            let samples = crowd(&fixture, &team).await?;
            report.add(
                &format!("{CROWD} by one commit"),
                &side(base),
                &figures(&samples),
            );
        }
        fixture.close().await;
    }
    Ok(())
}

fn side(base: &str) -> String {
    format!("{OURS} on {base}")
}

fn figures(samples: &[f64]) -> [(&'static str, f64); 2] {
    [
        ("ms p50", percentile(samples, 0.5)),
        ("ms p99", percentile(samples, 0.99)),
    ]
}

async fn idle(fixture: &Fixture, team: &Team) -> Result<Vec<f64>> {
    let mut samples = Vec::new();
    for _ in 0..CROWD {
        let id = RunId(Uuid::now_v7());
        let (first, ended) = (fixture.executor.first_step(id), fixture.await_end(id));
        runs::enqueue(fixture.runs(), team.scope, team.user, team.run(id)).await?;
        let committed = Instant::now();
        samples.push(milliseconds(committed, first.await?));
        ended.await?;
    }
    Ok(samples)
}

async fn crowd(fixture: &Fixture, team: &Team) -> Result<Vec<f64>> {
    fixture.executor.hold(true);
    let (mut firsts, mut ends) = (Vec::new(), Vec::new());
    let mut change = Change::begin(fixture.runs(), team.scope, team.user).await?;
    for _ in 0..CROWD {
        let id = RunId(Uuid::now_v7());
        firsts.push(fixture.executor.first_step(id));
        ends.push(fixture.await_end(id));
        runs::start_in(fixture.runs(), &mut change, team.run(id)).await?;
    }
    change.commit().await?;
    let committed = Instant::now();
    let mut samples = Vec::new();
    for first in firsts {
        samples.push(milliseconds(committed, first.await?));
    }
    fixture.executor.hold(false);
    for end in ends {
        end.await?;
    }
    Ok(samples)
}

/// Zero for a step that began before the commit returned to its caller.
fn milliseconds(committed: Instant, began: Instant) -> f64 {
    let took: Duration = began.saturating_duration_since(committed);
    took.as_secs_f64() * 1e3
}

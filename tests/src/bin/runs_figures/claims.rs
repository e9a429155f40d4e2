//! Claim latency: from the commit that puts a run into the queue to its first step at work. Idle: one run at a time. In a
//! crowd: many runs by one commit, whose first steps stay at work until all have begun, so that only claiming is measured.

use std::time::{Duration, Instant};

use anyhow::Result;
use roost_gateway::domains::runs::commands;
use roost_gateway::ids::RunId;
use uuid::Uuid;

use crate::Options;
use crate::house::{House, Team};
use crate::report::{OURS, Report, percentile};

/// Runs of the crowd, and samples of the idle one.
const CROWD: usize = 200;

/// Measures on both databases.
pub async fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table("From the commit into the queue to the first step", None);
    for (base, postgres) in [("PostgreSQL", true), ("SQLite", false)] {
        let house = House::open(postgres).await?;
        let owner = house.owner().await.clone();
        let team = house.team(&owner, 1).await?;
        for round in 1..=options.rounds {
            eprintln!("claims: {base}, round {round}");
            let samples = idle(&house, &team).await?;
            report.add("idle", &side(base), &figures(&samples));
            let samples = crowd(&house, &team).await?;
            report.add(
                &format!("{CROWD} by one commit"),
                &side(base),
                &figures(&samples),
            );
        }
        house.close().await;
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

async fn idle(house: &House, team: &Team) -> Result<Vec<f64>> {
    let mut samples = Vec::new();
    for _ in 0..CROWD {
        let id = RunId(Uuid::now_v7());
        let (first, ended) = (house.crew.first_step(id), house.await_end(id));
        commands::enqueue(house.runs(), team.scope, team.user, team.run(id)).await?;
        let committed = Instant::now();
        samples.push(milliseconds(committed, first.await?));
        ended.await?;
    }
    Ok(samples)
}

async fn crowd(house: &House, team: &Team) -> Result<Vec<f64>> {
    house.crew.hold(true);
    let (mut firsts, mut ends) = (Vec::new(), Vec::new());
    let mut tx = house.db().write().await?;
    for _ in 0..CROWD {
        let id = RunId(Uuid::now_v7());
        firsts.push(house.crew.first_step(id));
        ends.push(house.await_end(id));
        commands::start_in(house.runs(), &mut tx, team.scope, team.user, team.run(id)).await?;
    }
    tx.commit().await?;
    let committed = Instant::now();
    house.runs().nudge();
    let mut samples = Vec::new();
    for first in firsts {
        samples.push(milliseconds(committed, first.await?));
    }
    house.crew.hold(false);
    for end in ends {
        end.await?;
    }
    Ok(samples)
}

/// Zero for a step that began before the caller of the commit was told of it.
fn milliseconds(committed: Instant, began: Instant) -> f64 {
    let took: Duration = began.saturating_duration_since(committed);
    took.as_secs_f64() * 1e3
}

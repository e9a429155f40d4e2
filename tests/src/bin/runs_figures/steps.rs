//! Durable steps that do nothing: Roost compared with graphile-worker and DBOS on one PostgreSQL server, each with a
//! new database, and with DBOS on SQLite. A fixed number of runs is at work at any time: a new one begins when one
//! ends, for some seconds, and the clock stops when the last one ends. The sides take turns in every round.
//!
//! A step is: for Roost its output, the start of the next step, the state of both agents and all events in one fenced
//! transaction; for DBOS the step's output in its table of operations; for graphile-worker a job that enqueues the next
//! one (`chained`), or an independent job (`loose jobs`: no order, no output, ends written in groups; the maximum of a
//! plain queue).

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::task::JoinSet;

use crate::Options;
use crate::fixture::{Fixture, Team};
use crate::peers::{Done, ON_POSTGRES, ON_SQLITE, Peer};
use crate::server::{self, Marks};
use roost_tests::report::{OURS, Report};

/// Concurrent runs.
const AT_ONCE: [usize; 3] = [1, 16, 64];
/// Workspaces of the side with several.
const WORKSPACES: usize = 16;
/// Warm-up seconds of each side.
const WARM: f64 = 0.5;

enum Side {
    Roost {
        name: &'static str,
        fixture: Arc<Fixture>,
        teams: Vec<Team>,
        runs: usize,
    },
    Peer(Box<Peer>),
}

/// Measures on both databases.
pub async fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table("Durable steps a second, PostgreSQL", Some("steps/s"));
    on(options, report, true).await?;
    report.table("Durable steps a second, SQLite", Some("steps/s"));
    on(options, report, false).await
}

async fn on(options: &Options, report: &mut Report, postgres: bool) -> Result<()> {
    let fixture = Arc::new(Fixture::open(postgres).await?);
    let mut marks = None;
    if postgres {
        let url = fixture.database();
        report.fact(format!(
            "PostgreSQL, for all: {}",
            server::settings(&url).await
        ));
        marks = Some(Marks::of(&url).await);
    } else {
        report.fact("SQLite, Roost: journal_mode=wal synchronous=FULL");
    }
    let mut sides = vec![Side::Roost {
        name: OURS,
        teams: in_one_workspace(&fixture, options.steps).await?,
        fixture: fixture.clone(),
        runs: 0,
    }];
    if postgres {
        // SQLite has one writer, however many workspaces there are.
        let apart = Arc::new(Fixture::open(true).await?);
        sides.push(Side::Roost {
            name: "Roost, 16 workspaces",
            teams: in_many_workspaces(&apart, options.steps).await?,
            fixture: apart,
            runs: 0,
        });
    }
    if !options.alone {
        let programs: &[_] = if postgres { &ON_POSTGRES } else { &ON_SQLITE };
        for program in programs {
            let peer = Peer::start(*program).await?;
            report.fact(format!("{}: {}", peer.about.what, peer.about.care));
            sides.push(Side::Peer(Box::new(peer)));
        }
    }
    for side in &mut sides {
        side.measure(16, WARM, options.steps).await?;
    }
    for at_once in AT_ONCE {
        for round in 1..=options.rounds {
            for side in &mut sides {
                eprintln!("steps: {at_once} at once, round {round}, {}", side.name());
                let before = match &marks {
                    Some(marks) => Some(marks.now().await),
                    None => None,
                };
                let done = side
                    .measure(at_once, options.seconds, options.steps)
                    .await?;
                let mut measured = vec![("steps/s", done.steps as f64 / done.seconds)];
                if let (Some(before), Some(marks)) = (before, &marks) {
                    let (transactions, bytes) = marks.now().await.a_step_since(before, done.steps);
                    measured.push(("transactions/step", transactions));
                    measured.push(("log bytes/step", bytes));
                }
                report.add(&format!("{at_once} at once"), side.name(), &measured);
            }
        }
    }
    drop(fixture);
    for side in sides {
        side.close(options.steps).await?;
    }
    Ok(())
}

impl Side {
    fn name(&self) -> &'static str {
        match self {
            Self::Roost { name, .. } => name,
            Self::Peer(peer) => peer.name,
        }
    }

    async fn measure(&mut self, at_once: usize, seconds: f64, steps: usize) -> Result<Done> {
        match self {
            Self::Roost {
                fixture,
                teams,
                runs,
                ..
            } => {
                let (done, took) = keep_going(fixture, teams, at_once, seconds).await?;
                *runs += done;
                Ok(Done {
                    steps: u64::try_from(done * steps)?,
                    seconds: took,
                })
            }
            Self::Peer(peer) => peer.measure(at_once, seconds, steps).await,
        }
    }

    async fn close(self, steps: usize) -> Result<()> {
        match self {
            Self::Roost { fixture, runs, .. } => {
                fixture.all_is_done(runs, steps).await?;
                let fixture = Arc::into_inner(fixture);
                ensure!(fixture.is_some(), "somebody still works with the gateway");
                if let Some(fixture) = fixture {
                    fixture.close().await;
                }
                Ok(())
            }
            Self::Peer(peer) => peer.close().await,
        }
    }
}

/// A team for each concurrent run, all in one workspace, which has one event log.
async fn in_one_workspace(fixture: &Fixture, steps: usize) -> Result<Vec<Team>> {
    let owner = fixture.owner().await.clone();
    let mut teams = Vec::new();
    for _ in 0..AT_ONCE[AT_ONCE.len() - 1] {
        teams.push(fixture.team(&owner, steps).await?);
    }
    Ok(teams)
}

/// The same, in several workspaces in turn.
async fn in_many_workspaces(fixture: &Fixture, steps: usize) -> Result<Vec<Team>> {
    let mut people = Vec::new();
    // The first Owner must exist before anybody can sign in.
    fixture.owner().await;
    for _ in 0..WORKSPACES {
        people.push(fixture.stranger().await);
    }
    let mut teams = Vec::new();
    for n in 0..AT_ONCE[AT_ONCE.len() - 1] {
        teams.push(fixture.team(&people[n % WORKSPACES], steps).await?);
    }
    Ok(teams)
}

/// Keeps `at_once` runs at work for a time; returns how many were done, and the seconds until the last one ended.
async fn keep_going(
    fixture: &Arc<Fixture>,
    teams: &[Team],
    at_once: usize,
    seconds: f64,
) -> Result<(usize, f64)> {
    let begun = Instant::now();
    let until = begun + Duration::from_secs_f64(seconds);
    let mut all = JoinSet::new();
    for team in teams.iter().take(at_once) {
        let (fixture, team) = (fixture.clone(), team.clone());
        all.spawn(async move {
            let mut done = 0;
            while Instant::now() < until {
                let (_, ended) = fixture.start(&team).await?;
                ended.await?;
                done += 1;
            }
            anyhow::Ok(done)
        });
    }
    let mut done = 0;
    while let Some(one) = all.join_next().await {
        done += one??;
    }
    Ok((done, begun.elapsed().as_secs_f64()))
}

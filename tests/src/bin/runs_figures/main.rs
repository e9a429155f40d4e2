//! Measures durable runs in one go: steps per second compared with graphile-worker and DBOS, claim latency, cancelling
//! a tree of 100 runs, 10,000 runs that wait, 200 scripted agents at work. `deploy/runs-figures.sh` starts a PostgreSQL server that keeps
//! commits, and then this program; see CONTRIBUTING.md. The header of each file says what it measures and what it
//! compares.
//!
//!     runs_figures [--only steps,claims,trees,agents,parked] [--rounds 5] [--seconds 2] [--steps 5] [--trees 25]
//!                  [--parked 10000] [--agents 200] [--turns 40] [--alone true] [--json FILE]

mod agents;
mod claims;
mod fake_executor;
mod fixture;
mod parked;
mod peers;
mod server;
mod steps;
mod trees;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// What the command line says.
struct Options {
    only: Vec<String>,
    rounds: usize,
    /// Seconds of each side in each round.
    seconds: f64,
    /// Steps of a run.
    steps: usize,
    trees: usize,
    /// Runs that wait.
    parked: usize,
    agents: usize,
    /// Turns of an agent's conversation.
    turns: usize,
    /// Without the peers.
    alone: bool,
    json: Option<PathBuf>,
}

impl Options {
    fn read() -> Result<Self> {
        let mut options = Self {
            only: Vec::new(),
            rounds: 5,
            seconds: 2.0,
            steps: 5,
            trees: 25,
            parked: 10_000,
            agents: 200,
            turns: 40,
            alone: false,
            json: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words
                .next()
                .with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                "--rounds" => options.rounds = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--steps" => options.steps = value.parse()?,
                "--trees" => options.trees = value.parse()?,
                "--parked" => options.parked = value.parse()?,
                "--agents" => options.agents = value.parse()?,
                "--turns" => options.turns = value.parse()?,
                "--alone" => options.alone = value.parse()?,
                "--json" => options.json = Some(PathBuf::from(value)),
                _ => bail!("there is no {word}"),
            }
        }
        Ok(options)
    }

    fn wants(&self, what: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| one == what)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::read()?;
    let begun = Instant::now();
    let mut report = Report::default();
    report.fact(format!(
        "{} build, {} processors, {} rounds of {} s, {} steps a run; medians (least..most)",
        if cfg!(debug_assertions) {
            "DEBUG"
        } else {
            "release"
        },
        std::thread::available_parallelism()?,
        options.rounds,
        options.seconds,
        options.steps
    ));
    if options.wants("steps") {
        steps::run(&options, &mut report).await?;
    }
    if options.wants("claims") {
        claims::run(&options, &mut report).await?;
    }
    if options.wants("trees") {
        trees::run(&options, &mut report).await?;
    }
    if options.wants("parked") {
        parked::run(&options, &mut report).await?;
    }
    if options.wants("agents") {
        agents::run(&options, &mut report).await?;
    }
    report.fact(format!(
        "measured in {:.0} s",
        begun.elapsed().as_secs_f64()
    ));
    report.print();
    if let Some(file) = &options.json {
        let text = serde_json::to_string_pretty(&report.json())?;
        std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
use roost_tests::report::Report;

//! Measures live events, together with nginx with nchan in one run: deliveries, latency, memory, idle connections,
//! reconnects, a stalled reader, a long replay. See CONTRIBUTING.md for the command. Both sides are measured in turn,
//! several rounds each, and the medians are printed. A message to Roost is a change of an agent through its public
//! route, committed with its event and its audit row; nchan gets the same bytes as a message.
//!
//! Pass `--nginx <binary> --nchan <module>` for nchan; without them only Roost is measured.

mod crowd;
mod half_open;
mod reconnects;
mod replay;
mod report;
mod sides;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crowd::{Crowd, Want};
use report::{Report, Round};
use sides::{Nchan, Roost, Side};

/// What the command line says.
struct Options {
    nginx: Option<(PathBuf, PathBuf)>,
    subscribers: usize,
    idle: usize,
    reconnects: usize,
    rounds: usize,
    seconds: u64,
    replay: u64,
    only: Vec<String>,
}

impl Options {
    fn read() -> Result<Self> {
        let mut options = Self {
            nginx: None,
            subscribers: 1_000,
            idle: 10_000,
            reconnects: 100_000,
            rounds: 3,
            seconds: 10,
            replay: 1_000_000,
            only: Vec::new(),
        };
        let (mut nginx, mut module) = (None, None);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words
                .next()
                .with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--nginx" => nginx = Some(PathBuf::from(value)),
                "--nchan" => module = Some(PathBuf::from(value)),
                "--subscribers" => options.subscribers = value.parse()?,
                "--idle" => options.idle = value.parse()?,
                "--reconnects" => options.reconnects = value.parse()?,
                "--rounds" => options.rounds = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--replay" => options.replay = value.parse()?,
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                _ => bail!("there is no {word}"),
            }
        }
        options.nginx = nginx.zip(module);
        Ok(options)
    }

    fn wants(&self, what: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| one == what)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::read()?;
    sides::allow_many_connections()?;
    let mut sides = vec![Side::Roost(Roost::start(&options).await?)];
    if let Some((nginx, module)) = &options.nginx {
        sides.push(Side::Nchan(Nchan::start(nginx, module).await?));
    }
    let mut report = Report::default();
    for round in 1..=options.rounds {
        for side in &mut sides {
            eprintln!("round {round}: {}", side.name());
            let name = side.name();
            if options.wants("closed") {
                report.add(name, closed(side, &options, 1).await?);
                report.add(name, closed(side, &options, 8).await?);
            }
            if options.wants("paced") {
                report.add(name, paced(side, &options, false).await?);
            }
            if options.wants("stalled") {
                report.add(name, paced(side, &options, true).await?);
            }
        }
    }
    if options.wants("idle") {
        for side in &mut sides {
            report.add(side.name(), idle(side, &options).await?);
        }
    }
    if options.wants("half-open") {
        report.add_sentence(half_open::run(&sides[0], options.idle).await?);
    }
    if options.wants("reconnects") {
        report.add_sentence(reconnects::run(&mut sides[0], options.reconnects).await?);
    }
    report.print();
    drop(sides);
    if options.wants("replay") {
        println!("{}", replay::run(options.replay).await?);
    }
    Ok(())
}

/// At full speed: `window` messages are in flight at any time, and one is done when all subscribers have it.
async fn closed(side: &mut Side, options: &Options, window: usize) -> Result<Round> {
    let crowd = Crowd::gather(side, options.subscribers, Want::Everything).await?;
    let (cpu, begun) = (side.cpu()?, Instant::now());
    let until = begun + Duration::from_secs(options.seconds);
    let mut sent = 0;
    while Instant::now() < until {
        while sent < crowd.complete() + window {
            crowd.sending(sent);
            side.publish().await?;
            sent += 1;
        }
        crowd.completed(sent.saturating_sub(window) + 1).await?;
    }
    crowd.completed(sent).await?;
    let took = begun.elapsed();
    let cpu = side.cpu()? - cpu;
    let memory = side.memory()?;
    let tally = crowd.leave()?;
    Ok(Round {
        what: format!(
            "closed, {window} under way, {} subscribers",
            options.subscribers
        ),
        rate: Some(tally.delivered as f64 / took.as_secs_f64()),
        latencies: tally.latencies,
        cpu_per_delivery: Some(cpu.as_secs_f64() / tally.delivered as f64),
        memory: Some(memory),
    })
}

/// A hundred messages per second, whether or not the subscribers keep up. Latency counts from each due time.
async fn paced(side: &mut Side, options: &Options, stalled: bool) -> Result<Round> {
    let want = if stalled {
        Want::OneStalls
    } else {
        Want::Everything
    };
    let crowd = Crowd::gather(side, options.subscribers, want).await?;
    let cpu = side.cpu()?;
    let mut tick = tokio::time::interval(Duration::from_millis(10));
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let count = usize::try_from(options.seconds)? * 100;
    for number in 0..count {
        tick.tick().await;
        crowd.sending(number);
        side.publish().await?;
    }
    crowd.completed(count).await?;
    let cpu = side.cpu()? - cpu;
    let memory = side.memory()?;
    let tally = crowd.leave()?;
    Ok(Round {
        what: format!(
            "paced at 100/s, {} subscribers{}",
            options.subscribers,
            if stalled {
                " and one that never reads"
            } else {
                ""
            }
        ),
        rate: None,
        latencies: tally.latencies,
        cpu_per_delivery: Some(cpu.as_secs_f64() / tally.delivered as f64),
        memory: Some(memory),
    })
}

/// Idle connections that receive only heartbeats.
async fn idle(side: &mut Side, options: &Options) -> Result<Round> {
    let before = side.memory()?;
    let crowd = Crowd::gather(side, options.idle, Want::Everything).await?;
    // Two heartbeat rounds, so that the figure includes the memory of a heartbeat.
    tokio::time::sleep(Duration::from_secs(25)).await;
    let memory = side.memory()?;
    crowd.leave()?;
    let after = half_open::settled(side, before).await?;
    eprintln!(
        "{}: {} idle, {} KiB before, {} KiB with them, {} KiB after them",
        side.name(),
        options.idle,
        before >> 10,
        memory >> 10,
        after >> 10
    );
    Ok(Round {
        what: format!("{} idle", options.idle),
        rate: None,
        latencies: Vec::new(),
        cpu_per_delivery: None,
        memory: Some(memory),
    })
}

//! 200 scripted agents at work in a real `roost serve`: the cost for the gateway's process, and the delays of a person
//! who reads meanwhile. The agents are real (sessions, journal, events, tools). The script answers without a pause and
//! the tools only read skills, so agents keep the gateway as busy as possible: thinking models and running commands
//! would only make it idle in between.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures::stream::{self, StreamExt};
use roost_tests::report::{OURS, Report, percentile};
use roost_tests::{Client, DbInspector, Process, ScratchPostgres, Store};
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::Options;
use crate::server::{cpu, memory};

/// Concurrent requests while teams are made and runs are started.
const TOGETHER: usize = 8;
/// Time between two reads of the watching person, whether or not the previous one is answered.
const READ: Duration = Duration::from_millis(20);
/// Most concurrent reads, so that a slow gateway is not overloaded. Waiting reads count as late.
const UNDER_WAY: usize = 16;
/// How long the idle gateway is measured.
const IDLE: Duration = Duration::from_secs(10);
/// A longer time means a fault.
const PATIENCE: Duration = Duration::from_secs(600);
/// The paths that the watching person reads in turn.
const PATHS: [&str; 2] = ["/api/claws?limit=50", "/api/topology-runs?limit=50"];

/// Measures on both databases.
pub async fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table(
        "Scripted agents at work at once, a gateway of its own",
        None,
    );
    on(options, report, Store::Sqlite, "SQLite").await?;
    if let Some(scratch) = ScratchPostgres::new().await {
        let store = Store::Postgres(scratch.url().to_owned());
        on(options, report, store, "PostgreSQL").await?;
        scratch.remove().await;
    }
    Ok(())
}

async fn on(options: &Options, report: &mut Report, store: Store, base: &str) -> Result<()> {
    eprintln!("agents: {} on {base}", options.agents);
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("script.toml");
    std::fs::write(&script, talk(options.turns))?;
    let mut process = started(folder.path(), &store, &script).await;
    let owner = process.owner().await;
    let teams: Vec<String> = stream::iter(0..options.agents)
        .map(|_| team(&owner))
        .buffer_unordered(TOGETHER)
        .collect()
        .await;
    let before = memory(process.id(), "VmRSS:")?;
    let idle = reads_until(&owner, sleep(IDLE)).await;

    let (cpu_before, begun) = (cpu(process.id())?, Instant::now());
    let inspector = DbInspector::open(&process.database()).await;
    let work = async {
        stream::iter(&teams)
            .map(|team| start(&owner, team))
            .buffer_unordered(TOGETHER)
            .collect::<Vec<()>>()
            .await;
        let at_once = running(&inspector).await;
        while running(&inspector).await > 0 {
            ensure!(
                begun.elapsed() < PATIENCE,
                "the agents do not come to an end"
            );
            sleep(Duration::from_millis(100)).await;
        }
        anyhow::Ok((at_once, begun.elapsed().as_secs_f64()))
    };
    let mut worked = None;
    let busy = reads_until(&owner, async { worked = Some(work.await) }).await;
    let (at_once, took) = worked.expect("the work was waited for")?;
    let used = (cpu(process.id())? - cpu_before).as_secs_f64();
    let entries = count(&inspector, "SELECT count(*) AS n FROM run_calls").await;
    let done = "SELECT count(*) AS n FROM run_state WHERE status = 'completed'";
    let done = count(&inspector, done).await;
    inspector.close().await;
    ensure!(
        done as usize == options.agents,
        "only {done} runs were completed"
    );
    let (most, after) = (
        memory(process.id(), "VmHWM:")?,
        memory(process.id(), "VmRSS:")?,
    );

    let side = format!("{OURS} on {base}");
    let figures = [
        ("at once when all were started", at_once as f64),
        ("s", took),
        ("journal entries/s", entries as f64 / took),
        ("s of processor", used),
        ("MiB before", before),
        ("MiB at most", most),
        ("MiB after", after),
    ];
    report.add(&format!("{} agents", options.agents), &side, &figures);
    for (when, samples) in [("idle", &idle), ("meanwhile", &busy)] {
        let figures = [
            ("ms p50", percentile(samples, 0.5)),
            ("ms p99", percentile(samples, 0.99)),
            ("reads", samples.len() as f64),
        ];
        report.add(&format!("a read of the API, {when}"), &side, &figures);
    }
    process.terminate().await;
    Ok(())
}

async fn started(folder: &Path, store: &Store, script: &Path) -> Process {
    let script = script.display().to_string();
    let set = [("runs.script", &*script), ("broker.start", "off")];
    Process::start_with(folder, store, &set).await
}

/// The script of every agent: it lists its skills and reads one, in turn, and is then done.
fn talk(turns: usize) -> String {
    let mut script = "[[scene]]\n".to_owned();
    for turn in 1..turns {
        let call = match turn % 2 {
            0 => r#"{ tool = "list_skills", arguments = {} }"#,
            _ => r#"{ tool = "read_skill", arguments = { name = "async-rust" } }"#,
        };
        let _ = writeln!(
            script,
            "  [[scene.turn]]\n  think = \"What do I know of this? I look before I begin.\"\n  \
             say = \"I look at what I know, for the {turn}. time.\"\n  calls = [{call}]"
        );
    }
    script.push_str("  [[scene.turn]]\n  say = \"Done.\"\n");
    script
}

async fn team(owner: &Client) -> String {
    let new = json!({ "name": "Figures", "topology": "single", "roles": [{ "slot": "reader" }],
        "risk_profile": "research_readonly", "mcp_bundles": ["skills"] });
    let made = owner.post("/api/teams").json(&new).expect(201).await;
    made.str("/id").to_owned()
}

async fn start(owner: &Client, team: &str) {
    let path = format!("/api/teams/{team}/run");
    let goal = json!({ "input": "Read what you know." });
    owner.post(&path).json(&goal).expect(202).await;
}

async fn running(inspector: &DbInspector) -> i64 {
    let sql = "SELECT count(*) AS n FROM run_state WHERE status IN ('queued', 'running')";
    count(inspector, sql).await
}

async fn count(inspector: &DbInspector, sql: &str) -> i64 {
    inspector.numbers(sql).await[0]
}

/// Reads at a fixed rate until `over`; returns the milliseconds of each read from its due time.
async fn reads_until(owner: &Client, over: impl Future<Output = ()>) -> Vec<f64> {
    let stopped = Arc::new(AtomicBool::new(false));
    let reader = tokio::spawn({
        let (owner, stopped) = (owner.clone(), stopped.clone());
        async move {
            let mut tick = interval(READ);
            tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
            let mut under_way = tokio::task::JoinSet::new();
            let mut samples = Vec::new();
            for turn in 0.. {
                let due = tick.tick().await;
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                if under_way.len() == UNDER_WAY {
                    samples.extend(under_way.join_next().await);
                }
                let owner = owner.clone();
                under_way.spawn(async move {
                    owner.get(PATHS[turn % PATHS.len()]).expect(200).await;
                    due.elapsed().as_secs_f64() * 1e3
                });
            }
            while let Some(sample) = under_way.join_next().await {
                samples.push(sample);
            }
            samples.into_iter().collect::<Result<Vec<f64>, _>>()
        }
    });
    over.await;
    stopped.store(true, Ordering::Relaxed);
    let samples = reader.await.expect("the reader ends");
    samples.expect("every read is answered")
}

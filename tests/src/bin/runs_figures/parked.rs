//! Parked runs: runs that wait for a machine, with one gateway. What they cost in memory, how long a gateway takes to
//! start on them, and how they drain when all of them are woken at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use roost_execution::runs::entity::run;
use roost_execution::runs::{self, Effect, StepExecutor, StepJob, StepResult, WaitOn};
use roost_gateway::app::Surroundings;
use roost_platform::ids::{NodeId, RunId};
use roost_tenancy::change::Change;
use roost_tests::report::{OURS, Report};
use roost_tests::{DbInspector, Gateway, Machine, ScratchPostgres, Store};
use serde_json::json;
use uuid::Uuid;

use crate::Options;
use crate::fixture::Team;

/// Runs of one commit.
const AT_ONCE: usize = 500;
/// How often the rows are counted.
const LOOK: Duration = Duration::from_millis(200);

/// Waits for the machine until it may go on.
#[derive(Clone)]
struct Waits {
    machine: Arc<std::sync::OnceLock<NodeId>>,
    goes_on: Arc<AtomicBool>,
    at_work: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

#[async_trait]
impl StepExecutor for Waits {
    async fn execute(&self, _: StepJob) -> StepResult {
        let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        // Every other step that is about to begin shows in the count.
        tokio::task::yield_now().await;
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        match (self.goes_on.load(Ordering::SeqCst), self.machine.get()) {
            (false, Some(&machine)) => StepResult::Waits {
                on: WaitOn::Machine { machine },
                detail: "The machine is not connected.".to_owned(),
            },
            _ => StepResult::Done("done".to_owned()),
        }
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}

/// Measures on both databases.
pub async fn run(options: &Options, report: &mut Report) -> Result<()> {
    report.table("Runs that wait for a machine, and are woken at once", None);
    for (base, postgres) in [("PostgreSQL", true), ("SQLite", false)] {
        eprintln!("parked: {base}");
        on(options, report, base, postgres).await?;
    }
    Ok(())
}

async fn on(options: &Options, report: &mut Report, base: &str, postgres: bool) -> Result<()> {
    let scratch = match postgres {
        true => Some(ScratchPostgres::new().await.context(
            "ROOST_TEST_POSTGRES_URL names no server; deploy/runs-figures.sh starts one",
        )?),
        false => None,
    };
    let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
        Store::Postgres(scratch.url().to_owned())
    });
    let waits = Waits {
        machine: Arc::default(),
        goes_on: Arc::default(),
        at_work: Arc::default(),
        most: Arc::default(),
    };
    let around = || Surroundings {
        step_executor: Some(Arc::new(waits.clone())),
        ..Surroundings::default()
    };
    let set = [
        ("sandboxes.local", "off"),
        ("runs.machine_wait_seconds", "86400"),
    ];
    let gateway = Gateway::start_in(tempfile::tempdir()?, &store, &set, around()).await?;
    let owner = gateway.owner().await.clone();
    let machine = Machine::joined(&gateway, &owner).await;
    let _ = waits.machine.set(machine.node_id.parse()?);
    let new = json!({ "name": "Waits", "topology": "single", "roles": [{ "slot": "waits" }] });
    let shown = owner.post("/api/teams").json(&new).expect(201).await.body;
    let team = Team::of(&owner, &shown)?;
    let url = match &scratch {
        Some(scratch) => scratch.url().to_owned(),
        None => format!("sqlite:{}", gateway.data_dir().join("roost.db").display()),
    };
    let inspector = DbInspector::open(&url).await;
    let parked = "SELECT count(*) AS n FROM run_state WHERE waiting_on IS NOT NULL";
    let done = "SELECT count(*) AS n FROM run_state WHERE status = 'completed'";
    let wanted = i64::try_from(options.parked)?;
    let before = resident_kib()?;
    let begun = Instant::now();
    for _ in 0..options.parked.div_ceil(AT_ONCE) {
        let mut change = Change::begin(gateway.app().runs(), team.scope, team.user).await?;
        for _ in 0..AT_ONCE.min(options.parked) {
            runs::start_in(
                gateway.app().runs(),
                &mut change,
                team.run(RunId(Uuid::now_v7())),
            )
            .await?;
        }
        change.commit().await?;
    }
    while inspector.numbers(parked).await != [wanted] {
        tokio::time::sleep(LOOK).await;
    }
    let all_parked = begun.elapsed().as_secs_f64();
    let grown = resident_kib()?.saturating_sub(before);
    let folder = gateway.stop_and_keep().await;
    let begun = Instant::now();
    let gateway = Gateway::start_in(folder, &store, &set, around()).await?;
    let start = begun.elapsed().as_secs_f64() * 1e3;
    waits.goes_on.store(true, Ordering::SeqCst);
    waits.most.store(0, Ordering::SeqCst);
    let begun = Instant::now();
    let mut tx = gateway.app().db().write().await?;
    let on = WaitOn::Machine {
        machine: machine.node_id.parse()?,
    };
    gateway.app().runs().wakes().wake(&mut tx, on).await?;
    tx.commit().await?;
    let woken = begun.elapsed().as_secs_f64() * 1e3;
    while inspector.numbers(done).await != [wanted] {
        tokio::time::sleep(LOOK).await;
    }
    let drained = begun.elapsed().as_secs_f64();
    let most = waits.most.load(Ordering::SeqCst);
    ensure!(most <= 1_000, "{most} steps worked at once");
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    let figures = [
        ("s until all are parked", all_parked),
        ("MiB that they cost", grown as f64 / 1024.0),
        ("ms to start on them", start),
        ("ms of the wake-up", woken),
        ("s until all are done", drained),
        ("steps at once", most as f64),
    ];
    report.add(
        &format!("{} runs", options.parked),
        &format!("{OURS} on {base}"),
        &figures,
    );
    inspector.close().await;
    gateway.stop().await;
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
    Ok(())
}

/// The memory of this process, which is the gateway's.
fn resident_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.context("no VmRSS")?.parse().context("not a number")
}

//! Measures a fleet: a thousand machines that use the real protocol (pair, join, WebSocket, hello, heartbeats, the
//! daemon's own back-off) with a real `roost serve`. It prints the processor use and memory of the gateway at rest and
//! while one person watches the fleet, and the time until all machines are back after a kill and restart. See
//! CONTRIBUTING.md.
//!
//!     fleet_figures [machines] [seconds of rest]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use roost_node_daemon::channel::backoff::{Attempt, Backoff};
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::hello::ImageState;
use roost_protocol::inventory::Inventory;
use roost_protocol::vitals::Heartbeat;
use roost_tests::machine::{Connection, Received};
use roost_tests::{Client, Machine, Process, Store, Stream};
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::time::{Instant as Moment, sleep, sleep_until, timeout};

/// Machines that pair and join at the same time.
const TOGETHER: usize = 16;
/// How long a machine waits for a connection or a welcome.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Default)]
struct Fleet {
    connected: AtomicUsize,
    heartbeats: AtomicUsize,
    attempts: AtomicUsize,
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let machines: usize = words.next().map_or(Ok(1_000), |word| word.parse())?;
    let rest: u64 = words.next().map_or(Ok(60), |word| word.parse())?;
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;

    let folder = tempfile::tempdir()?;
    let mut process = Process::start(folder.path(), &Store::Sqlite).await;
    let anonymous = Client::new(&process.url());
    let owner = process.owner().await;
    println!(
        "{machines} machines; the gateway alone: {}",
        memory(process.id())?
    );

    let begun = Instant::now();
    let fleet = Arc::new(Fleet::default());
    let mut pairing = FuturesUnordered::new();
    let mut left = machines;
    while left > 0 || !pairing.is_empty() {
        while left > 0 && pairing.len() < TOGETHER {
            left -= 1;
            pairing.push(Machine::joined_by(&anonymous, &owner));
        }
        if let Some(machine) = pairing.next().await {
            tokio::spawn(live(machine, fleet.clone()));
        }
    }
    all_connected(&fleet, machines).await?;
    println!(
        "paired, joined and connected in {:.1} s: {}",
        begun.elapsed().as_secs_f64(),
        memory(process.id())?
    );

    at_rest(&process, &fleet, rest, "at rest").await?;
    let mut nodes = Stream::open(owner.get("/api/nodes/live")).await;
    let watching = tokio::spawn(async move { while nodes.next().await.is_some() {} });
    at_rest(&process, &fleet, rest, "one person watches /api/nodes/live").await?;
    watching.abort();

    for round in 1..=3 {
        process.kill();
        let down = Instant::now();
        while fleet.connected.load(Ordering::Relaxed) > 0 {
            sleep(Duration::from_millis(10)).await;
        }
        let noticed = down.elapsed();
        fleet.attempts.store(0, Ordering::Relaxed);
        process.again().await;
        let ready = Instant::now();
        let started = down.elapsed();
        all_connected(&fleet, machines).await?;
        let back = ready.elapsed();
        let cpu = cpu(process.id())?;
        println!(
            "round {round}: killed; noticed by all after {:.1} s, ready again after {:.1} s, all back {:.1} s after that ({} attempts, {:.1} s of processor, {})",
            noticed.as_secs_f64(),
            started.as_secs_f64(),
            back.as_secs_f64(),
            fleet.attempts.load(Ordering::Relaxed),
            cpu.as_secs_f64(),
            memory(process.id())?
        );
        let said = owner.get("/api/nodes?limit=1").expect(200).await;
        ensure!(said.text.contains("online"), "{}", said.text);
    }
    Ok(())
}

async fn at_rest(process: &Process, fleet: &Fleet, seconds: u64, what: &str) -> Result<()> {
    let before = (cpu(process.id())?, fleet.heartbeats.load(Ordering::Relaxed));
    sleep(Duration::from_secs(seconds)).await;
    let after = (cpu(process.id())?, fleet.heartbeats.load(Ordering::Relaxed));
    println!(
        "{what}: {:.1} % of one processor, {:.0} heartbeats/s, {}",
        (after.0 - before.0).as_secs_f64() / seconds as f64 * 100.0,
        (after.1 - before.1) as f64 / seconds as f64,
        memory(process.id())?
    );
    Ok(())
}

async fn all_connected(fleet: &Fleet, machines: usize) -> Result<()> {
    let until = Instant::now() + Duration::from_secs(300);
    while fleet.connected.load(Ordering::Relaxed) < machines {
        let connected = fleet.connected.load(Ordering::Relaxed);
        ensure!(Instant::now() < until, "only {connected} are connected");
        sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// A machine's loop: connects, sends heartbeats, and reconnects with the daemon's back-off.
async fn live(machine: Machine, fleet: Arc<Fleet>) {
    let mut backoff = Backoff::default();
    loop {
        fleet.attempts.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        if let Ok(Ok(connection)) = timeout(PATIENCE, machine.try_dial()).await {
            session(&machine, connection, &fleet).await;
        }
        let ended = Attempt::Ended {
            lived: begun.elapsed(),
        };
        sleep(backoff.after(ended, rand::random())).await;
    }
}

async fn session(machine: &Machine, mut connection: Connection, fleet: &Fleet) {
    let hello = ToGateway::Hello(machine.hello(Inventory::default()));
    connection.send(hello).await;
    let every = loop {
        match timeout(PATIENCE, connection.next_message()).await {
            Ok(Received::Frame(message)) => {
                if let ToNode::Welcome(welcome) = *message {
                    connection.outgoing.welcomed(welcome.epoch);
                    break Duration::from_secs(u64::from(welcome.heartbeat_s));
                }
            }
            Ok(Received::Pong) => {}
            Ok(Received::Closed) | Err(_) => return,
        }
    };
    fleet.connected.fetch_add(1, Ordering::Relaxed);
    // As in the daemon: not all at the same moment.
    let mut due = Moment::now() + every.mul_f64(rand::random());
    loop {
        tokio::select! {
            heard = connection.next_message() => match heard {
                Received::Frame(message) => answer(&mut connection, *message).await,
                Received::Pong => {}
                Received::Closed => break,
            },
            () = sleep_until(due) => {
                due += every;
                fleet.heartbeats.fetch_add(1, Ordering::Relaxed);
                connection.send(ToGateway::Heartbeat(vitals())).await;
            }
        }
    }
    fleet.connected.fetch_sub(1, Ordering::Relaxed);
}

async fn answer(connection: &mut Connection, message: ToNode) {
    match message {
        ToNode::Control(Control::Ping { nonce }) => {
            let pong = ToGateway::Reply(ControlReply::Pong { nonce });
            connection.send(pong).await;
        }
        ToNode::Control(Control::Reconcile { .. }) => {
            let inventory = ToGateway::Inventory(Inventory::default());
            connection.send(inventory).await;
        }
        _ => {}
    }
}

/// The vitals of an average machine.
fn vitals() -> Heartbeat {
    Heartbeat {
        hostname: "played".into(),
        local_ip: Some("192.0.2.7".into()),
        cpu_pct: Some(rand::random_range(0.0..100.0)),
        cores: Some(8),
        memory_used_bytes: Some(rand::random_range(1 << 30..16 << 30)),
        memory_total_bytes: Some(16 << 30),
        disk_used_bytes: Some(100 << 30),
        disk_total_bytes: Some(500 << 30),
        load1: Some(1.5),
        load5: Some(1.2),
        load15: Some(0.9),
        containers: Some(3),
        sandboxes: Some(0),
        image: Some(ImageState::Ready),
        ..Heartbeat::default()
    }
}

fn memory(process: u32) -> Result<String> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().nth(1))
        .context("a size")?
        .parse()?;
    Ok(format!("{:.0} MiB resident", kilobytes / 1024.0))
}

fn cpu(process: u32) -> Result<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = text.rsplit_once(')').context("a name in brackets")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}

//! Measures a request through the secret broker and the same request sent directly, on loopback, alternating in one
//! run: median and 99th percentile of both, and the broker's overhead; then forwards per second. It starts its own
//! broker; the remote is in this process. `broker_figures [rounds] [seconds]`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use roost_secret_broker::client::{Body, Client};
use roost_secret_broker::wire::{Forward, RecordName, Secret};
use roost_tests::broker::{BrokerProcess, echoing_remote, keep};

/// Requests of one side before the other side's turn.
const BLOCK: usize = 50;
/// Not counted: connections are made and programs warm up.
const WARM_UP: usize = 4;
/// Concurrent forwards when forwards per second are counted.
const AT_ONCE: [usize; 3] = [1, 8, 32];

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let argument = |index| std::env::args().nth(index);
    let rounds = argument(1).map_or(Ok(80), |text| text.parse::<usize>())?;
    let seconds = argument(2).map_or(Ok(5), |text| text.parse::<u64>())?;
    let folder = tempfile::tempdir()?;
    let broker = BrokerProcess::start(folder.path()).await;
    let remote = echoing_remote(|_| serde_json::Value::Null).await;
    let secret = Secret::from("rst-a-token-of-the-usual-length-0123456789");
    keep(&broker.client, RecordName::new("w1", "a")?, secret, remote).await?;
    let direct = reqwest::Client::builder().no_proxy().build()?;

    println!("load average before: {}", load()?);
    let (mut straight, mut through) = (Vec::new(), Vec::new());
    for round in 0..rounds + WARM_UP {
        let counted = round >= WARM_UP;
        for _ in 0..BLOCK {
            let took = straight_once(&direct, remote).await?;
            straight.extend(counted.then_some(took));
        }
        for _ in 0..BLOCK {
            let took = through_once(&broker.client, remote).await?;
            through.extend(counted.then_some(took));
        }
    }
    let (straight, through) = (Spread::of(straight)?, Spread::of(through)?);
    println!("{} requests a side, in blocks of {BLOCK}", rounds * BLOCK);
    println!(
        "direct     median {:7.3} ms   p99 {:7.3} ms",
        straight.median, straight.p99
    );
    println!(
        "forwarded  median {:7.3} ms   p99 {:7.3} ms",
        through.median, through.p99
    );
    println!(
        "added      median {:7.3} ms   p99 {:7.3} ms   (goal 0.5 and 3)",
        through.median - straight.median,
        through.p99 - straight.p99
    );
    for at_once in AT_ONCE {
        let rate = rate(
            &broker.client,
            remote,
            at_once,
            Duration::from_secs(seconds),
        )
        .await?;
        println!("{at_once:3} at once  {rate:8.0} forwards/s");
    }
    println!("load average after: {}", load()?);
    Ok(())
}

async fn straight_once(client: &reqwest::Client, remote: SocketAddr) -> Result<Duration> {
    let began = Instant::now();
    let answer = client
        .get(format!("http://{remote}/small"))
        .header("authorization", "Bearer x")
        .send()
        .await?;
    let body = answer.bytes().await?;
    ensure!(body.len() == 11, "the remote answers");
    Ok(began.elapsed())
}

async fn through_once(client: &Client, remote: SocketAddr) -> Result<Duration> {
    let began = Instant::now();
    let mut answer = client.forward(asked(remote)?, Body::None).await?;
    let body = answer.whole(1_000).await?;
    ensure!(body.len() == 11, "the remote answers");
    Ok(began.elapsed())
}

async fn rate(
    client: &Client,
    remote: SocketAddr,
    at_once: usize,
    within: Duration,
) -> Result<f64> {
    let (count, began) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let workers = (0..at_once).map(|_| {
        let (client, count) = (client.clone(), count.clone());
        tokio::spawn(async move {
            while began.elapsed() < within {
                through_once(&client, remote).await?;
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, anyhow::Error>(())
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await??;
    }
    Ok(count.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64())
}

fn asked(remote: SocketAddr) -> Result<Forward> {
    Ok(Forward {
        name: RecordName::new("w1", "a")?,
        method: "GET".into(),
        url: format!("http://{remote}/small"),
        headers: Vec::new(),
        body: false,
        body_length: None,
        deadline_ms: None,
        on_behalf: "figures".into(),
    })
}

/// Milliseconds.
struct Spread {
    median: f64,
    p99: f64,
}

impl Spread {
    fn of(mut all: Vec<Duration>) -> Result<Self> {
        all.sort();
        let at = |part: usize| {
            let found = all
                .get(all.len() * part / 100)
                .context("there are requests")?;
            Ok::<_, anyhow::Error>(found.as_secs_f64() * 1_000.0)
        };
        Ok(Self {
            median: at(50)?,
            p99: at(99)?,
        })
    }
}

fn load() -> Result<String> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

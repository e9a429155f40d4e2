//! Measures requests per second with an issuer's token and with a session of ours, alternating in one run; then browser
//! sign-ins by code with a certified OpenID provider. The gateway (SQLite), the issuer and the clients share this
//! process; the provider runs in Node. `identity_figures [seconds] [logins]`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use roost_tests::broker::BrokerProcess;
use roost_tests::hosted::Issuer;
use roost_tests::provider::Provider;
use roost_tests::{Browser, Client, Gateway, free_port};
use serde_json::json;
use url::Url;

/// Concurrent clients.
const CLIENTS: usize = 32;
/// Rounds of each side, alternating.
const ROUNDS: usize = 3;
/// Sign-ins that are not counted.
const WARM_UP: usize = 5;

#[tokio::main]
async fn main() -> Result<()> {
    let argument = |index| std::env::args().nth(index);
    let seconds = argument(1).map_or(Ok(5), |text| text.parse::<u64>())?;
    let logins = argument(2).map_or(Ok(200), |text| text.parse::<usize>())?;
    println!("load average before: {}", load()?);
    bearers(Duration::from_secs(seconds)).await?;
    by_code(logins).await?;
    println!("load average after: {}", load()?);
    Ok(())
}

async fn bearers(each: Duration) -> Result<()> {
    let issuer = Issuer::start().await;
    let gateway = Gateway::start_like(&issuer.settings(), None).await;
    let anonymous = gateway.anonymous();
    let token = issuer.token("ada", json!({ "role": "member" }));
    let sides = [
        ("a session", gateway.owner().await.client.clone()),
        ("a token", anonymous.with_token(&token)),
    ];
    for round in 0..=ROUNDS {
        for (name, client) in &sides {
            let rate = rate(client, each).await?;
            if round > 0 {
                println!("{name:9}  {rate:8.0} requests a second, {CLIENTS} clients");
            }
        }
    }
    println!("the issuer's keys were read {} times", issuer.key_fetches());
    gateway.stop().await;
    Ok(())
}

async fn rate(client: &Client, each: Duration) -> Result<f64> {
    let (done, end) = (Arc::new(AtomicU64::new(0)), Instant::now() + each);
    let all = (0..CLIENTS).map(|_| {
        let (client, done) = (client.clone(), done.clone());
        async move {
            while Instant::now() < end {
                client.get("/api/auth/me").expect(200).await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let began = Instant::now();
    futures::future::join_all(all).await;
    Ok(done.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64())
}

async fn by_code(logins: usize) -> Result<()> {
    let listen = format!("127.0.0.1:{}", free_port());
    let provider = Provider::start(&format!("http://{listen}/api/auth/oidc/callback"));
    let folder = tempfile::tempdir()?;
    let mut set = provider.settings(folder.path());
    let _broker = BrokerProcess::start(folder.path()).await;
    set.push(("listen", listen));
    let gateway = Gateway::start_like(&set, None).await;
    let start: Url = format!("{}/api/auth/oidc/start", gateway.url()).parse()?;
    let (mut whole, mut ours) = (Vec::new(), Vec::new());
    for n in 0..logins + WARM_UP {
        let mut browser = Browser::new();
        let began = Instant::now();
        let first = browser.step(&start).await;
        let mut at_the_gateway = began.elapsed();
        let to = first.leads_to.context("the provider's address")?;
        let back = browser
            .until(&to, |next| next.path().ends_with("/callback"))
            .await;
        let back = back.leads_to.context("the way back")?;
        let turned = Instant::now();
        let page = browser.step(&back).await;
        at_the_gateway += turned.elapsed();
        ensure!(page.status == 303, "{page:?}");
        if n >= WARM_UP {
            whole.push(began.elapsed());
            ours.push(at_the_gateway);
        }
    }
    print("signing in by code", &mut whole);
    print("of it at the gateway", &mut ours);
    gateway.stop().await;
    Ok(())
}

fn print(what: &str, took: &mut [Duration]) {
    took.sort_unstable();
    let at = |share: f64| {
        let index = ((took.len() as f64 * share) as usize).min(took.len() - 1);
        took[index].as_secs_f64() * 1_000.0
    };
    println!(
        "{what:22} median {:7.2} ms   p99 {:7.2} ms   ({} times)",
        at(0.5),
        at(0.99),
        took.len()
    );
}

fn load() -> Result<String> {
    let text = std::fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').take(3).collect::<Vec<_>>().join(" "))
}

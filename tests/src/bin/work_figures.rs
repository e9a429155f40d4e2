//! Measures how work gets into a sandbox, on this host: a sandbox that begins with 50 MB of saved files beside one that
//! begins empty, and a repository of 50 MB in a run's sandbox beside `git clone` of the same from the same host. Both sides
//! alternate in one run; prints medians. Needs an engine, `git`, and the image of `ROOST_TEST_AGENT_IMAGE`.
//! `work_figures [rounds]`.

use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;
use roost_tests::git_host::GitHost;
use roost_tests::{Gateway, Person, Store};
use serde_json::json;

const TOKEN: &str = "a-token-of-the-code-host";
/// Files of the workspace, and of the repository.
const FILES: u32 = 2_500;
/// Bytes of each.
const FILE: usize = 20_000;
/// An agent that says one sentence.
const SCRIPT: &str = "[[scene]]\n  [[scene.turn]]\n  say = \"Done.\"\n";

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let rounds = std::env::args().nth(1);
    let rounds = rounds.map_or(Ok(15), |text| text.parse::<usize>())?;
    let folder = tempfile::tempdir()?;
    let broker = BrokerProcess::start(folder.path()).await;
    let script = folder.path().join("script.toml");
    std::fs::write(&script, SCRIPT)?;
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let socket = broker.client.socket().display().to_string();
    let set = [
        ("broker.socket", socket.as_str()),
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("sandboxes.image", &image),
        ("runs.script", script.to_str().context("a path of text")?),
    ];
    let gateway = Gateway::start_in(
        tempfile::tempdir()?,
        &Store::Sqlite,
        &set,
        Surroundings::default(),
    );
    let gateway = gateway.await.context("the gateway starts")?;
    let owner = gateway.owner().await;
    println!(
        "load average before: {}",
        std::fs::read_to_string("/proc/loadavg")?.trim()
    );
    beginnings(owner, rounds).await?;
    let host = GitHost::start(TOKEN).await;
    seeds(owner, &host, folder.path(), rounds).await?;
    gateway.stop().await;
    Ok(())
}

/// A sandbox with saved files beside an empty one.
async fn beginnings(owner: &Person, rounds: usize) -> Result<()> {
    let (saved, empty) = (agent(owner, "saved").await, agent(owner, "empty").await);
    owner.post(&saved).json(&json!({})).expect(201).await;
    let fill = format!(
        "mkdir -p d && i=0 && while [ $i -lt {FILES} ]; do head -c {FILE} /dev/urandom > d/$i; i=$((i+1)); done"
    );
    let fill = json!({ "argv": ["sh", "-c", fill] });
    let done = owner.post(&format!("{saved}/exec?wait=true")).json(&fill);
    ensure!(
        done.expect(200).await.body["code"] == 0,
        "the files are made"
    );
    owner.delete(&saved).expect(204).await;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..=rounds {
        for (sandbox, times) in [(&saved, &mut with), (&empty, &mut without)] {
            let begun = Instant::now();
            owner.post(sandbox).json(&json!({})).expect(201).await;
            times.push(begun.elapsed());
            owner.delete(sandbox).expect(204).await;
        }
    }
    println!("from the request until the sandbox runs, {rounds} rounds");
    print("empty", &mut without);
    print("with 50 MB in 2,500 saved files", &mut with);
    Ok(())
}

async fn agent(owner: &Person, name: &str) -> String {
    let made = owner.post("/api/claws").json(&json!({ "name": name }));
    format!("/api/claws/{}/sandbox", made.expect(201).await.str("/id"))
}

/// A repository in the sandbox of a run beside `git clone` into memory: the sandbox's workspace is memory too.
async fn seeds(owner: &Person, host: &GitHost, folder: &Path, rounds: usize) -> Result<()> {
    host.create("acme/big").await;
    commit(host).await;
    let body = json!({ "provider": "forgejo", "base_url": host.url(), "token": TOKEN });
    let connected = owner.post("/api/repos/connections").json(&body);
    connected.expect(201).await;
    let repo = loop {
        let list = owner.get("/api/repos").expect(200).await;
        if let Some(id) = list.body[0]["id"].as_str() {
            break id.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let token = format!("http.extraHeader=Authorization: token {TOKEN}");
    let (mut seeded, mut cloned) = (Vec::new(), Vec::new());
    // The first round makes the broker's mirror, and is not counted.
    for _ in 0..=rounds {
        seeded.push(seed(owner, &repo).await?);
        let at = tempfile::tempdir_in("/dev/shm")?;
        let begun = Instant::now();
        let status = tokio::process::Command::new("git")
            .args([
                "-c",
                &token,
                "clone",
                "--quiet",
                &host.clone_url("acme/big"),
            ])
            .arg(at.path().join("big"))
            .env("HOME", folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .status();
        ensure!(status.await?.success(), "git clone");
        cloned.push(begun.elapsed());
    }
    println!("a repository of 50 MB in 2,500 files, {rounds} rounds");
    print("git clone from the host into memory", &mut cloned);
    print(
        "from the start of a run until it is in its sandbox",
        &mut seeded,
    );
    Ok(())
}

/// From the start of a run until its sandbox has the repository. The sandbox runs before.
async fn seed(owner: &Person, repo: &str) -> Result<Duration> {
    let team = json!({ "name": "Coders", "topology": "single", "risk_profile": "coding_readwrite",
        "mcp_bundles": ["sandbox", "repo"], "roles": [{ "slot": "coder" }] });
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    let team = format!("/api/teams/{}", team.str("/id"));
    let sandbox = format!("{team}/sandbox");
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let run = json!({ "input": "Look.", "repo": { "repo_id": repo } });
    let begun = Instant::now();
    let run = owner
        .post(&format!("{team}/run"))
        .json(&run)
        .expect(202)
        .await;
    let bound = format!("/api/runs/{}/repo", run.str("/id"));
    let took = loop {
        let now = owner.get(&bound).expect(200).await;
        if now.body["base_commit"].is_string() {
            break begun.elapsed();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    loop {
        let now = owner.get(&format!("/api/topology-runs/{}", run.str("/id")));
        let now = now.expect(200).await;
        match now.str("/status") {
            "completed" => break,
            "queued" | "running" => tokio::time::sleep(Duration::from_millis(50)).await,
            other => anyhow::bail!("the run is {other}: {}", now.text),
        }
    }
    owner.delete(&sandbox).expect(204).await;
    Ok(took)
}

/// One commit with the whole repository. Its content does not compress.
async fn commit(host: &GitHost) {
    let mut stream = b"commit refs/heads/main\ncommitter Ann <ann@example.com> 1700000000 +0000\ndata 5\nfirst\n".to_vec();
    let mut state = 1_u64;
    for file in 0..FILES {
        let mut head = String::new();
        let _ = write!(
            head,
            "M 100644 inline d{}/{file}\ndata {FILE}\n",
            file / 100
        );
        stream.extend_from_slice(head.as_bytes());
        for _ in 0..FILE / 8 {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            stream.extend_from_slice(&state.to_le_bytes());
        }
        stream.push(b'\n');
    }
    host.git("acme/big", &["fast-import", "--quiet"], Some(&stream))
        .await;
}

/// The first one is left out: it warms up.
fn print(what: &str, times: &mut Vec<Duration>) {
    times.remove(0);
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "  {what:<52} p50 {:8.1} ms   p95 {:8.1} ms",
        at(0.5),
        at(0.95)
    );
}

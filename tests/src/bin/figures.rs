//! Measures provision and exec through a running gateway and through the engine's own API, alternating in one run:
//! medians and 95th percentiles. Commands alternate in blocks with a pause between them, because the engine cleans up
//! after each of its own (one process per command) for longer than ours take. It uses the session of `roost login`; see
//! CONTRIBUTING.md for the command.
//!
//! The engine's side creates and starts a container with exactly the configuration of the gateway's own sandbox (read
//! by inspect), and runs `true` through the engine's exec, so both sides have the same hardening.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// Rounds of each measurement; the first is discarded.
const PROVISIONS: usize = 12;
const EXECS: usize = 200;
const BLOCK: usize = 25;
const PAUSE: Duration = Duration::from_millis(500);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let gateway = Gateway::from_profile()?;
    let engine = Engine::local()?;
    let claw = gateway
        .call(
            Method::POST,
            "/api/claws",
            Some(json!({ "name": "figures" })),
        )
        .await?;
    let sandbox = format!(
        "/api/claws/{}/sandbox",
        claw["id"].as_str().context("a claw has an id")?
    );
    let made = gateway
        .call(Method::POST, &sandbox, Some(json!({})))
        .await?;
    let twin = engine
        .twin(
            made["container"]
                .as_str()
                .context("a running sandbox has a container")?,
        )
        .await?;

    let mut exec = Pair::default();
    let raw = engine.start(&twin).await?;
    for _ in 0..EXECS / BLOCK {
        tokio::time::sleep(PAUSE).await;
        for _ in 0..BLOCK {
            exec.engine.push(timed(engine.exec_true(&raw)).await?);
        }
        tokio::time::sleep(PAUSE).await;
        for _ in 0..BLOCK {
            exec.roost.push(timed(gateway.exec_true(&sandbox)).await?);
        }
    }
    engine.remove(&raw).await?;
    gateway.call(Method::DELETE, &sandbox, None).await?;

    let mut provision = Pair::default();
    for _ in 0..PROVISIONS {
        let begun = Instant::now();
        let raw = engine.start(&twin).await?;
        provision.engine.push(begun.elapsed());
        engine.remove(&raw).await?;
        let begun = Instant::now();
        gateway
            .call(Method::POST, &sandbox, Some(json!({})))
            .await?;
        provision.roost.push(begun.elapsed());
        gateway.call(Method::DELETE, &sandbox, None).await?;
    }
    let id = claw["id"].as_str().unwrap_or_default();
    gateway
        .call(Method::DELETE, &format!("/api/claws/{id}"), None)
        .await?;

    println!("on {} ({})", made["node_name"], made["image"]);
    provision.print("provision (create + start, until it runs)");
    exec.print("exec of `true` (whole path)");
    Ok(())
}

async fn timed(work: impl Future<Output = Result<()>>) -> Result<Duration> {
    let begun = Instant::now();
    work.await?;
    Ok(begun.elapsed())
}

#[derive(Default)]
struct Pair {
    engine: Vec<Duration>,
    roost: Vec<Duration>,
}

impl Pair {
    fn print(mut self, what: &str) {
        let of = |side: &mut Vec<Duration>| {
            side.remove(0);
            side.sort();
            let at =
                |share: f64| side[((side.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
            (at(0.5), at(0.95))
        };
        let (engine, roost) = (of(&mut self.engine), of(&mut self.roost));
        println!("{what}, {} rounds, ms", self.roost.len());
        println!(
            "  engine's API   p50 {:8.2}   p95 {:8.2}",
            engine.0, engine.1
        );
        println!("  through Roost  p50 {:8.2}   p95 {:8.2}", roost.0, roost.1);
        println!(
            "  difference     p50 {:8.2}   ratio {:.3}",
            roost.0 - engine.0,
            roost.0 / engine.0
        );
    }
}

struct Gateway {
    client: Client,
    url: String,
    token: String,
}

impl Gateway {
    fn from_profile() -> Result<Self> {
        let path = std::env::var("ROOST_CLIENT_CONFIG").or_else(|_| {
            std::env::var("HOME").map(|home| format!("{home}/.config/roost/client.toml"))
        })?;
        let profile: toml::Table = std::fs::read_to_string(&path)
            .with_context(|| format!("sign in first: {path}"))?
            .parse()?;
        let field = |name: &str| {
            profile
                .get(name)
                .and_then(toml::Value::as_str)
                .map(str::to_owned)
                .context("a client file")
        };
        Ok(Self {
            client: Client::builder().build()?,
            url: field("url")?,
            token: field("token")?,
        })
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.url))
            .bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        answer(request).await
    }

    async fn exec_true(&self, sandbox: &str) -> Result<()> {
        let done = self
            .call(
                Method::POST,
                &format!("{sandbox}/exec?wait=true"),
                Some(json!({ "argv": ["true"] })),
            )
            .await?;
        ensure!(done["code"] == 0, "true ended with {done}");
        Ok(())
    }
}

struct Engine {
    client: Client,
}

impl Engine {
    fn local() -> Result<Self> {
        let socket = std::env::var("DOCKER_HOST")
            .unwrap_or_else(|_| "unix:///var/run/docker.sock".to_owned());
        let path = socket
            .strip_prefix("unix://")
            .context("the figures need the engine's Unix socket")?
            .to_owned();
        Ok(Self {
            client: Client::builder().unix_socket(path).build()?,
        })
    }

    async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let mut request = self
            .client
            .request(method, format!("http://engine/v1.41{path}"));
        if let Some(body) = body {
            request = request.json(body);
        }
        answer(request).await
    }

    /// The create body of a container like `container`.
    async fn twin(&self, container: &str) -> Result<Value> {
        let seen = self
            .call(Method::GET, &format!("/containers/{container}/json"), None)
            .await?;
        let mut body = seen["Config"].clone();
        body["HostConfig"] = seen["HostConfig"].clone();
        // Our sandboxes are swept and counted by their labels; this one is only for comparison.
        body["Labels"] = json!({ "roost-figures": "1" });
        body["Hostname"] = "".into();
        Ok(body)
    }

    async fn start(&self, twin: &Value) -> Result<String> {
        let made = self
            .call(Method::POST, "/containers/create", Some(twin))
            .await?;
        let id = made["Id"]
            .as_str()
            .context("a made container has an id")?
            .to_owned();
        self.call(Method::POST, &format!("/containers/{id}/start"), None)
            .await?;
        Ok(id)
    }

    async fn exec_true(&self, container: &str) -> Result<()> {
        let body = json!({ "AttachStdout": true, "AttachStderr": true, "Cmd": ["true"] });
        let made = self
            .call(
                Method::POST,
                &format!("/containers/{container}/exec"),
                Some(&body),
            )
            .await?;
        let id = made["Id"].as_str().context("a made exec has an id")?;
        let start = self
            .client
            .post(format!("http://engine/v1.41/exec/{id}/start"))
            .json(&json!({ "Detach": false, "Tty": false }));
        start.send().await?.error_for_status()?.bytes().await?;
        let seen = self
            .call(Method::GET, &format!("/exec/{id}/json"), None)
            .await?;
        ensure!(seen["ExitCode"] == 0, "true ended with {seen}");
        Ok(())
    }

    async fn remove(&self, container: &str) -> Result<()> {
        self.call(
            Method::DELETE,
            &format!("/containers/{container}?force=true"),
            None,
        )
        .await
        .map(drop)
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value> {
    let response = request.send().await?;
    let status = response.status();
    let bytes = response.bytes().await?;
    ensure!(
        status.is_success(),
        "{status}: {}",
        String::from_utf8_lossy(&bytes)
    );
    Ok(if bytes.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&bytes)?
    })
}

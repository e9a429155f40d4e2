//! The two servers: the real `roost serve` on SQLite, and nginx with nchan. Each has its own folder and free loopback
//! ports, and stops when dropped.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use roost_tests::{Client, Process, Store};
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::json;

use crate::Options;

/// A server with publishers and subscribers.
pub enum Side {
    Roost(Roost),
    Nchan(Nchan),
}

impl Side {
    /// Its name in the report.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Roost(_) => "roost",
            Self::Nchan(_) => "nchan",
        }
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        match self {
            Self::Roost(roost) => roost.address(),
            Self::Nchan(nchan) => nchan.address,
        }
    }

    /// A subscriber's request, without the final empty line.
    pub fn subscription(&self) -> String {
        match self {
            Self::Roost(roost) => roost.subscription(),
            Self::Nchan(_) => {
                "GET /sub HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n".to_owned()
            }
        }
    }

    /// Publishes one message; its number is the next one.
    pub async fn publish(&mut self) -> Result<()> {
        match self {
            Self::Roost(roost) => roost.publish().await,
            Self::Nchan(nchan) => nchan.publish().await,
        }
    }

    /// The number of the last message.
    pub fn published(&self) -> u64 {
        match self {
            Self::Roost(roost) => roost.published,
            Self::Nchan(nchan) => nchan.published,
        }
    }

    fn processes(&self) -> Vec<u32> {
        match self {
            Self::Roost(roost) => vec![roost.process.id()],
            Self::Nchan(nchan) => nchan.processes(),
        }
    }

    /// Resident bytes of all its processes; shared memory counts once.
    pub fn memory(&self) -> Result<u64> {
        self.processes().into_iter().map(proportional).sum()
    }

    /// Processor time, of all its processes.
    pub fn cpu(&self) -> Result<Duration> {
        self.processes().into_iter().map(cpu).sum()
    }
}

/// Raises the soft limit of open files to the hard limit, for this process and its children.
pub fn allow_many_connections() -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

/// Bytes of a process; shared memory is divided between the processes.
pub fn proportional(process: u32) -> Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let line = text.lines().find(|line| line.starts_with("Pss:"));
    let kilobytes = line
        .and_then(|line| line.split_whitespace().nth(1))
        .context("a proportional size")?;
    Ok(kilobytes.parse::<u64>()? << 10)
}

fn cpu(process: u32) -> Result<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = text.rsplit_once(')').context("a name in brackets")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // utime and stime, in hundredths of a second.
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}

/// Roost.
pub struct Roost {
    process: Process,
    owner: Client,
    token: String,
    claw: String,
    published: u64,
    _folder: tempfile::TempDir,
}

impl Roost {
    /// Starts it with an Owner and an agent.
    pub async fn start(options: &Options) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let many = (options.idle + options.subscribers + 1_000).to_string();
        let set = [
            ("limits.streams_per_user", many.as_str()),
            ("limits.streams_per_workspace", many.as_str()),
            // One person has all connections here. Behind a proxy they are not counted by person.
            ("trusted_proxies", r#"["127.0.0.1"]"#),
            // Room for everything that is published during a reconnect.
            ("events.retention_count", "10000000"),
        ];
        let process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
        let token = process.owner_token().await;
        let owner = Client::new(&process.url()).with_token(&token);
        let claw = owner.post("/api/claws").json(&json!({ "name": "figures" }));
        let claw = claw.expect(201).await;
        Ok(Self {
            published: claw.body["version"].as_u64().context("a version")?,
            claw: claw.str("/id").to_owned(),
            process,
            owner,
            token,
            _folder: folder,
        })
    }

    fn address(&self) -> SocketAddr {
        let url = self.process.url();
        let address = url.trim_start_matches("http://").parse();
        address.expect("an address and a port")
    }

    fn subscription(&self) -> String {
        format!(
            "GET /api/events?types=resource.changed&agent_id={} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n",
            self.claw, self.token
        )
    }

    async fn publish(&mut self) -> Result<()> {
        self.published += 1;
        let body = json!({ "name": format!("figures {}", self.published) });
        let path = format!("/api/claws/{}", self.claw);
        let answer = self.owner.patch(&path).json(&body).expect(200).await;
        let as_counted = answer.body["version"] == self.published;
        ensure!(as_counted, "{}", answer.text);
        Ok(())
    }
}

/// nginx with nchan.
pub struct Nchan {
    master: Child,
    address: SocketAddr,
    client: reqwest::Client,
    published: u64,
    _folder: tempfile::TempDir,
}

impl Nchan {
    /// Starts it.
    pub async fn start(nginx: &Path, module: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let free = std::net::TcpListener::bind("127.0.0.1:0")?;
        let address = free.local_addr()?;
        drop(free);
        std::fs::create_dir(folder.path().join("logs"))?;
        let config = format!(
            "load_module {module};
daemon off; worker_processes auto; worker_rlimit_nofile 20000; pid nginx.pid; error_log logs/error.log warn; user root;
events {{ worker_connections 18000; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    keepalive_requests 10000000; nchan_shared_memory_size 256M;
    server {{
        listen {address} backlog=4096;
        location = /sub {{ nchan_subscriber eventsource; nchan_channel_id figures; nchan_subscriber_first_message newest;
            nchan_eventsource_ping_interval 10; }}
        location = /pub {{ nchan_publisher; nchan_channel_id figures; nchan_message_buffer_length 10000; nchan_message_timeout 5m; }}
    }}
}}
",
            module = module.display(),
            folder = folder.path().display(),
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, config)?;
        let master = Command::new(nginx)
            .args([Path::new("-p"), folder.path(), Path::new("-c"), &file])
            .stdin(Stdio::null())
            .spawn()
            .context("nginx could not be started")?;
        let side = Self {
            master,
            address,
            client: reqwest::Client::builder()
                .timeout(Duration::from_secs(30))
                .build()?,
            published: 0,
            _folder: folder,
        };
        let ready = async || {
            side.client
                .get(format!("http://{address}/pub"))
                .send()
                .await
                .ok()
        };
        roost_tests::eventually("nginx answers", ready).await;
        Ok(side)
    }

    async fn publish(&mut self) -> Result<()> {
        self.published += 1;
        let body = format!(
            r#"{{"kind":"claw","id":"0190a000-0000-7000-8000-000000000001","version":{}}}"#,
            self.published
        );
        let request = self
            .client
            .post(format!("http://{}/pub", self.address))
            .header("x-eventsource-event", "resource.changed")
            .body(body);
        request.send().await?.error_for_status()?.bytes().await?;
        Ok(())
    }

    fn processes(&self) -> Vec<u32> {
        let master = self.master.id();
        let children = format!("/proc/{master}/task/{master}/children");
        let children = std::fs::read_to_string(children).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|id| id.parse().ok());
        std::iter::once(master).chain(children).collect()
    }
}

impl Drop for Nchan {
    fn drop(&mut self) {
        // The master stops its workers when it gets SIGTERM; a killed master would leave them.
        let id = i32::try_from(self.master.id()).ok();
        if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
            // A process that ended by itself is only waited for.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
        drop(self.master.wait());
    }
}

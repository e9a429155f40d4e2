//! Configuration: a TOML file, `ROOST_…` in the environment (two underscores for a dot: `ROOST_DATABASE__URL`), and
//! flags, the later winning. Typed; every mistake is named at once, with the key and what to do. Features read these
//! structs, never the environment.

mod connections;
mod identity;
mod layers;
mod load;
mod show;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::domains::live::Limits as StreamLimits;
use crate::domains::workspaces::Plans;
use crate::http::client_address::Network;
use crate::supervision::killpoints::Arm;

pub use connections::{OAuth, Outbound};
pub use identity::{HostedIdentity, HostedMode};
pub use layers::Overrides;
pub use load::{ConfigErrors, Mistake, load};
pub use show::show;

/// The effective configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where pages and the API are served.
    pub listen: SocketAddr,
    /// Where metrics and operator routes are served; keep it on loopback.
    pub operator_listen: SocketAddr,
    /// The address that people use, when it is not `listen` (behind a proxy, with a name).
    pub public_url: Option<url::Url>,
    /// Everything that the gateway keeps on disk.
    pub data_dir: PathBuf,
    /// `sqlite:<file>` or `postgres://…`. May contain a password.
    pub database_url: secrecy::SecretString,
    pub log: Log,
    /// Where traces go; absent means nowhere.
    pub otlp: Option<Otlp>,
    pub tls: Option<Tls>,
    pub sandboxes: Sandboxes,
    pub broker: Broker,
    pub outbound: Outbound,
    /// An issuer that vouches for people; absent in mode `local`.
    pub auth: Option<HostedIdentity>,
    pub oauth: OAuth,
    pub plans: Plans,
    pub sessions: Sessions,
    /// Fault injection may be armed. Never where data matters.
    pub chaos_allow: bool,
    /// Kill points that are armed from the start; only where `chaos_allow`.
    pub chaos_arm: Vec<Arm>,
    /// E-mails (lower case) of people who operate the deployment.
    pub operators: Vec<String>,
    /// Proxies in front of the gateway that are believed about a client's address.
    pub trusted_proxies: Vec<Network>,
    pub events: Retention,
    pub runs: Runs,
    pub limits: Limits,
    /// How often a node reports; stretched as the fleet grows.
    pub heartbeat: Duration,
    /// Builds of `roostd` that machines download, as `<target>/roostd`; absent means the one beside this program.
    pub dist_dir: Option<PathBuf>,
}

/// Runs of teams, and the agents that work on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// No run that a person starts is begun while this gateway works on so many; those that runs start have room for so many
    /// of their own at each depth.
    pub at_once: usize,
    /// Without a sign of life for this long a run is given to somebody else.
    pub lease: Duration,
    /// For so long a step waits for a machine that is away before it fails.
    pub machine_wait: Duration,
    /// How long what a run handed over is kept after its end.
    pub outputs: Duration,
    /// Bound of what a run may cost when whoever starts it says nothing, millionths of a US dollar.
    pub ceiling: Option<i64>,
    /// The file of the scripted model; absent means the demonstration that comes with Roost.
    pub script: Option<PathBuf>,
}

/// How to log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub format: LogFormat,
    /// As in `RUST_LOG`.
    pub filter: String,
}

/// One line a fact, for people or for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Pretty,
    Json,
}

/// Exporting traces by OTLP over HTTP.
#[derive(Debug, Clone)]
pub struct Otlp {
    /// The collector's base; `/v1/traces` is added.
    pub endpoint: url::Url,
    /// The `Authorization` header for the collector.
    pub authorization: Option<secrecy::SecretString>,
    /// Of traces that begin here, how many in a hundred are kept; a caller's own decision is followed.
    pub sample_percent: u8,
}

/// Serving by TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// PEM, the whole chain.
    pub cert: PathBuf,
    /// PEM.
    pub key: PathBuf,
}

/// Sandboxes on the gateway's own host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandboxes {
    /// Off: the gateway lives without an engine's socket, and a `roostd` serves its host.
    pub local: bool,
    /// The engine's socket; absent means the usual places and `DOCKER_HOST`.
    pub engine: Option<String>,
    /// The agent image.
    pub image: String,
}

/// The secret broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    /// The socket of a broker that runs for itself; absent means that this gateway starts one.
    pub socket: Option<PathBuf>,
    /// Whether it does.
    pub start: bool,
    /// The program; absent means `roost-broker` beside this one.
    pub program: Option<PathBuf>,
    /// The root key of a broker that this gateway starts; absent means a file in its data.
    pub root_key_file: Option<PathBuf>,
    /// MiB that a mirror of a repository may have, at a broker that this gateway starts.
    pub mirror_mib: u64,
}

/// How long people stay signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sessions {
    pub idle: Duration,
    pub absolute: Duration,
    pub one_time_minutes: u32,
}

/// How long events are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub age: Duration,
    /// A workspace.
    pub count: u64,
}

/// What one client may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// How long it may take to arrive; a large one gets more, by its size.
    pub body_grace: Duration,
    /// How long the headers of a request may take to arrive.
    pub header_timeout: Duration,
    /// How long a connection may take nothing of what is there for it.
    pub stalled: Duration,
    /// Open event streams.
    pub streams: StreamLimits,
}

impl Config {
    /// Where the secret broker listens.
    pub fn broker_socket(&self) -> PathBuf {
        let embedded = || self.data_dir.join("broker/run/broker.sock");
        self.broker.socket.clone().unwrap_or_else(embedded)
    }

    /// Whether browsers reach us by TLS, here or at a proxy in front.
    pub fn is_behind_tls(&self) -> bool {
        self.tls.is_some()
            || self
                .public_url
                .as_ref()
                .is_some_and(|url| url.scheme() == "https")
    }
}

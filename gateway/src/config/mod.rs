//! Configuration: a TOML file, `ROOST_…` in the environment (two underscores for a dot: `ROOST_DATABASE__URL`), and
//! flags. The later layer wins. It is typed, and all mistakes are reported at once, with the key and what to do.
//! Features read these structs, never the environment.

mod broker;
mod layers;
mod load;
mod mail;
mod show;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use roost_sandbox_driver::executor::OwnerPolicy;

use roost_connections::uploads::UploadLimits;
use roost_machines::images::NamedImage;
use roost_missions::pdf::Program;
use roost_platform::supervision::killpoints::Arm;
use roost_tenancy::mail::MailSettings;
use roost_tenancy::streams::Limits as StreamLimits;
use roost_tenancy::workspaces::Plans;
use roost_web::client_address::Network;

pub use crate::edge::server::certificate::Tls;
pub use layers::Overrides;
pub use load::{ConfigErrors, Mistake, load};
pub use roost_connections::apps::OAuth;
pub use roost_connections::supplies::SuppliesSettings;
pub use roost_machines::sandboxes::{ChunkPlace, CommandLimits};
pub use roost_platform::events::Retention;
pub use roost_platform::outbound::OutboundSettings;
pub use roost_platform::telemetry::{Log, LogFormat, Otlp};
pub use roost_tenancy::auth::hosted::{HostedIdentity, HostedMode};
pub use show::show;

/// The effective configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address of pages and the API.
    pub listen: SocketAddr,
    /// The address of metrics and operator routes; keep it on loopback.
    pub operator_listen: SocketAddr,
    /// Names (lower case) that clients may use for the operators' listener, beside addresses and `localhost`.
    pub operator_hosts: Vec<String>,
    /// The file of the operators' listener's token; absent means one that the gateway creates in its data.
    pub operator_token_file: Option<PathBuf>,
    /// The address that people use, if it differs from `listen` (behind a proxy, with a name).
    pub public_url: Option<url::Url>,
    /// The directory of everything that the gateway stores on disk.
    pub data_dir: PathBuf,
    /// The program that makes PDF files, if it is not `roost-pdf` beside this program.
    pub pdf_renderer: Option<PathBuf>,
    /// `sqlite:<file>` or `postgres://…`. May contain a password.
    pub database_url: secrecy::SecretString,
    pub log: Log,
    /// The receiver of traces; absent means that no traces are sent.
    pub otlp: Option<Otlp>,
    pub tls: Option<Tls>,
    pub sandboxes: Sandboxes,
    /// Where mail goes out; absent means that the gateway sends none.
    pub mail: Option<MailSettings>,
    /// Where the chunks of snapshots are kept.
    pub snapshots: ChunkPlace,
    /// The limits of uploaded files.
    pub uploads: UploadLimits,
    pub broker: Broker,
    pub outbound: OutboundSettings,
    /// Packages for sandboxes.
    pub supplies: SuppliesSettings,
    /// The identity issuer; absent in mode `local`.
    pub auth: Option<HostedIdentity>,
    pub oauth: OAuth,
    pub plans: Plans,
    pub sessions: Sessions,
    /// Operators may arm fault injection. Never use it where data matters.
    pub chaos_allow: bool,
    /// Kill points that are armed from the start; requires `chaos_allow`.
    pub chaos_arm: Vec<Arm>,
    /// E-mails (lower case) of the deployment's operators.
    pub operators: Vec<String>,
    /// Proxies in front of the gateway whose statement of a client's address is trusted.
    pub trusted_proxies: Vec<Network>,
    /// How long events are kept.
    pub events: Retention,
    pub runs: Runs,
    /// The model that makes level-up proposals, as `provider/model`; absent means each workspace's default model.
    pub level_up_model: Option<String>,
    /// The model that writes the narratives of summary cards, as `provider/model`; absent means that none does.
    pub summarizer_model: Option<String>,
    pub limits: Limits,
    /// The time between a node's heartbeats. It grows with the fleet.
    pub heartbeat: Duration,
    /// Builds of `roostd` that machines download, as `<target>/roostd`; absent means the one beside this program.
    pub dist_dir: Option<PathBuf>,
}

/// Runs of teams, and the agents that work on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// A run waits while this gateway works on this many runs. Parked runs do not count.
    pub at_once: usize,
    /// A run without a sign of life for this long goes to another gateway.
    pub lease: Duration,
    /// How long a step waits for a machine that is away, before it fails.
    pub machine_wait: Duration,
    /// How long a run's outputs are kept after its end.
    pub outputs: Duration,
    /// The default limit on a run's cost, in millionths of a US dollar, if its request sets none.
    pub ceiling: Option<i64>,
    /// A step ends after this many turns of its model.
    pub max_turns: usize,
    /// The file of the scripted model; absent means Roost's own demonstration.
    pub script: Option<PathBuf>,
}

/// Sandboxes on the gateway's own host.
#[derive(Debug, Clone, PartialEq)]
pub struct Sandboxes {
    /// Off: the gateway uses no engine's socket, and a `roostd` serves its host.
    pub local: bool,
    /// The engine's socket; absent means the usual places and `DOCKER_HOST`.
    pub engine: Option<String>,
    /// The agent image, here and on every machine.
    pub image: String,
    /// Images beside those that come with Roost, or in their place.
    pub images: Vec<NamedImage>,
    /// The limits of sandboxes on this host; the same keys as in a machine's `owner.toml`.
    pub policy: OwnerPolicy,
}

/// The secret broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    /// The socket of a broker that runs by itself; absent means that this gateway starts one.
    pub socket: Option<PathBuf>,
    /// Whether this gateway starts the broker.
    pub start: bool,
    /// The program; absent means `roost-broker` beside this one.
    pub program: Option<PathBuf>,
    /// The root key of a broker that this gateway starts; absent means a file in its data.
    pub root_key_file: Option<PathBuf>,
    /// The most MiB of a repository's mirror, at a broker that this gateway starts.
    pub mirror_mib: u64,
}

/// How long people stay signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sessions {
    pub idle: Duration,
    pub absolute: Duration,
    pub one_time_minutes: u32,
}

/// The limits of one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a request's body.
    pub body: usize,
    /// How long a body may take to arrive. A large one gets more time, by its size.
    pub body_grace: Duration,
    /// How long the headers of a request may take to arrive.
    pub header_timeout: Duration,
    /// How long the server of a mission's runtime may take until it is paired.
    pub runtime_boot: Duration,
    /// How long a client may leave sent data unread.
    pub stalled: Duration,
    /// The limits on open event streams.
    pub streams: StreamLimits,
    /// The limits on commands in sandboxes.
    pub commands: CommandLimits,
}

impl Config {
    /// The file of the operators' listener's token.
    pub fn operator_token_file(&self) -> PathBuf {
        let own = || self.data_dir.join("operator-token");
        self.operator_token_file.clone().unwrap_or_else(own)
    }

    /// The program that makes PDF files.
    pub fn pdf_program(&self) -> Program {
        Program::new(self.pdf_renderer.clone())
    }

    /// The secret broker's socket.
    pub fn broker_socket(&self) -> PathBuf {
        let embedded = || self.data_dir.join("broker/run/broker.sock");
        self.broker.socket.clone().unwrap_or_else(embedded)
    }

    /// Whether browsers reach the gateway by TLS, here or at a proxy in front.
    pub fn is_behind_tls(&self) -> bool {
        self.tls.is_some()
            || self
                .public_url
                .as_ref()
                .is_some_and(|url| url.scheme() == "https")
    }
}

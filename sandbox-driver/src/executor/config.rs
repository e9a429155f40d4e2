//! What an executor needs to start: a state folder, the owner's policy, clocks, and which machine it is.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use roost_protocol::ids::{InstallId, NodeId};

use super::policy::OwnerPolicy;
use crate::Remote;
use crate::origin::ImageOrigin;

/// Settings for the start of an executor.
#[derive(Clone, Debug)]
pub struct ExecutorConfig {
    /// Folder of the ledger, spools, snapshots, archives and owner's log; made with mode 0700 when it is missing.
    pub state_dir: PathBuf,
    /// The node's id; `None` on the gateway's own host (`local`).
    pub node: Option<NodeId>,
    /// This installation. Only containers that carry it are listed, swept and removed.
    pub install: InstallId,
    /// Address of the container engine as in `DOCKER_HOST`; `None` uses that variable, then the usual sockets.
    pub engine: Option<String>,
    /// The agent image whose state is reported. `None` uses the image that the gateway wanted last, else the one that
    /// the product builds.
    pub image: Option<String>,
    pub policy: OwnerPolicy,
    pub clock: ExecutorClock,
    /// The gateway's store of snapshots; `None` keeps them only on this machine.
    pub remote: Option<Arc<dyn Remote>>,
    /// Where missing images come from; `None` fetches none.
    pub images: Option<Arc<dyn ImageOrigin>>,
    /// How often a snapshot is taken while a command runs, and how long after a failure: [`SNAPSHOTS_EVERY`].
    pub snapshots_every: Duration,
}

/// How often a machine takes snapshots in a long command.
pub const SNAPSHOTS_EVERY: Duration = Duration::from_secs(60);

/// Wall-clock and monotonic time, passed in so that tests control both.
#[derive(Clone)]
pub struct ExecutorClock {
    wall: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    monotonic: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl ExecutorClock {
    /// The machine's own clocks.
    pub fn system() -> Self {
        let start = std::time::Instant::now();
        Self {
            wall: Arc::new(SystemTime::now),
            monotonic: Arc::new(move || start.elapsed()),
        }
    }

    /// Clocks of a test.
    pub fn new(
        wall: impl Fn() -> SystemTime + Send + Sync + 'static,
        monotonic: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        Self {
            wall: Arc::new(wall),
            monotonic: Arc::new(monotonic),
        }
    }

    /// Seconds since the epoch. For people and retention, never for leases.
    pub fn now_s(&self) -> i64 {
        (self.wall)().duration_since(UNIX_EPOCH).map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        })
    }

    /// Time on a clock that never jumps. Only differences have a meaning.
    pub fn monotonic(&self) -> Duration {
        (self.monotonic)()
    }
}

impl std::fmt::Debug for ExecutorClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExecutorClock")
    }
}

/// Why an executor cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    #[error("another process uses the state folder {path}; stop it first, or use another folder")]
    InUse { path: PathBuf },
    #[error(
        "cannot use the state folder {path}: {source}; choose a folder that this user can write to"
    )]
    StateDir {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

//! The broker's end of the socket: which peers may connect, and what each verb does.

mod accept;
mod administration;
mod answers;
mod branches;
mod cleaning;
mod exchange;
mod faults;
mod fetch;
mod files;
mod forward;
mod listing;
mod peers;
mod session;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use roost_secret_broker::wire::{Patience, Status};

use crate::audit::Audit;
use crate::egress::HttpClient;
use crate::git::Mirrors;
use crate::oauth::OAuth;
use crate::store::Store;

pub use accept::{Listener, SocketAccess};
pub use cleaning::Cleaning;
pub use faults::fault_of;
pub use peers::{Peer, Peers};

/// Limits for peers.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most connections at the same time.
    pub connections: usize,
    /// Time from acceptance to the hello message.
    pub greeting: Patience,
    /// Time between two exchanges, and for one frame.
    pub exchange: Patience,
    /// Time between two pieces of a body.
    pub body: Patience,
    /// Most bytes of a backup to restore.
    pub most_backup: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let patience = |idle, frame| Patience {
            idle: Some(Duration::from_secs(idle)),
            frame: Duration::from_secs(frame),
        };
        Self {
            connections: 512,
            greeting: patience(5, 5),
            exchange: patience(600, 10),
            body: patience(30, 30),
            most_backup: 256 << 20,
        }
    }
}

/// Everything that a session needs. Cheap to clone.
#[derive(Clone)]
pub struct Broker {
    pub store: Store,
    pub oauth: OAuth,
    pub http_client: HttpClient,
    pub audit: Audit,
    pub mirrors: Mirrors,
    pub audit_folder: PathBuf,
    pub peers: Arc<Peers>,
    pub limits: Limits,
    pub counters: Arc<Counters>,
    pub cleaning: Cleaning,
    pub started_ms: i64,
    /// Problems that an operator should fix.
    pub warnings: Arc<Vec<String>>,
}

/// Counters since the start.
#[derive(Default)]
pub struct Counters {
    pub connections: AtomicU32,
    pub forwards: AtomicU64,
    pub forwards_failed: AtomicU64,
}

impl Broker {
    /// The broker's whole live state.
    pub fn status(&self) -> Status {
        let (records, needs_reauth, to_rekey) = self.store.counts();
        let mut warnings = self.warnings.to_vec();
        warnings.extend_from_slice(self.store.damaged());
        if needs_reauth > 0 {
            warnings.push(format!(
                "{needs_reauth} connections must be connected again by a person"
            ));
        }
        warnings.truncate(50);
        Status {
            build: env!("CARGO_PKG_VERSION").to_owned(),
            process: std::process::id(),
            user: rustix::process::geteuid().as_raw(),
            started_ms: self.started_ms,
            records,
            needs_reauth,
            root: self.store.root().kind(),
            root_key: self.store.root().active(),
            to_rekey,
            connections: self.counters.connections.load(Ordering::Relaxed),
            forwards: self.counters.forwards.load(Ordering::Relaxed),
            forwards_failed: self.counters.forwards_failed.load(Ordering::Relaxed),
            refreshes: self.oauth.refreshes(),
            audit_entries: self.audit.entries(),
            warnings,
        }
    }
}

#[cfg(test)]
mod tests;

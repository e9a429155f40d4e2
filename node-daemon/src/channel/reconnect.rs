//! Keeps the channel open while the daemon runs: connect, run a session, wait, repeat.
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use roost_protocol::hello::Hello;
use roost_protocol::machine::session::{NO_EPOCH, NodeEpochs, Outgoing};
use roost_sandbox_driver::executor::ExecutorHandle;
use rustls::ClientConfig;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::backoff::{Attempt, Backoff};
use super::connect::{self, ConnectError};
use super::session::{self, SessionError};
use crate::reporter::Reporter;
use crate::state::{Identity, Token};

/// The channel as `roostd status` shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Link {
    pub connected: bool,
    /// Sessions since the daemon started.
    pub sessions: u64,
    pub epoch: Option<u64>,
    pub heartbeat_s: Option<u32>,
    /// Why the last attempt or session ended.
    pub last_error: Option<String>,
}

/// A shared view of the channel's state.
#[derive(Clone, Debug, Default)]
pub struct LinkView(Arc<Mutex<Link>>);

impl LinkView {
    pub fn get(&self) -> Link {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, change: impl FnOnce(&mut Link)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// What a channel needs.
pub struct Channel {
    pub identity: Identity,
    pub token: Arc<Token>,
    pub tls: Arc<ClientConfig>,
    pub executor: ExecutorHandle,
    pub reporter: Reporter,
    pub link: LinkView,
    pub stop: CancellationToken,
    /// Length of one second of the waits; shorter only for tests.
    pub second: Duration,
}

#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl Channel {
    /// Runs until `stop` is cancelled.
    pub async fn keep(self) {
        let mut backoff = Backoff::default();
        let mut epochs = NodeEpochs::default();
        while !self.stop.is_cancelled() {
            let begun = Instant::now();
            let outcome = tokio::select! {
                outcome = self.once(&mut epochs) => outcome,
                () = self.stop_and_grace() => return,
            };
            let Err(ended) = outcome else { return };
            let attempt = attempt(&ended, begun.elapsed());
            let wait = backoff
                .after(attempt, rand::random())
                .mul_f64(self.second.as_secs_f64());
            tracing::warn!(error = %ended, wait_ms = wait.as_millis(), "the channel is closed; reconnecting");
            self.link.set(|link| {
                link.connected = false;
                link.last_error = Some(ended.to_string());
            });
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stop.cancelled() => {}
            }
        }
    }

    async fn once(&self, epochs: &mut NodeEpochs) -> Result<(), Ended> {
        let Identity {
            channel,
            insecure_plain,
            ..
        } = &self.identity;
        let mut socket =
            connect::connect(channel, *insecure_plain, &self.token, Arc::clone(&self.tls)).await?;
        let hello: Hello = self.reporter.hello(&self.executor).await;
        let mut outgoing = Outgoing::new(NO_EPOCH);
        let (welcome, incoming) = session::greet(&mut socket, hello, &mut outgoing, epochs).await?;
        tracing::info!(epoch = %welcome.epoch, heartbeat_s = welcome.heartbeat_s, "the channel is open");
        self.link.set(|link| {
            link.connected = true;
            link.sessions += 1;
            link.epoch = Some(welcome.epoch.0);
            link.heartbeat_s = Some(welcome.heartbeat_s);
            link.last_error = None;
        });
        let events = self.executor.attach();
        self.executor
            .welcomed(welcome.draining, welcome.image.as_deref());
        self.executor.want_images(welcome.images);
        // The session drops this receiver; the reporter's task then ends.
        let reports = self
            .reporter
            .start(self.executor.clone(), welcome.heartbeat_s);
        session::live(
            socket,
            &self.executor,
            events,
            reports,
            (outgoing, incoming),
            &self.stop,
        )
        .await?;
        Ok(())
    }

    /// After a stop, gives the session time to send its close frame.
    async fn stop_and_grace(&self) {
        self.stop.cancelled().await;
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
}

fn attempt(ended: &Ended, lived: Duration) -> Attempt {
    match ended {
        Ended::Session(SessionError::Refused { reason, .. }) if !reason.retry() => Attempt::Refused,
        Ended::Session(SessionError::Version(..))
        | Ended::Connect(ConnectError::Token(_) | ConnectError::Address(_)) => Attempt::Refused,
        Ended::Connect(ConnectError::Busy { after, .. }) => Attempt::Later { after: *after },
        _ => Attempt::Ended { lived },
    }
}

/// The CA file of a join, when the owner gave one.
pub fn ca_file(state: &crate::state::StateFolder) -> Option<PathBuf> {
    Some(state.file(crate::state::identity::CA)).filter(|path| path.exists())
}

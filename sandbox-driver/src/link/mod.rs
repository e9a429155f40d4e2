//! A link to a sandbox's first process: one attached stream, shared by every command of the sandbox.
//!
//! [`GuestLink`] is a cheap clone. [`GuestLink::send`] sends a message. Each operation has its own [`Events`], so a
//! slow reader delays nobody else. When the stream breaks while the container lives, the task behind the link attaches
//! again, requests output from the last offset and sends again what the guest may have missed. A reader of [`Events`]
//! sees one sequence without holes, or a `Piece::Gap` where the guest's ring no longer had the bytes.

mod lane;
mod resume;
mod task;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bollard::Docker;
use roost_protocol::guest::{FromGuest, Process, ToGuest};
use roost_protocol::ids::{InstanceId, OperationId, SandboxId};
use tokio::sync::{mpsc, oneshot};

use crate::error::DriverError;
use lane::{Lane, Lanes};

/// How long the guest may take to answer a hello.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Messages that wait for the stream. A sender waits when the queue is full.
const OUTBOX: usize = 64;

/// The guest's description of itself.
#[derive(Clone, Debug)]
pub struct GuestHello {
    /// Id of the guest process. Another id means that the sandbox was started again.
    pub instance: InstanceId,
    /// Commands that it holds: running, or ended and not yet forgotten.
    pub processes: Vec<Process>,
}

/// A shared link to one sandbox's guest. Its task ends when the last clone and the last [`Events`] are dropped.
#[derive(Clone)]
pub struct GuestLink {
    sandbox: SandboxId,
    /// The guest to which the link was opened. Our containers are never started again, so it does not change.
    instance: InstanceId,
    outbox: mpsc::Sender<ToGuest>,
    lanes: Arc<Lanes>,
}

impl GuestLink {
    /// Attaches to a container and checks that its guest answers. An engine also attaches to a container that has ended.
    ///
    /// # Errors
    /// [`DriverError::NoSandbox`] when the container does not run, [`DriverError::GuestSilent`], or the engine's error.
    pub(crate) async fn open(
        docker: Docker,
        sandbox: SandboxId,
        container: String,
    ) -> Result<Self, DriverError> {
        let (outbox, inbox) = mpsc::channel(OUTBOX);
        let lanes = Arc::new(Lanes::default());
        let wire = task::Wire::new(docker, sandbox, container);
        let attached = wire.attach().await?;
        let inspected = wire.clone();
        let mut link = Self {
            sandbox,
            instance: InstanceId(uuid::Uuid::nil()),
            outbox,
            lanes: Arc::clone(&lanes),
        };
        tokio::spawn(task::run(wire, attached, lanes, inbox));
        match link.hello().await {
            Ok(hello) => link.instance = hello.instance,
            Err(error) => {
                link.lanes.close();
                return Err(match inspected.runs().await {
                    Ok(false) => DriverError::NoSandbox(sandbox),
                    _ => error,
                });
            }
        }
        Ok(link)
    }

    /// The guest's instance, as it reported when the link was opened. `None` when the guest has been silent for a
    /// while, so that the caller should send a [`hello`](Self::hello).
    pub fn known_instance(&self) -> Option<InstanceId> {
        (!self.is_closed() && self.lanes.active_within(HELLO_TIMEOUT)).then_some(self.instance)
    }

    /// The sandbox of this link.
    pub fn sandbox(&self) -> SandboxId {
        self.sandbox
    }

    /// Sends one message; waits while the stream is full. During a re-attach important messages are not lost: starts,
    /// credit and cancels are sent again, and the stdin offset is queried.
    ///
    /// # Errors
    /// [`DriverError::SandboxGone`] when the link is closed for good.
    pub async fn send(&self, message: ToGuest) -> Result<(), DriverError> {
        if self.is_closed() {
            return Err(DriverError::SandboxGone(self.sandbox));
        }
        self.lanes.note_sent(&message);
        self.outbox
            .send(message)
            .await
            .map_err(|_| DriverError::SandboxGone(self.sandbox))
    }

    /// The guest's messages about one operation, from now on. Call it before sending `Start` or `Replay`. A second call
    /// for the same operation takes over; the first receiver ends.
    pub fn events(&self, operation: OperationId) -> Events {
        Events {
            lane: self.lanes.open(operation),
            operation,
            link: self.clone(),
        }
    }

    /// Queries the guest's instance and commands. The round trip proves that both directions work.
    ///
    /// # Errors
    /// [`DriverError::GuestSilent`] when no answer comes in time, [`DriverError::SandboxGone`] when the link is closed.
    pub async fn hello(&self) -> Result<GuestHello, DriverError> {
        let nonce = nonce();
        let (answer, answered) = oneshot::channel();
        if !self.lanes.await_hello(nonce, answer) {
            return Err(DriverError::SandboxGone(self.sandbox));
        }
        let asked = async {
            self.send(ToGuest::Hello { nonce }).await?;
            answered
                .await
                .map_err(|_| DriverError::SandboxGone(self.sandbox))
        };
        let result = tokio::time::timeout(HELLO_TIMEOUT, asked).await;
        self.lanes.forget_hello(nonce);
        result.map_err(|_| DriverError::GuestSilent {
            sandbox: self.sandbox,
            detail: format!("no hello within {} s", HELLO_TIMEOUT.as_secs()),
        })?
    }

    /// Whether the link has ended for good: the container is gone, or its guest no longer answers.
    pub fn is_closed(&self) -> bool {
        self.lanes.is_closed() || self.outbox.is_closed()
    }

    /// Closes the link; every receiver of events ends.
    pub(crate) fn close(&self) {
        self.lanes.close();
    }
}

/// The guest's messages about one operation, in order.
pub struct Events {
    lane: Arc<Lane>,
    operation: OperationId,
    link: GuestLink,
}

impl Events {
    /// The next message; `None` when the link is closed or another receiver took over. Output never exceeds the given
    /// credit; a reader with unlimited credit that does not read is disconnected.
    pub async fn recv(&mut self) -> Option<FromGuest> {
        self.lane.pop().await
    }

    /// The link of these events.
    pub fn link(&self) -> &GuestLink {
        &self.link
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.link.lanes.shut(self.operation, &self.lane);
    }
}

/// Different from every other nonce of this process, and almost certainly from those of earlier processes.
pub(crate) fn nonce() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64);
    time.rotate_left(20) ^ COUNT.fetch_add(1, Ordering::Relaxed)
}

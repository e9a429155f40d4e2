//! A live line to a sandbox's first process: one attached stream, shared by every command of the sandbox.
//!
//! [`GuestLink`] is a cheap clone. A message goes out with [`GuestLink::send`]; what concerns one operation comes in by its
//! own [`Events`], so a slow reader stalls nobody. When the stream breaks while the container lives, the task behind the
//! link attaches again, asks for output from the last offset seen and says again what the guest may have missed: a reader
//! of [`Events`] sees one gapless sequence, or a `Piece::Gap` where the guest's ring no longer had the bytes.

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
/// Messages that wait for the stream; a sender waits when it is full.
const OUTBOX: usize = 64;

/// What a guest says of itself.
#[derive(Clone, Debug)]
pub struct GuestHello {
    /// One life of the guest; another one means that the sandbox was started again.
    pub instance: InstanceId,
    /// Commands that it holds, running or ended and not yet forgotten.
    pub processes: Vec<Process>,
}

/// A shared line to one sandbox's guest. The task behind it ends when the last clone and the last [`Events`] are dropped.
#[derive(Clone)]
pub struct GuestLink {
    sandbox: SandboxId,
    /// Whom the line was opened to. A container of ours is never started again, so it stays.
    instance: InstanceId,
    outbox: mpsc::Sender<ToGuest>,
    lanes: Arc<Lanes>,
}

impl GuestLink {
    /// Attaches to a running container and proves that its guest answers.
    pub(crate) async fn open(
        docker: Docker,
        sandbox: SandboxId,
        container: String,
    ) -> Result<Self, DriverError> {
        let (outbox, inbox) = mpsc::channel(OUTBOX);
        let lanes = Arc::new(Lanes::default());
        let wire = task::Wire::new(docker, sandbox, container);
        let attached = wire.attach().await?;
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
                return Err(error);
            }
        }
        Ok(link)
    }

    /// The life of the guest at the other end, as it said when the line was opened; `None` when it was not heard of
    /// for a while, so that a [`hello`](Self::hello) is due.
    pub fn heard_instance(&self) -> Option<InstanceId> {
        (!self.is_closed() && self.lanes.heard_within(HELLO_TIMEOUT)).then_some(self.instance)
    }

    /// The sandbox at the other end.
    pub fn sandbox(&self) -> SandboxId {
        self.sandbox
    }

    /// Sends one message; waits while the stream is full. A message sent while the stream is being re-attached is not
    /// lost where that matters: starts, credit and cancels are said again, and stdin is asked about.
    ///
    /// # Errors
    /// [`DriverError::SandboxGone`] when the line is closed for good.
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

    /// What the guest says of one operation, from now on. Ask before sending `Start` or `Replay`. A second call for the
    /// same operation takes the events over; the first receiver ends.
    pub fn events(&self, operation: OperationId) -> Events {
        Events {
            lane: self.lanes.open(operation),
            operation,
            link: self.clone(),
        }
    }

    /// Asks the guest for its instance and commands: a round trip that proves both directions.
    ///
    /// # Errors
    /// [`DriverError::GuestSilent`] when no answer comes in time, [`DriverError::SandboxGone`] when the line is closed.
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

    /// True when the line ended for good: the container is gone, or its guest does not answer any more.
    pub fn is_closed(&self) -> bool {
        self.lanes.is_closed() || self.outbox.is_closed()
    }

    /// Ends the line; every receiver of events ends.
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
    /// The next message. `None` when nothing can come any more: the line is closed, or another receiver took over.
    /// Output is never more than the credit that was given; who gives endless credit and does not read is cut off.
    pub async fn recv(&mut self) -> Option<FromGuest> {
        self.lane.pop().await
    }

    /// The line these events come by.
    pub fn link(&self) -> &GuestLink {
        &self.link
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.link.lanes.shut(self.operation, &self.lane);
    }
}

/// Unlike any other nonce of this process, and very unlike one of an earlier process.
pub(crate) fn nonce() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() as u64);
    time.rotate_left(20) ^ COUNT.fetch_add(1, Ordering::Relaxed)
}

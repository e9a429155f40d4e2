//! The task behind a link: reads and writes the attached stream, and attaches again when it breaks.
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::query_parameters::{AttachContainerOptionsBuilder, InspectContainerOptions};
use futures::{Stream, StreamExt};
use roost_protocol::guest::{FrameReader, FromGuest, ToGuest, encode};
use roost_protocol::ids::SandboxId;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::lane::Lanes;
use crate::error::{DriverError, is_missing};

/// How long an incomplete frame may wait for its rest.
const TORN_AFTER: Duration = Duration::from_secs(2);
/// Number of such silences, each followed by a hello, after which a stream counts as dead.
const SILENCES: u32 = 4;
/// How long to retry a silent engine before the link is closed.
const GIVE_UP_AFTER: Duration = Duration::from_secs(30);
/// Most bytes written at once.
const BATCH: usize = 256 * 1024;

/// Where to attach.
#[derive(Clone)]
pub(super) struct Wire {
    docker: Docker,
    sandbox: SandboxId,
    container: String,
}

/// One attached stream.
pub(super) struct Attached {
    output: Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
    input: Pin<Box<dyn AsyncWrite + Send>>,
}

/// Why a stream is no longer used.
enum Ended {
    /// Nobody holds the link, or this side closed it.
    Unwanted,
    /// The stream broke; the container may still run.
    Broken,
}

impl Wire {
    pub(super) fn new(docker: Docker, sandbox: SandboxId, container: String) -> Self {
        Self {
            docker,
            sandbox,
            container,
        }
    }

    pub(super) async fn attach(&self) -> Result<Attached, DriverError> {
        let options = AttachContainerOptionsBuilder::new()
            .stream(true)
            .stdin(true)
            .stdout(true)
            .stderr(true)
            .build();
        let attached = self
            .docker
            .attach_container(&self.container, Some(options))
            .await
            .map_err(|error| {
                if is_missing(&error) {
                    DriverError::NoSandbox(self.sandbox)
                } else {
                    DriverError::engine("attaching to the sandbox", error)
                }
            })?;
        Ok(Attached {
            output: attached.output,
            input: attached.input,
        })
    }

    /// `Ok(false)` when the container no longer runs.
    pub(super) async fn runs(&self) -> Result<bool, bollard::errors::Error> {
        match self
            .docker
            .inspect_container(&self.container, None::<InspectContainerOptions>)
            .await
        {
            Ok(found) => Ok(found.state.and_then(|state| state.running).unwrap_or(false)),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Attaches again with back-off; `None` when the container is gone or the engine stays silent.
    async fn reattach(&self) -> Option<Attached> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(20);
        while begun.elapsed() < GIVE_UP_AFTER {
            match self.runs().await {
                Ok(false) => return None,
                Ok(true) => match self.attach().await {
                    Ok(attached) => return Some(attached),
                    Err(error) => tracing::debug!(sandbox = %self.sandbox, %error, "attach failed"),
                },
                Err(error) => tracing::debug!(sandbox = %self.sandbox, %error, "engine silent"),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
        None
    }
}

/// Runs until the link is dropped or the container is gone.
pub(super) async fn run(
    wire: Wire,
    mut attached: Attached,
    lanes: Arc<Lanes>,
    mut inbox: mpsc::Receiver<ToGuest>,
) {
    let mut again = Vec::new();
    loop {
        let (questions, asked) = mpsc::channel(256);
        let ended = tokio::select! {
            () = lanes.closing.notified() => Ended::Unwanted,
            ended = read(attached.output, &lanes, questions) => ended,
            ended = write(attached.input, again, &mut inbox, asked) => ended,
        };
        if matches!(ended, Ended::Unwanted) || lanes.is_closed() {
            break;
        }
        tracing::debug!(sandbox = %wire.sandbox, "the guest's stream broke; attaching again");
        let next = tokio::select! {
            () = lanes.closing.notified() => None,
            next = wire.reattach() => next,
        };
        let Some(next) = next else { break };
        attached = next;
        again = lanes.resend();
    }
    lanes.close();
}

async fn read(
    mut output: Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
    lanes: &Lanes,
    questions: mpsc::Sender<ToGuest>,
) -> Ended {
    let mut reader = FrameReader::default();
    let mut silent = 0;
    loop {
        let bytes = match tokio::time::timeout(TORN_AFTER, output.next()).await {
            Ok(Some(Ok(LogOutput::StdErr { .. } | LogOutput::StdIn { .. }))) => continue,
            Ok(Some(Ok(LogOutput::StdOut { message } | LogOutput::Console { message }))) => message,
            Ok(Some(Err(_)) | None) => return Ended::Broken,
            Err(_) => {
                if reader.is_partial() {
                    reader.resync();
                    if !deliver(&mut reader, lanes, &questions) {
                        return Ended::Broken;
                    }
                }
                // A caller waits and nothing arrives: one of the two directions may be dead.
                silent = if lanes.is_busy() { silent + 1 } else { 0 };
                let asked = silent == 0 || questions.try_send(ToGuest::Hello { nonce: 0 }).is_ok();
                if silent > SILENCES || !asked {
                    return Ended::Broken;
                }
                continue;
            }
        };
        silent = 0;
        let skipped = reader.skipped();
        reader.push(&bytes);
        if !deliver(&mut reader, lanes, &questions) {
            return Ended::Broken;
        }
        if reader.skipped() != skipped {
            // Frames were lost: request their content again.
            for message in lanes.resend() {
                if questions.try_send(message).is_err() {
                    return Ended::Broken;
                }
            }
        }
    }
}

/// False when a request found no room: with so many holes it is better to attach again.
fn deliver(reader: &mut FrameReader, lanes: &Lanes, questions: &mpsc::Sender<ToGuest>) -> bool {
    while let Some(message) = reader.next_message::<FromGuest>() {
        if let Some(question) = lanes.take(message)
            && questions.try_send(question).is_err()
        {
            return false;
        }
    }
    true
}

async fn write(
    mut input: Pin<Box<dyn AsyncWrite + Send>>,
    first: Vec<ToGuest>,
    inbox: &mut mpsc::Receiver<ToGuest>,
    mut asked: mpsc::Receiver<ToGuest>,
) -> Ended {
    let mut bytes = Vec::new();
    for message in first {
        put(&mut bytes, &message);
    }
    loop {
        if !bytes.is_empty() {
            if input.write_all(&bytes).await.is_err() || input.flush().await.is_err() {
                return Ended::Broken;
            }
            bytes.clear();
        }
        tokio::select! {
            message = inbox.recv() => match message {
                Some(message) => put(&mut bytes, &message),
                None => return Ended::Unwanted,
            },
            Some(question) = asked.recv() => put(&mut bytes, &question),
        }
        while bytes.len() < BATCH
            && let Ok(message) = inbox.try_recv()
        {
            put(&mut bytes, &message);
        }
    }
}

fn put(bytes: &mut Vec<u8>, message: &ToGuest) {
    match encode(message) {
        Ok(frame) => bytes.extend_from_slice(&frame),
        // Senders check sizes before. The guest would refuse a message that still does not fit.
        Err(error) => tracing::warn!(%error, "cannot send a message to the guest"),
    }
}

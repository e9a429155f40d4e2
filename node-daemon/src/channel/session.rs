//! One session: hello, welcome, then frames both ways until an error or a stop ends it.
//!
//! Reading and writing are two futures of one task, so a gateway that does not read cannot stop the daemon from
//! reading. This file holds no state that must survive: the executor's ledger and spools hold it, and a later session
//! starts from them.
use std::time::{Duration, Instant};

use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use roost_protocol::control::Control;
use roost_protocol::frame::{self, Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Hello, RefusedReason, Welcome};
use roost_protocol::machine::session::{CloseCause, Incoming, NodeEpochs, Outgoing, Verdict};
use roost_protocol::text::clean;
use roost_sandbox_driver::executor::{Events, ExecutorHandle};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_util::sync::CancellationToken;

use super::connect::Socket;

/// How long the gateway may take to answer `hello`.
const WELCOME_TIME: Duration = Duration::from_secs(15);
/// How long one frame may take to send. After that the gateway counts as not reading.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// Silence after which the daemon sends a ping.
const PING_AFTER: Duration = Duration::from_secs(20);
/// Silence after which the connection counts as dead. It also covers proxies that strip pings.
const DEAD_AFTER: Duration = Duration::from_secs(75);

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("the gateway refused this machine: {detail}")]
    Refused {
        reason: RefusedReason,
        detail: String,
    },
    #[error("the gateway did not answer hello within {} s", WELCOME_TIME.as_secs())]
    NoWelcome,
    #[error("the gateway's first frame was not a welcome")]
    NotWelcome,
    #[error(
        "the gateway chose protocol {0}.{1}, which this daemon does not support; update roostd"
    )]
    Version(u16, u16),
    #[error("the gateway sent an invalid frame")]
    Frame(#[source] frame::FrameError),
    #[error(transparent)]
    Order(#[from] CloseCause),
    #[error("the gateway sent nothing for {} s", DEAD_AFTER.as_secs())]
    Dead,
    #[error("the gateway stopped reading")]
    Stuck,
    #[error("the gateway closed the connection: {0}")]
    Closed(String),
    #[error("the connection broke: {0}")]
    Socket(#[source] Box<WsError>),
    #[error("a newer session replaced this session")]
    Replaced,
}

/// What a session sends besides the executor's events: heartbeats and tool reports. The reporter makes them.
#[derive(Debug)]
pub struct Reports {
    pub receiver: mpsc::Receiver<ToGateway>,
}

/// Sends `hello` and waits for the answer.
///
/// # Errors
/// [`SessionError`] when the gateway refuses, does not answer or chooses another protocol version.
pub async fn greet(
    socket: &mut Socket,
    hello: Hello,
    outgoing: &mut Outgoing,
    epochs: &mut NodeEpochs,
) -> Result<(Welcome, Incoming), SessionError> {
    let versions = hello.versions;
    send(socket, &outgoing.wrap(ToGateway::Hello(hello))).await?;
    let answer = tokio::time::timeout(WELCOME_TIME, async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Binary(bytes))) => return Ok(bytes),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(close))) => return Err(closed(close)),
                Some(Ok(_)) => return Err(SessionError::NotWelcome),
                Some(Err(error)) => return Err(SessionError::Socket(Box::new(error))),
                None => return Err(SessionError::Closed("without a close frame".into())),
            }
        }
    });
    let bytes = answer.await.map_err(|_| SessionError::NoWelcome)??;
    let frame: Envelope<ToNode> = frame::decode(&bytes).map_err(SessionError::Frame)?;
    match &frame.message {
        ToNode::Welcome(welcome) => {
            let version = welcome.version;
            if !(versions.lowest..=versions.highest).contains(&version) {
                return Err(SessionError::Version(version.major, version.minor));
            }
            let incoming = epochs.welcome(&frame, welcome)?;
            outgoing.welcomed(welcome.epoch);
            Ok((welcome.clone(), incoming))
        }
        ToNode::Refused(refused) => Err(SessionError::Refused {
            reason: refused.reason,
            detail: clean(&refused.detail, 512),
        }),
        _ => Err(SessionError::NotWelcome),
    }
}

/// Runs a welcomed session until the connection breaks, or until `stop` asks for a clean close (`Ok`).
///
/// # Errors
/// Why it ended.
pub async fn live(
    socket: Socket,
    executor: &ExecutorHandle,
    events: Events,
    reports: Reports,
    orders: (Outgoing, Incoming),
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    let (outgoing, incoming) = orders;
    let (sink, stream) = socket.split();
    let (pings, asked) = mpsc::channel(1);
    tokio::select! {
        outcome = write(sink, outgoing, events, reports, asked, stop) => outcome,
        outcome = read(stream, incoming, executor, pings) => outcome,
    }
}

async fn write(
    mut sink: SplitSink<Socket, Message>,
    mut outgoing: Outgoing,
    mut events: Events,
    mut reports: Reports,
    mut pings: mpsc::Receiver<()>,
    stop: &CancellationToken,
) -> Result<(), SessionError> {
    loop {
        let message = tokio::select! {
            biased;
            () = stop.cancelled() => {
                let _ = tokio::time::timeout(Duration::from_secs(2), sink.send(Message::Close(None))).await;
                return Ok(());
            }
            Some(()) = pings.recv() => Message::Ping(Vec::new().into()),
            Some(report) = reports.receiver.recv() => binary(&outgoing.wrap(report))?,
            event = events.next() => {
                let event = event.ok_or(SessionError::Replaced)?;
                binary(&outgoing.wrap(ToGateway::from(event)))?
            }
        };
        let sent = tokio::time::timeout(WRITE_TIME, sink.send(message)).await;
        sent.map_err(|_| SessionError::Stuck)?
            .map_err(|error| SessionError::Socket(Box::new(error)))?;
    }
}

async fn read(
    mut stream: SplitStream<Socket>,
    mut incoming: Incoming,
    executor: &ExecutorHandle,
    pings: mpsc::Sender<()>,
) -> Result<(), SessionError> {
    let mut heard = Instant::now();
    loop {
        let message = match tokio::time::timeout(PING_AFTER, stream.next()).await {
            Err(_) if heard.elapsed() >= DEAD_AFTER => return Err(SessionError::Dead),
            Err(_) => {
                let _ = pings.try_send(());
                continue;
            }
            Ok(None) => return Err(SessionError::Closed("without a close frame".into())),
            Ok(Some(Err(error))) => return Err(SessionError::Socket(Box::new(error))),
            Ok(Some(Ok(message))) => message,
        };
        heard = Instant::now();
        let bytes = match message {
            Message::Binary(bytes) => bytes,
            Message::Close(close) => return Err(closed(close)),
            _ => continue,
        };
        let frame: Envelope<ToNode> = frame::decode(&bytes).map_err(SessionError::Frame)?;
        match incoming.judge(&frame) {
            Verdict::Take => take(frame.message, executor)?,
            Verdict::Duplicate => tracing::debug!(seq = frame.seq, "duplicate frame ignored"),
            Verdict::Close(cause) => return Err(cause.into()),
        }
    }
}

fn take(message: ToNode, executor: &ExecutorHandle) -> Result<(), SessionError> {
    match message {
        ToNode::Operation(request) => executor.operation(request),
        ToNode::Control(Control::Unknown) | ToNode::Unknown => {
            tracing::debug!("ignored a message that this version does not know");
        }
        ToNode::Control(control) => executor.control(control),
        ToNode::Refused(refused) => {
            return Err(SessionError::Refused {
                reason: refused.reason,
                detail: clean(&refused.detail, 512),
            });
        }
        // A second welcome changes nothing: the connection already has its epoch.
        ToNode::Welcome(_) => {}
    }
    Ok(())
}

async fn send(socket: &mut Socket, frame: &Envelope<ToGateway>) -> Result<(), SessionError> {
    let message = binary(frame)?;
    let sent = tokio::time::timeout(WRITE_TIME, socket.send(message)).await;
    sent.map_err(|_| SessionError::Stuck)?
        .map_err(|error| SessionError::Socket(Box::new(error)))
}

fn binary(frame: &Envelope<ToGateway>) -> Result<Message, SessionError> {
    Ok(Message::Binary(
        frame::encode(frame).map_err(SessionError::Frame)?.into(),
    ))
}

fn closed(close: Option<tokio_tungstenite::tungstenite::protocol::CloseFrame>) -> SessionError {
    SessionError::Closed(close.map_or_else(
        || "without a reason".into(),
        |close| {
            format!(
                "{} {}",
                u16::from(close.code),
                clean(close.reason.as_str(), 256)
            )
        },
    ))
}

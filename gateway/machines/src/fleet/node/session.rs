//! One socket of a node, from upgrade to close: the hello, then a reader and a writer side by side. It is a task of the
//! node's actor. It holds no state that matters, and it dies with the actor. The hello and the close are boxed: a socket
//! waits almost always, and then holds only what its reader and its writer need.
//!
//! Heartbeats and the answers to pings end here. Every other frame goes to the actor.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use roost_protocol::control::ControlReply;
use roost_protocol::frame::{self, ToGateway, ToNode};
use roost_protocol::hello::{Hello, Refused, RefusedReason};
use roost_protocol::ids::ConnectionEpoch;
use roost_protocol::machine::session::{Incoming, NO_EPOCH, Outgoing, Verdict};
use tokio::sync::{Semaphore, mpsc};

use super::connection::SILENT;
use super::frames::stale;
use super::{Greet, NodeMsg};
use crate::fleet::handle::FleetHandle;
use crate::fleet::pulse::{Heard, KEEP_ALIVE, Pulse};
use roost_platform::supervision::{Address, Reply};

/// How long a socket may take to send its hello.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// How long the actor may take to decide: it may have to ping another connection first.
const GREETED_WITHIN: Duration = Duration::from_secs(15);
/// How long the write of a frame may take before the machine counts as not reading.
const WRITE_WITHIN: Duration = Duration::from_secs(30);
/// Frames that may wait to be written.
const OUT_FRAMES: usize = 1024;
/// The most that one socket may have in the actor's mailbox, in kibibytes: a whole frame fits twice.
const IN_KIB: usize = 2048;

/// The answer to a hello.
pub enum Greeting {
    Welcome(ConnectionEpoch, Arc<Pulse>),
    Refused(Refused),
}

/// Why the actor closed the connection. The close frame shows it to the owner of the machine.
#[derive(Debug, Clone, Default)]
pub struct GivenUp(Arc<OnceLock<String>>);

impl GivenUp {
    /// Only the first reason counts.
    pub(super) fn because(&self, why: &str) {
        self.0.get_or_init(|| why.to_owned());
    }
}

type Writer = SplitSink<WebSocket, Message>;
type Reader = SplitStream<WebSocket>;

/// A socket whose machine was welcomed.
struct Session {
    writer: Writer,
    reader: Reader,
    incoming: Incoming,
    epoch: ConnectionEpoch,
    queue: mpsc::Receiver<Box<ToNode>>,
    given_up: GivenUp,
    pulse: Arc<Pulse>,
}

/// Runs a socket and returns why it ended.
pub async fn run(
    socket: WebSocket,
    number: u64,
    token_sha256: String,
    actor: Address<NodeMsg>,
    fleet: FleetHandle,
) -> String {
    let opened = Box::pin(open(socket, number, token_sha256, &actor)).await;
    let mut session = match opened {
        Ok(session) => session,
        Err(why) => return why,
    };
    let frames = Frames {
        number,
        actor,
        fleet,
        pulse: session.pulse,
        room: Arc::new(Semaphore::new(IN_KIB)),
    };
    let outgoing = Outgoing::new(session.epoch);
    // Both run at the same time: the gateway still reads from a machine that does not read, and the other way round.
    let why = tokio::select! {
        why = read(&mut session.reader, session.incoming, &frames) => why,
        why = write(&mut session.writer, &mut session.queue, outgoing, &session.given_up) => why,
    };
    Box::pin(close(session.writer, &why)).await;
    why
}

/// From the upgrade to the welcome. An error says why the socket was closed.
async fn open(
    socket: WebSocket,
    number: u64,
    token_sha256: String,
    actor: &Address<NodeMsg>,
) -> Result<Box<Session>, String> {
    let (writer, mut reader) = socket.split();
    let mut incoming = Incoming::of_gateway();
    let hello = match tokio::time::timeout(HELLO_WITHIN, hello(&mut reader, &mut incoming)).await {
        Ok(Ok(hello)) => hello,
        Ok(Err(why)) => return Err(refuse(writer, RefusedReason::BadHello, why).await),
        Err(_) => {
            let why = "no hello came within ten seconds; is this roostd?".to_owned();
            return Err(refuse(writer, RefusedReason::BadHello, why).await);
        }
    };
    let (out, queue) = mpsc::channel(OUT_FRAMES);
    let (reply, greeting) = Reply::channel();
    let given_up = GivenUp::default();
    let greet = Greet {
        socket: number,
        token_sha256,
        hello,
        out,
        given_up: given_up.clone(),
        reply,
    };
    if let Err(error) = actor.cast(NodeMsg::Greet(Box::new(greet))) {
        return Err(refuse(writer, RefusedReason::Other, error.to_string()).await);
    }
    let (epoch, pulse) = match tokio::time::timeout(GREETED_WITHIN, greeting).await {
        Ok(Ok(Greeting::Welcome(epoch, pulse))) => (epoch, pulse),
        Ok(Ok(Greeting::Refused(refused))) => {
            return Err(refuse(writer, refused.reason, refused.detail).await);
        }
        Ok(Err(_)) | Err(_) => {
            let why = "the gateway could not decide about this connection; try again".to_owned();
            return Err(refuse(writer, RefusedReason::Other, why).await);
        }
    };
    incoming.welcomed(epoch);
    Ok(Box::new(Session {
        writer,
        reader,
        incoming,
        epoch,
        queue,
        given_up,
        pulse,
    }))
}

async fn hello(reader: &mut Reader, incoming: &mut Incoming) -> Result<Hello, String> {
    let bytes = next(reader).await?;
    let frame = frame::decode_from_node(&bytes).map_err(|error| error.to_string())?;
    if let Verdict::Close(cause) = incoming.judge(&frame) {
        return Err(cause.to_string());
    }
    match frame.message {
        ToGateway::Hello(hello) => Ok(hello),
        _ => Err("the first frame must be a hello".to_owned()),
    }
}

/// The next binary message, or why there is no more.
async fn next(reader: &mut Reader) -> Result<axum::body::Bytes, String> {
    loop {
        match reader.next().await {
            Some(Ok(Message::Binary(bytes))) => return Ok(bytes),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Text(_))) => {
                return Err("text came where binary frames belong".to_owned());
            }
            Some(Ok(Message::Close(_))) | None => {
                return Err("the machine closed the connection".to_owned());
            }
            Some(Err(error)) => return Err(format!("the connection broke: {error}")),
        }
    }
}

/// Where the frames of a socket go.
struct Frames {
    number: u64,
    actor: Address<NodeMsg>,
    fleet: FleetHandle,
    pulse: Arc<Pulse>,
    /// Frames that the actor has not handled hold the reader back.
    room: Arc<Semaphore>,
}

/// Reads until the socket ends or breaks a rule.
async fn read(reader: &mut Reader, mut incoming: Incoming, frames: &Frames) -> String {
    loop {
        let bytes = match next(reader).await {
            Ok(bytes) => bytes,
            Err(why) => return why,
        };
        let weight = bytes.len();
        let message = match frames.judge(&bytes, &mut incoming) {
            Ok(Some(message)) => message,
            Ok(None) => continue,
            Err(why) => return why,
        };
        drop(bytes);
        let weight = u32::try_from(weight / 1024 + 1).unwrap_or(u32::MAX);
        let Ok(permit) = Arc::clone(&frames.room).acquire_many_owned(weight).await else {
            return "the reader's credits were closed".to_owned();
        };
        let frame = NodeMsg::Frame {
            socket: frames.number,
            message,
            permit,
        };
        if let Err(error) = frames.actor.cast(frame) {
            return error.to_string();
        }
    }
}

impl Frames {
    /// Decodes a frame and notes that the machine was heard. Returns the message if the actor must handle it.
    fn judge(
        &self,
        bytes: &[u8],
        incoming: &mut Incoming,
    ) -> Result<Option<Box<ToGateway>>, String> {
        let frame = frame::decode_from_node(bytes).map_err(|error| bad_frame(&error))?;
        match incoming.judge(&frame) {
            Verdict::Take => {}
            Verdict::Duplicate => {
                metrics::counter!("roost_node_duplicate_frames_total").increment(1);
                return Ok(None);
            }
            Verdict::Close(cause) => return Err(bad_frame(&cause)),
        }
        let clock = self.fleet.clock();
        match self.pulse.heard(clock.monotonic()) {
            Heard::Same => {}
            Heard::Again => {
                let epoch = self.pulse.fence.epoch;
                let told = self.actor.cast(NodeMsg::ContactChanged { epoch });
                told.map_err(|error| error.to_string())?;
            }
            Heard::TooLate => return Err(SILENT.to_owned()),
            Heard::Closed => {
                stale(&self.pulse.fence.node);
                return Ok(None);
            }
        }
        match frame.message {
            ToGateway::Heartbeat(heartbeat) => {
                let heartbeats = self.fleet.heartbeats();
                heartbeats.put(Arc::clone(&self.pulse), heartbeat, clock.now());
                Ok(None)
            }
            ToGateway::Reply(ControlReply::Pong { nonce: KEEP_ALIVE }) => Ok(None),
            message => Ok(Some(Box::new(message))),
        }
    }
}

/// Counts a frame that no correct machine sends. The connection ends with this reason.
fn bad_frame(why: &dyn std::error::Error) -> String {
    metrics::counter!("roost_node_bad_frames_total").increment(1);
    why.to_string()
}

/// Writes the queued messages until the queue's senders are gone: then the actor has closed the connection.
async fn write(
    writer: &mut Writer,
    queue: &mut mpsc::Receiver<Box<ToNode>>,
    mut outgoing: Outgoing,
    given_up: &GivenUp,
) -> String {
    while let Some(message) = queue.recv().await {
        let bytes = match frame::encode(&outgoing.wrap(*message)) {
            Ok(bytes) => bytes,
            Err(error) => return format!("a frame could not be encoded: {error}"),
        };
        match tokio::time::timeout(WRITE_WITHIN, writer.send(Message::Binary(bytes.into()))).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return format!("the connection broke: {error}"),
            Err(_) => return "it does not read what it is sent".to_owned(),
        }
    }
    let why = given_up.0.get().map(String::as_str);
    why.unwrap_or("the connection was given up").to_owned()
}

async fn refuse(mut writer: Writer, reason: RefusedReason, detail: String) -> String {
    let refused = Refused { reason, detail };
    let why = format!("refused: {}", refused.detail);
    let envelope = Outgoing::new(NO_EPOCH).wrap(ToNode::Refused(refused));
    if let Ok(bytes) = frame::encode(&envelope) {
        // The machine may be gone already; then the reason is lost.
        let _ =
            tokio::time::timeout(WRITE_WITHIN, writer.send(Message::Binary(bytes.into()))).await;
    }
    close(writer, &why).await;
    why
}

async fn close(mut writer: Writer, why: &str) {
    // A close frame's reason holds 123 bytes.
    let reason = roost_protocol::text::clean(why, 120);
    let frame = CloseFrame {
        code: axum::extract::ws::close_code::POLICY,
        reason: reason.into(),
    };
    let _ = tokio::time::timeout(
        Duration::from_secs(5),
        writer.send(Message::Close(Some(frame))),
    )
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<F>(_: fn(WebSocket, u64, String, Address<NodeMsg>, FleetHandle) -> F) -> usize {
        size_of::<F>()
    }

    /// Each connected machine holds it while nothing is sent.
    #[test]
    fn socket_at_rest_is_small() {
        let socket = size(run);
        assert!(socket <= 2_048, "{socket}");
    }
}

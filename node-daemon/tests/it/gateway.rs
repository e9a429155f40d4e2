//! A fake gateway for tests: one port for the join route and the channel, with every frame under the test's control.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use roost_protocol::control::Control;
use roost_protocol::frame::{self, Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Hello, Welcome};
use roost_protocol::ids::{ConnectionEpoch, NodeId, OperationId};
use roost_protocol::machine::session::Outgoing;
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, Report};
use roost_protocol::version::SUPPORTED;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};
use uuid::Uuid;

use crate::sandbox::Received;

/// How long a test waits for an expected event.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The fake gateway.
pub struct Gateway {
    pub url: String,
    pub node: NodeId,
    connections: mpsc::Receiver<Peer>,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    joins: Vec<Value>,
    leaves: usize,
    /// Status that the next join or upgrade gets instead of success.
    refuse: Option<(u16, &'static str)>,
    epoch: u64,
}

/// One connection of the daemon.
pub struct Peer {
    socket: WebSocketStream<TcpStream>,
    pub authorization: String,
    pub outgoing: Outgoing,
    epoch: ConnectionEpoch,
    node: NodeId,
    expected: u64,
}

impl Gateway {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let node = NodeId(Uuid::now_v7());
        let seen = Arc::new(Mutex::new(Seen {
            epoch: 100,
            ..Seen::default()
        }));
        let (sender, connections) = mpsc::channel(64);
        let (shared, channel) = (Arc::clone(&seen), url.replace("http", "ws"));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // As the gateway does: a frame after a small one must not wait for an acknowledgement.
                stream.set_nodelay(true).expect("a socket option");
                let (seen, sender, channel) =
                    (Arc::clone(&shared), sender.clone(), channel.clone());
                tokio::spawn(async move { serve(stream, seen, sender, channel, node).await });
            }
        });
        Self {
            url,
            node,
            connections,
            seen,
        }
    }

    /// The bodies of all joins.
    pub fn joins(&self) -> Vec<Value> {
        self.seen.lock().expect("no panic").joins.clone()
    }

    pub fn leaves(&self) -> usize {
        self.seen.lock().expect("no panic").leaves
    }

    /// Refuses joins and upgrades from now on, or accepts them again.
    pub fn refuse(&self, with: Option<(u16, &'static str)>) {
        self.seen.lock().expect("no panic").refuse = with;
    }

    /// The next connection.
    pub async fn connection(&mut self) -> Peer {
        tokio::time::timeout(PATIENCE, self.connections.recv())
            .await
            .expect("the daemon connects")
            .expect("the gateway runs")
    }

    /// The next connection, after its hello.
    pub async fn session(&mut self) -> (Peer, Hello) {
        let mut peer = self.connection().await;
        let hello = peer.hello().await;
        peer.welcome(10).await;
        (peer, hello)
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: Arc<Mutex<Seen>>,
    sender: mpsc::Sender<Peer>,
    channel: String,
    node: NodeId,
) {
    let mut head = [0u8; 64];
    let Ok(got) = stream.peek(&mut head).await else {
        return;
    };
    let head = String::from_utf8_lossy(&head[..got]).into_owned();
    let refuse = seen.lock().expect("no panic").refuse;
    if head.starts_with("GET /api/nodes/agent") {
        if let Some((status, code)) = refuse {
            answer(&mut stream, status, &serde_json::json!({ "code": code })).await;
            return;
        }
        let mut authorization = String::new();
        #[expect(
            clippy::result_large_err,
            reason = "the callback's type is the library's"
        )]
        let callback = |request: &Request, response: Response| {
            authorization = request
                .headers()
                .get("authorization")
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
                .to_owned();
            Ok(response)
        };
        let Ok(socket) = accept_hdr_async(stream, callback).await else {
            return;
        };
        let epoch = {
            let mut seen = seen.lock().expect("no panic");
            seen.epoch += 1;
            ConnectionEpoch(seen.epoch)
        };
        let _ = sender
            .send(Peer {
                socket,
                authorization,
                outgoing: Outgoing::new(epoch),
                epoch,
                node,
                expected: 0,
            })
            .await;
        return;
    }
    let body = read_body(&mut stream).await;
    if let Some((status, code)) = refuse {
        answer(
            &mut stream,
            status,
            &serde_json::json!({ "code": code, "detail": "played" }),
        )
        .await;
    } else if head.starts_with("POST /api/nodes/join") {
        seen.lock()
            .expect("no panic")
            .joins
            .push(serde_json::from_slice(&body).expect("JSON"));
        let body = serde_json::json!({ "node_id": node, "workspace_name": "Test\u{1b}[31m", "channel_url": format!("{channel}/api/nodes/agent") });
        answer(&mut stream, 200, &body).await;
    } else if head.starts_with("POST /api/nodes/leave") {
        seen.lock().expect("no panic").leaves += 1;
        answer(&mut stream, 200, &Value::Null).await;
    } else {
        answer(&mut stream, 404, &Value::Null).await;
    }
}

async fn read_body(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut chunk = [0u8; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(at) = text.find("\r\n\r\n") {
            let length = text
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length: ")?
                        .trim()
                        .parse()
                        .ok()
                })
                .unwrap_or(0);
            if bytes.len() >= at + 4 + length {
                return bytes[at + 4..].to_vec();
            }
        }
        match stream.read(&mut chunk).await {
            Ok(got) if got > 0 => bytes.extend_from_slice(&chunk[..got]),
            _ => return Vec::new(),
        }
    }
}

async fn answer(stream: &mut TcpStream, status: u16, body: &Value) {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}

impl Peer {
    pub async fn hello(&mut self) -> Hello {
        let frame = self.frame().await;
        assert_eq!((frame.epoch, frame.seq), (ConnectionEpoch(0), 0));
        match frame.message {
            ToGateway::Hello(hello) => hello,
            other => panic!("not a hello: {other:?}"),
        }
    }

    pub async fn welcome(&mut self, heartbeat_s: u32) {
        let welcome = Welcome {
            version: SUPPORTED.highest,
            node_id: self.node,
            epoch: self.epoch,
            heartbeat_s,
            lease_s: 3600,
            draining: false,
            image: None,
            images: Vec::new(),
        };
        self.send(ToNode::Welcome(welcome)).await;
    }

    pub async fn send(&mut self, message: ToNode) {
        let frame = self.outgoing.wrap(message);
        self.send_frame(&frame).await;
    }

    pub async fn send_frame(&mut self, frame: &Envelope<ToNode>) {
        self.send_bytes(frame::encode(frame).expect("encodes"))
            .await;
    }

    pub async fn send_bytes(&mut self, bytes: Vec<u8>) {
        // The daemon may have closed the connection; the test sees that when it reads.
        let _ = self.socket.send(Message::Binary(bytes.into())).await;
    }

    pub async fn operation(&mut self, operation: Operation) -> OperationId {
        let id = OperationId(Uuid::now_v7());
        self.send(ToNode::Operation(OperationRequest {
            purpose: None,
            id,
            on_behalf: None,
            operation,
        }))
        .await;
        id
    }

    /// Sends an operation and waits for its end.
    pub async fn run(&mut self, request: &OperationRequest) -> Ended {
        self.send(ToNode::Operation(request.clone())).await;
        self.end_of(request.id).await
    }

    /// Collects all messages about an operation, with credit for its output, until its end and all of its output
    /// arrived.
    pub async fn follow(&mut self, id: OperationId, said: &mut Received) {
        let mut granted = said.next;
        while !said.whole() {
            let message = self.frame().await.message;
            said.take(id, &message);
            if said.next > granted + 100_000 {
                granted = said.next;
                self.control(Control::Credit {
                    operation: id,
                    up_to: said.next + 256 * 1024,
                })
                .await;
            }
        }
    }

    pub async fn control(&mut self, control: Control) {
        self.send(ToNode::Control(control)).await;
    }

    /// The next frame; sequence and epoch are checked on the way.
    pub async fn frame(&mut self) -> Envelope<ToGateway> {
        self.try_frame().await.expect("the daemon speaks on")
    }

    /// The next frame; `None` when the daemon closed the connection.
    pub async fn try_frame(&mut self) -> Option<Envelope<ToGateway>> {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next())
                .await
                .expect("the daemon says something")?;
            match message.ok()? {
                Message::Binary(bytes) => {
                    let frame: Envelope<ToGateway> = frame::decode(&bytes).expect("a frame");
                    assert_eq!(frame.seq, self.expected, "frames count up");
                    self.expected += 1;
                    return Some(frame);
                }
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// The first message for which the closure returns a value; others are skipped.
    pub async fn until<T>(&mut self, mut wanted: impl FnMut(&ToGateway) -> Option<T>) -> T {
        let found = async {
            loop {
                if let Some(found) = wanted(&self.frame().await.message) {
                    return found;
                }
            }
        };
        // Heartbeats continue, so a silence would not end the test.
        tokio::time::timeout(PATIENCE, found)
            .await
            .expect("what the test wants comes")
    }

    /// The end of an operation.
    pub async fn end_of(&mut self, id: OperationId) -> Ended {
        self.until(|message| match message {
            ToGateway::Report(report) if report.operation == id => match &report.report {
                Report::Ended(ended) => Some(ended.clone()),
                _ => None,
            },
            _ => None,
        })
        .await
    }

    /// Waits until the daemon closes the connection.
    pub async fn closed(&mut self) {
        while self.try_frame().await.is_some() {}
    }

    /// Drops the connection without a close frame.
    pub fn cut(self) {
        drop(self);
    }
}

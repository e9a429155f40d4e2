//! A fake machine: it pairs, joins and uses the real protocol over a real WebSocket, but runs nothing. Tests decide
//! what it sends, honest or not.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use roost_protocol::control::Control;
use roost_protocol::frame::{self, Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Capabilities, Engine, Hello, ImageState, Refused, Welcome};
use roost_protocol::ids::{ConnectionEpoch, InstallId, InstanceId, OperationId};
use roost_protocol::inventory::Inventory;
use roost_protocol::machine::session::Outgoing;
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, OperationReport, Outcome, Report, Terminal};
use roost_protocol::sandbox::{ContainerState, SandboxFacts, WorkspaceState};
use roost_protocol::version::SUPPORTED;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::{Client, Gateway};

/// How long a test waits for a frame before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A machine with its token and installation.
#[derive(Debug, Clone)]
pub struct Machine {
    pub node_id: String,
    pub token: [u8; 32],
    pub install: uuid::Uuid,
    pub boot: String,
    pub channel: String,
}

/// An open socket of a machine.
pub struct Connection {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub outgoing: Outgoing,
}

/// A received message.
#[derive(Debug)]
pub enum Received {
    /// A frame.
    Frame(Box<ToNode>),
    /// A WebSocket pong.
    Pong,
    /// The end of the connection.
    Closed,
}

impl Machine {
    /// Pairs a machine and lets it join.
    ///
    /// # Panics
    /// When that fails.
    pub async fn joined(gateway: &Gateway, owner: &Client) -> Self {
        Self::joined_by(&gateway.anonymous(), owner).await
    }

    /// As [`joined`](Self::joined), with clients of any gateway.
    ///
    /// # Panics
    /// When that fails.
    pub async fn joined_by(anonymous: &Client, owner: &Client) -> Self {
        let paired = owner
            .post("/api/nodes/pair")
            .json(&json!({}))
            .expect(201)
            .await;
        let mut machine = Self::unpaired();
        let joined = anonymous
            .post("/api/nodes/join")
            .json(&machine.join_request(paired.str("/join_code")))
            .expect(200)
            .await;
        machine.node_id = joined.str("/node_id").to_owned();
        machine.channel = joined.str("/channel_url").to_owned();
        machine
    }

    /// A machine with a token that it made itself and nothing else.
    pub fn unpaired() -> Self {
        Self {
            node_id: String::new(),
            token: rand::random(),
            install: uuid::Uuid::now_v7(),
            boot: uuid::Uuid::now_v7().to_string(),
            channel: String::new(),
        }
    }

    /// The body of its join request with a code.
    pub fn join_request(&self, code: &str) -> serde_json::Value {
        json!({
            "code": code,
            "token_sha256": hex::encode(Sha256::digest(self.token)),
            "install_id": self.install,
            "hostname": "played",
            "daemon_version": "0.1.0",
        })
    }

    /// The API path of its node.
    pub fn path(&self, rest: &str) -> String {
        format!("/api/nodes/{}{rest}", self.node_id)
    }

    /// Opens the channel.
    ///
    /// # Errors
    /// The HTTP status of a refusal.
    ///
    /// # Panics
    /// When the gateway does not answer HTTP.
    pub async fn dial(&self) -> Result<Connection, u16> {
        self.try_dial().await.map_err(|error| match error {
            tungstenite::Error::Http(response) => response.status().as_u16(),
            error => panic!("the channel did not open: {error}"),
        })
    }

    /// Opens the channel to a gateway that may be dead.
    ///
    /// # Errors
    /// A refusal, or no answer.
    pub async fn try_dial(&self) -> tungstenite::Result<Connection> {
        let mut request = self
            .channel
            .as_str()
            .into_client_request()
            .expect("the channel is an address");
        let bearer = format!("Bearer {}", hex::encode(self.token));
        request
            .headers_mut()
            .insert("authorization", bearer.parse().expect("hex fits a header"));
        let (socket, _) = tokio_tungstenite::connect_async(request).await?;
        Ok(Connection {
            socket,
            outgoing: Outgoing::new(ConnectionEpoch(0)),
        })
    }

    /// Its first message.
    pub fn hello(&self, inventory: Inventory) -> Hello {
        Hello {
            versions: SUPPORTED,
            daemon_version: "0.1.0".into(),
            install_id: InstallId(self.install),
            instance_id: InstanceId(uuid::Uuid::now_v7()),
            boot_id: self.boot.clone(),
            hostname: "played".into(),
            os: "linux".into(),
            arch: "x86_64".into(),
            capabilities: Capabilities {
                engine: Some(Engine {
                    name: "docker".into(),
                    version: "20.10.24".into(),
                    api: "1.41".into(),
                }),
                image: ImageState::Ready,
                ..Capabilities::default()
            },
            inventory,
        }
    }

    /// Connects with an empty inventory.
    ///
    /// # Panics
    /// When the gateway does not welcome it.
    pub async fn connect(&self) -> Connection {
        self.connect_holding(Inventory::default()).await.0
    }

    /// Connects with this inventory.
    ///
    /// # Panics
    /// When the gateway does not welcome it.
    pub async fn connect_holding(&self, inventory: Inventory) -> (Connection, Welcome) {
        let mut connection = self.dial().await.expect("the token is known");
        let answer = connection.greet(self.hello(inventory)).await;
        (connection, answer.expect("a welcome"))
    }
}

impl Connection {
    /// Sends hello.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// When the answer is neither a welcome nor a refusal.
    pub async fn greet(&mut self, hello: Hello) -> Result<Welcome, Refused> {
        self.send(ToGateway::Hello(hello)).await;
        match self.receive().await {
            Some(ToNode::Welcome(welcome)) => {
                self.outgoing.welcomed(welcome.epoch);
                Ok(welcome)
            }
            Some(ToNode::Refused(refused)) => Err(refused),
            other => panic!("neither welcomed nor refused: {other:?}"),
        }
    }

    /// Sends a message in the correct envelope.
    ///
    /// # Panics
    /// When it cannot be encoded.
    pub async fn send(&mut self, message: ToGateway) {
        let envelope = self.outgoing.wrap(message);
        self.send_in(envelope).await;
    }

    /// Sends a message in any envelope.
    ///
    /// # Panics
    /// When it cannot be encoded.
    pub async fn send_in(&mut self, envelope: Envelope<ToGateway>) {
        let bytes = frame::encode(&envelope).expect("a frame");
        self.raw(Message::Binary(bytes.into())).await;
    }

    /// Sends anything. A closed socket ignores it.
    pub async fn raw(&mut self, message: Message) {
        drop(self.socket.send(message).await);
    }

    /// The next frame; `None` when the gateway closed the connection.
    ///
    /// # Panics
    /// When nothing arrives, or something that is not a frame.
    pub async fn receive(&mut self) -> Option<ToNode> {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.socket.next());
            match next.await.expect("a frame in time") {
                Some(Ok(Message::Binary(bytes))) => {
                    let frame: Envelope<ToNode> = frame::decode(&bytes).expect("a frame");
                    return Some(frame.message);
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Waits without a limit for the next message.
    ///
    /// # Panics
    /// When it is not a valid frame.
    pub async fn next_message(&mut self) -> Received {
        match self.socket.next().await {
            Some(Ok(Message::Binary(bytes))) => {
                let frame: Envelope<ToNode> = frame::decode(&bytes).expect("a frame");
                Received::Frame(Box::new(frame.message))
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => Received::Closed,
            Some(Ok(_)) => Received::Pong,
        }
    }

    /// Sends a WebSocket ping; a live gateway answers it.
    pub async fn ping(&mut self) {
        self.raw(Message::Ping(Vec::new().into())).await;
    }

    /// The first frame for which `pick` returns a value. Pings are answered meanwhile; other frames are skipped.
    ///
    /// # Panics
    /// When the connection ends before.
    pub async fn receive_until<T>(&mut self, mut pick: impl FnMut(&ToNode) -> Option<T>) -> T {
        loop {
            let message = self
                .receive()
                .await
                .expect("the connection stays open until then");
            if let ToNode::Control(Control::Ping { nonce }) = message {
                let pong = roost_protocol::control::ControlReply::Pong { nonce };
                self.send(ToGateway::Reply(pong)).await;
            }
            if let Some(found) = pick(&message) {
                return found;
            }
        }
    }

    /// The next operation.
    pub async fn operation(&mut self) -> OperationRequest {
        self.receive_until(|message| match message {
            ToNode::Operation(request) => Some(request.clone()),
            _ => None,
        })
        .await
    }

    /// Waits for the acknowledgement of this operation's end.
    pub async fn acknowledged(&mut self, operation: OperationId) {
        self.receive_until(|message| match message {
            ToNode::Control(Control::Ack { operation: acked }) => {
                (*acked == operation).then_some(())
            }
            _ => None,
        })
        .await;
    }

    /// Waits until the gateway closes the connection.
    pub async fn closed(&mut self) {
        while self.receive().await.is_some() {}
    }

    /// Reports on an operation.
    pub async fn report(&mut self, operation: OperationId, report: Report) {
        self.send(ToGateway::Report(OperationReport { operation, report }))
            .await;
    }

    /// Reports that the machine made the requested sandbox.
    ///
    /// # Panics
    /// When another operation was requested.
    pub async fn made(&mut self, request: &OperationRequest) {
        let Operation::SbProvision(provision) = &request.operation else {
            panic!("another operation was requested: {request:?}");
        };
        let spec = &provision.spec;
        let sandbox = SandboxFacts {
            sandbox: spec.sandbox,
            workspace: spec.workspace,
            agent: spec.agent,
            epoch: spec.epoch,
            container: "c".repeat(64),
            image: spec.image.clone(),
            state: ContainerState::Running,
            created_at_s: 0,
            limits: spec.limits,
        };
        let workspace = WorkspaceState::Empty;
        let made = ended(Terminal::Done, Outcome::Provisioned { sandbox, workspace });
        self.report(request.id, Report::Accepted).await;
        self.report(request.id, Report::Ended(made)).await;
    }

    /// Drops the connection without a close frame.
    pub fn vanish(self) {
        drop(self.socket);
    }
}

/// An end with an outcome and nothing else.
pub fn ended(state: Terminal, outcome: Outcome) -> Ended {
    Ended {
        state,
        outcome,
        output_end: 0,
        output_dropped: 0,
        duration_ms: 1,
    }
}

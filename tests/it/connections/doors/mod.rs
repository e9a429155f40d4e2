//! Doors: requested, decided once, and executed once by the broker.

mod killed;
mod requests;
mod restarted;

pub use killed::{KILLED_THERE, Lives};

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;
use roost_tests::{Answer, Client, Gateway, Latch, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What an app was sent.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub authorization: String,
    pub key: String,
    pub body: Value,
}

/// An app on loopback that writes down what it is sent.
#[derive(Clone)]
pub struct App {
    pub address: SocketAddr,
    taken: Taken,
    serving: Arc<tokio::task::JoinHandle<std::io::Result<()>>>,
}

#[derive(Clone)]
struct Taken {
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<Mutex<(u16, Value)>>,
    /// Where the next request waits.
    latch: Arc<Mutex<Option<Latch>>>,
}

impl App {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let created = json!({ "html_url": "https://github.example/octo/hello/issues/7" });
        let address = listener.local_addr().expect("an address");
        let taken = Taken {
            seen: Arc::default(),
            answer: Arc::new(Mutex::new((201, created))),
            latch: Arc::default(),
        };
        let router = Router::new().fallback(take).with_state(taken.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            taken,
            serving: Arc::new(serving),
        }
    }

    /// Nothing listens there any more.
    pub async fn close(&self) {
        self.serving.abort();
        eventually("nothing listens", async || {
            let connected = tokio::net::TcpStream::connect(self.address).await;
            connected.is_err().then_some(())
        })
        .await;
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.taken
            .seen
            .lock()
            .expect("nobody panics with it")
            .clone()
    }

    pub fn answers(&self, status: u16, body: Value) {
        *self.taken.answer.lock().expect("nobody panics with it") = (status, body);
    }
}

impl App {
    /// The next request waits here before it is answered.
    pub fn hold(&self, latch: &Latch) {
        *self.taken.latch.lock().expect("nobody panics with it") = Some(latch.clone());
    }
}

async fn take(State(app): State<Taken>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let header = |name: &str| {
        let value = head.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let body = to_bytes(body, 1 << 20).await.expect("a small body");
    app.seen.lock().expect("nobody panics with it").push(Seen {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        authorization: header("authorization"),
        key: header("idempotency-key"),
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    });
    let latch = app.latch.lock().expect("nobody panics with it").take();
    if let Some(latch) = latch {
        latch.pass().await;
    }
    let (status, body) = app.answer.lock().expect("nobody panics with it").clone();
    let status = StatusCode::from_u16(status).expect("a status");
    (status, axum::Json(body)).into_response()
}

/// A token that nobody is shown again.
pub const TOKEN: &str = "door-canary-token-5a1c";

pub struct Bench {
    pub gateway: Gateway,
    pub broker: BrokerProcess,
    pub app: App,
    folder: TempDir,
    scratch: Option<ScratchPostgres>,
}

impl Bench {
    pub async fn start() -> Self {
        Self::start_with(Surroundings::default()).await
    }

    pub async fn start_with(around: Surroundings) -> Self {
        Self::on(None, around, &[]).await
    }

    /// One on each back end there is, with some keys set.
    pub async fn with(more: &[(&str, &str)]) -> Vec<Self> {
        let mut all = vec![Self::on(None, Surroundings::default(), more).await];
        if let Some(scratch) = ScratchPostgres::new().await {
            all.push(Self::on(Some(scratch), Surroundings::default(), more).await);
        }
        all
    }

    /// One on each back end there is.
    pub async fn on_each() -> Vec<Self> {
        Self::with(&[]).await
    }

    async fn on(
        scratch: Option<ScratchPostgres>,
        around: Surroundings,
        more: &[(&str, &str)],
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let broker = BrokerProcess::start(folder.path()).await;
        let app = App::start().await;
        let socket = folder.path().join("data/run/broker.sock");
        let (socket, api) = (
            socket.display().to_string(),
            format!("http://{}/api/v3", app.address),
        );
        let mut set = vec![
            ("sandboxes.local", "off"),
            ("broker.socket", &*socket),
            ("outbound.allow_private", "[\"127.0.0.1\"]"),
            ("oauth.apis.github", &api),
        ];
        set.extend(more);
        let own = tempfile::tempdir().expect("a folder");
        let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        let gateway = Gateway::start_in(own, &store, &set, around)
            .await
            .expect("the gateway starts");
        Self {
            gateway,
            broker,
            app,
            folder,
            scratch,
        }
    }

    /// After its end.
    pub async fn start_the_broker_again(&mut self) {
        self.broker = BrokerProcess::start(self.folder.path()).await;
    }

    pub async fn stop(self) {
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }

    /// An agent that is connected to the app, and to a webhook there.
    pub async fn agent(&self) -> String {
        let owner = self.gateway.owner().await;
        connected_agent(owner, self.app.address).await
    }

    pub async fn ask(&self, agent: &str, action: &str, params: Value) -> Answer {
        let owner = self.gateway.owner().await;
        let body = json!({ "agent_id": agent, "action": action, "params": params });
        owner.post("/api/doors").json(&body).send().await
    }

    pub async fn decide(&self, door: &str, decision: &str) -> Answer {
        decide(self.gateway.owner().await, door, decision).await
    }

    /// Waits until a door is in a state.
    pub async fn until(&self, door: &str, state: &str) -> Value {
        until(self.gateway.owner().await, door, state).await
    }
}

pub async fn connected_agent(owner: &Client, app: SocketAddr) -> String {
    let made = owner
        .post("/api/claws")
        .json(&json!({ "name": roost_tests::unique("Ada") }))
        .expect(201)
        .await;
    let agent = made.str("/id").to_owned();
    connect(owner, app, &agent).await;
    agent
}

/// Connects an agent to the app, and to a webhook there.
pub async fn connect(owner: &Client, app: SocketAddr, agent: &str) {
    for (provider, url) in [
        ("github", None),
        ("webhook", Some(format!("http://{app}/hook"))),
    ] {
        let mut body = json!({ "clawId": agent, "provider": provider, "secret": TOKEN });
        if let Some(url) = url {
            body["url"] = json!(url);
        }
        let made = owner
            .post("/api/apps/connections")
            .json(&body)
            .expect(201)
            .await;
        assert!(!made.text.contains("canary"), "{}", made.text);
    }
}

pub async fn decide(owner: &Client, door: &str, decision: &str) -> Answer {
    let path = format!("/api/doors/{door}/resolve");
    owner
        .post(&path)
        .json(&json!({ "decision": decision }))
        .expect(200)
        .await
}

pub async fn until(owner: &Client, door: &str, state: &str) -> Value {
    let path = format!("/api/doors/{door}");
    eventually(state, || async {
        let found = owner.get(&path).try_send().await.ok()?.body;
        (found["state"] == state).then_some(found)
    })
    .await
}

/// Parameters of an issue.
pub fn issue() -> Value {
    json!({ "owner": "octo", "repo": "hello", "title": "It rains", "labels": ["weather"] })
}

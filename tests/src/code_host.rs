//! A code host on loopback with scripted answers. It records requests and the highest number of concurrent ones.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::response::Response;
use futures::future::BoxFuture;
use serde_json::{Value, json};

/// One received request.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub query: HashMap<String, String>,
    pub headers: HashMap<String, String>,
}

impl Asked {
    /// The page number.
    pub fn page(&self) -> u32 {
        let page = self.query.get("page").and_then(|page| page.parse().ok());
        page.unwrap_or(1)
    }
}

/// One answer.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    /// 200 with JSON.
    pub fn json(body: &Value) -> Self {
        Self::status(200, &body.to_string())
    }

    /// An answer with a status and a body.
    pub fn status(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.to_owned(),
        }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Script = Arc<dyn Fn(Asked) -> BoxFuture<'static, Reply> + Send + Sync>;

/// The host.
#[derive(Clone)]
pub struct CodeHost {
    pub address: SocketAddr,
    script: Arc<Mutex<Script>>,
    asked: Arc<Mutex<Vec<Asked>>>,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl CodeHost {
    /// Starts the host with this script for answers.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn start(script: impl Fn(Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let host = Self {
            address: listener.local_addr().expect("an address"),
            script: Arc::new(Mutex::new(now(script))),
            asked: Arc::default(),
            now: Arc::default(),
            most: Arc::default(),
        };
        let router = Router::new().fallback(answer).with_state(host.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        host
    }

    /// Replaces the script.
    pub fn answers(&self, script: impl Fn(Asked) -> Reply + Send + Sync + 'static) {
        *lock(&self.script) = now(script);
    }

    /// Replaces the script and delays each answer.
    pub fn answers_later(
        &self,
        script: impl Fn(Asked) -> BoxFuture<'static, Reply> + Send + Sync + 'static,
    ) {
        *lock(&self.script) = Arc::new(script);
    }

    /// The requests so far; clears them.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.asked))
    }

    /// The highest number of concurrent requests.
    pub fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn now(script: impl Fn(Asked) -> Reply + Send + Sync + 'static) -> Script {
    Arc::new(move |asked| Box::pin(std::future::ready(script(asked))))
}

fn lock<T>(what: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(
    State(host): State<CodeHost>,
    Query(query): Query<HashMap<String, String>>,
    request: Request,
) -> Response {
    let asked = Asked {
        path: request.uri().path().to_owned(),
        query,
        headers: request
            .headers()
            .iter()
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                (name.as_str().to_owned(), value)
            })
            .collect(),
    };
    lock(&host.asked).push(asked.clone());
    let at_once = host.now.fetch_add(1, Ordering::SeqCst) + 1;
    host.most.fetch_max(at_once, Ordering::SeqCst);
    let script = lock(&host.script).clone();
    let told = script(asked).await;
    host.now.fetch_sub(1, Ordering::SeqCst);
    let mut response = Response::builder()
        .status(told.status)
        .header("content-type", "application/json");
    for (name, value) in told.headers {
        response = response.header(name, value);
    }
    response
        .body(Body::from(told.body))
        .expect("a script answers what can be sent")
}

/// A list entry as GitHub, Forgejo and Gitea send it; `day` is the day of its last change.
pub fn entry(id: u64, day: u32) -> Value {
    json!({
        "id": id, "name": format!("r{id}"), "full_name": format!("acme/r{id}"), "private": true, "fork": false,
        "archived": false, "description": format!("The repository {id}"), "language": "Rust", "default_branch": "main",
        "html_url": format!("https://git.example/acme/r{id}"), "clone_url": format!("https://git.example/acme/r{id}.git"),
        "updated_at": format!("2026-{:02}-{:02}T00:00:00Z", 1 + day / 28, 1 + day % 28),
    })
}

//! An issuer on loopback that signs any token and misbehaves in any way that a test needs.
//! `tests/it/tenancy/identity/provider.rs` tests a certified provider; this issuer does what a certified one never would.

mod sign;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

pub use sign::{Key, forged};

/// How the issuer answers.
#[derive(Debug, Clone, Default)]
pub enum Manner {
    /// Correctly.
    #[default]
    Honest,
    /// It does not answer.
    Silent,
    /// With a redirect to this address.
    Redirects(String),
    /// With this many bytes.
    Floods(usize),
    /// Under the name of this issuer.
    Pretends(String),
    /// Correctly, under the name of the proxy before it.
    Behind(String),
    /// With keys at this address.
    KeysAt(String),
    /// With this error status.
    Fails(u16),
}

/// A running issuer; it ends when dropped.
pub struct Issuer {
    url: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    url: String,
    key_fetches: AtomicUsize,
    state: Mutex<Published>,
}

struct Published {
    manner: Manner,
    keys: Vec<Value>,
}

impl Issuer {
    /// An issuer with key 1.
    ///
    /// # Panics
    /// When no loopback port is free.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            url: url.clone(),
            key_fetches: AtomicUsize::new(0),
            state: Mutex::new(Published {
                manner: Manner::Honest,
                keys: vec![Key::number(1).published()],
            }),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/jwks", get(keys))
            .with_state(shared.clone());
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("serves");
        });
        Self {
            url,
            shared,
            server,
        }
    }

    /// Its socket address.
    ///
    /// # Panics
    /// When its address is not valid.
    pub fn address(&self) -> std::net::SocketAddr {
        let address = self.url.trim_start_matches("http://");
        address.parse().expect("an address")
    }

    /// The value of `iss` in its tokens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The configuration of a gateway that trusts it.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("auth.mode", "hosted".to_owned()),
            ("auth.issuer_url", self.url.clone()),
            ("outbound.allow_private", "[\"127.0.0.1\"]".to_owned()),
            ("sandboxes.local", "off".to_owned()),
        ]
    }

    /// Changes its behaviour.
    pub fn becomes(&self, manner: Manner) {
        self.state().manner = manner;
    }

    /// Publishes other keys.
    pub fn publishes(&self, keys: Vec<Value>) {
        self.state().keys = keys;
    }

    /// How often its keys were fetched.
    pub fn key_fetches(&self) -> usize {
        self.shared.key_fetches.load(Ordering::SeqCst)
    }

    /// Claims of a person, valid for five minutes, with changes; `null` removes a claim.
    ///
    /// # Panics
    /// When the changes are not an object.
    pub fn claims(&self, subject: &str, changes: Value) -> Value {
        let now = seconds_now();
        let mut claims = json!({ "iss": self.url, "sub": subject, "iat": now, "exp": now + 300 });
        for (name, value) in changes.as_object().expect("changes are an object") {
            claims[name] = value.clone();
        }
        let object = claims.as_object_mut().expect("an object");
        object.retain(|_, value| !value.is_null());
        claims
    }

    /// A token for a person, signed with key 1.
    pub fn token(&self, subject: &str, changes: Value) -> String {
        Key::number(1).signs(&self.claims(subject, changes))
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Published> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Seconds since 1970.
///
/// # Panics
/// Before 1970.
pub fn seconds_now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.expect("after 1970").as_secs()).expect("seconds fit")
}

async fn discovery(State(shared): State<Arc<Shared>>) -> Response {
    let manner = {
        let state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.manner.clone()
    };
    let base = match &manner {
        Manner::Behind(base) => base.clone(),
        _ => shared.url.clone(),
    };
    let document = |issuer: &str, keys: &str| {
        json!({
            "issuer": issuer,
            "jwks_uri": keys,
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
        })
    };
    let own_keys = format!("{base}/jwks");
    match manner {
        Manner::Honest | Manner::Behind(_) => Json(document(&base, &own_keys)).into_response(),
        Manner::Silent => std::future::pending().await,
        Manner::Redirects(to) => (http::StatusCode::FOUND, [("location", to)]).into_response(),
        Manner::Floods(bytes) => {
            let mut body = format!("{{\"issuer\": \"{}\", \"x\": \"", shared.url);
            body.push_str(&"x".repeat(bytes));
            body.push_str("\"}");
            ([("content-type", "application/json")], body).into_response()
        }
        Manner::Pretends(issuer) => Json(document(&issuer, &own_keys)).into_response(),
        Manner::KeysAt(address) => Json(document(&shared.url, &address)).into_response(),
        Manner::Fails(status) => http::StatusCode::from_u16(status)
            .expect("a status")
            .into_response(),
    }
}

async fn keys(State(shared): State<Arc<Shared>>) -> Json<Value> {
    shared.key_fetches.fetch_add(1, Ordering::SeqCst);
    let state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    Json(json!({ "keys": state.keys }))
}

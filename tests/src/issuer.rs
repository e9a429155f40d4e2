//! A scripted OAuth issuer on loopback. It issues tokens for codes whose PKCE verifier matches, records its requests,
//! and can return false answers, be slow, or act as another issuer.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::{Form, Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::Latch;

type Fields = HashMap<String, String>;

/// The issuer. Cheap to clone.
#[derive(Clone)]
pub struct Issuer {
    pub address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    /// Issued codes, with the parameters of their authorize address.
    codes: HashMap<String, Fields>,
    exchanged: Vec<Fields>,
    revoked: Vec<Fields>,
    /// Overridden answers, by path.
    instead: HashMap<String, (u16, String)>,
    /// Replacements for fields of the metadata; null removes one.
    metadata: Value,
    asked: Vec<String>,
    tokens: u32,
    /// The latch for the next token request.
    latch: Option<Latch>,
}

impl Issuer {
    /// Starts it.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let issuer = Self {
            address: listener.local_addr().expect("an address"),
            shared: Arc::default(),
        };
        let router = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/revoke", post(revoke))
            .fallback(other)
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        issuer
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Overrides the answer for a path.
    pub fn answer(&self, path: &str, status: u16, body: impl Into<String>) {
        self.with(|shared| {
            shared
                .instead
                .insert(path.to_owned(), (status, body.into()))
        });
    }

    /// Replaces fields of the metadata; null removes one.
    pub fn metadata(&self, fields: Value) {
        self.with(|shared| shared.metadata = fields);
    }

    /// The requests to the token endpoint.
    pub fn exchanged(&self) -> Vec<Fields> {
        self.with(|shared| shared.exchanged.clone())
    }

    /// Holds the next token request at this latch.
    pub fn hold_tokens(&self, latch: &Latch) {
        self.with(|shared| shared.latch = Some(latch.clone()));
    }

    /// The revocation requests.
    pub fn revoked(&self) -> Vec<Fields> {
        self.with(|shared| shared.revoked.clone())
    }

    /// The requested paths, in order.
    pub fn asked(&self) -> Vec<String> {
        self.with(|shared| shared.asked.clone())
    }

    /// A person allows an authorize request; returns the address to which the browser is redirected.
    ///
    /// # Panics
    /// When the address is not a valid authorize address.
    pub fn allow(&self, authorize_url: &str) -> String {
        let url: url::Url = authorize_url.parse().expect("an address");
        let fields: Fields = url.query_pairs().into_owned().collect();
        self.returned(fields)
    }

    fn returned(&self, fields: Fields) -> String {
        let (redirect, state) = (fields["redirect_uri"].clone(), fields["state"].clone());
        let code = format!("code-{}", fields["state"]);
        self.with(|shared| shared.codes.insert(code.clone(), fields));
        format!("{redirect}?code={code}&state={state}&iss={}", self.url())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Shared) -> T) -> T {
        work(&mut self.shared.lock().expect("nobody panics with it"))
    }

    fn described(&self) -> Value {
        let url = self.url();
        let mut metadata = json!({
            "issuer": url,
            "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"),
            "revocation_endpoint": format!("{url}/revoke"),
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        });
        let changes = self.with(|shared| shared.metadata.clone());
        for (field, value) in changes.as_object().into_iter().flatten() {
            metadata[field] = value.clone();
        }
        metadata
    }
}

/// For browsers: everybody is signed in and allows everything.
async fn authorize(State(issuer): State<Issuer>, Query(fields): Query<Fields>) -> Response {
    axum::response::Redirect::to(&issuer.returned(fields)).into_response()
}

async fn token(State(issuer): State<Issuer>, Form(form): Form<Fields>) -> Response {
    let latch = issuer.with(|shared| shared.latch.take());
    if let Some(latch) = latch {
        latch.pass().await;
    }
    let (status, answer) = issuer.with(|shared| {
        shared.exchanged.push(form.clone());
        if let Some((status, body)) = shared.instead.get("/token") {
            return (*status, body.clone());
        }
        let field = |name: &str| form.get(name).cloned().unwrap_or_default();
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
        let Some(asked) = shared.codes.remove(&field("code")) else {
            return (400, json!({ "error": "invalid_grant" }).to_string());
        };
        let fits = field("grant_type") == "authorization_code"
            && asked.get("code_challenge") == Some(&challenge)
            && asked.get("redirect_uri") == Some(&field("redirect_uri"))
            && asked.get("client_id") == Some(&field("client_id"));
        if !fits {
            return (400, json!({ "error": "invalid_grant" }).to_string());
        }
        shared.tokens += 1;
        let answer = json!({
            "access_token": format!("app-canary-access-{}", shared.tokens),
            "refresh_token": format!("app-canary-refresh-{}", shared.tokens),
            "token_type": "Bearer",
            "expires_in": 3600,
        });
        (200, answer.to_string())
    });
    written(status, answer)
}

async fn revoke(State(issuer): State<Issuer>, Form(form): Form<Fields>) -> StatusCode {
    issuer.with(|shared| shared.revoked.push(form));
    StatusCode::OK
}

async fn other(State(issuer): State<Issuer>, uri: Uri) -> Response {
    let path = uri.path().to_owned();
    let instead = issuer.with(|shared| {
        shared.asked.push(path.clone());
        shared.instead.get(&path).cloned()
    });
    match instead {
        Some((status @ 300..400, to)) => {
            let status = StatusCode::from_u16(status).expect("a status");
            (status, [("location", to)]).into_response()
        }
        Some((status, body)) => written(status, body),
        None if path == "/.well-known/openid-configuration" => {
            Json(issuer.described()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn written(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body).into_response()
}

//! A TLS proxy for the names of remotes. It passes requests to this harness's remotes and closes the connection after
//! each, so that every request makes a new connection and resolves its name again. Also traps, which only count
//! connections.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum_server::tls_rustls::{RustlsConfig, from_tcp_rustls};
use http::header;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

/// The target of each host's requests, and the client that forwards them.
type Hosts = Arc<(BTreeMap<String, SocketAddr>, reqwest::Client)>;

/// Serves these hosts at an address; returns the certificate authority as PEM.
///
/// # Panics
/// When it cannot listen.
pub async fn tls_proxy(at: SocketAddr, hosts: &[(&str, SocketAddr)]) -> String {
    crate::gateway::prepare_process();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
    let names: Vec<String> = hosts.iter().map(|(name, _)| (*name).to_owned()).collect();
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(names)
        .expect("names")
        .signed_by(&key, &authority)
        .expect("signed");
    let (certificate, key) = (certificate.pem(), key.serialize_pem());
    let tls = RustlsConfig::from_pem(certificate.into(), key.into()).await;
    let listener = std::net::TcpListener::bind(at).expect("the address is free");
    listener.set_nonblocking(true).expect("a socket");
    let server = from_tcp_rustls(listener, tls.expect("a certificate")).expect("a server");
    let hosts = hosts.iter().map(|(name, to)| ((*name).to_owned(), *to));
    let client = reqwest::Client::builder().build().expect("a client");
    let hosts: Hosts = Arc::new((hosts.collect(), client));
    let router = Router::new().fallback(pass_on).with_state(hosts);
    tokio::spawn(async move { server.serve(router.into_make_service()).await });
    authority.pem()
}

async fn pass_on(State(hosts): State<Hosts>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let host = head.headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    let (hosts, client) = &*hosts;
    let to = hosts[host];
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let body = to_bytes(body, 1 << 20).await.expect("a small body");
    let answer = client
        .request(head.method, format!("http://{to}{path}"))
        .headers(head.headers)
        .body(body)
        .send()
        .await
        .expect("the remote answers");
    let status = answer.status();
    let kind = answer.headers().get(header::CONTENT_TYPE).cloned();
    let body = answer.bytes().await.expect("a body");
    let mut answer = (status, [(header::CONNECTION, "close")], body).into_response();
    if let Some(kind) = kind {
        answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    answer
}

/// An address that no connection may reach.
#[derive(Debug, Clone)]
pub struct Trap {
    at: SocketAddr,
    caught: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Trap {
    /// Listens at the address.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn set(at: SocketAddr) -> Self {
        let listener = tokio::net::TcpListener::bind(at)
            .await
            .expect("the address is free");
        let caught: Arc<Mutex<Vec<SocketAddr>>> = Arc::default();
        let trap = Self {
            at,
            caught: caught.clone(),
        };
        tokio::spawn(async move {
            while let Ok((_, from)) = listener.accept().await {
                caught.lock().expect("nobody panics with it").push(from);
            }
        });
        trap
    }

    /// Checks that no connection came except this test's own probe.
    ///
    /// # Panics
    /// When another connection came.
    pub async fn is_empty(&self) {
        let visitor = tokio::net::TcpStream::connect(self.at).await;
        let visitor = visitor.expect("it can be reached from here");
        let visitor = visitor.local_addr().expect("an address");
        // Connections are accepted in order, so an earlier one is seen before the probe.
        let caught = crate::eventually("the trap sees who comes", || async {
            let mut caught = self.caught.lock().expect("nobody panics with it");
            caught
                .contains(&visitor)
                .then(|| std::mem::take(&mut *caught))
        })
        .await;
        assert_eq!(caught, [visitor], "somebody came to {}", self.at);
    }
}

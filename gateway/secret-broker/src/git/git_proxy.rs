//! git's only way out: an HTTP proxy on loopback for one fetch of one repository, or one push of one branch to it.
//!
//! git sends its requests here without a credential. The proxy forwards them through the broker's HTTP client, which
//! dials checked addresses, follows no redirect, adds the credential, and removes it from answers. Other users of this
//! machine would need the fetch's password, which exists only in git's environment.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::{self, Stream};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Limited;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use roost_secret_broker::wire::{Fault, FaultCode};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::push_gate::{self, Command};
use crate::egress::{HttpClient, Redaction, Redactor};

/// The header that holds the fetch's password.
pub(super) const PASS: &str = "Roost-Fetch";
/// Headers of git that the host needs.
const PASSED_ON: [&str; 5] = [
    "accept",
    "content-type",
    "content-encoding",
    "git-protocol",
    "user-agent",
];
const READING: &str = "application/x-git-upload-pack-advertisement";
const WRITING: &str = "application/x-git-receive-pack-advertisement";

/// What passes the proxy.
pub(super) enum Passing {
    /// Requests that change nothing at the host.
    Read,
    /// These, and this one change.
    Push(Command),
}

/// Address of a repository, and how to request it.
pub struct Upstream {
    pub url: Url,
    /// Includes the credential.
    pub headers: HeaderMap,
    pub redactor: Arc<Redactor>,
}

/// A running proxy. Dropping it closes the listener and ends open requests.
pub(super) struct GitProxy {
    address: SocketAddr,
    inside: Arc<Inside>,
    serving: AbortHandle,
}

struct Inside {
    upstream: Upstream,
    http_client: HttpClient,
    pass: String,
    deadline: Instant,
    most: u64,
    passing: Passing,
    bytes: AtomicU64,
    /// The first error of a forwarded request.
    fault: Mutex<Option<Fault>>,
}

impl GitProxy {
    /// Starts a proxy that passes at most `most` bytes until `deadline`.
    ///
    /// # Errors
    /// The system's error.
    pub(super) async fn open(
        upstream: Upstream,
        http_client: HttpClient,
        most: u64,
        deadline: Instant,
        passing: Passing,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
        let inside = Arc::new(Inside {
            upstream,
            http_client,
            pass: hex::encode(random),
            deadline,
            most,
            passing,
            bytes: AtomicU64::new(0),
            fault: Mutex::default(),
        });
        let serving = tokio::spawn(serve(listener, inside.clone())).abort_handle();
        Ok(Self {
            address,
            inside,
            serving,
        })
    }

    /// The URL for git to fetch.
    pub(super) fn url(&self) -> String {
        format!("http://{}/r", self.address)
    }

    /// The git setting that holds the password.
    pub(super) fn pass(&self) -> String {
        format!("{PASS}: {}", self.inside.pass)
    }

    /// Bytes received so far.
    pub(super) fn bytes(&self) -> u64 {
        self.inside.bytes.load(Ordering::Relaxed)
    }

    /// Why a request failed.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.inside
            .fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Text from git, for people: with the host's address, and without the credential.
    pub(super) fn text(&self, text: &str) -> String {
        let upstream = &self.inside.upstream;
        let text = text.replace(&self.url(), upstream.url.as_str());
        upstream.redactor.text(&text)
    }
}

impl Drop for GitProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, inside: Arc<Inside>) {
    let mut visits = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { return };
                let inside = inside.clone();
                visits.spawn(async move {
                    let service = service_fn(move |request| {
                        let inside = inside.clone();
                        async move { Ok::<_, std::convert::Infallible>(answer(&inside, request).await) }
                    });
                    // A killed git breaks the connection.
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
            Some(_) = visits.join_next() => {}
        }
    }
}

async fn answer(inside: &Arc<Inside>, request: Request<Incoming>) -> Response<reqwest::Body> {
    let pass = request.headers().get(PASS).map(HeaderValue::as_bytes);
    if !pass.is_some_and(|pass| bool::from(pass.ct_eq(inside.pass.as_bytes()))) {
        return nothing(StatusCode::FORBIDDEN);
    }
    let (method, path, query) = (
        request.method(),
        request.uri().path(),
        request.uri().query(),
    );
    let (below, query) = match (method.clone(), path, query) {
        (Method::GET, "/r/info/refs", Some("service=git-upload-pack")) => ("info/refs", query),
        (Method::POST, "/r/git-upload-pack", None) => ("git-upload-pack", None),
        (Method::GET, "/r/info/refs", Some("service=git-receive-pack")) if inside.may_push() => {
            ("info/refs", query)
        }
        (Method::POST, "/r/git-receive-pack", None) if inside.may_push() => {
            ("git-receive-pack", None)
        }
        _ => return nothing(StatusCode::NOT_FOUND),
    };
    let mut url = inside.upstream.url.clone();
    url.set_path(&format!("{}/{below}", url.path()));
    url.set_query(query);
    match pass_on(inside, url, request).await {
        Ok(response) => response,
        Err(fault) => {
            inside.record(fault);
            nothing(StatusCode::BAD_GATEWAY)
        }
    }
}

async fn pass_on(
    inside: &Arc<Inside>,
    url: Url,
    request: Request<Incoming>,
) -> Result<Response<reqwest::Body>, Fault> {
    let (head, body) = request.into_parts();
    let mut headers = inside.upstream.headers.clone();
    for name in PASSED_ON {
        if let Some(value) = head.headers.get(name) {
            headers.insert(name, value.clone());
        }
    }
    let settings = inside.http_client.settings();
    let advertised = head.method == Method::GET;
    let writing = head.uri.path().ends_with("/git-receive-pack")
        || head.uri.query() == Some("service=git-receive-pack");
    let mut request = inside
        .http_client
        .request(head.method, url)?
        .headers(headers);
    if !advertised {
        request = match (&inside.passing, writing) {
            (Passing::Push(only), true) => {
                let checked = push_gate::check(body, only, settings.most_request).await?;
                // Some hosts do not accept a body of unknown length.
                if let Some(length) = head.headers.get("content-length") {
                    request = request.header("content-length", length);
                }
                request.body(reqwest::Body::wrap_stream(checked))
            }
            _ => {
                let most = usize::try_from(settings.most_request).unwrap_or(usize::MAX);
                request.body(reqwest::Body::wrap(Limited::new(body, most)))
            }
        };
    }
    let slow = || {
        Fault::new(
            FaultCode::RemoteTimeout,
            "the host of the repository timed out",
        )
    };
    let answer = timeout_at(inside.deadline, request.send())
        .await
        .map_err(|_| slow())?
        .map_err(|error| inside.http_client.fault(error, &inside.upstream.redactor))?;
    let status = answer.status();
    if status != StatusCode::OK {
        return Err(refusal(status, writing));
    }
    let headers = answer.headers();
    if headers.contains_key("content-encoding") {
        return Err(Fault::new(
            FaultCode::RemoteRefused,
            "the host of the repository compressed its answer although it was asked not to",
        ));
    }
    let kind = headers.get("content-type").cloned();
    let wanted = if writing { WRITING } else { READING };
    if advertised && kind.as_ref().is_none_or(|kind| kind != wanted) {
        return Err(Fault::new(
            FaultCode::RemoteRefused,
            "the address is not a git repository, or its server is too old (only the smart protocol is supported)",
        ));
    }
    let mut response = Response::new(reqwest::Body::wrap_stream(cleaned(inside.clone(), answer)));
    if let Some(kind) = kind {
        response.headers_mut().insert("content-type", kind);
    }
    Ok(response)
}

/// The answer's body without the credential, within bounds.
fn cleaned(
    inside: Arc<Inside>,
    answer: reqwest::Response,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
    let redaction = Redaction::new(inside.upstream.redactor.clone());
    stream::try_unfold(Some((inside, answer, redaction)), |state| async move {
        let Some((inside, mut answer, mut redaction)) = state else {
            return Ok(None);
        };
        let broken = |fault: Fault| {
            let error = std::io::Error::other(fault.detail.clone());
            inside.record(fault);
            error
        };
        let until = inside
            .deadline
            .min(Instant::now() + inside.http_client.settings().pause);
        let piece = timeout_at(until, answer.chunk()).await.map_err(|_| {
            broken(Fault::new(
                FaultCode::RemoteTimeout,
                "the host of the repository stopped sending",
            ))
        })?;
        let piece = piece
            .map_err(|error| broken(inside.http_client.fault(error, &inside.upstream.redactor)))?;
        let Some(piece) = piece else {
            return Ok(Some((Bytes::from(redaction.end()), None)));
        };
        let before = inside
            .bytes
            .fetch_add(piece.len() as u64, Ordering::Relaxed);
        if before + piece.len() as u64 > inside.most {
            return Err(broken(super::too_large()));
        }
        let clean = Bytes::from(redaction.piece(&piece));
        Ok(Some((clean, Some((inside, answer, redaction)))))
    })
}

impl Inside {
    fn may_push(&self) -> bool {
        matches!(self.passing, Passing::Push(_))
    }

    fn record(&self, fault: Fault) {
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}

fn nothing(status: StatusCode) -> Response<reqwest::Body> {
    let mut response = Response::new(reqwest::Body::from(""));
    *response.status_mut() = status;
    response
}

/// What the host's status means to the person who wants the mirror or the push.
fn refusal(status: StatusCode, writing: bool) -> Fault {
    let detail = match status.as_u16() {
        401 | 403 if writing => {
            "the host does not let this credential push to the repository; connect the account with a token that may write"
        }
        401 | 403 => "the host does not let this credential read the repository",
        404 | 410 => "the host has no such repository, or hides it from this credential",
        429 => "the host's rate limit for this credential is reached; try again later",
        300..=399 => {
            "the host redirects to another address, and credentials are not sent to redirects"
        }
        500..=599 => "the host failed",
        _ => "the host sent a status that git does not support",
    };
    Fault::new(
        FaultCode::RemoteRefused,
        format!("{detail} ({})", status.as_u16()),
    )
}

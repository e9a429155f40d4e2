//! The only way that git has: an HTTP server on loopback, for one fetch, to one repository, for reading.
//!
//! git asks here, without a credential; what it asks goes on through the broker's own outlet, which dials the address
//! that it checked, follows no redirect, puts the credential in and takes it out of what comes back. Whoever else is on
//! this machine would have to know the fetch's password, which stands in git's environment and nowhere else.

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

use crate::egress::{Outlet, Redaction, Redactor};

/// The header with the fetch's password.
pub(super) const PASS: &str = "Roost-Fetch";
/// What git sends that its host has to know.
const PASSED_ON: [&str; 5] = [
    "accept",
    "content-type",
    "content-encoding",
    "git-protocol",
    "user-agent",
];
const ADVERTISEMENT: &str = "application/x-git-upload-pack-advertisement";

/// Where a repository is, and how it is asked.
pub struct Upstream {
    pub url: Url,
    /// The credential is among them.
    pub headers: HeaderMap,
    pub redactor: Arc<Redactor>,
}

/// A door that is open. Dropped, it is closed and what goes through it ends.
pub(super) struct Door {
    address: SocketAddr,
    inside: Arc<Inside>,
    serving: AbortHandle,
}

struct Inside {
    upstream: Upstream,
    outlet: Outlet,
    pass: String,
    deadline: Instant,
    most: u64,
    bytes: AtomicU64,
    /// The first reason why something did not go through.
    fault: Mutex<Option<Fault>>,
}

impl Door {
    /// Opens one: `most` bytes may come through, until `deadline`.
    ///
    /// # Errors
    /// What the system says.
    pub(super) async fn open(
        upstream: Upstream,
        outlet: Outlet,
        most: u64,
        deadline: Instant,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
        let inside = Arc::new(Inside {
            upstream,
            outlet,
            pass: hex::encode(random),
            deadline,
            most,
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

    /// What git is told to fetch.
    pub(super) fn url(&self) -> String {
        format!("http://{}/r", self.address)
    }

    /// The setting that lets git in.
    pub(super) fn pass(&self) -> String {
        format!("{PASS}: {}", self.inside.pass)
    }

    /// What came through until now.
    pub(super) fn bytes(&self) -> u64 {
        self.inside.bytes.load(Ordering::Relaxed)
    }

    /// Why something did not go through.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.inside
            .fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A text of git's for people: where it asked, and without the credential.
    pub(super) fn text(&self, text: &str) -> String {
        let upstream = &self.inside.upstream;
        let text = text.replace(&self.url(), upstream.url.as_str());
        upstream.redactor.text(&text)
    }
}

impl Drop for Door {
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
                    // A git that is killed breaks off.
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
        _ => return nothing(StatusCode::NOT_FOUND),
    };
    let mut url = inside.upstream.url.clone();
    url.set_path(&format!("{}/{below}", url.path()));
    url.set_query(query);
    match pass_on(inside, url, request).await {
        Ok(response) => response,
        Err(fault) => {
            inside.note(fault);
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
    let settings = inside.outlet.settings();
    let advertised = head.method == Method::GET;
    let mut request = inside.outlet.request(head.method, url)?.headers(headers);
    if !advertised {
        let most = usize::try_from(settings.most_request).unwrap_or(usize::MAX);
        request = request.body(reqwest::Body::wrap(Limited::new(body, most)));
    }
    let slow = || {
        Fault::new(
            FaultCode::RemoteTimeout,
            "the host of the repository took too long",
        )
    };
    let answer = timeout_at(inside.deadline, request.send())
        .await
        .map_err(|_| slow())?
        .map_err(|error| inside.outlet.fault(error, &inside.upstream.redactor))?;
    let status = answer.status();
    if status != StatusCode::OK {
        return Err(refusal(status));
    }
    let headers = answer.headers();
    if headers.contains_key("content-encoding") {
        return Err(Fault::new(
            FaultCode::RemoteRefused,
            "the host of the repository compressed its answer although it was asked not to",
        ));
    }
    let kind = headers.get("content-type").cloned();
    if advertised && kind.as_ref().is_none_or(|kind| kind != ADVERTISEMENT) {
        return Err(Fault::new(
            FaultCode::RemoteRefused,
            "what answers there is no git repository (or one too old: the smart protocol is spoken alone)",
        ));
    }
    let mut response = Response::new(reqwest::Body::wrap_stream(cleaned(inside.clone(), answer)));
    if let Some(kind) = kind {
        response.headers_mut().insert("content-type", kind);
    }
    Ok(response)
}

/// The answer's body, without the credential and within bounds.
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
            let told = std::io::Error::other(fault.detail.clone());
            inside.note(fault);
            told
        };
        let until = inside
            .deadline
            .min(Instant::now() + inside.outlet.settings().pause);
        let piece = timeout_at(until, answer.chunk()).await.map_err(|_| {
            broken(Fault::new(
                FaultCode::RemoteTimeout,
                "the host of the repository stopped sending",
            ))
        })?;
        let piece =
            piece.map_err(|error| broken(inside.outlet.fault(error, &inside.upstream.redactor)))?;
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
    fn note(&self, fault: Fault) {
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}

fn nothing(status: StatusCode) -> Response<reqwest::Body> {
    let mut response = Response::new(reqwest::Body::from(""));
    *response.status_mut() = status;
    response
}

/// What a host's status means to whoever wanted the mirror.
fn refusal(status: StatusCode) -> Fault {
    let told = match status.as_u16() {
        401 | 403 => "the host does not let this credential read the repository",
        404 | 410 => "the host knows no such repository, or does not show it to this credential",
        429 => "the host lets this credential ask no more for now",
        300..=399 => "the host answers from elsewhere, and a credential is not sent after it",
        500..=599 => "the host failed",
        _ => "the host answered what git does not know",
    };
    Fault::new(
        FaultCode::RemoteRefused,
        format!("{told} ({})", status.as_u16()),
    )
}

//! `forward`: the request's body streams in, the secret is added, and the answer streams out through the redactor.
//!
//! The broker waits for the remote and watches the peer at the same time. A peer that disconnects ends the request at
//! the remote, and an early answer of the remote is passed on at once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use roost_secret_broker::wire::{Answer, Fault, FaultCode, Forward, FrameError, Head, Inject};
use tokio::time::{Instant, timeout_at};
use tokio_stream::wrappers::ReceiverStream;
use zeroize::Zeroizing;

use self::upload::Upload;
use super::answers::{entry, short};
use super::faults::unaudited;
use super::session::{Next, Reader, Writer};
use super::{Broker, Peer};
use crate::audit::Entry;
use crate::egress::{Redaction, Redactor, Target, inject, outgoing, returning};

mod upload;

/// Most bytes written together.
const TOGETHER: usize = 64 * 1024;
/// Pieces of a request's body in flight.
const PIECES: usize = 4;

/// A request that passed all checks.
struct Prepared {
    request: reqwest::RequestBuilder,
    redactor: Arc<Redactor>,
    audit_entry: Entry,
}

/// Why an answer is incomplete.
enum Broken {
    /// Sent to the peer.
    Fault(Fault),
    /// The connection to the peer failed.
    Peer(FrameError),
}

/// Bytes in each direction.
#[derive(Default)]
struct Passed {
    status: Option<u16>,
    bytes: u64,
}

pub(super) async fn run(
    broker: &Broker,
    peer: Peer,
    asked: Forward,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    broker.counters.forwards.fetch_add(1, Ordering::Relaxed);
    let (sender, pieces) = tokio::sync::mpsc::channel(PIECES);
    let settings = broker.http_client.settings();
    let mut upload = Upload::new(asked.body.then_some(sender), settings.most_request);
    let asked_for = asked
        .deadline_ms
        .map_or(settings.longest, Duration::from_millis);
    let deadline = Instant::now() + asked_for.min(settings.longest);
    let mut passed = Passed::default();
    let (audit_entry, ended) = match prepare(broker, peer, &asked).await {
        Err(fault) => (refused(peer, &asked, &fault), Err(Broken::Fault(fault))),
        Ok(mut prepared) => {
            if asked.body {
                prepared.request = with_body(prepared.request, pieces, asked.body_length);
            }
            let watching = upload.watch(reader, broker.limits.body);
            let passing = pass(
                broker,
                prepared.request,
                &prepared.redactor,
                deadline,
                writer,
                &mut passed,
            );
            let ended = tokio::select! {
                biased;
                ended = passing => ended,
                gone = watching => Err(Broken::Peer(gone)),
            };
            (prepared.audit_entry, ended)
        }
    };
    let too_large = upload.is_too_large();
    let outcome = match &ended {
        Ok(()) => "done",
        Err(Broken::Peer(_)) => "abandoned",
        Err(Broken::Fault(_)) if too_large => FaultCode::TooLarge.slug(),
        Err(Broken::Fault(fault)) => fault.code.slug(),
    };
    broker
        .audit
        .record_end(Entry {
            status: passed.status,
            bytes: Some(passed.bytes),
            outcome,
            ..audit_entry
        })
        .await;
    if ended.is_err() {
        broker
            .counters
            .forwards_failed
            .fetch_add(1, Ordering::Relaxed);
    }
    match ended {
        Ok(()) => {}
        Err(Broken::Peer(error)) => return Err(error),
        Err(Broken::Fault(fault)) => {
            let fault = if too_large {
                let most = settings.most_request;
                Fault::new(
                    FaultCode::TooLarge,
                    format!("the body of the request is over {most} bytes"),
                )
            } else {
                fault
            };
            writer
                .message(&Answer::Failed(fault), broker.limits.body)
                .await?;
        }
    }
    // The peer sends its whole body before it reads, so the rest is read and discarded.
    Ok(if upload.drain(reader, broker.limits.body).await? {
        Next::Exchange
    } else {
        Next::Close
    })
}

/// All checks that need no request to the remote. The use is in the audit log when this returns.
async fn prepare(broker: &Broker, peer: Peer, asked: &Forward) -> Result<Prepared, Fault> {
    let policy = &broker.http_client.settings().policy;
    let opened = broker.oauth.usable(&asked.name).await?;
    let record = &opened.record;
    let mut target = Target::check(&asked.method, &asked.url, &record.allow, policy)?;
    let mut headers = outgoing(&asked.headers)?;
    let audit_entry = Entry {
        on_behalf: short(&asked.on_behalf),
        method: target.method.to_string(),
        host: target.url.host_str().unwrap_or_default().to_owned(),
        path: short(target.url.path()),
        ..entry(peer, "forward", Some(&asked.name), "begun")
    };
    let secret = record.secret.reveal();
    inject(&record.inject, secret, &mut headers, &mut target.url)?;
    let redactor = match &record.inject {
        // A remote may echo the whole header.
        Inject::Basic { user } => {
            let pair = Zeroizing::new([user.as_bytes(), b":", secret].concat());
            Redactor::new(&[secret, &pair])
        }
        _ => Redactor::new(&[secret]),
    };
    let request = broker
        .http_client
        .request(target.method, target.url)?
        .headers(headers);
    broker
        .audit
        .record(audit_entry.clone())
        .await
        .map_err(|error| unaudited(&error))?;
    Ok(Prepared {
        request,
        redactor: Arc::new(redactor),
        audit_entry,
    })
}

fn refused(peer: Peer, asked: &Forward, fault: &Fault) -> Entry {
    Entry {
        on_behalf: short(&asked.on_behalf),
        ..entry(peer, "forward", Some(&asked.name), fault.code.slug())
    }
}

fn with_body(
    request: reqwest::RequestBuilder,
    pieces: tokio::sync::mpsc::Receiver<std::io::Result<Bytes>>,
    length: Option<u64>,
) -> reqwest::RequestBuilder {
    let request = match length {
        Some(length) => request.header(http::header::CONTENT_LENGTH, length),
        None => request,
    };
    request.body(reqwest::Body::wrap_stream(ReceiverStream::new(pieces)))
}

/// Sends the request and passes the answer on.
async fn pass(
    broker: &Broker,
    request: reqwest::RequestBuilder,
    redactor: &Arc<Redactor>,
    deadline: Instant,
    writer: &mut Writer,
    passed: &mut Passed,
) -> Result<(), Broken> {
    let settings = broker.http_client.settings();
    let patience = broker.limits.body;
    let slow = || Broken::Fault(Fault::new(FaultCode::RemoteTimeout, "the remote timed out"));
    let failed = |error| Broken::Fault(broker.http_client.fault(error, redactor));
    let mut answer = timeout_at(deadline, request.send())
        .await
        .map_err(|_| slow())?
        .map_err(failed)?;
    let status = answer.status().as_u16();
    passed.status = Some(status);
    if status < 200 {
        let detail = format!("the remote answered {status}, which cannot be passed on");
        return Err(Broken::Fault(Fault::new(FaultCode::RemoteRefused, detail)));
    }
    let headers = returning(answer.headers(), redactor).map_err(Broken::Fault)?;
    writer
        .put_message(&Answer::Head(Head { status, headers }))
        .map_err(Broken::Peer)?;
    let mut redaction = Redaction::new(redactor.clone());
    loop {
        let until = deadline.min(Instant::now() + settings.pause);
        let piece = {
            let mut next = std::pin::pin!(timeout_at(until, answer.chunk()));
            // Send together what is available; send everything before waiting.
            match futures::poll!(&mut next) {
                std::task::Poll::Ready(piece) => piece,
                std::task::Poll::Pending => {
                    writer.flush(patience).await.map_err(Broken::Peer)?;
                    next.await
                }
            }
        };
        let Some(piece) = piece.map_err(|_| slow())?.map_err(failed)? else {
            break;
        };
        passed.bytes += piece.len() as u64;
        if passed.bytes > settings.most_answer {
            let detail = format!("the remote's answer is over {} bytes", settings.most_answer);
            return Err(Broken::Fault(Fault::new(FaultCode::TooLarge, detail)));
        }
        writer.put_body(&redaction.piece(&piece));
        if writer.waiting() >= TOGETHER {
            writer.flush(patience).await.map_err(Broken::Peer)?;
        }
    }
    writer.put_body(&redaction.end());
    writer.put_end();
    writer.flush(patience).await.map_err(Broken::Peer)
}

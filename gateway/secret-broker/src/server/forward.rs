//! `forward`: the request's body streams in, the secret is put in, the answer streams out through the redactor.
//!
//! The remote is waited for and the peer is watched at the same time: a peer that leaves ends the request at the
//! remote, and a remote that answers before it has read everything is heard at once.

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

/// Written together, at most.
const TOGETHER: usize = 64 * 1024;
/// Pieces of a request's body on their way.
const PIECES: usize = 4;

/// A request that may go out.
struct Prepared {
    request: reqwest::RequestBuilder,
    redactor: Arc<Redactor>,
    noted: Entry,
}

/// Why an answer did not come to its end.
enum Broken {
    /// Told to the peer.
    Fault(Fault),
    /// The peer itself.
    Peer(FrameError),
}

/// What came through.
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
    let settings = broker.outlet.settings();
    let mut upload = Upload::new(asked.body.then_some(sender), settings.most_request);
    let asked_for = asked
        .deadline_ms
        .map_or(settings.longest, Duration::from_millis);
    let deadline = Instant::now() + asked_for.min(settings.longest);
    let mut passed = Passed::default();
    let (noted, ended) = match prepare(broker, peer, &asked).await {
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
            (prepared.noted, ended)
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
        .note_end(Entry {
            status: passed.status,
            bytes: Some(passed.bytes),
            outcome,
            ..noted
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
    // The peer sends all of its body before it reads: what is left of it is taken and thrown away.
    Ok(if upload.drain(reader, broker.limits.body).await? {
        Next::Exchange
    } else {
        Next::Close
    })
}

/// Everything that can be refused without asking the remote; the use is in the audit log when this is done.
async fn prepare(broker: &Broker, peer: Peer, asked: &Forward) -> Result<Prepared, Fault> {
    let policy = &broker.outlet.settings().policy;
    let opened = broker.oauth.usable(&asked.name).await?;
    let record = &opened.record;
    let mut target = Target::check(&asked.method, &asked.url, &record.allow, policy)?;
    let mut headers = outgoing(&asked.headers)?;
    let noted = Entry {
        on_behalf: short(&asked.on_behalf),
        method: target.method.to_string(),
        host: target.url.host_str().unwrap_or_default().to_owned(),
        path: short(target.url.path()),
        ..entry(peer, "forward", Some(&asked.name), "begun")
    };
    let secret = record.secret.reveal();
    inject(&record.inject, secret, &mut headers, &mut target.url)?;
    let redactor = match &record.inject {
        // A remote may echo the header as it came.
        Inject::Basic { user } => {
            let pair = Zeroizing::new([user.as_bytes(), b":", secret].concat());
            Redactor::new(&[secret, &pair])
        }
        _ => Redactor::new(&[secret]),
    };
    let request = broker
        .outlet
        .request(target.method, target.url)?
        .headers(headers);
    broker
        .audit
        .note(noted.clone())
        .await
        .map_err(|error| unaudited(&error))?;
    Ok(Prepared {
        request,
        redactor: Arc::new(redactor),
        noted,
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

/// Sends it and passes the answer on.
async fn pass(
    broker: &Broker,
    request: reqwest::RequestBuilder,
    redactor: &Arc<Redactor>,
    deadline: Instant,
    writer: &mut Writer,
    passed: &mut Passed,
) -> Result<(), Broken> {
    let settings = broker.outlet.settings();
    let patience = broker.limits.body;
    let slow = || {
        Broken::Fault(Fault::new(
            FaultCode::RemoteTimeout,
            "the remote took too long",
        ))
    };
    let failed = |error| Broken::Fault(broker.outlet.fault(error, redactor));
    let mut answer = timeout_at(deadline, request.send())
        .await
        .map_err(|_| slow())?
        .map_err(failed)?;
    let status = answer.status().as_u16();
    passed.status = Some(status);
    if status < 200 {
        let told = format!("the remote answered {status}, which cannot be passed on");
        return Err(Broken::Fault(Fault::new(FaultCode::RemoteRefused, told)));
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
            // What is there already goes out together; before waiting, everything goes out.
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
            let told = format!(
                "the remote answered more than {} bytes",
                settings.most_answer
            );
            return Err(Broken::Fault(Fault::new(FaultCode::TooLarge, told)));
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

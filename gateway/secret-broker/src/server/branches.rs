//! `git_bundle`, `git_files`, `git_receive`, `git_diff` and `git_push`: branches of agents, out of a mirror and back.

use roost_secret_broker::wire::{
    Answer, Diffed, Fault, Frame, FrameError, GitBundle, GitDiff, GitFiles, GitPush, GitReceive,
    MAX_BODY_FRAME, Patience, Pushed, Received, RecordName,
};

use super::answers::{entry, short};
use super::faults::unaudited;
use super::session::{Next, Reader, Writer};
use super::{Broker, Peer};
use crate::audit::Entry;
use crate::egress::Target;
use crate::git::{Bundle, Incoming, Place, Upstream};

/// The longest body of a refused bundle that is read to its end, as a multiple of the limit.
const DRAINED: u64 = 2;

pub(super) async fn bundle(
    broker: &Broker,
    peer: Peer,
    asked: GitBundle,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = Entry {
        on_behalf: short(&asked.on_behalf),
        ..entry(peer, "git_bundle", Some(&asked.name), "begun")
    };
    let begun = begin_bundle(broker, &asked, line.clone());
    let Some(begun) = while_there(broker, reader, begun).await else {
        return Err(FrameError::CutOff);
    };
    let (_place, mut bundle) = match begun {
        Ok(begun) => begun,
        Err(fault) => return refuse(broker, writer, line, fault).await,
    };
    let patience = broker.limits.body;
    let head = Answer::Bundled(bundle.head.clone());
    writer.message(&head, patience).await?;
    let mut bytes = 0;
    let ended = loop {
        match bundle.piece().await {
            Ok(Some(piece)) => {
                bytes += piece.len() as u64;
                for part in piece.chunks(MAX_BODY_FRAME) {
                    writer.body(part, patience).await?;
                }
            }
            Ok(None) => break Ok(()),
            Err(fault) => break Err(fault),
        }
    };
    let line = Entry {
        bytes: Some(bytes),
        ..line
    };
    match ended {
        Ok(()) => {
            writer.end(patience).await?;
            ended_well(broker, line).await;
            Ok(Next::Exchange)
        }
        Err(fault) => refuse(broker, writer, line, fault).await,
    }
}

async fn begin_bundle(
    broker: &Broker,
    asked: &GitBundle,
    line: Entry,
) -> Result<(Place, Bundle), Fault> {
    let place = broker.mirrors.read(&asked.name, &asked.mirror).await?;
    begun(broker, &asked.name, line).await?;
    let bundle = broker.mirrors.bundle(&place, asked).await?;
    Ok((place, bundle))
}

pub(super) async fn receive(
    broker: &Broker,
    peer: Peer,
    asked: GitReceive,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = Entry {
        on_behalf: short(&asked.on_behalf),
        ..entry(peer, "git_receive", Some(&asked.name), "begun")
    };
    let incoming = match taken_in(broker, reader).await? {
        Taken::Whole(incoming) => incoming,
        Taken::Refused(fault) => return refuse(broker, writer, line, fault).await,
        Taken::TooLong(fault) => {
            refuse(broker, writer, line, fault).await?;
            return Ok(Next::Close);
        }
    };
    let line = Entry {
        bytes: Some(incoming.bytes()),
        ..line
    };
    let work = async {
        let place = broker.mirrors.change(&asked.name, &asked.mirror).await?;
        begun(broker, &asked.name, line.clone()).await?;
        broker.mirrors.receive(&place, &asked, incoming).await
    };
    let Some(done): Option<Result<Received, Fault>> = while_there(broker, reader, work).await
    else {
        return Err(FrameError::CutOff);
    };
    match done {
        Ok(received) => {
            ended_well(broker, line).await;
            let answer = Answer::Received(received);
            writer.message(&answer, broker.limits.body).await?;
            Ok(Next::Exchange)
        }
        Err(fault) => refuse(broker, writer, line, fault).await,
    }
}

/// What became of a body.
enum Taken {
    Whole(Incoming),
    /// The connection is still in step.
    Refused(Fault),
    /// The peer would send too much.
    TooLong(Fault),
}

async fn taken_in(broker: &Broker, reader: &mut Reader) -> Result<Taken, FrameError> {
    let mut incoming = broker.mirrors.incoming().await;
    let (mut bytes, most) = (0_u64, broker.mirrors.largest_bundle() * DRAINED);
    loop {
        match reader.next(broker.limits.body).await? {
            Some(Frame::Body(piece)) => {
                bytes += piece.len() as u64;
                if let Ok(file) = &mut incoming
                    && let Err(fault) = file.add(&piece).await
                {
                    incoming = Err(fault);
                }
                if let Err(fault) = &incoming
                    && bytes > most
                {
                    return Ok(Taken::TooLong(fault.clone()));
                }
            }
            Some(Frame::End) => {
                return Ok(incoming.map_or_else(Taken::Refused, Taken::Whole));
            }
            Some(Frame::Message(_)) | None => return Err(FrameError::CutOff),
        }
    }
}

pub(super) async fn diff(
    broker: &Broker,
    peer: Peer,
    asked: GitDiff,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = entry(peer, "git_diff", Some(&asked.name), "begun");
    let work = async {
        let place = broker.mirrors.read(&asked.name, &asked.mirror).await?;
        broker.mirrors.diff(&place, &asked).await
    };
    let Some(done) = while_there(broker, reader, work).await else {
        return Err(FrameError::CutOff);
    };
    let patience = broker.limits.body;
    match done {
        Ok((text, cut)) => {
            ended_well(broker, line).await;
            let head = Answer::Diffed(Diffed { cut });
            writer.message(&head, patience).await?;
            for part in text.chunks(MAX_BODY_FRAME) {
                writer.body(part, patience).await?;
            }
            writer.end(patience).await?;
            Ok(Next::Exchange)
        }
        Err(fault) => refuse(broker, writer, line, fault).await,
    }
}

pub(super) async fn files(
    broker: &Broker,
    peer: Peer,
    asked: GitFiles,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = Entry {
        on_behalf: short(&asked.on_behalf),
        ..entry(peer, "git_files", Some(&asked.name), "begun")
    };
    let work = async {
        let place = broker.mirrors.read(&asked.name, &asked.mirror).await?;
        begun(broker, &asked.name, line.clone()).await?;
        broker.mirrors.files(&place, &asked).await
    };
    let Some(done) = while_there(broker, reader, work).await else {
        return Err(FrameError::CutOff);
    };
    let patience = broker.limits.body;
    match done {
        Ok((head, bytes)) => {
            let line = Entry {
                bytes: Some(bytes.len() as u64),
                ..line
            };
            ended_well(broker, line).await;
            writer.message(&Answer::ReadFiles(head), patience).await?;
            for part in bytes.chunks(MAX_BODY_FRAME) {
                writer.body(part, patience).await?;
            }
            writer.end(patience).await?;
            Ok(Next::Exchange)
        }
        Err(fault) => refuse(broker, writer, line, fault).await,
    }
}

pub(super) async fn push(
    broker: &Broker,
    peer: Peer,
    asked: GitPush,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let url = url::Url::parse(&asked.url).ok();
    let host = url.as_ref().and_then(url::Url::host_str).map(short);
    let line = Entry {
        on_behalf: short(&asked.on_behalf),
        host: host.unwrap_or_default(),
        path: url
            .as_ref()
            .map(|url| short(url.path()))
            .unwrap_or_default(),
        ..entry(peer, "git_push", Some(&asked.name), "begun")
    };
    let work = async {
        // Reserve before reading the credential, so that its deletion waits for this push or is seen here.
        let place = broker.mirrors.read(&asked.name, &asked.mirror).await?;
        let upstream = upstream(broker, &asked).await?;
        broker
            .audit
            .record(line.clone())
            .await
            .map_err(|error| unaudited(&error))?;
        broker.mirrors.push(&place, upstream, &asked).await
    };
    let Some(done): Option<Result<Pushed, Fault>> = while_there(broker, reader, work).await else {
        let line = Entry {
            outcome: "abandoned",
            ..line
        };
        broker.audit.record_end(line).await;
        return Err(FrameError::CutOff);
    };
    match done {
        Ok(pushed) => {
            ended_well(broker, line).await;
            let answer = Answer::Pushed(pushed);
            writer.message(&answer, broker.limits.body).await?;
            Ok(Next::Exchange)
        }
        Err(fault) => refuse(broker, writer, line, fault).await,
    }
}

async fn upstream(broker: &Broker, asked: &GitPush) -> Result<Upstream, Fault> {
    let policy = &broker.http_client.settings().policy;
    let opened = broker.oauth.usable(&asked.name).await?;
    let record = &opened.record;
    let url = Target::check_push(&asked.url, &record.allow, policy)?;
    super::fetch::dressed(url, &asked.user, record)
}

/// The credential must exist, and the use is in the audit log before it happens.
pub(super) async fn begun(broker: &Broker, name: &RecordName, line: Entry) -> Result<(), Fault> {
    let known = broker.store.credential(name).await;
    known.map_err(|error| super::fault_of(&error))?;
    let noted = broker.audit.record(line).await;
    noted.map_err(|error| unaudited(&error))
}

pub(super) async fn ended_well(broker: &Broker, line: Entry) {
    let line = Entry {
        outcome: "done",
        ..line
    };
    broker.audit.record_end(line).await;
}

pub(super) async fn refuse(
    broker: &Broker,
    writer: &mut Writer,
    line: Entry,
    fault: Fault,
) -> Result<Next, FrameError> {
    let line = Entry {
        outcome: fault.code.slug(),
        ..line
    };
    broker.audit.record_end(line).await;
    let answer = Answer::Failed(fault);
    writer.message(&answer, broker.limits.body).await?;
    Ok(Next::Exchange)
}

/// Works while the peer waits; `None` when the peer left. Dropping the work ends its git.
pub(super) async fn while_there<T>(
    broker: &Broker,
    reader: &mut Reader,
    work: impl Future<Output = T>,
) -> Option<T> {
    let silence = Patience {
        idle: None,
        ..broker.limits.body
    };
    tokio::select! {
        biased;
        done = work => Some(done),
        _ = reader.next(silence) => None,
    }
}

//! `git_bundle`, `git_files`, `git_receive`, `git_diff` and `git_push`: branches of agents, out of a mirror and back.

use roost_secret_broker::wire::{
    Answer, Diffed, Fault, Frame, FrameError, GitBundle, GitDiff, GitFiles, GitPush, GitReceive,
    Pushed, Received,
};

use super::answers::{entry, short};
use super::exchange::{answered, begun, refuse, sent, streamed, while_there};
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
    let head = Answer::Bundled(bundle.head.clone());
    streamed(broker, writer, line, &head, &mut bundle).await
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
    answered(broker, writer, line, done.map(Answer::Received)).await
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
    let done = done.map(|(text, cut)| (Answer::Diffed(Diffed { cut }), text));
    sent(broker, writer, line, done).await
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
    let done = done.map(|(head, bytes)| (Answer::ReadFiles(head), bytes));
    sent(broker, writer, line, done).await
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
    answered(broker, writer, line, done.map(Answer::Pushed)).await
}

async fn upstream(broker: &Broker, asked: &GitPush) -> Result<Upstream, Fault> {
    let policy = &broker.http_client.settings().policy;
    let opened = broker.oauth.usable(&asked.name).await?;
    let record = &opened.record;
    let url = Target::check_push(&asked.url, &record.allow, policy)?;
    super::fetch::dressed(url, &asked.user, record)
}

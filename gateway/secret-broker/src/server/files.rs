//! `git_import` and `git_archive`: uploaded files in, and the files of a commit out.

use roost_secret_broker::wire::{
    Answer, Fault, Frame, FrameError, GitArchive, GitImport, Imported,
};

use super::answers::{entry, short};
use super::exchange::{answered, begun, refuse, streamed, while_there};
use super::session::{Next, Reader, Writer};
use super::{Broker, Peer};
use crate::audit::Entry;
use crate::git::{Archive, Import, Place};

/// Bytes of a refused body that are read to its end, so that the peer reads the reason.
const DRAINED: u64 = 1 << 30;

pub(super) async fn import(
    broker: &Broker,
    peer: Peer,
    asked: GitImport,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = Entry {
        on_behalf: short(&asked.on_behalf),
        ..entry(peer, "git_import", Some(&asked.name), "begun")
    };
    let mut import = begin(broker, &asked, line.clone()).await;
    let mut refused = 0;
    loop {
        match reader.next(broker.limits.body).await? {
            Some(Frame::Body(piece)) => {
                if let Ok(present) = &mut import
                    && let Err(fault) = present.add(&piece).await
                {
                    import = Err(fault);
                }
                if let Err(fault) = &import {
                    refused += piece.len() as u64;
                    if refused > DRAINED {
                        refuse(broker, writer, line, fault.clone()).await?;
                        return Ok(Next::Close);
                    }
                }
            }
            Some(Frame::End) => break,
            Some(Frame::Message(_)) | None => return Err(FrameError::CutOff),
        }
    }
    let bytes = import.as_ref().map_or(refused, Import::bytes);
    let line = Entry {
        bytes: Some(bytes),
        ..line
    };
    let work = async { broker.mirrors.imported(import?).await };
    let Some(done): Option<Result<Imported, Fault>> = while_there(broker, reader, work).await
    else {
        return Err(FrameError::CutOff);
    };
    answered(broker, writer, line, done.map(Answer::Imported)).await
}

async fn begin(broker: &Broker, asked: &GitImport, line: Entry) -> Result<Import, Fault> {
    begun(broker, &asked.name, line).await?;
    broker.mirrors.import(&asked.name, &asked.mirror).await
}

pub(super) async fn archive(
    broker: &Broker,
    peer: Peer,
    asked: GitArchive,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let line = Entry {
        on_behalf: short(&asked.on_behalf),
        ..entry(peer, "git_archive", Some(&asked.name), "begun")
    };
    let work = begin_archive(broker, &asked, line.clone());
    let Some(begun) = while_there(broker, reader, work).await else {
        return Err(FrameError::CutOff);
    };
    let (_place, mut archive) = match begun {
        Ok(begun) => begun,
        Err(fault) => return refuse(broker, writer, line, fault).await,
    };
    streamed(broker, writer, line, &Answer::Archive, &mut archive).await
}

async fn begin_archive(
    broker: &Broker,
    asked: &GitArchive,
    line: Entry,
) -> Result<(Place, Archive), Fault> {
    let place = broker.mirrors.read(&asked.name, &asked.mirror).await?;
    begun(broker, &asked.name, line).await?;
    let archive = broker.mirrors.archive(&place, asked).await?;
    Ok((place, archive))
}

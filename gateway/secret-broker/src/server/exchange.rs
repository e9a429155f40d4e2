//! What the exchanges about mirrors share: a peer that leaves ends the work, and each end is in the audit log.

use bytes::Bytes;
use roost_secret_broker::wire::{Answer, Fault, FrameError, MAX_BODY_FRAME, Patience, RecordName};

use super::Broker;
use super::faults::unaudited;
use super::session::{Next, Reader, Writer};
use crate::audit::Entry;
use crate::git::{Archive, Bundle};

/// A body that arises in pieces.
pub(super) trait Pieces {
    /// The next piece; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, Fault>;
}

impl Pieces for Bundle {
    async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        self.piece().await
    }
}

impl Pieces for Archive {
    async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        self.piece().await
    }
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

/// Ends an exchange whose answer is a message.
pub(super) async fn answered(
    broker: &Broker,
    writer: &mut Writer,
    line: Entry,
    done: Result<Answer, Fault>,
) -> Result<Next, FrameError> {
    match done {
        Ok(answer) => {
            ended_well(broker, line).await;
            writer.message(&answer, broker.limits.body).await?;
            Ok(Next::Exchange)
        }
        Err(fault) => refuse(broker, writer, line, fault).await,
    }
}

/// Ends an exchange whose answer is a message and a body that is there.
pub(super) async fn sent(
    broker: &Broker,
    writer: &mut Writer,
    line: Entry,
    done: Result<(Answer, impl AsRef<[u8]>), Fault>,
) -> Result<Next, FrameError> {
    let (head, bytes) = match done {
        Ok(done) => done,
        Err(fault) => return refuse(broker, writer, line, fault).await,
    };
    let line = Entry {
        bytes: Some(bytes.as_ref().len() as u64),
        ..line
    };
    ended_well(broker, line).await;
    let patience = broker.limits.body;
    writer.message(&head, patience).await?;
    for part in bytes.as_ref().chunks(MAX_BODY_FRAME) {
        writer.body(part, patience).await?;
    }
    writer.end(patience).await?;
    Ok(Next::Exchange)
}

/// Ends an exchange whose answer is a message and a body that arises while it is sent.
pub(super) async fn streamed(
    broker: &Broker,
    writer: &mut Writer,
    line: Entry,
    head: &Answer,
    body: &mut impl Pieces,
) -> Result<Next, FrameError> {
    let patience = broker.limits.body;
    writer.message(head, patience).await?;
    let mut bytes = 0;
    let ended = loop {
        match body.next().await {
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

//! Backup and restore. Their data travels as bodies.

use roost_secret_broker::wire::{Answer, Fault, FaultCode, Frame, FrameError, Saved};

use super::answers::entry;
use super::session::{Next, Reader, Writer};
use super::{Broker, Peer, fault_of};

/// Sends the sealed records of this instant, then how many they are.
pub(super) async fn backup(
    broker: &Broker,
    peer: Peer,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let patience = broker.limits.body;
    let snapshot = broker.store.snapshot();
    let saved = Saved {
        records: snapshot.records(),
        root_key: broker.store.root().active(),
        note: Some("the backup is sealed: also keep the root key, in another place".to_owned()),
    };
    writer.message(&Answer::Backup, patience).await?;
    for piece in snapshot {
        writer.body(&piece, patience).await?;
    }
    writer.end(patience).await?;
    writer.message(&Answer::Saved(saved), patience).await?;
    broker
        .audit
        .record_end(entry(peer, "backup", None, "done"))
        .await;
    Ok(Next::Exchange)
}

/// Receives a whole backup, then replaces all records or none.
pub(super) async fn restore(
    broker: &Broker,
    peer: Peer,
    reader: &mut Reader,
    writer: &mut Writer,
) -> Result<Next, FrameError> {
    let patience = broker.limits.body;
    let mut bytes = Vec::new();
    loop {
        match reader.next(patience).await? {
            Some(Frame::Body(piece)) if bytes.len() + piece.len() <= broker.limits.most_backup => {
                bytes.extend_from_slice(&piece);
            }
            Some(Frame::Body(_)) => {
                let fault = Fault::new(FaultCode::TooLarge, "a backup has at most 256 MiB");
                writer.message(&Answer::Failed(fault), patience).await?;
                return Ok(Next::Close);
            }
            Some(Frame::End) => break,
            Some(Frame::Message(_)) | None => return Ok(Next::Close),
        }
    }
    let done = broker
        .store
        .restore(&bytes)
        .await
        .map_err(|error| fault_of(&error));
    let outcome = done
        .as_ref()
        .map_or_else(|fault| fault.code.slug(), |_| "done");
    broker
        .audit
        .record_end(entry(peer, "restore", None, outcome))
        .await;
    let answer = done.map_or_else(Answer::Failed, Answer::Saved);
    writer.message(&answer, patience).await?;
    Ok(Next::Exchange)
}
